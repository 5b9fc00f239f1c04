"""Numbers at which the model decides: a hair on either side of each. `tests/contracts/guards.py` names these tests."""

from dataclasses import replace
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

import gearwright as gw
from gearwright import robots
from gearwright.errors import ModelError
from gearwright.model import Axis, AxisRef, Coupling, Encoder, Joint, Limits
from gearwright.model.checks import checks, simulation_checks
from gearwright.model.couplings import Term
from gearwright.model.hardware import servos
from gearwright.model.loops import rings
from gearwright.model.loops.loop_system import LoopSystem, rank
from gearwright.model.transmissions.losses import Losses
from tests.tolerances import ROUNDING


def ratio(follower, leader, multiplier, mode="hard"):
    return Coupling(
        name=f"{follower}_{leader}", follower=AxisRef(follower, 0), leaders=(Term(AxisRef(leader, 0), multiplier),),
        mode=mode,
    )  # fmt: skip


def test_the_last_part_of_a_velocity_limit():
    """An actuator gives up pushing over the last thousandth of its velocity limit."""
    motor = gw.Actuator(name="m", velocity_limit=2.0)
    assert motor.effort_at(1.0, 2.0 * (1 - 0.5e-3)) == pytest.approx(0.5, rel=1e-12)
    assert motor.effort_at(1.0, 2.0 * (1 - 2e-3)) == 1.0


def test_gravity_where_a_file_says_nothing():
    assert gw.Mechanism(name="r", links={}, joints={}).gravity == (0.0, 0.0, -9.81)


@pytest.mark.parametrize(("angle", "parallel"), [(0.5e-6, True), (2e-6, False)])
def test_two_axes_that_are_one_to_six_digits(angle, parallel):
    axes = (Axis(xyz=(1.0, 0.0, 0.0)), Axis(xyz=(np.cos(angle), np.sin(angle), 0.0)))
    joint = Joint(name="j", kind="universal", parent="a", child="b", axes=axes)
    assert joint.axes_are_parallel == parallel


@pytest.mark.parametrize(("tighter", "said"), [(1e-3, 0), (4e-3, 1)])
def test_limits_that_rounding_tightens(tighter, said):
    """Three digits of limits and multipliers: two thousandths of the leader's range are not worth a word."""
    found = []
    report = SimpleNamespace(warning=lambda *a: found.append(a), info=found.append, error=found.append)
    checks._judge(report, ratio("follower", "leader", 1.0), AxisRef("leader", 0), (0.0, 1.0 - tighter), (0.0, 1.0))
    assert len(found) == said


@pytest.mark.parametrize(("angle", "rows"), [(5e-4, 1), (5e-3, 2)])
def test_rows_that_differ_by_a_files_rounding_are_one(angle, rows):
    assert rank(np.array([[1.0, 0.0], [1.0, angle]])) == rows


@pytest.mark.parametrize(("off", "taken"), [(2e-5, 1), (1e-3, 2)])
def test_ratios_of_four_digits_are_one(off, taken):
    """Rows of (1, −3): an angle of about off/10 between them; 1.2e-4 is where two rows begin."""
    group = [ratio("b", "a", 3.0), replace(ratio("b", "a", 3.0 + 10 * off), name="again")]
    assert rings.taken_by(group, {"a": [0.0], "b": [0.0]}) == taken


@pytest.mark.parametrize(("axes", "taken"), [(150, 149), (1100, 1100)])
def test_rings_of_up_to_a_thousand_axes_are_looked_at(axes, taken):
    """One coupling of a ring of equal ratios is implied; of a wider ring each is taken to count."""
    group = [ratio(f"j{i}", f"j{i - 1}", 1.0) for i in range(axes)]
    group[0] = ratio("j0", f"j{axes - 1}", 1.0)
    assert rings.taken_by(group, {f"j{i}": [0.0] for i in range(axes)}) == taken


@pytest.mark.parametrize(("limits", "stiffness"), [(Limits(effort=5.0), 500.0), (Limits(effort=0.0), 1e4)])
def test_usual_gains_of_a_servo(limits, stiffness):
    """All of the effort at an error of 10 mrad; 1e4 where there is no limit; errors die out in 50 ms."""
    robot = SimpleNamespace(joint=lambda name: SimpleNamespace(axes=(Axis(limits=limits),)))
    found = servos._wanted(robot, AxisRef("j", 0), {})
    assert found.stiffness == pytest.approx(stiffness, rel=1e-12)
    assert found.damping == pytest.approx(0.05 * stiffness, rel=1e-12)
    assert found.velocity == inf


@pytest.mark.parametrize(
    ("rate", "latency", "word"),
    [
        (1000.0, 0.9, None),
        (1000.0, 1.1, "latency"),  # 1000 samples of 1 ms on their way
        (100.0, 9.0, None),
        (100.0, 11.0, "latency"),
        (1e-4, 0.0, None),  # one in 1e7 steps
        (3e-5, 0.0, "update_rate"),  # one in 3.3e7, beyond 2²⁴
    ],
)
def test_samples_that_steps_can_hold(rate, latency, word):
    sensor = Encoder(name="e", joint=AxisRef("j", 0), update_rate=rate, latency=latency)
    found = simulation_checks._untimely(sensor)
    assert (found is None) if word is None else (word in found)


@pytest.mark.parametrize(("ratio", "refused"), [(9e49, False), (-9e49, False), (2e50, True), (-2e50, True)])
def test_ratios_that_steps_can_square(ratio, refused):
    gear = gw.SimpleTransmission(reduction=ratio)
    robot = gw.load(robots.path("gripper")).with_actuator(gw.ElectricMotor(name="more"))
    robot = robot.with_transmission("more", gear, actuators="more", joints="right_finger")
    assert any("more" in d.message and d.code == "not-simulable" for d in robot.diagnostics) == refused


def test_a_loop_is_closed_from_afar_and_to_rounding():
    """Newton's moves of at most 0.3: from 1 rad off a four-bar closes to 1e-10, in general positions around it, too."""
    robot = gw.load(robots.path("four_bar"))
    (system,) = (part for part in LoopSystem.of(robot.tree, []).parts() if part.cuts)
    q = robot.configuration()
    joint = system.joints[0].name
    closed = system.closed({**q, joint: np.array([1.0])}, [])
    assert closed is not None
    error, _, _ = system.scaled_rows(closed, [])
    assert np.abs(error).max() < ROUNDING
    samples = system.general_samples(closed, [])
    assert len(samples) == 4
    assert all(0.03 < max(s.went.values()) < 0.9 for s in samples)


def test_sizes_are_guessed_up_to_sixteen():
    assert gw.CustomTransmission(position=lambda q: q[15] + q[0]).joints == 16
    with pytest.raises(ModelError, match="16"):
        _ = gw.CustomTransmission(position=lambda q: q[16] + q[0]).joints


def test_an_efficiency_is_never_nothing_or_gain():
    """What a user's function gives below a thousandth, or above 1, would make energy."""
    for given, found in ((0.0, 1e-3), (0.5, 0.5), (2.0, 1.0)):
        losses = Losses(own=SimpleNamespace(efficiency_at=lambda load, speed, x=given: x))
        assert losses.efficiency_at(1.0, 1.0) == pytest.approx(found, rel=1e-12)


def test_newtons_steps_end_at_twelve_digits():
    """A cubic map: fifty steps at most, and 1e-12 of the actuator's position is met."""
    cubic = gw.CustomTransmission(position=lambda q: q[0] + 0.3 * q[0] ** 3, size=(1, 1))
    q = float(np.ravel(cubic.actuator_to_joint_position([5e4]))[0])  # by some twenty steps
    assert abs(q + 0.3 * q**3 - 5e4) <= ROUNDING * 5e4
    steep = gw.CustomTransmission(position=lambda q: np.tanh(q[0]), size=(1, 1))
    with pytest.raises(ModelError, match="near="):
        steep.actuator_to_joint_position([1.5])
