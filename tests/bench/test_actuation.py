"""Motors, gears and encoders: what they do while they are timed, and that MuJoCo's nearest computes the same."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.bench import actuation
from benchmarks.bench.contestant import Peers
from benchmarks.bench.effort import Effort
from benchmarks.bench.ours import Gearwright
from benchmarks.bench.robots import driven_robots
from benchmarks.bench.rows import case_table
from benchmarks.bench.situations import DRIVEN, Ranges, driven_joints, running, stalled
from benchmarks.peers import peers
from tests.tolerances import ROUNDING

# robots are timed from anywhere
pytestmark = pytest.mark.filterwarnings("ignore:joints start beyond their limits:gearwright.BeyondLimitsWarning")
TINY = Effort(slices=1, seconds=1e-4, states=2)
ROBOTS = {robot.name: robot for robot in driven_robots()}
RUN = 0.04  # [s] that motors run without meeting a stop


@pytest.fixture(scope="module")
def engines():
    """Gearwright by robot and step, each made once."""
    return cache(lambda name, dt=1e-3: Gearwright(ROBOTS[name], dt))


@pytest.fixture(scope="module")
def mujoco():
    pytest.importorskip("mujoco")
    from benchmarks.peers import mujoco_driven

    return mujoco_driven


@pytest.mark.parametrize("name", ROBOTS)
def test_running_motors_are_on_their_curve_and_meet_no_stop(name, engines):
    ours = engines(name)
    ranges, begin = Ranges.of(ours), running(ours, 20, np.random.default_rng(0))
    sim = ours.begun(begin)
    sim.step(n=round(RUN / 1e-3))
    q = np.stack([sim.position[k] for k in ours.names], axis=1)
    assert ((ranges.lower < q) & (q < ranges.upper)).all()
    for motor, command in begin.command.items():
        actuator, (torque, speed) = (
            ours.mechanism.actuators[motor],
            (sim.actuator[motor].torque, sim.actuator[motor].velocity),
        )
        free = actuator.stall_torque * (np.sign(command) - speed / actuator.no_load_speed)
        assert torque == pytest.approx(np.clip(free, -actuator.effort_limit, actuator.effort_limit), abs=ROUNDING)


@pytest.mark.parametrize("name", ROBOTS)
def test_stalled_motors_push_as_hard_as_their_drives_let_them(name, engines):
    ours = engines(name)
    ranges, begin = Ranges.of(ours), stalled(ours, 20, np.random.default_rng(0))
    sim = ours.begun(begin)
    sim.step(n=300)
    q = np.stack([sim.position[k] for k in ours.names], axis=1)
    assert (np.abs(q - begin.position) < ROUNDING * ranges.width).all()
    for motor, command in begin.command.items():
        limit = ours.mechanism.actuators[motor].effort_limit
        assert sim.actuator[motor].torque == pytest.approx(np.sign(command) * limit, rel=ROUNDING)


@pytest.mark.parametrize("name", ROBOTS)
def test_motions_meet_as_the_step_shrinks(name, engines, mujoco):
    """First order in both: MuJoCo's Euler takes the motor's slope at the start of the step, Gearwright at its end."""
    differences = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        ours = engines(name, dt)
        begin, steps = running(ours, 1, np.random.default_rng(4)), round(RUN / dt)
        theirs = mujoco.DrivenMuJoCo(ROBOTS[name], dt, "exact")
        end = ours.after(begin, steps)
        found = theirs.after(begin, steps)[[theirs.names.index(k) for k in ours.names]]
        differences.append(np.abs(found - end).max() / np.abs(end - begin.position[0]).max())
    assert all(1.8 < longer / shorter < 2.2 for longer, shorter in pairwise(differences))
    assert differences[0] < 3e-2


@pytest.mark.parametrize("name", ROBOTS)
def test_encoders_read_the_rotors(name, engines, mujoco):
    """Ours in whole counts, MuJoCo's exactly, each of its own motion."""
    ours = engines(name)
    begin = running(ours, 1, np.random.default_rng(4))
    ours.after(begin, 20)
    theirs = mujoco.DrivenMuJoCo(ROBOTS[name], 1e-3, "exact")
    theirs.after(begin, 20)
    mujoco.mj.mj_forward(theirs.model, theirs.data)
    joints = driven_joints(ours.mechanism)
    for encoder in ours.mechanism.sensors.values():
        t = ours.mechanism.transmissions[encoder.transmission]
        ratio, joint = t.map.actuator_per_joint[0, 0], joints[t.actuators[0]]
        count = 2 * np.pi / encoder.resolution
        assert ours.sim.sensor[encoder.name] == pytest.approx(ratio * ours.sim.position[joint], abs=0.51 * count)
        position = theirs.position()[theirs.names.index(joint)]
        assert theirs.data.sensor(encoder.name).data[0] == pytest.approx(ratio * position, rel=1e-12)


def test_cases_of_one_robot(mujoco):
    found = list(actuation.cases(["arm"], TINY, 1e-3, peers(), print))
    assert [c.situation for c in found] == [s.title for s in DRIVEN]
    for case in found:
        ours, theirs = case.entries
        assert theirs.agreement is not None
        assert theirs.ratio_one == theirs.one.cpu_median_ns / ours.one.cpu_median_ns
    assert len(case_table("", found).rows) == 2


def test_cases_without_mujoco():
    found = list(actuation.cases(["arm"], TINY, 1e-3, Peers(), print))
    assert [[e.engine for e in c.entries] for c in found] == [["gearwright"], ["gearwright"]]
