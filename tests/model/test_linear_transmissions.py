"""Linear transmissions: ros2_control's formulas, power, and there and back again."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gearwright import (
    CustomTransmission,
    DifferentialTransmission,
    FourBarLinkage,
    FourBarLinkageTransmission,
    LinearMap,
    ModelError,
    SimpleTransmission,
)
from gearwright.model import AxisRef, LinearTransmission, Transmission
from tests.tolerances import ROUNDING

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
    A = t.joint_per_actuator
    size = (1 + np.abs(A).max()) * (1 + np.abs(np.linalg.pinv(A)).max())  # of offsets there, and the map's condition
    for kind in ("position", "velocity", "effort"):
        to, back = getattr(t, f"actuator_to_joint_{kind}"), getattr(t, f"joint_to_actuator_{kind}")
        np.testing.assert_allclose(back(to(a)), a, rtol=ROUNDING, atol=ROUNDING * size)
        np.testing.assert_allclose(to(back(j)), j, rtol=ROUNDING, atol=ROUNDING * size)


@given(LINEAR, st.integers(0, 2**32))
@draws
def test_power_is_conserved(t: LinearTransmission, seed: int) -> None:
    va, ta = vector(seed, t.actuators), vector(seed + 1, t.actuators)
    vj, tj = t.actuator_to_joint_velocity(va), t.actuator_to_joint_effort(ta)
    assert vj @ tj == pytest.approx(va @ ta, abs=ROUNDING * (1 + np.abs(vj) @ np.abs(tj)))


@given(LINEAR, st.integers(0, 2**32))
@draws
def test_velocity_is_the_slope_of_position(t: LinearTransmission, seed: int) -> None:
    a, b = vector(seed, t.actuators), vector(seed + 1, t.actuators)
    slope = t.actuator_to_joint_position(a + b) - t.actuator_to_joint_position(a)
    np.testing.assert_allclose(slope, t.actuator_to_joint_velocity(b), atol=ROUNDING, rtol=ROUNDING)


@given(LINEAR, st.integers(0, 2**32))
@draws
def test_batches(t: LinearTransmission, seed: int) -> None:
    many = vector(seed, 12 * t.actuators).reshape(3, 4, t.actuators)
    out = t.actuator_to_joint_position(many)
    assert out.shape == (3, 4, t.joints)
    np.testing.assert_allclose(out[1, 2], t.actuator_to_joint_position(many[1, 2]), rtol=ROUNDING, atol=ROUNDING)


# --- ros2_control's formulas, as they are printed ---------------------------------------------------------------------


@given(ratios, offsets, st.floats(-5, 5))
@draws
def test_simple(n: float, o: float, x: float) -> None:
    t = SimpleTransmission(reduction=n, offset=o)
    assert t.actuator_to_joint_position(x) == pytest.approx(x / n + o, rel=ROUNDING)
    assert t.actuator_to_joint_velocity(x) == pytest.approx(x / n, rel=ROUNDING)
    assert t.actuator_to_joint_effort(x) == pytest.approx(n * x, rel=ROUNDING)
    assert t.joint_to_actuator_position(x) == pytest.approx(n * (x - o), rel=ROUNDING)
    assert t.joint_to_actuator_velocity(x) == pytest.approx(n * x, rel=ROUNDING)
    assert t.joint_to_actuator_effort(x) == pytest.approx(x / n, rel=ROUNDING)


@given(pairs, pairs, st.tuples(offsets, offsets), st.tuples(offsets, offsets))
@draws
def test_differential(
    a: tuple[float, float], j: tuple[float, float], o: tuple[float, float], x: tuple[float, float]
) -> None:
    (na1, na2), (nj1, nj2), (o1, o2), (x1, x2) = a, j, o, x
    t = DifferentialTransmission(actuator_reduction=a, joint_reduction=j, joint_offset=o)
    forward = [(x1 / na1 + x2 / na2) / (2 * nj1), (x1 / na1 - x2 / na2) / (2 * nj2)]
    assert t.actuator_to_joint_velocity(x) == pytest.approx(forward, rel=ROUNDING)
    assert t.actuator_to_joint_position(x) == pytest.approx([forward[0] + o1, forward[1] + o2], rel=ROUNDING)
    assert t.actuator_to_joint_effort(x) == pytest.approx(
        [nj1 * (na1 * x1 + na2 * x2), nj2 * (na1 * x1 - na2 * x2)], rel=ROUNDING
    )
    assert t.joint_to_actuator_velocity(x) == pytest.approx(
        [na1 * (nj1 * x1 + nj2 * x2), na2 * (nj1 * x1 - nj2 * x2)], rel=ROUNDING
    )
    y1, y2 = x1 - o1, x2 - o2
    assert t.joint_to_actuator_position(x) == pytest.approx(
        [na1 * (nj1 * y1 + nj2 * y2), na2 * (nj1 * y1 - nj2 * y2)], rel=ROUNDING
    )
    assert t.joint_to_actuator_effort(x) == pytest.approx(
        [(x1 / nj1 + x2 / nj2) / (2 * na1), (x1 / nj1 - x2 / nj2) / (2 * na2)], rel=ROUNDING
    )


@given(pairs, pairs, st.tuples(offsets, offsets), st.tuples(offsets, offsets))
@draws
def test_four_bar(
    a: tuple[float, float], j: tuple[float, float], o: tuple[float, float], x: tuple[float, float]
) -> None:
    (na1, na2), (nj1, nj2), (o1, o2), (x1, x2) = a, j, o, x
    t = FourBarLinkageTransmission(actuator_reduction=a, joint_reduction=j, joint_offset=o)
    forward = [x1 / (nj1 * na1), (x2 / na2 - x1 / (nj1 * na1)) / nj2]
    assert t.actuator_to_joint_velocity(x) == pytest.approx(forward, rel=ROUNDING)
    assert t.actuator_to_joint_position(x) == pytest.approx([forward[0] + o1, forward[1] + o2], rel=ROUNDING)
    assert t.actuator_to_joint_effort(x) == pytest.approx([nj1 * na1 * x1 + na2 * x2, nj2 * na2 * x2], rel=ROUNDING)
    assert t.joint_to_actuator_velocity(x) == pytest.approx([nj1 * na1 * x1, na2 * (x1 + nj2 * x2)], rel=ROUNDING)
    y1, y2 = x1 - o1, x2 - o2
    assert t.joint_to_actuator_position(x) == pytest.approx([nj1 * na1 * y1, na2 * (y1 + nj2 * y2)], rel=ROUNDING)
    assert t.joint_to_actuator_effort(x) == pytest.approx(
        [(x1 - x2 / nj2) / (nj1 * na1), x2 / (nj2 * na2)], rel=ROUNDING
    )


# --- the linear map ---------------------------------------------------------------------------------------------------


def test_the_linear_map_is_the_proposals() -> None:
    """j = T·(a + oₐ) + oⱼ, clipped."""
    t = LinearMap(
        matrix=((1, 2), (3, 4)), actuator_offsets=(0.5, -0.5), joint_offsets=(10, 20), lower=(0, 0), upper=(12, 22)
    )
    np.testing.assert_allclose(t.actuator_to_joint_effort([1.0, 0.0]), [1.5 - 1 + 10, 22], rtol=ROUNDING)
    np.testing.assert_allclose(t.actuator_to_joint_effort([-100.0, 0.0]), [0, 0])
    np.testing.assert_allclose(t.joint_to_actuator_velocity([1.0, 10.0]), [31, 42], rtol=ROUNDING)


def test_efforts_of_a_linear_map_come_back() -> None:
    t = LinearMap(matrix=((2, 0), (0, 4)), actuator_offsets=(0.5, -0.5), joint_offsets=(10, 20))
    back = t.joint_to_actuator_effort(t.actuator_to_joint_effort([1.0, 2.0]))
    np.testing.assert_allclose(back, [1.0, 2.0], rtol=ROUNDING)


def test_a_linear_map_that_is_not_square_has_no_way_back() -> None:
    t = LinearMap(matrix=((1, 2),))
    assert (t.actuators, t.joints) == (2, 1)
    np.testing.assert_allclose(t.joint_to_actuator_velocity([3.0]), [3, 6], rtol=ROUNDING)
    np.testing.assert_allclose(t.actuator_to_joint_effort([1.0, 1.0]), [3], rtol=ROUNDING)
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
