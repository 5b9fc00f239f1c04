"""Rules between the fields of a kind hold for parameters as they do when it is made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.kinds import LinearTransmission, check, quantity
from gearwright.model.checks.design_rules import broken_rules
from gearwright.model.fields import Quantity
from gearwright.model.frictions import FrictionModel

LINK = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
ARM = f"""<sdf version="1.11"><model name="arm"><link name="a">{LINK}</link>
<joint name="elbow" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""
RULE = "a ring takes more pins than its disc has lobes"


@dataclass(frozen=True, kw_only=True)
class Cycloid(LinearTransmission):
    """Its rule as `rules` says it: for many designs at once."""

    lobes: float = quantity(above=0, whole=True, doc="of the disc")
    pins: float = quantity(above=1, whole=True, doc="of the ring")

    def rules(self) -> Any:
        yield self.pins > self.lobes, RULE

    def actuator_entries(self) -> Any:
        return [[-self.lobes / (self.pins - self.lobes)]]

    def joint_entries(self) -> Any:
        return [[(self.lobes - self.pins) / self.lobes]]


@dataclass(frozen=True, kw_only=True)
class CheckedWhenMade(Cycloid):
    """The same in its `__post_init__`."""

    def __post_init__(self) -> None:
        check(self)
        if self.pins <= self.lobes:
            raise gw.ModelError(RULE)


def arm(map: Any) -> gw.Mechanism:
    robot = gw.loads(ARM).with_actuator(gw.ElectricMotor(name="motor", stall_torque=1.0, no_load_speed=100.0))
    return robot.with_transmission("gear", map, actuators=["motor"], joints=["elbow"])


KINDS = [Cycloid(lobes=9, pins=10), CheckedWhenMade(lobes=9, pins=10)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: type(k).__name__)
def test_parameters_obey_the_rule(kind: Any) -> None:
    sim = gw.compile(arm(kind), batch=3, parameters=("gear.lobes", "gear.pins"))
    with pytest.raises(gw.ModelError, match=rf"'gear.lobes' = 10, 'gear.pins' = 10: {RULE} \(robot 1\)"):
        sim.set_parameters({"gear.lobes": [9, 10, 11]})
    assert sim.parameters["gear.lobes"].tolist() == [9.0] * 3  # nothing was set
    sim.set_parameters({"gear.pins": 30})
    sim.set_parameters({"gear.lobes": [9, 10, 11]})  # beside the pins that it has now
    with pytest.raises(gw.ModelError, match=r"'gear.pins' = 11: .*\(robot 2\)"):
        sim.set_parameters({"gear.pins": 11})
    with pytest.raises(gw.ModelError, match=r"'gear.pins' must be a whole number, not 12\.5"):
        sim.set_parameters({"gear.pins": 12.5})


def test_a_stage_obeys_its_rule() -> None:
    sim = gw.compile(arm(gw.Series([gw.SimpleTransmission(reduction=2), KINDS[0]])), parameters=("gear.stage2.lobes",))
    with pytest.raises(gw.ModelError, match=rf"'gear.stage2.lobes' = 10: {RULE}"):
        sim.set_parameters({"gear.stage2.lobes": 10})


def test_rules_of_many_designs_are_those_of_the_constructor(rng: np.random.Generator) -> None:
    """Four-bars: the same designs are refused, one by one and all at once."""
    robot = arm(gw.FourBarLinkage(ground=1, input=3, coupler=2.5, output=2))
    names = ("gear.ground", "gear.input", "gear.coupler", "gear.output")
    values = rng.uniform(0.1, 4.0, (200, 4))
    given = dict(zip(names, values.T, strict=True))
    found: dict[int, str] = {}
    for broken in broken_rules(robot, given, 200, given):
        found |= dict.fromkeys(np.flatnonzero(broken.designs).tolist(), broken.rule)
    expected = {i: why for i, row in enumerate(values) if (why := _refused(*row.tolist())) is not None}
    assert found == expected and 10 < len(found) < 190


def _refused(ground: float, input: float, coupler: float, output: float) -> str | None:
    try:
        gw.FourBarLinkage(ground=ground, input=input, coupler=coupler, output=output)
    except gw.ModelError as error:
        return str(error)
    return None


@dataclass(frozen=True, kw_only=True)
class Falling(FrictionModel):
    """Friction that is not higher in motion than at rest."""

    static: float = quantity("N·m | N", at_least=0, doc="at rest")
    coulomb: float = quantity("N·m | N", at_least=0, doc="in motion")

    def rules(self) -> Any:
        yield self.static >= self.coulomb, "friction falls with the speed"

    def level(self, speed: Any) -> Any:
        return np.where(speed > 0, self.coulomb, self.static)


def test_frictions_and_actuators_have_rules_too() -> None:
    robot = arm(gw.SimpleTransmission())
    (axis,) = robot.joints["elbow"].axes
    axis = replace(axis, dynamics=replace(axis.dynamics, friction_model=Falling(static=2.0, coulomb=1.0)))
    robot = replace(robot, joints={"elbow": replace(robot.joints["elbow"], axes=(axis,))})
    given = {"elbow.friction_model.coulomb": np.array([1.0, 3.0]), "motor.stall_torque": np.array([1.0, 2.0])}
    (broken,) = broken_rules(robot, given, 2, given)
    assert broken.message(given, 1) == "'elbow.friction_model.coulomb' = 3: friction falls with the speed"
    with pytest.raises(gw.ModelError, match="must be given together"):
        gw.ElectricMotor(name="m", stall_torque=1.0)


@pytest.mark.parametrize(
    "meaning",
    [Quantity(above=0), Quantity(at_least=0, at_most=1), Quantity(nonzero=True), Quantity(whole=True), Quantity()],
    ids=lambda q: q.range_text or "any",
)
def test_many_numbers_are_judged_as_each_of_them(meaning: Quantity, rng: np.random.Generator) -> None:
    for values in rng.choice([-1.0, 0.0, 0.5, 1.0, 2.0], (200, 3)):
        each = [meaning.problem("x", x) for x in values.tolist()]
        assert (meaning.first_problem("x", values) is None) == (each == [None] * 3)


def test_the_way_back_is_derived_or_checked() -> None:
    class Derived(Cycloid):
        joint_entries = LinearTransmission.joint_entries

    assert Derived(lobes=9, pins=10).joint_per_actuator == KINDS[0].joint_per_actuator
    for wrong, refused in ((1e-5, True), (1e-7, False)):

        class Wrong(Cycloid):
            error = wrong

            def joint_entries(self) -> Any:
                ((x,),) = super().joint_entries()
                return [[x * (1 + self.error)]]

        if refused:
            with pytest.raises(gw.ModelError, match="joint_entries of Wrong is not the inverse"):
                arm(Wrong(lobes=9, pins=10))
        else:
            arm(Wrong(lobes=9, pins=10))


def test_a_million_designs_take_a_moment() -> None:
    """The rule is asked once, not once a design."""
    asked = 0

    @dataclass(frozen=True, kw_only=True)
    class Counting(Cycloid):
        def rules(self) -> Any:
            nonlocal asked
            asked += 1
            yield from super().rules()

    given = {"gear.lobes": np.arange(1_000_000.0) % 9 + 1}
    robot = arm(Counting(lobes=9, pins=10))
    before = asked
    assert not list(broken_rules(robot, given, 1_000_000, given))
    assert asked == before + 1
