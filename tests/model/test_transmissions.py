"""Every kind of transmission by the same relations: a new kind joins by a row of `MAPS`; and the user's own."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import casadi
import numpy as np
import pytest

from gearwright import (
    CustomJointMap,
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
from gearwright.model import LinearTransmission, TransmissionMap
from gearwright.model.fields import quantity
from gearwright.model.transmissions import (
    TRANSMISSIONS,
    LinearSeries,
    parameters,
    rows,
    with_parameters,
    with_values,
)
from gearwright.model.transmissions import offsets as at_zero
from gearwright.model.transmissions.rod_linkage import ActuatorsFollow, RodLinkage
from gearwright.model.transmissions.spatial_tendon import SpatialTendon
from gearwright.tracing import trace
from tests.tolerances import ROUNDING


def swash(q: Any) -> Any:
    """Two pushrods on a tilting plate."""
    return np.array([0.03 * np.sin(q[0]) + 0.02 * q[1], 0.03 * np.sin(q[0]) - 0.02 * np.tan(q[1])])


ROCKER = FourBarLinkage(ground=4, input=1, coupler=3.5, output=3)
DRAG = FourBarLinkage(ground=1, input=3, coupler=2.5, output=2)
WRIST = DifferentialTransmission(actuator_reduction=(50, -40), joint_reduction=(1.5, 2), joint_offset=(0.1, -0.2))
REMOTE = FourBarLinkageTransmission(actuator_reduction=(50, -50), joint_reduction=(2, -3))
ROD = RodLinkage(  # a crank below the joint, both about y, and a rod from its end up to the link
    joint_screws=((0, 1, 0, 0, 0, 0),), crank_screws=((0, 1, 0, 0.3, 0, 0),), crank_ends=((0.06, 0, -0.3),),
    rod_ends=((0.05, 0, 0),), joint_references=(0.0,), actuator_references=(0.2,),
)  # fmt: skip
MAPS: dict[str, tuple[TransmissionMap, tuple[float, float]]] = {  # the map, and a range that joints move in
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
    "gear, linkage and belt": (
        Series([SimpleTransmission(reduction=12), ROCKER, SimpleTransmission(reduction=2, offset=0.1)]),
        (1.0, 1.3),
    ),
    "custom joint map": (CustomJointMap(position=lambda a: 0.3 * np.sin(a), start=(0.1,)), (-0.2, 0.2)),
    "rod": (ROD, (-0.6, 0.6)),
    "custom after linear": (Series([WRIST, CustomTransmission(position=swash)]), (-1, 1)),
}  # fmt: skip
each = pytest.mark.parametrize("kind", MAPS)
LEADING = [kind for kind, (t, _) in MAPS.items() if t.leads_joints]
to_actuators = pytest.mark.parametrize("kind", [kind for kind in MAPS if kind != "custom joint map"])
KINDS = ("position", "velocity", "effort")


def drawn(kind: str, rng: np.random.Generator, *lead: int) -> tuple[TransmissionMap, np.ndarray]:
    t, (low, high) = MAPS[kind]
    return t, rng.uniform(low, high, (*lead, t.joints))


def test_the_table_has_every_kind() -> None:
    assert [TRANSMISSIONS[name] for name in TRANSMISSIONS.rows]  # a row's class is not there before it is imported
    elsewhere = {ActuatorsFollow, SpatialTendon}  # tests/sim/test_rods.py, tests/formats/mjcf
    used = {type(t) for t, _ in MAPS.values()} | {LinearSeries} | elsewhere
    assert used >= {kind for kind in _leaves(TransmissionMap) if kind.__module__.startswith("gearwright.")}


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
        assert vj @ tj == pytest.approx(va @ ta, abs=ROUNDING * (np.abs(vj) @ np.abs(tj)))
        vj, ta = rng.normal(size=t.joints), rng.normal(size=t.actuators)
        va, tj = t.joint_to_actuator_velocity(vj, at=q), t.actuator_to_joint_effort(ta, at=q)
        assert vj @ tj == pytest.approx(va @ ta, abs=ROUNDING * (np.abs(va) @ np.abs(ta)))


@each
def test_back_where_it_came_from(kind: str, rng: np.random.Generator) -> None:
    """Positions by Newton's method from nearby, to 1e-12 of the actuators'; its ratio's condition takes two digits."""
    for _ in range(10):
        t, q = drawn(kind, rng)
        a = t.joint_to_actuator_position(q)
        np.testing.assert_allclose(t.actuator_to_joint_position(a, near=q + 0.01), q, rtol=0, atol=1e-10)
        va, ta = rng.normal(size=t.actuators), rng.normal(size=t.actuators)
        np.testing.assert_allclose(
            t.joint_to_actuator_velocity(t.actuator_to_joint_velocity(va, at=q), at=q), va, atol=ROUNDING, rtol=ROUNDING
        )
        np.testing.assert_allclose(
            t.joint_to_actuator_effort(t.actuator_to_joint_effort(ta, at=q), at=q), ta, atol=ROUNDING, rtol=ROUNDING
        )


@each
def test_the_ratio_is_the_slope_of_the_position(kind: str, rng: np.random.Generator) -> None:
    """Against central differences, whose error is h² (1e-10 times the third derivative, up to 200 over ten seeds)."""
    t, q = drawn(kind, rng)
    h = 1e-5
    steps = h * np.eye(t.joints)
    rise = [t.joint_to_actuator_position(q + s) - t.joint_to_actuator_position(q - s) for s in steps]
    A = t.actuator_per_joint_at(q)
    np.testing.assert_allclose(A, np.array(rise).T / (2 * h), rtol=0, atol=2e-8 * np.abs(A).max())


@to_actuators
def test_the_float_api_is_the_defining_map(kind: str, rng: np.random.Generator) -> None:
    """Plain NumPy, traced, and the public method give the same positions."""
    t, q = drawn(kind, rng)
    plain = np.asarray(t.to_actuators(q))
    traced = np.array(trace(t.to_actuators, [t.joints])(q))[:, 0]
    np.testing.assert_allclose(plain, t.joint_to_actuator_position(q), rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(traced, plain, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("kind", LEADING)
def test_joints_lead_back_to_the_actuators(kind: str, rng: np.random.Generator) -> None:
    """g and its slope, against the map from joints: at regular points they are each other's inverse."""
    t, q = drawn(kind, rng, 4)
    a = t.joint_to_actuator_position(q)
    np.testing.assert_allclose(t.joints_at(a), q, rtol=ROUNDING, atol=ROUNDING)
    product = t.joint_per_actuator_at(a) @ t.actuator_per_joint_at(q)
    np.testing.assert_allclose(product, np.broadcast_to(np.eye(t.joints), product.shape), atol=ROUNDING, rtol=ROUNDING)


@to_actuators
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


@to_actuators
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


@pytest.mark.parametrize("kind", [k for k, (t, _) in MAPS.items() if isinstance(t, LinearTransmission)])
def test_rows_and_offsets_of_linear_kinds(kind: str, rng: np.random.Generator) -> None:
    t, q = drawn(kind, rng)
    np.testing.assert_allclose(
        np.array(rows(t)) @ q + at_zero(t), t.joint_to_actuator_position(q), rtol=ROUNDING, atol=ROUNDING
    )
    assert all(type(x) is float for row in rows(t) for x in row)
    np.testing.assert_allclose(np.array(rows(t)) @ t.joint_per_actuator, np.eye(t.joints), atol=ROUNDING, rtol=ROUNDING)


def test_rows_hold_symbols_and_keep_their_zeros() -> None:
    x = casadi.SX.sym("x")
    t = with_parameters(FourBarLinkageTransmission(), {"joint_reduction1": x, "joint_offset2": x})
    (first, zero), (one, other) = rows(t)
    assert first.is_symbolic() and (zero, one, other) == (0.0, 1.0, 1.0)
    assert at_zero(t)[0] == 0.0 and str(at_zero(t)[1]) == "(-x)"
    assert at_zero(SimpleTransmission(reduction=3)) == [0.0]
    with pytest.raises(ModelError, match="FourBarLinkage has no constant ratio"):
        rows(ROCKER)


@dataclass(frozen=True, kw_only=True)
class Numbered:
    r2: tuple[float, float] = quantity(doc="a field that ends in a digit", default=(1.0, 2.0))
    r3: tuple[tuple[float, ...], ...] = quantity(doc="a matrix of one", default=((3.0, 4.0),))


def test_parameters_of_fields_that_end_in_a_digit() -> None:
    """Those of a tuple and of a matrix go by one rule, also when they are replaced."""
    assert parameters(Numbered()) == {"r21": 1.0, "r22": 2.0, "r31_1": 3.0, "r31_2": 4.0}
    assert with_values(Numbered(), {"r21": 9.0, "r31_2": 8.0}) == Numbered(r2=(9.0, 2.0), r3=((3.0, 8.0),))


def test_numbers_of_numpy() -> None:
    gear = SimpleTransmission(reduction=np.float32(50), offset=np.int64(0))
    assert [type(x) for x in parameters(gear).values()] == [float, float]
    assert (rows(gear), at_zero(gear)) == ([[50.0]], [0.0])


def test_the_names_of_parameters() -> None:
    assert parameters(SimpleTransmission(reduction=50)) == {"reduction": 50.0, "offset": 0.0}
    assert list(parameters(WRIST))[:3] == ["actuator_reduction1", "actuator_reduction2", "joint_reduction1"]
    assert list(parameters(LinearMap(matrix=((1, 2), (3, 4)), lower=(-1, -2)))) == [
        "matrix1_1", "matrix1_2", "matrix2_1", "matrix2_2",
    ]  # fmt: skip
    # offsets and bounds of efforts are constants of the step
    assert list(parameters(ROCKER)) == ["ground", "input", "coupler", "output"]
    assert list(parameters(Series([ROCKER, SimpleTransmission()])))[-2:] == ["stage2.reduction", "stage2.offset"]
    assert parameters(CustomTransmission(position=abs)) == {}
    assert parameters(Losses(friction=0.1)) == {"efficiency": 1.0, "friction": 0.1, "damping": 0.0}
    assert all(type(x) is float for x in parameters(SimpleTransmission(reduction=np.float64(3), offset=1)).values())
    changed = with_parameters(LinearMap(matrix=((1, 2), (3, 4))), {"matrix2_1": 7.0})
    assert changed.matrix == ((1.0, 2.0), (7.0, 4.0))


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
    np.testing.assert_allclose(t.actuator_to_joint_effort([1.0, 2.0], at=[0.5]), [0.01 - 0.02 + 0.002], rtol=ROUNDING)
    np.testing.assert_allclose(t.joint_to_actuator_velocity(2.0, at=0.5), [0.02, -0.018], rtol=ROUNDING)
    for ask in (t.actuator_to_joint_position, t.actuator_to_joint_velocity):
        with pytest.raises(ModelError, match="no inverse"):
            ask([1.0, 2.0])
    with pytest.raises(ModelError, match="no inverse"):
        t.joint_to_actuator_effort(1.0)


def test_an_effort_function_maps_efforts_and_nothing_else() -> None:
    t = CustomTransmission(effort=lambda a, q, v: 3 * a + q - 2 * v)
    assert t.actuator_to_joint_effort(2.0) == 6.0
    assert t.actuator_to_joint_effort(2.0, at=0.5, velocity=1.0) == 4.5
    np.testing.assert_allclose(t.actuator_to_joint_effort([[1.0], [2.0]], at=[0.5]), [[3.5], [6.5]], rtol=ROUNDING)
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
    assert t.actuator_to_joint_position(4.0, near=1.0) == pytest.approx(2.0, rel=1e-14)
    assert t.actuator_to_joint_position(4.0, near=-1.0) == pytest.approx(-2.0, rel=1e-14)
    for a, near in ((-1.0, 1.0), (4.0, 0.0)):  # no root; no slope to follow
        with pytest.raises(ModelError, match=r"no joint position is found.*near="):
            t.actuator_to_joint_position(a, near=near)
    with pytest.raises(ModelError, match="no inverse"):
        t.actuator_to_joint_velocity(1.0, at=0.0)
    bent = CustomTransmission(position=np.arctan)  # whole steps of Newton's method run away from here
    assert bent.actuator_to_joint_position(0.1, near=3.0) == pytest.approx(np.tan(0.1), rel=1e-12)
    with pytest.raises(ModelError, match="no actuator position"):
        CustomTransmission(position=np.sqrt).joint_to_actuator_position(-1.0)


# --- one after another ------------------------------------------------------------------------------------------------


def test_a_series_of_linear_stages_is_linear() -> None:
    t = Series([SimpleTransmission(reduction=5, offset=0.2), SimpleTransmission(reduction=-3, offset=0.1)])
    assert isinstance(t, LinearTransmission)
    assert (t.actuator_per_joint[0, 0], t.position_offset[0]) == (-15.0, pytest.approx(0.1 - 0.2 / 3, rel=1e-12))
    assert t.actuator_to_joint_position(1.0) == pytest.approx((1 / 5 + 0.2) / -3 + 0.1, rel=1e-12)
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
