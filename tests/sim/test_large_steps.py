"""Steps of 10 ms: the default step is stable wherever the first-order one is.

Robots fall from three poses, as their files have them and with no commands. What is passive cannot rise above the
energy that it began with, so energy above that, as a share of the highest kinetic one, measures how far a step is off.
"""

import os
import warnings
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.sim.driven import body, motor, rigid, wheel
from tests.sim.robots import DOUBLE_PENDULUM
from tests.tolerances import ROUNDING

DT, TIME = 0.01, 2.0  # [s]
ABOVE = 0.05  # of the highest kinetic energy, by which energy may be above the start's
KINDS = ("panda.urdf", "allegro_right_hand.urdf", "solo12.urdf")  # in the default suite


def real_robots():
    """Of example-robot-data one file per folder, and all of the corpus."""
    try:
        every = [Path(str(f.locate())).resolve() for f in files("example-robot-data") or () if f.suffix == ".urdf"]
    except PackageNotFoundError:
        every = []
    corpus = os.environ.get("GEARWRIGHT_CORPUS")
    if corpus:
        robots = sorted((Path(corpus) / "robots").rglob("*"))
        every += [f for f in robots if f.suffix in (".urdf", ".sdf")]
    return sorted(every)


def poses(sim, rng):
    """Zero, as far as the stops let it, and two random ones; of robots with closed loops, the start."""
    if sim.robot.tree.cuts:
        yield {}
        return
    followers = {c.follower.joint for c in sim.robot.couplings.values()}
    single = [j for j in sim.robot.tree.joints if len(j.axes) == 1 and j.name not in followers]
    for spread in (0.0, 1.0, 1.0):
        yield {
            j.name: np.clip(spread * rng.uniform(-1.0, 1.0), j.axes[0].limits.lower, j.axes[0].limits.upper)
            for j in single
        }


def highest(sim, pose):
    """How far energy is above the start's at most, as a share of the highest kinetic; infinite if the state is lost."""
    sim.reset(position=pose)
    start = sim.energy
    try:
        rec = sim.run(TIME)
    except gw.SimulationError:
        return np.inf
    return (rec.energy.max() - start) / max(rec.kinetic_energy.max(), 1e-9)


def check(path, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            robot = gw.load(path)
            ours, euler = compile(robot, dt=DT), compile(robot, dt=DT, integrator="euler")
            starts = list(poses(ours, rng))
            ours.reset(position=starts[0])
        except gw.GearwrightError as error:
            pytest.skip(f"no robot that moves: {str(error)[:80]}")
        for pose in starts:
            above = highest(ours, pose)
            assert above <= max(ABOVE, highest(euler, pose)), pose


@pytest.mark.parametrize("name", KINDS)
def test_dropped_robots(name, rng):
    found = [path for path in real_robots() if path.name == name]
    if not found:
        pytest.skip("needs the robots of example-robot-data")
    check(found[0], rng)


@pytest.mark.slow
@pytest.mark.parametrize("path", real_robots(), ids=lambda p: f"{p.parent.name}-{p.name}")
def test_all_dropped_robots(path, rng):
    check(path, rng)


@pytest.mark.parametrize("command", ["effort", "position", "velocity"])
def test_a_motor_behind_300_to_1(command):
    """A rotor of 1e-7 kg·m² that alone would have a time constant of 2 ms, a fifth of the step; gains to match."""
    drive = motor(
        stall_torque=0.02, no_load_speed=400.0, rotor_inertia=1e-7, command=command, stiffness=1.0, damping_gain=1e-2
    )
    sim = compile(wheel(drive, inertia=0.01, ratio=300.0), dt=DT)
    target = {"effort": 0.01, "position": 150.0, "velocity": 150.0}[command]
    speed = sim.run(TIME, command={"motor": target}).velocity["j"]
    assert np.abs(speed).max() <= 400.0 / 300.0 + ROUNDING
    late = speed[len(speed) // 2 :]
    assert np.ptp(late) < ROUNDING  # it has arrived, and does not ring
    assert late[-1] == pytest.approx({"effort": 400 / 300, "position": 0.0, "velocity": 0.5}[command], abs=ROUNDING)
    assert sim.unsettled == 0


@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e9])
def test_stiff_springs(stiffness):
    """Up to 5e4 rad/s, five hundred in a step: the energy of a swing only falls, however stiff the spring is."""
    spring = f"<dynamics><spring_stiffness>{stiffness!r}</spring_stiffness></dynamics></axis>"
    sim = compile(rigid(body("j", 0.4).replace("</axis>", spring)), dt=DT)
    sim.reset(position={"j": 0.01})
    start = sim.energy
    rec = sim.run(TIME)
    assert rec.energy.max() <= start * (1.0 + 1e-12)
    assert np.abs(rec.position["j"]).max() <= 0.01


def thrown(dt, speed, rng):
    """Of six throws: steps that did not settle, and energies of 40 steps less the start's, over the scale of both."""
    sim = compile(gw.loads(DOUBLE_PENDULUM), dt=dt)
    for _ in range(6):
        pose, speeds = rng.uniform(-1.0, 1.0, 2), speed * rng.uniform(-1.0, 1.0, 2)
        sim.reset(
            position=dict(zip(("shoulder", "elbow"), pose, strict=True)),
            velocity=dict(zip(("shoulder", "elbow"), speeds, strict=True)),
        )
        start, scale = sim.energy, sim.kinetic_energy + 10.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gw.UnsettledWarning)
            energy = sim.run(40 * dt).energy
        yield sim.unsettled, (energy - start) / scale


@pytest.mark.parametrize(("dt", "speed"), [(0.03, 60.0), (0.01, 200.0)])
def test_a_chain_that_turns_too_far_in_a_step(dt, speed, rng):
    """Passes settle on wrong solutions there, with energies up to 1e5 times the start's: steps are made in parts."""
    for unsettled, gained in thrown(dt, speed, rng):
        assert unsettled == 0
        assert np.abs(gained).max() < 0.1


@pytest.mark.parametrize(("dt", "speed"), [(0.05, 300.0), (0.2, 500.0)])
def test_where_the_smallest_part_is_too_long_steps_take_energy(dt, speed, rng):
    """They are counted, and give none."""
    throws = list(thrown(dt, speed, rng))
    assert sum(unsettled for unsettled, _ in throws) > 0
    assert max(gained.max() for _, gained in throws) < 0.1


def test_what_is_linear_is_never_made_in_parts():
    """A wheel that a motor and a stop bring from 0 to 0.5 rad a step and back: nothing is there to be resolved."""
    wheel = body("j", 0.01).replace("</axis>", "<limit><lower>-1</lower><upper>2</upper></limit></axis>")
    sim = compile(rigid(wheel), dt=DT)
    sim.run(0.2, effort={"j": 5.0})
    assert sim.position["j"] == pytest.approx(2.0, abs=ROUNDING) and sim.batch_state.get("substepping")[0, 0] == 0.0
