"""Cassie, whose SDF closes its legs' loops, from the package example-robot-data.

Its files are drawn at a dead centre of the feet's parallelograms, and beyond the ankles' stops; `cassie.sdf` also has
shins that are held by a slider beside their hinge, which move to first order only. There is no ground here: the
pelvis is pinned, or all of it falls.
"""

import numpy as np
import pytest

import gearwright as gw
from gearwright.dynamics import Equations
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.sim import compile
from tests.tolerances import ROUNDING

pytestmark = pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")


def cassie(folder, name, base):
    path = folder / "cassie_description" / "robots" / f"{name}.sdf"
    if not path.is_file():
        pytest.skip(f"this example-robot-data has no {name}.sdf")
    return gw.load(path, base=base)


def drift(sim):
    kernel, n = sim.kernels["closure"], len(sim.layout.names.free_positions)
    return np.abs(kernel.evaluate({"position": sim.state[..., :n], "parameter": np.zeros(0)})["error"]).max()


def run(sim, seconds):
    """The largest drift, and the energy after each 50 ms."""
    worst, energy = drift(sim), [sim.energy]
    for _ in range(round(seconds / 0.05)):
        sim.step(n=50)
        worst = max(worst, drift(sim))
        energy.append(sim.energy)
    return worst, np.array(energy)


def gaps(sim, robot):
    """Of each cut ball joint, how far its two halves are apart, by where the links are."""
    found = []
    for joint in robot.tree.cuts:
        ends = ((sim.pose[joint.parent], joint.X_PJ.p), (sim.pose[joint.child], joint.X_CJ.p))
        p, c = (X[:3, :3] @ r + X[:3, 3] for X, r in ends)
        found.append(np.linalg.norm(p - c))
    return found


def test_a_pinned_cassie_stays_assembled(robot_data_folder):
    """From the dead centre that it is drawn at until the ankles are back on their stops: no drift, no energy."""
    robot = cassie(robot_data_folder, "cassie_v2", "fixed")
    sim = compile(robot)
    assert drift(sim) < 1e-12
    worst, energy = run(sim, 1.0)
    assert worst < ROUNDING
    assert energy[-1] < energy[0]
    assert sim.position["left-foot-op"] == pytest.approx(-0.6109, abs=0.02)  # back within its range, 1 rad/s at most


def test_rows_that_its_rounding_makes_are_left_out(robot_data_folder):
    """The feet's loops are planar but for the file's six digits: one row of each ball looks out of the plane."""
    kinds = Equations(cassie(robot_data_folder, "cassie_v2", "fixed")).groups
    sizes = {kind.name: kind.size for kind in kinds if isinstance(kind, ClosureRows)}
    assert sizes["left-plantar-foot-joint"] == sizes["right-plantar-foot-joint"] == 2
    assert sizes["left-pitch-rod-joint"] == sizes["right-pitch-rod-joint"] == 3


def test_shins_that_a_slider_holds_are_rigid(robot_data_folder):
    """From the dead centre, too, every step settles: whole, but where the feet meet their stops in full swing."""
    robot = cassie(robot_data_folder, "cassie", "fixed")
    assert sorted(robot.rigid_loops) == ["left-shin-spring-joint", "right-shin-spring-joint"]
    assert cassie(robot_data_folder, "cassie_v2", "fixed").rigid_loops == ()
    assert robot.dof == 10
    sim = compile(robot)
    for _ in range(10):
        sim.step(n=50)
        assert drift(sim) < 1e-11  # rows that nearly depend on each other: of 1e-10 that the last move starts from
    assert sim.unsettled == 0
    assert sim.batch_state.get("substepping")[0, 0] <= 1.0
    assert abs(sim.position["left-knee-shin-joint"]) < ROUNDING


@pytest.mark.slow
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("name", ["cassie", "cassie_v2"])
def test_ten_seconds_of_cassie(robot_data_folder, name, base):
    sim = compile(cassie(robot_data_folder, name, base))
    worst, energy = run(sim, 10.0)
    assert sim.unsettled <= 1  # at 0.6 s, while stops still push back
    # for 0.7 s stops push back what is drawn up to 2.4 rad beyond them, at 1 rad/s at most: 7e-7 m, later 1e-9 m
    assert worst < 2e-6
    assert drift(sim) < 1e-9  # [m] what the last step leaves open
    # dt² of what is exchanged; at the end of a fall of 10 s that is 158 kJ
    assert np.diff(energy[20:]).max() < 1e-5 * max(energy[0], sim.kinetic_energy)


@pytest.mark.slow
def test_what_is_left_out_does_not_grow(robot_data_folder):
    """The gap of every ball joint in the world, left out rows and all: the file's own misfit of 1e-8 m, no more."""
    robot = cassie(robot_data_folder, "cassie_v2", "fixed")
    sim = compile(robot)
    sim.step(n=10_000)
    assert max(gaps(sim, robot)) < 3e-8
