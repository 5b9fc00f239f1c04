"""The mechanism as a whole: frozen, validated, and what it answers."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace
from math import inf

import numpy as np
import pytest

from gearwright import DifferentialTransmission, Mechanism, ModelError, load, loads, robots
from gearwright.model import (
    WORLD,
    Axis,
    AxisRef,
    Coupling,
    Couplings,
    ElectricMotor,
    Encoder,
    Inertia,
    Joint,
    Limits,
    Link,
    Pose,
    Term,
    Transmission,
)
from tests.tolerances import ROUNDING

BODY = Inertia(mass=1.0, moments=(1.0, 1.0, 1.0))


def joint(name: str, parent: str, child: str, kind: str = "revolute", lower: float = -inf, upper: float = inf) -> Joint:
    count = {"fixed": 0, "universal": 2, "ball": 0, "floating": 0}.get(kind, 1)
    axes = (Axis(xyz=(0, 0, 1), limits=Limits(lower=lower, upper=upper)), Axis(xyz=(0, 1, 0)))[:count]
    return Joint(name=name, kind=kind, parent=parent, child=child, axes=axes)


def links(names: str, inertia: Inertia = BODY) -> dict[str, Link]:
    return {n: Link(name=n, inertia=inertia) for n in names}


def arm(**more: object) -> Mechanism:
    joints = {"ja": joint("ja", WORLD, "a"), "jb": joint("jb", "a", "b"), "ju": joint("ju", "b", "c", "universal")}
    return Mechanism(**{"name": "arm", "links": links("abc"), "joints": joints, **more})  # type: ignore[arg-type]


def mimic(follower: str, leader: str, multiplier: float = 1.0, **more: object) -> Coupling:
    return Coupling(name=follower, follower=AxisRef(follower), leaders=(Term(AxisRef(leader), multiplier),), **more)  # type: ignore[arg-type]


def codes(error: ModelError) -> set[str]:
    return {d.code for d in error.diagnostics if d.severity == "error"}


def test_frozen() -> None:
    m = arm()
    with pytest.raises(FrozenInstanceError):
        m.name = "leg"  # type: ignore[misc]
    for family in (m.links, m.joints, m.bases, m.initial, m.couplings, m.actuators):
        with pytest.raises(TypeError):
            family["x"] = None  # type: ignore[index]
    source = links("abc")
    m = arm(links=source)
    source.clear()
    assert list(m.links) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (
            {"joints": {"ja": joint("ja", WORLD, "a"), "x": joint("x", "a", "nothing")}, "links": links("a")},
            "link-not-found",
        ),
        ({"joints": {"ja": joint("ja", "a", WORLD)}, "links": links("a")}, "joint-world-child"),
        ({"joints": {"ja": joint("ja", "a", "a")}, "links": links("a")}, "joint-self"),
        ({"couplings": Couplings([mimic("jb", "nobody")])}, "mimic-leader-not-found"),
        ({"couplings": Couplings([mimic("jb", "ja"), mimic("ja", "jb")])}, "mimic-cycle"),
        ({"couplings": Couplings([mimic("jb", "ja"), replace(mimic("jb", "ja"), name="again")])}, "mimic-duplicate"),
        (
            {
                "couplings": Couplings(
                    [Coupling(name="c", follower=AxisRef("jb", 1), leaders=(Term(AxisRef("ja"), 1.0),))]
                )
            },
            "mimic-axis-missing",
        ),
        ({"actuators": {"m": ElectricMotor(name="m", joint=AxisRef("nobody"))}}, "joint-not-found"),
        ({"sensors": {"e": Encoder(name="e")}}, "encoder-target-not-found"),
        (
            {
                "transmissions": {
                    "t": Transmission(name="t", type="x", map=None, actuators=("m",), joints=(AxisRef("ja"),))
                }
            },
            "transmission-actuator-not-found",
        ),
        (
            {
                "transmissions": {
                    "t": Transmission(name="t", type="x", map=None, actuators=(), joints=(AxisRef("nobody"),))
                }
            },
            "transmission-joint-not-found",
        ),
        ({"cut": ("nobody",)}, "joint-not-found"),
        ({"joints": {"ja": joint("ja", WORLD, "a")}}, "root-multiple"),
    ],
)
def test_what_cannot_be(more: dict[str, object], code: str) -> None:
    with pytest.raises(ModelError) as caught:
        arm(**more)
    assert code in codes(caught.value)


def test_names_and_axes() -> None:
    m = arm()
    assert m.tree.coordinates == ("ja", "jb", "ju.axis", "ju.axis2")
    assert m.axis("ju") == m.axis("ju.axis") == AxisRef("ju", 0)
    assert m.axis("ju.axis2") == AxisRef("ju", 1)
    with pytest.raises(KeyError, match="did you mean"):
        m.axis("ju.axis3")
    with pytest.raises(KeyError, match="valid: 'ja', 'jb', 'ju'"):
        m.joints["elbow"]
    assert m.joint("ja").name == "ja"


def test_configuration() -> None:
    m = arm(couplings=Couplings([mimic("jb", "ja", 2.0, offset=0.5)]), initial={"ja": (0.25,)})
    assert m.configuration() == {"ja": (0.25,), "jb": (1.0,), "ju": (0.0, 0.0)}
    assert m.configuration({"ja": 1.0})["jb"] == (2.5,)
    assert m.configuration({"jb": 7.0})["jb"] == (7.0,)  # a follower that is given keeps its value
    assert m.configuration({"ju": [1.0, 2.0]})["ju"] == (1.0, 2.0)
    assert m.configuration({"ju.axis2": 2.0})["ju"] == (0.0, 2.0)
    with pytest.raises(ModelError, match="takes 2 position values"):
        m.configuration({"ju": [1.0]})
    with pytest.raises(ModelError, match="did you mean"):
        m.configuration({"jaa": 1.0})


def test_forward_kinematics_of_a_plane_arm() -> None:
    from gearwright.model import Pose

    step = Pose(np.eye(3), (1, 0, 0))
    joints = {f"j{i}": replace(joint(f"j{i}", "abc"[i - 1] if i else WORLD, "abc"[i]), X_PJ=step) for i in range(3)}
    m = Mechanism(name="m", links=links("abc"), joints=joints)
    q = [0.3, -0.7, 1.1]
    X = m.forward_kinematics(dict(zip(joints, q, strict=True)))
    total = np.cumsum(q)
    np.testing.assert_allclose(
        X["c"][:2, 3],
        [1 + np.cos(total[0]) + np.cos(total[1]), np.sin(total[0]) + np.sin(total[1])],
        atol=ROUNDING,
        rtol=ROUNDING,
    )
    np.testing.assert_allclose(
        X["c"][:2, :2],
        [[np.cos(total[2]), -np.sin(total[2])], [np.sin(total[2]), np.cos(total[2])]],
        atol=ROUNDING,
        rtol=ROUNDING,
    )


@pytest.mark.parametrize(
    ("multiplier", "offset", "lower", "upper", "code", "severity"),
    [
        (1.0, 0.0, -1.0, 1.0, None, ""),
        (0.5, 0.0, -1.0, 1.0, None, ""),
        (2.0, 0.0, -1.0, 1.0, "mimic-limits-tighten", "warning"),
        (-2.0, 0.0, -1.0, 1.0, "mimic-limits-tighten", "warning"),
        (1.0, 0.5, -1.0, 1.0, "mimic-limits-tighten", "warning"),
        (1.0, 5.0, -1.0, 1.0, "mimic-limits-conflict", "error"),
        (-1.0, 0.0, 2.0, 3.0, "mimic-limits-conflict", "error"),
        (1.0, 0.0, -1.0000001, 0.9999999, None, ""),
    ],
)
def test_limits_of_followers(
    multiplier: float, offset: float, lower: float, upper: float, code: str | None, severity: str
) -> None:
    """limit/multiplier against the leader's own [−1, 1]."""
    joints = {"ja": joint("ja", WORLD, "a", lower=-1, upper=1), "jb": joint("jb", "a", "b", lower=lower, upper=upper)}
    try:
        found = Mechanism(
            name="m",
            links=links("ab"),
            joints=joints,
            couplings=Couplings([mimic("jb", "ja", multiplier, offset=offset)]),
        ).diagnostics
    except ModelError as error:
        found = error.diagnostics
    assert [(d.code, d.severity) for d in found] == ([(code, severity)] if code else [])


def test_limits_through_a_chain() -> None:
    """Each follower allows a range of its own; together they leave none."""
    joints = {
        "ja": joint("ja", WORLD, "a"),
        "jb": joint("jb", "a", "b", lower=0, upper=1),
        "jc": joint("jc", "b", "c", lower=2, upper=3),
    }
    with pytest.raises(ModelError) as caught:
        Mechanism(
            name="m", links=links("abc"), joints=joints, couplings=Couplings([mimic("jc", "jb"), mimic("jb", "ja")])
        )
    assert codes(caught.value) == {"mimic-limits-conflict"}


def test_a_coordinate_that_moves_no_mass_is_told() -> None:
    apart = replace(joint("jb", "a", "b"), X_PJ=Pose.from_rpy((0.3, 0, 0), (0, 0, 0)))
    joints = {"ja": joint("ja", WORLD, "a"), "jb": apart, "jc": joint("jc", "b", "c", "fixed")}
    heavy_end = {**links("ab", Inertia(mass=0.0)), **links("c")}
    assert not Mechanism(name="m", links=heavy_end, joints=joints).diagnostics
    light_end = {**links("a"), **links("bc", Inertia(mass=0.0))}
    found = Mechanism(name="m", links=light_end, joints=joints).diagnostics
    assert [(d.code, "jb" in d.message) for d in found] == [("inertia-missing", True)]


def test_reflected_inertia_of_a_differential() -> None:
    """Aᵀ·I·A, A being the actuators' speeds per joint speed."""
    t = DifferentialTransmission(actuator_reduction=(10, 20), joint_reduction=(1, 2))
    m = arm(
        actuators={n: ElectricMotor(name=n, rotor_inertia=i) for n, i in (("m", 1.0), ("n", 0.5))},
        transmissions={
            "t": Transmission(
                name="t", type="differential", map=t, actuators=("m", "n"), joints=(AxisRef("ja"), AxisRef("jb"))
            )
        },
    )
    assert m.reflected_inertia() == {AxisRef("ja"): 1.0 * 100 + 0.5 * 400, AxisRef("jb"): 1.0 * 400 + 0.5 * 1600}


def test_copies_share_nothing_that_changes() -> None:
    m = arm(couplings=Couplings([mimic("jb", "ja")]))
    changed = m.with_coupling("jb", offset=1.0)
    assert m.couplings["jb"].offset == 0.0
    assert changed.couplings["jb"].offset == 1.0
    assert changed.dof == m.dof == 3


def test_a_mechanism_can_be_pickled():
    """Sweeps send it to other processes."""
    for name in robots.names():
        robot = load(robots.path(name))
        again = pickle.loads(pickle.dumps(robot))
        assert list(again.links) == list(robot.links)
        assert dict(again.joints) == dict(robot.joints)
        assert again.dof == robot.dof


def test_a_joint_may_be_named_like_a_quaternion():
    robot = loads(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="a.qw" type="continuous"><parent link="a"/>'
        '<child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    )
    assert robot.configuration()["a.qw"] == (0.0,)
