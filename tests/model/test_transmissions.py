"""Transmissions: ros2_control's formulas, power, and there and back again."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import FrozenInstanceError, replace
from typing import Any

import casadi
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gearwright import (
    Backlash,
    CustomTransmission,
    DifferentialTransmission,
    FourBarLinkage,
    FourBarLinkageTransmission,
    LinearMap,
    Losses,
    ModelError,
    Series,
    SimpleTransmission,
    TracingError,
)
from gearwright.model import AxisRef, LinearTransmission, Transmission, TransmissionMap
from gearwright.model.transmissions import LinearSeries, parameters, rows, with_parameters
from gearwright.model.transmissions import offsets as at_zero
from gearwright.tracing import trace

ratios = st.floats(0.1, 100).flatmap(lambda r: st.sampled_from((r, -r)))
offsets = st.floats(-3, 3)
pairs = st.tuples(ratios, ratios)


@st.composite
def invertible(draw: st.DrawFn) -> tuple[tuple[float, ...], ...]:
    n = draw(st.integers(1, 4))
    rows = np.array(draw(st.lists(st.lists(st.floats(-1, 1), min_size=n, max_size=n), min_size=n, max_size=n)))
    return tuple(map(tuple, rows + 3 * n * np.eye(n)))  # diagonally dominant


two = {"actuator_reduction": pairs, "joint_reduction": pairs, "joint_offset": st.tuples(offsets, offsets)}
LINEAR = st.one_of(
    st.builds(SimpleTransmission, reduction=ratios, offset=offsets),
    st.builds(DifferentialTransmission, **two),
    st.builds(FourBarLinkageTransmission, **two),
    st.builds(LinearMap, matrix=invertible()),
)
draws = settings(max_examples=200, deadline=None, derandomize=True)


def vector(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n)


@given(LINEAR, st.integers(0, 2**32))
@draws
def test_there_and_back_again(t: LinearTransmission, seed: int) -> None:
    a, j = vector(seed, t.actuators), vector(seed + 1, t.joints)
    for kind in ("position", "velocity", "effort"):
        to, back = getattr(t, f"actuator_to_joint_{kind}"), getattr(t, f"joint_to_actuator_{kind}")
        np.testing.assert_allclose(back(to(a)), a, atol=1e-9)
        np.testing.assert_allclose(to(back(j)), j, atol=1e-9)


@given(LINEAR, st.integers(0, 2**32))
@draws
def test_power_is_conserved(t: LinearTransmission, seed: int) -> None:
    va, ta = vector(seed, t.actuators), vector(seed + 1, t.actuators)
    vj, tj = t.actuator_to_joint_velocity(va), t.actuator_to_joint_effort(ta)
    assert vj @ tj == pytest.approx(va @ ta, rel=1e-9, abs=1e-9)


@given(LINEAR, st.integers(0, 2**32))
@draws
def test_velocity_is_the_slope_of_position(t: LinearTransmission, seed: int) -> None:
    a, b = vector(seed, t.actuators), vector(seed + 1, t.actuators)
    slope = t.actuator_to_joint_position(a + b) - t.actuator_to_joint_position(a)
    np.testing.assert_allclose(slope, t.actuator_to_joint_velocity(b), atol=1e-9)


@given(LINEAR, st.integers(0, 2**32))
@draws
def test_batches(t: LinearTransmission, seed: int) -> None:
    many = vector(seed, 12 * t.actuators).reshape(3, 4, t.actuators)
    out = t.actuator_to_joint_position(many)
    assert out.shape == (3, 4, t.joints)
    np.testing.assert_allclose(out[1, 2], t.actuator_to_joint_position(many[1, 2]))


# --- ros2_control's formulas, as they are printed ---------------------------------------------------------------------


@given(ratios, offsets, st.floats(-5, 5))
@draws
def test_simple(n: float, o: float, x: float) -> None:
    t = SimpleTransmission(reduction=n, offset=o)
    assert t.actuator_to_joint_position(x) == pytest.approx(x / n + o)
    assert t.actuator_to_joint_velocity(x) == pytest.approx(x / n)
    assert t.actuator_to_joint_effort(x) == pytest.approx(n * x)
    assert t.joint_to_actuator_position(x) == pytest.approx(n * (x - o))
    assert t.joint_to_actuator_velocity(x) == pytest.approx(n * x)
    assert t.joint_to_actuator_effort(x) == pytest.approx(x / n)


@given(pairs, pairs, st.tuples(offsets, offsets), st.tuples(offsets, offsets))
@draws
def test_differential(
    a: tuple[float, float], j: tuple[float, float], o: tuple[float, float], x: tuple[float, float]
) -> None:
    (na1, na2), (nj1, nj2), (o1, o2), (x1, x2) = a, j, o, x
    t = DifferentialTransmission(actuator_reduction=a, joint_reduction=j, joint_offset=o)
    forward = [(x1 / na1 + x2 / na2) / (2 * nj1), (x1 / na1 - x2 / na2) / (2 * nj2)]
    assert t.actuator_to_joint_velocity(x) == pytest.approx(forward)
    assert t.actuator_to_joint_position(x) == pytest.approx([forward[0] + o1, forward[1] + o2])
    assert t.actuator_to_joint_effort(x) == pytest.approx([nj1 * (na1 * x1 + na2 * x2), nj2 * (na1 * x1 - na2 * x2)])
    assert t.joint_to_actuator_velocity(x) == pytest.approx([na1 * (nj1 * x1 + nj2 * x2), na2 * (nj1 * x1 - nj2 * x2)])
    y1, y2 = x1 - o1, x2 - o2
    assert t.joint_to_actuator_position(x) == pytest.approx([na1 * (nj1 * y1 + nj2 * y2), na2 * (nj1 * y1 - nj2 * y2)])
    assert t.joint_to_actuator_effort(x) == pytest.approx(
        [(x1 / nj1 + x2 / nj2) / (2 * na1), (x1 / nj1 - x2 / nj2) / (2 * na2)]
    )


@given(pairs, pairs, st.tuples(offsets, offsets), st.tuples(offsets, offsets))
@draws
def test_four_bar(
    a: tuple[float, float], j: tuple[float, float], o: tuple[float, float], x: tuple[float, float]
) -> None:
    (na1, na2), (nj1, nj2), (o1, o2), (x1, x2) = a, j, o, x
    t = FourBarLinkageTransmission(actuator_reduction=a, joint_reduction=j, joint_offset=o)
    forward = [x1 / (nj1 * na1), (x2 / na2 - x1 / (nj1 * na1)) / nj2]
    assert t.actuator_to_joint_velocity(x) == pytest.approx(forward)
    assert t.actuator_to_joint_position(x) == pytest.approx([forward[0] + o1, forward[1] + o2])
    assert t.actuator_to_joint_effort(x) == pytest.approx([nj1 * na1 * x1 + na2 * x2, nj2 * na2 * x2])
    assert t.joint_to_actuator_velocity(x) == pytest.approx([nj1 * na1 * x1, na2 * (x1 + nj2 * x2)])
    y1, y2 = x1 - o1, x2 - o2
    assert t.joint_to_actuator_position(x) == pytest.approx([nj1 * na1 * y1, na2 * (y1 + nj2 * y2)])
    assert t.joint_to_actuator_effort(x) == pytest.approx([(x1 - x2 / nj2) / (nj1 * na1), x2 / (nj2 * na2)])


# --- the linear map ---------------------------------------------------------------------------------------------------


def test_the_linear_map_is_the_proposals() -> None:
    """j = T·(a + oₐ) + oⱼ, clipped."""
    t = LinearMap(
        matrix=((1, 2), (3, 4)), actuator_offsets=(0.5, -0.5), joint_offsets=(10, 20), lower=(0, 0), upper=(12, 22)
    )
    np.testing.assert_allclose(t.actuator_to_joint_effort([1.0, 0.0]), [1.5 - 1 + 10, 22])
    np.testing.assert_allclose(t.actuator_to_joint_effort([-100.0, 0.0]), [0, 0])
    np.testing.assert_allclose(t.joint_to_actuator_velocity([1.0, 10.0]), [31, 42])


def test_efforts_of_a_linear_map_come_back() -> None:
    t = LinearMap(matrix=((2, 0), (0, 4)), actuator_offsets=(0.5, -0.5), joint_offsets=(10, 20))
    back = t.joint_to_actuator_effort(t.actuator_to_joint_effort([1.0, 2.0]))
    np.testing.assert_allclose(back, [1.0, 2.0])


def test_a_linear_map_that_is_not_square_has_no_way_back() -> None:
    t = LinearMap(matrix=((1, 2),))
    assert (t.actuators, t.joints) == (2, 1)
    np.testing.assert_allclose(t.joint_to_actuator_velocity([3.0]), [3, 6])
    np.testing.assert_allclose(t.actuator_to_joint_effort([1.0, 1.0]), [3])
    for singular in (t, LinearMap(matrix=((1, 1), (1, 1)))):
        with pytest.raises(ModelError, match="inverse"):
            singular.actuator_to_joint_velocity([1.0, 1.0])


@pytest.mark.parametrize(
    "values",
    [
        {"matrix": ((1, float("nan")),)},
        {"matrix": ((1,),), "lower": (2,), "upper": (1,)},
        {"matrix": ((1, 2),), "joint_offsets": (1, 2)},
        {"matrix": ((1, 2),), "actuator_offsets": (1,)},
    ],
)
def test_linear_maps_that_cannot_be(values: dict[str, object]) -> None:
    with pytest.raises(ModelError):
        LinearMap(**values)  # type: ignore[arg-type]


# --- what cannot be ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [0.0, float("nan"), float("inf")])
def test_reductions_are_finite_and_not_zero(bad: float) -> None:
    with pytest.raises(ModelError, match="zero"):
        SimpleTransmission(reduction=bad)
    for kind in (DifferentialTransmission, FourBarLinkageTransmission):
        with pytest.raises(ModelError, match="zero"):
            kind(actuator_reduction=(1, bad))
        with pytest.raises(ModelError, match="zero"):
            kind(joint_reduction=(bad, 1))
        with pytest.raises(ModelError, match="two values"):
            kind(joint_offset=(1,))  # type: ignore[arg-type]


@pytest.mark.parametrize("lengths", [(9, 1, 1, 1), (0, 1, 1, 1), (1, -1, 1, 1), (1, 1, float("inf"), 1), (3, 1, 1, 1)])
def test_bars_that_do_not_close(lengths: tuple[float, ...]) -> None:
    with pytest.raises(ModelError):
        FourBarLinkage(ground=lengths[0], input=lengths[1], coupler=lengths[2], output=lengths[3])
    with pytest.raises(ModelError, match="branch"):
        FourBarLinkage(ground=4, input=1, coupler=4, output=3, branch=2)


def test_a_custom_map_is_one_of_two() -> None:
    with pytest.raises(ModelError):
        CustomTransmission()
    with pytest.raises(ModelError):
        CustomTransmission(position=abs, effort=abs)
    assert CustomTransmission(position=abs, size=(2, 3)).joints == 3


def test_sizes_must_fit() -> None:
    with pytest.raises(ModelError, match="2 actuators, not 1"):
        Transmission(
            name="t",
            type="differential",
            map=DifferentialTransmission(),
            actuators=("m",),
            joints=(AxisRef("a"), AxisRef("b")),
        )
    for wrong in ([1.0, 2.0, 3.0], 1.0):
        with pytest.raises(ModelError, match="2 values"):
            DifferentialTransmission().actuator_to_joint_velocity(wrong)


def test_they_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        SimpleTransmission().reduction = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        DifferentialTransmission().joint_offset = (1, 1)  # type: ignore[misc]


# --- every kind that loses nothing: a new one joins by a row ----------------------------------------------------------


def swash(q: Any) -> Any:
    """Two pushrods on a tilting plate."""
    return np.array([0.03 * np.sin(q[0]) + 0.02 * q[1], 0.03 * np.sin(q[0]) - 0.02 * np.tan(q[1])])


ROCKER = FourBarLinkage(ground=4, input=1, coupler=3.5, output=3)
DRAG = FourBarLinkage(ground=1, input=3, coupler=2.5, output=2)
WRIST = DifferentialTransmission(actuator_reduction=(50, -40), joint_reduction=(1.5, 2), joint_offset=(0.1, -0.2))
REMOTE = FourBarLinkageTransmission(actuator_reduction=(50, -50), joint_reduction=(2, -3))
LOSSLESS: dict[str, tuple[TransmissionMap, tuple[float, float]]] = {  # the map, and a range that joints move in
    "simple": (SimpleTransmission(reduction=-50, offset=0.3), (-3, 3)),
    "differential": (WRIST, (-3, 3)),
    "four-bar of ros2_control": (REMOTE, (-3, 3)),
    "linear map": (LinearMap(matrix=((2, 1, 0), (0, 3, 1), (1, 0, -2))), (-3, 3)),
    "crank and rocker": (ROCKER, (1.8, 2.4)),
    "crank and rocker, mirrored": (replace(ROCKER, branch=-1), (-2.4, -1.8)),
    "crank and rocker, other input": (replace(ROCKER, input_branch=-1), (1.8, 2.4)),
    "drag link": (DRAG, (-1.0, 1.0)),
    "custom": (CustomTransmission(position=lambda q: q**3 + q), (-2, 2)),
    "custom of two": (CustomTransmission(position=swash), (-1, 1)),
    "series": (Series([SimpleTransmission(reduction=5), SimpleTransmission(reduction=-3, offset=0.1)]), (-3, 3)),
    "series of pairs": (Series([WRIST, FourBarLinkageTransmission(joint_reduction=(2, 3))]), (-3, 3)),
    "planetary gear and linkage": (Series([SimpleTransmission(reduction=12), ROCKER]), (1.8, 2.4)),
    "linkage and belt": (Series([ROCKER, SimpleTransmission(reduction=2)]), (0.9, 1.2)),
    "custom after linear": (Series([WRIST, CustomTransmission(position=swash)]), (-1, 1)),
}  # fmt: skip
each = pytest.mark.parametrize("kind", LOSSLESS)
KINDS = ("position", "velocity", "effort")


def drawn(kind: str, rng: np.random.Generator, *lead: int) -> tuple[TransmissionMap, np.ndarray]:
    t, (low, high) = LOSSLESS[kind]
    return t, rng.uniform(low, high, (*lead, t.joints))


def test_the_table_has_every_kind() -> None:
    used = {type(t) for t, _ in LOSSLESS.values()} | {LinearSeries}
    assert used >= set(_leaves(TransmissionMap))


def _leaves(kind: type) -> list[type]:
    below = [leaf for k in kind.__subclasses__() for leaf in _leaves(k)]
    return below if kind.__module__.startswith("gearwright") and below else [kind]


@each
def test_power_is_the_same_on_both_sides(kind: str, rng: np.random.Generator) -> None:
    """At random states, to 1e-12 of the terms that are summed."""
    for _ in range(20):
        t, q = drawn(kind, rng)
        va, tj = rng.normal(size=t.actuators), rng.normal(size=t.joints)
        vj, ta = t.actuator_to_joint_velocity(va, at=q), t.joint_to_actuator_effort(tj, at=q)
        assert vj @ tj == pytest.approx(va @ ta, rel=1e-12, abs=1e-12 * (np.abs(vj) @ np.abs(tj)))
        vj, ta = rng.normal(size=t.joints), rng.normal(size=t.actuators)
        va, tj = t.joint_to_actuator_velocity(vj, at=q), t.actuator_to_joint_effort(ta, at=q)
        assert vj @ tj == pytest.approx(va @ ta, rel=1e-12, abs=1e-12 * (np.abs(va) @ np.abs(ta)))


@each
def test_back_where_it_came_from(kind: str, rng: np.random.Generator) -> None:
    """Positions by Newton's method from nearby; the figures lose what the ratio's condition takes (below 1e3 here)."""
    for _ in range(10):
        t, q = drawn(kind, rng)
        a = t.joint_to_actuator_position(q)
        np.testing.assert_allclose(t.actuator_to_joint_position(a, near=q + 0.01), q, atol=1e-10)
        va, ta = rng.normal(size=t.actuators), rng.normal(size=t.actuators)
        np.testing.assert_allclose(
            t.joint_to_actuator_velocity(t.actuator_to_joint_velocity(va, at=q), at=q), va, atol=1e-10
        )
        np.testing.assert_allclose(
            t.joint_to_actuator_effort(t.actuator_to_joint_effort(ta, at=q), at=q), ta, atol=1e-10
        )


@each
def test_the_ratio_is_the_slope_of_the_position(kind: str, rng: np.random.Generator) -> None:
    """Against central differences, whose error is h² (1e-10 times the third derivative, below 1e3 here)."""
    t, q = drawn(kind, rng)
    h = 1e-5
    steps = h * np.eye(t.joints)
    rise = [t.joint_to_actuator_position(q + s) - t.joint_to_actuator_position(q - s) for s in steps]
    A = t.actuator_per_joint_at(q)
    np.testing.assert_allclose(A, np.array(rise).T / (2 * h), rtol=1e-6, atol=1e-7 * np.abs(A).max())


@each
def test_the_float_api_is_the_defining_map(kind: str, rng: np.random.Generator) -> None:
    """Plain NumPy, traced, and the public method give the same positions."""
    t, q = drawn(kind, rng)
    plain = np.asarray(t.to_actuators(q))
    traced = np.array(trace(t.to_actuators, [t.joints])(q))[:, 0]
    np.testing.assert_allclose(plain, t.joint_to_actuator_position(q), rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(traced, plain, rtol=1e-13, atol=1e-13)


@each
def test_batches_of_every_kind(kind: str, rng: np.random.Generator) -> None:
    t, q = drawn(kind, rng, 2, 3)
    a = t.joint_to_actuator_position(q)
    assert a.shape == (2, 3, t.actuators)
    np.testing.assert_allclose(a[1, 2], t.joint_to_actuator_position(q[1, 2]), rtol=1e-14)
    np.testing.assert_allclose(np.asarray(t.to_actuators(q)), a, rtol=1e-13, atol=1e-14)
    A = t.actuator_per_joint_at(q)
    assert A.shape == (2, 3, t.actuators, t.joints)
    np.testing.assert_allclose(A[1, 2], t.actuator_per_joint_at(q[1, 2]), rtol=1e-14)
    v = rng.normal(size=(2, 3, t.joints))
    np.testing.assert_allclose(t.joint_to_actuator_velocity(v, at=q)[0, 1], A[0, 1] @ v[0, 1], rtol=1e-13, atol=1e-13)
    one = rng.normal(size=t.actuators)  # one effort, many positions
    assert t.actuator_to_joint_effort(one, at=q).shape == (2, 3, t.joints)
    assert t.actuator_to_joint_velocity(one, at=q).shape == (2, 3, t.joints)
    assert t.joint_to_actuator_effort(v, at=q).shape == (2, 3, t.actuators)
    assert t.actuator_to_joint_position(a, near=q).shape == (2, 3, t.joints)


@each
def test_scalars_stay_scalars(kind: str, rng: np.random.Generator) -> None:
    t, q = drawn(kind, rng)
    if t.actuators > 1:
        with pytest.raises(ModelError, match="values along the last axis"):
            t.joint_to_actuator_position(0.5)
        return
    x = float(q[0])
    found = [t.joint_to_actuator_position(x), t.actuator_per_joint_at(x)[0, 0].item()]
    found += [t.joint_to_actuator_velocity(1.0, at=x), t.actuator_to_joint_velocity(1.0, at=x)]
    found += [t.joint_to_actuator_effort(1.0, at=x), t.actuator_to_joint_effort(1.0, at=x)]
    found += [t.actuator_to_joint_position(found[0], near=x)]
    assert all(type(x) is float for x in found)


@each
def test_parameters_may_be_symbols(kind: str, rng: np.random.Generator) -> None:
    """The map of symbols, evaluated at its own numbers, is the map."""
    t, q = drawn(kind, rng)
    numbers = parameters(t)
    assert all(type(x) is float for x in numbers.values())
    names = list(numbers)
    f = trace(lambda q, p: with_parameters(t, dict(zip(names, p, strict=True))).to_actuators(q), [t.joints, len(names)])
    np.testing.assert_allclose(
        np.array(f(q, list(numbers.values())))[:, 0], t.joint_to_actuator_position(q), rtol=1e-12
    )
    assert with_parameters(t, numbers) == t
    with pytest.raises(ModelError, match="no parameter named"):
        with_parameters(t, {"reductoin": 1.0})


@each
def test_they_can_be_stored(kind: str, rng: np.random.Generator) -> None:
    t, q = drawn(kind, rng)
    before = t.joint_to_actuator_position(q)
    copy = deepcopy(t)
    assert copy == t
    np.testing.assert_array_equal(copy.joint_to_actuator_position(q), before)
    if "custom" not in kind:  # lambdas cannot be stored
        assert pickle.loads(pickle.dumps(t)) == t


@pytest.mark.parametrize("kind", [k for k, (t, _) in LOSSLESS.items() if isinstance(t, LinearTransmission)])
def test_rows_and_offsets_of_linear_kinds(kind: str, rng: np.random.Generator) -> None:
    t, q = drawn(kind, rng)
    np.testing.assert_allclose(
        np.array(rows(t)) @ q + at_zero(t), t.joint_to_actuator_position(q), rtol=1e-12, atol=1e-12
    )
    assert all(type(x) is float for row in rows(t) for x in row)
    np.testing.assert_allclose(np.array(rows(t)) @ t.joint_per_actuator, np.eye(t.joints), atol=1e-12)


def test_rows_hold_symbols_and_keep_their_zeros() -> None:
    x = casadi.SX.sym("x")
    t = with_parameters(FourBarLinkageTransmission(), {"joint_reduction1": x, "joint_offset2": x})
    (first, zero), (one, other) = rows(t)
    assert first.is_symbolic() and (zero, one, other) == (0.0, 1.0, 1.0)
    assert at_zero(t)[0] == 0.0 and str(at_zero(t)[1]) == "(-x)"
    assert at_zero(SimpleTransmission(reduction=3)) == [0.0]
    with pytest.raises(ModelError, match="FourBarLinkage has no constant ratio"):
        rows(ROCKER)


def test_the_names_of_parameters() -> None:
    assert parameters(SimpleTransmission(reduction=50)) == {"reduction": 50.0, "offset": 0.0}
    assert list(parameters(WRIST))[:3] == ["actuator_reduction1", "actuator_reduction2", "joint_reduction1"]
    assert list(parameters(LinearMap(matrix=((1, 2), (3, 4)), lower=(-1, -2)))) == [
        "matrix1_1", "matrix1_2", "matrix2_1", "matrix2_2", "lower1", "lower2",
    ]  # fmt: skip
    assert list(parameters(ROCKER)) == ["ground", "input", "coupler", "output"]
    assert list(parameters(Series([ROCKER, SimpleTransmission()])))[-2:] == ["stage2.reduction", "stage2.offset"]
    assert parameters(CustomTransmission(position=abs)) == {}
    assert parameters(Losses(friction=0.1)) == {"efficiency": 1.0, "friction": 0.1, "damping": 0.0}
    changed = with_parameters(LinearMap(matrix=((1, 2), (3, 4))), {"matrix2_1": 7.0})
    assert changed.matrix == ((1.0, 2.0), (7.0, 4.0))


# --- the real linkage -------------------------------------------------------------------------------------------------

LINKAGES = {
    "crank and rocker": ROCKER,
    "double crank": DRAG,
    "double rocker": FourBarLinkage(ground=3, input=2.5, coupler=1, output=2),
    "no Grashof": FourBarLinkage(ground=3, input=2, coupler=2.2, output=1.9),
    "parallelogram-like": FourBarLinkage(ground=3, input=1, coupler=3.01, output=1.02),
}
both_branches = pytest.mark.parametrize("branch", [1, -1])
linkages = pytest.mark.parametrize("name", LINKAGES)


def reachable(t: FourBarLinkage, count: int = 400) -> np.ndarray:
    """Input angles that it reaches, a little away from its toggles."""
    a = np.linspace(-np.pi, np.pi, count) + 1e-3
    with np.errstate(invalid="ignore"):
        reached = np.isfinite(t.to_joints(a))
    near = [np.abs(np.angle(np.exp(1j * (a - x)))) < 0.02 for x in t.toggles.input]
    return a[reached & ~np.any(near, axis=0)] if near else a[reached]


@linkages
@both_branches
def test_the_loop_closes(name: str, branch: int) -> None:
    """Freudenstein's equation, and the coupler's length, at every input angle."""
    t = replace(LINKAGES[name], branch=branch)
    a = reachable(t)
    q = t.actuator_to_joint_position(a[:, None])[:, 0]
    g, r, b, c = t.ground, t.input, t.coupler, t.output
    K1, K2, K3 = g / r, g / c, (r**2 - b**2 + c**2 + g**2) / (2 * r * c)
    np.testing.assert_allclose(K1 * np.cos(q) - K2 * np.cos(a) + K3, np.cos(a - q), atol=1e-12)
    coupler = r * np.exp(1j * a) - (g + c * np.exp(1j * q))
    np.testing.assert_allclose(np.abs(coupler), b, rtol=1e-12)


@linkages
@both_branches
@pytest.mark.parametrize("input_branch", [1, -1])
def test_the_way_back_closes_too(name: str, branch: int, input_branch: int) -> None:
    t = replace(LINKAGES[name], branch=branch, input_branch=input_branch)
    a = reachable(t)
    q = t.to_joints(a)
    with np.errstate(invalid="ignore"):
        back = t.to_actuators(q)
    # one of the two input branches is where it came from
    other = replace(t, input_branch=-input_branch).to_actuators(q)
    apart = [np.abs(np.angle(np.exp(1j * (x - a)))) for x in (back, other)]
    np.testing.assert_allclose(np.fmin(*apart), 0, atol=1e-6)  # at dead points half of the digits are lost
    mine = (apart[0] < 1e-6) & (apart[1] > 1e-3)
    if name == "double crank" and input_branch == -1:  # belongs to the other way of assembling it
        assert not mine.any()
        return
    assert mine.sum() > 5
    np.testing.assert_allclose(
        np.exp(1j * t.joint_to_actuator_position(q[mine][:, None])[:, 0]), np.exp(1j * a[mine]), atol=1e-9
    )


@linkages
@both_branches
def test_against_a_numerical_loop_closure(name: str, branch: int) -> None:
    """Newton's method on the vector loop for coupler and output angle, followed along the input."""
    t = replace(LINKAGES[name], branch=branch)
    a = reachable(t, 4000)
    a = a[: np.argmax(np.diff(a) > 0.01) + 1] if (np.diff(a) > 0.01).any() else a  # one stretch without a gap
    q = t.to_joints(a)
    B = t.ground + t.output * np.exp(1j * q[0])
    x = np.array([np.angle(B - t.input * np.exp(1j * a[0])), q[0]])
    for i in range(0, len(a), 5):
        for _ in range(20):
            gap = t.input * np.exp(1j * a[i]) + t.coupler * np.exp(1j * x[0]) - t.ground - t.output * np.exp(1j * x[1])
            columns = 1j * t.coupler * np.exp(1j * x[0]), -1j * t.output * np.exp(1j * x[1])
            J = np.array([[z.real for z in columns], [z.imag for z in columns]])
            x = x - np.linalg.solve(J, [gap.real, gap.imag])
        assert x[1] == pytest.approx(q[i], abs=1e-10)  # also without a jump by a turn


def test_toggles() -> None:
    assert ROCKER.toggles.input == () and len(ROCKER.toggles.output) == 2  # the crank goes round
    assert DRAG.toggles == ((), ())  # both go round
    rocker = LINKAGES["no Grashof"]
    for a in rocker.toggles.input:
        d = np.sqrt(rocker.ground**2 + rocker.input**2 - 2 * rocker.ground * rocker.input * np.cos(a))
        straight = min(abs(d - rocker.coupler - rocker.output), abs(d - abs(rocker.coupler - rocker.output)))
        assert straight < 1e-12
    for q in (*ROCKER.toggles.output, *rocker.toggles.output):
        t = ROCKER if q in ROCKER.toggles.output else rocker
        e = abs(t.ground + t.output * np.exp(1j * q))
        assert min(abs(e - t.input - t.coupler), abs(e - abs(t.input - t.coupler))) < 1e-12
    low, high = ROCKER.toggles.output
    swept = ROCKER.to_joints(np.linspace(-np.pi, np.pi, 100001))
    assert swept.min() == pytest.approx(low, abs=1e-8) and swept.max() == pytest.approx(high, abs=1e-8)


def test_beyond_a_toggle_is_an_error_and_never_nan() -> None:
    rocker = LINKAGES["no Grashof"]
    edge = max(rocker.toggles.input)
    assert np.isfinite(rocker.actuator_to_joint_position(edge - 1e-6))
    with pytest.raises(ModelError, match=rf"does not reach the input angle .* toggles are at .*{edge:.6g}"):
        rocker.actuator_to_joint_position(edge + 1e-6)
    low, high = ROCKER.toggles.output
    for beyond in (low - 1e-6, high + 1e-6):
        for ask in (ROCKER.joint_to_actuator_position, ROCKER.actuator_per_joint_at):
            with pytest.raises(ModelError, match="does not reach the output angle"):
                ask(beyond)
        with pytest.raises(ModelError, match="does not reach the output angle"):
            ROCKER.actuator_to_joint_velocity(1.0, at=beyond)
    with pytest.raises(ModelError, match="is one of branch -1, not 1"):
        ROCKER.joint_to_actuator_position(-2.0)


def test_without_a_position_the_input_stands_upright() -> None:
    q = ROCKER.actuator_to_joint_position(np.pi / 2)
    assert ROCKER.actuator_to_joint_velocity(1.0) == ROCKER.actuator_to_joint_velocity(1.0, at=q)


def test_a_parallelogram_is_one_to_one() -> None:
    t = FourBarLinkage(ground=3, input=1, coupler=3, output=1)
    a = np.linspace(0.1, 3.0, 20)[:, None]
    np.testing.assert_allclose(t.actuator_to_joint_position(a), a, atol=1e-12)


def test_a_branch_is_the_other_ones_mirror_image(rng: np.random.Generator) -> None:
    mirrored = replace(ROCKER, branch=-1)
    q = rng.uniform(1.8, 2.4, 9)
    np.testing.assert_allclose(mirrored.to_actuators(-q), -ROCKER.to_actuators(q), rtol=1e-14)


# --- the user's own ---------------------------------------------------------------------------------------------------


def test_the_size_is_found_by_trying() -> None:
    assert (CustomTransmission(position=swash).actuators, CustomTransmission(position=swash).joints) == (2, 2)
    three = CustomTransmission(position=lambda q: [q[0] + q[1], q[1] - q[2], q[2], q[0]])
    assert (three.actuators, three.joints) == (4, 3)
    assert CustomTransmission(effort=lambda a, q, v: [a[0] + a[1], a[1] * q[1]]).joints == 2
    with pytest.raises(ModelError, match=r"give size="):
        CustomTransmission(position=lambda q: q[40]).joints  # noqa: B018


def test_more_actuators_than_joints_have_one_way() -> None:
    """Two tendons that pull one joint."""
    t = CustomTransmission(position=lambda q: [0.01 * q[0], -0.01 * q[0] + 0.001 * q[0] ** 2])
    np.testing.assert_allclose(t.actuator_to_joint_effort([1.0, 2.0], at=[0.5]), [0.01 - 0.02 + 0.002])
    np.testing.assert_allclose(t.joint_to_actuator_velocity(2.0, at=0.5), [0.02, -0.018])
    for ask in (t.actuator_to_joint_position, t.actuator_to_joint_velocity):
        with pytest.raises(ModelError, match="no inverse"):
            ask([1.0, 2.0])
    with pytest.raises(ModelError, match="no inverse"):
        t.joint_to_actuator_effort(1.0)


def test_an_effort_function_maps_efforts_and_nothing_else() -> None:
    t = CustomTransmission(effort=lambda a, q, v: 3 * a + q - 2 * v)
    assert t.actuator_to_joint_effort(2.0) == 6.0
    assert t.actuator_to_joint_effort(2.0, at=0.5, velocity=1.0) == 4.5
    np.testing.assert_allclose(t.actuator_to_joint_effort([[1.0], [2.0]], at=[0.5]), [[3.5], [6.5]])
    others = [t.joint_to_actuator_position, t.actuator_to_joint_position, t.joint_to_actuator_velocity]
    others += [t.actuator_to_joint_velocity, t.joint_to_actuator_effort, t.actuator_per_joint_at]
    for ask in others:
        with pytest.raises(ModelError, match=r"effort\(a, q, v\).*nothing else.*position\(q\)"):
            ask(1.0)
    with pytest.raises(ModelError, match="no effort function"):
        CustomTransmission(position=abs).joint_efforts  # noqa: B018


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"position": 3}, "must be a function"),
        ({"position": lambda: 1}, r"called as position\(q\)"),
        ({"effort": lambda a: a}, r"called as effort\(a, q, v\)"),
        ({"position": abs, "size": (0, 1)}, "size"),
        ({"position": abs, "size": (1, 1, 1)}, "size"),
    ],
)
def test_custom_maps_that_cannot_be(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        CustomTransmission(**given)


def test_a_function_that_does_not_fit_its_size() -> None:
    with pytest.raises(TracingError, match="swash returns 2 values, not 3"):
        CustomTransmission(position=swash, size=(3, 2)).joint_to_actuator_position([0.1, 0.2])


def test_no_joint_position_is_found_where_there_is_none() -> None:
    t = CustomTransmission(position=lambda q: q**2)
    assert t.actuator_to_joint_position(4.0, near=1.0) == pytest.approx(2.0)
    assert t.actuator_to_joint_position(4.0, near=-1.0) == pytest.approx(-2.0)
    for a, near in ((-1.0, 1.0), (4.0, 0.0)):  # no root; no slope to follow
        with pytest.raises(ModelError, match=r"no joint position is found.*near="):
            t.actuator_to_joint_position(a, near=near)
    with pytest.raises(ModelError, match="no inverse"):
        t.actuator_to_joint_velocity(1.0, at=0.0)
    with pytest.raises(ModelError, match="no actuator position"):
        CustomTransmission(position=np.sqrt).joint_to_actuator_position(-1.0)


# --- one after another ------------------------------------------------------------------------------------------------


def test_a_series_of_linear_stages_is_linear() -> None:
    t = Series([SimpleTransmission(reduction=5, offset=0.2), SimpleTransmission(reduction=-3, offset=0.1)])
    assert isinstance(t, LinearTransmission)
    assert (t.actuator_per_joint[0, 0], t.position_offset[0]) == (-15.0, pytest.approx(0.1 - 0.2 / 3))
    assert t.actuator_to_joint_position(1.0) == pytest.approx((1 / 5 + 0.2) / -3 + 0.1)
    assert not isinstance(Series([t, ROCKER]), LinearTransmission)


def test_the_order_of_stages_matters_and_the_motor_is_first() -> None:
    a, b = SimpleTransmission(reduction=2, offset=1.0), SimpleTransmission(reduction=4)
    assert Series([a, b]).actuator_to_joint_position(0.0) == 0.25
    assert Series([b, a]).actuator_to_joint_position(0.0) == 1.0


@pytest.mark.parametrize(
    ("stages", "words"),
    [
        ([], "at least one"),
        ([WRIST, SimpleTransmission()], "stage 1 has 2 joints and stage 2 has 1 actuators"),
        ([SimpleTransmission(), CustomTransmission(effort=lambda a, q, v: a)], "no positions"),
        ([SimpleTransmission(), 3], "not 3"),
    ],
)
def test_stages_that_make_no_series(stages: list[Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        Series(stages)


# --- losses -----------------------------------------------------------------------------------------------------------


def test_efficiency_takes_its_share_in_either_direction(rng: np.random.Generator) -> None:
    losses = Losses(efficiency=0.8)
    effort, velocity = rng.normal(size=100), rng.normal(size=100)
    into = losses.delivered(effort, velocity) * velocity  # power that reaches the map
    given = effort * velocity > 0
    np.testing.assert_allclose(into[given], 0.8 * (effort * velocity)[given], rtol=1e-15)
    np.testing.assert_allclose(
        (effort * velocity)[~given], 0.8 * into[~given], rtol=1e-15
    )  # what the actuator gets back
    assert (into <= effort * velocity + 1e-15).all()  # never a gain
    assert losses.delivered(2.0, 0.0) == 2.0


def test_friction_and_damping_resist(rng: np.random.Generator) -> None:
    losses = Losses(friction=0.3, damping=0.1)
    assert losses.delivered(1.0, 2.0) == pytest.approx(1 - 0.3 - 0.2)
    assert losses.delivered(1.0, -2.0) == pytest.approx(1 + 0.3 + 0.2)
    assert losses.delivered([1.0, 1.0], [0.0, 2.0]) == pytest.approx([1.0, 0.5])
    v = rng.normal(size=50)
    assert ((losses.delivered(np.zeros(50), v) * v) <= 0).all()
    assert Losses().none and not losses.none and Losses().delivered(3.0, -2.0) == 3.0


def test_backlash_is_a_dead_band() -> None:
    play = Backlash(gap=0.2, stiffness=100.0, damping=5.0)
    x = np.array([-0.3, -0.1, -0.05, 0.0, 0.1, 0.3])
    np.testing.assert_allclose(play.torque(x), [-20, 0, 0, 0, 0, 20], atol=1e-12)
    assert play.torque(0.3, 1.0) == pytest.approx(25.0)
    assert play.torque(0.05, 1.0) == 0.0
    assert play.torque(0.3, -100.0) == 0.0  # contact pushes and never pulls
    assert play.torque(-0.3, 100.0) == 0.0


def test_losses_may_be_traced(rng: np.random.Generator) -> None:
    losses, play = Losses(efficiency=0.7, friction=0.2, damping=0.05), Backlash(gap=0.1, stiffness=3.0, damping=0.5)
    f = trace(lambda tau, v: (losses.delivered(tau, v), play.torque(tau, v)), [4, 4])
    tau, v = rng.normal(size=4), rng.normal(size=4)
    for got, wanted in zip(f(tau, v), (losses.delivered(tau, v), play.torque(tau, v)), strict=True):
        np.testing.assert_allclose(np.array(got)[:, 0], wanted, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    "bad",
    [{"efficiency": 0}, {"efficiency": 1.1}, {"efficiency": float("nan")}, {"friction": -1}, {"damping": float("inf")}],
)
def test_losses_that_cannot_be(bad: dict[str, float]) -> None:
    with pytest.raises(ModelError, match=next(iter(bad))):
        Losses(**bad)


@pytest.mark.parametrize("bad", [{"gap": -1}, {"stiffness": 0}, {"stiffness": float("inf")}, {"damping": -1}])
def test_play_that_cannot_be(bad: dict[str, float]) -> None:
    with pytest.raises(ModelError, match=next(iter(bad))):
        Backlash(**({"gap": 0.1, "stiffness": 1.0} | bad))
