"""The interface of a simulation: names, values, state, errors."""

import inspect
import tracemalloc
from dataclasses import replace
from timeit import repeat

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler.program import SlotKind
from gearwright.dynamics import Equations
from gearwright.errors import UnknownNameError
from gearwright.model import Couplings
from gearwright.model.tree.kinematics import retract
from gearwright.sim import Recording, Simulation, compile
from tests.sim.driven import driven
from tests.sim.robots import FOLLOWING, FREE, bare
from tests.tolerances import ROUNDING

CONTRACT = [
    "reset", "step", "time", "position", "velocity", "acceleration", "effort", "coupling_error", "coupling_effort",
    "sensor", "actuator", "impulse_response", "energy", "mass_matrix", "bias", "coordinates", "linearize", "state",
    "set_parameters", "run",
]  # fmt: skip
CONTRACT_OF_RECORDINGS = [
    "time", "position", "velocity", "effort", "sensor", "coupling_error", "energy", "save", "plot",
]  # fmt: skip
ARGUMENTS = {
    compile: {
        "robot": inspect.Parameter.empty, "dt": 1e-3, "batch": 1, "solver": "direct", "integrator": None,
        "device": "cpu", "precision": "double", "coupling": None, "iterations": 20, "parameters": (), "gravity": None,
    },
    Simulation.reset: {"position": None, "velocity": None},
    Simulation.step: {"command": None, "effort": None, "n": 1},
    Simulation.run: {"controller": None, "command": None, "effort": None, "every": 1, "progress": False},
}  # fmt: skip


def test_names_of_the_contract():
    for name in CONTRACT:
        assert hasattr(Simulation, name), name
    for name in CONTRACT_OF_RECORDINGS:
        assert hasattr(Recording, name), name


@pytest.mark.parametrize("function", ARGUMENTS, ids=lambda f: f.__qualname__)
def test_arguments_of_the_contract(function):
    found = inspect.signature(function).parameters
    for name, default in ARGUMENTS[function].items():
        assert found[name].default == default


@pytest.fixture(scope="module")
def free():
    return gw.loads(FREE)


@pytest.fixture
def pendulum(double_pendulum):
    return compile(double_pendulum)


# --- names and values -----------------------------------------------------------------------------------------------


def test_values_are_floats_or_arrays(double_pendulum):
    one, three = compile(double_pendulum), compile(double_pendulum, batch=3)
    three.reset(position={"shoulder": [0.1, 0.2, 0.3]}, velocity={"elbow": 1.0})
    one.reset(position={"shoulder": 0.2}, velocity={"elbow": 1.0})
    for name in ("position", "velocity", "acceleration", "effort"):
        alone, together = getattr(one, name), getattr(three, name)
        assert list(alone) == list(together) == ["shoulder", "elbow"]
        for joint in alone:
            assert type(alone[joint]) is float
            assert together[joint].shape == (3,)
            assert together[joint][1] == alone[joint]
    assert type(one.energy) is float
    assert three.energy.shape == (3,)
    assert three.energy[1] == one.energy
    assert np.array_equal(three.mass_matrix()[1], one.mass_matrix())
    assert np.array_equal(three.bias()[1], one.bias())
    assert np.array_equal(three.pose["lower"][1], one.pose["lower"])


def test_names_are_those_of_the_equations(free, gripper, arm):
    for robot in (free, gripper, arm):
        sim, equations = compile(robot), Equations(robot)
        assert sim.coordinates == equations.coordinates
        assert tuple(sim.position) == equations.tree_positions
        assert (
            tuple(sim.layout.names.positions.names[i] for i in sim.layout.names.free_positions) == equations.positions
        )
        assert (
            tuple(sim.layout.names.coordinates.names[i] for i in sim.layout.names.free_velocities)
            == equations.velocities
        )
        assert tuple(sim.coupling_error) == equations.couplings


def test_joints_of_several_coordinates(free):
    sim = compile(free)
    sim.reset(position={"base.z": 1.5, "gimbal": [0.1, 0.2]}, velocity={"socket.rx": 2.0, "gimbal.axis2": -1.0})
    assert sim.position["base.z"] == 1.5
    assert sim.position["base"].tolist() == [0, 0, 1.5, 1, 0, 0, 0]
    assert sim.position["gimbal"].tolist() == [sim.position["gimbal.axis"], sim.position["gimbal.axis2"]] == [0.1, 0.2]
    assert sim.velocity["socket"].tolist() == [2.0, 0, 0]
    assert sim.velocity["gimbal.axis2"] == -1.0
    two = compile(free, batch=2)
    two.reset(position={"gimbal": [[0.1, 0.2], [0.3, 0.4]], "base": [0, 0, 1, 2, 0, 0, 0]})
    assert two.position["gimbal"].tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert two.position["base.qw"].tolist() == [1.0, 1.0]


def test_quaternions_are_normalised(free):
    sim = compile(free)
    sim.reset(position={"socket": [2.0, 0, 0, 2.0]})
    assert sim.position["socket"] == pytest.approx([np.sqrt(0.5), 0, 0, np.sqrt(0.5)], rel=ROUNDING)
    with pytest.raises(gw.ModelError, match="length zero"):
        sim.reset(position={"socket": [0, 0, 0, 0]})


def test_poses_equal_forward_kinematics(free, rng):
    sim = compile(free)
    position = {j.name: retract(j, j.type.zero, rng.normal(size=j.dof)) for j in free.tree.joints}
    position = {n: x[0] if len(x) == 1 else x for n, x in position.items()}
    sim.reset(position=position)
    for link, X in free.forward_kinematics(position).items():
        assert sim.pose[link] == pytest.approx(X, abs=1e-12)


@pytest.mark.parametrize("ask", [
    lambda sim: sim.position["sholder"],
    lambda sim: sim.velocity["sholder"],
    lambda sim: sim.acceleration["sholder"],
    lambda sim: sim.effort["sholder"],
    lambda sim: sim.step(effort={"sholder": 0.0}),
    lambda sim: sim.reset(position={"sholder": 0.0}),
    lambda sim: sim.reset(velocity={"sholder": 0.0}),
    lambda sim: sim.run(0.01, effort={"sholder": 0.0}),
    lambda sim: sim.run(0.01, controller=lambda _: {"sholder": 0.0}),
    lambda sim: sim.impulse_response("elbow", "sholder"),
    lambda sim: sim.run(0.01).position["sholder"],
])  # fmt: skip
def test_unknown_names_tell_the_nearest(pendulum, ask):
    before = pendulum.state
    with pytest.raises(UnknownNameError, match="'sholder'; did you mean 'shoulder'"):
        ask(pendulum)
    assert np.array_equal(pendulum.state[2:4], before[2:4])  # it stands; a run makes steps before it is asked


def test_other_unknown_names(pendulum, gripper):
    with pytest.raises(UnknownNameError, match="link named 'lowr'; did you mean 'lower'"):
        pendulum.pose["lowr"]
    with pytest.raises(UnknownNameError, match="did you mean 'left_finger'"):
        compile(gripper).coupling_error["left_fingr"]
    with pytest.raises(UnknownNameError, match="no actuator named 'x'"):
        pendulum.step(command={"x": 1.0})
    with pytest.raises(UnknownNameError, match="did you mean 'motor'"):
        compile(gripper).step(command={"motr": 1.0})
    with pytest.raises(UnknownNameError, match="did you mean 'motor_encoder'"):
        compile(gripper).sensor["motor_encodr"]
    with pytest.raises(AttributeError, match="it has torque, position, velocity, command"):
        _ = compile(gripper).actuator["motor"].current


@pytest.mark.parametrize("value", [[1.0, 2.0], np.zeros((1, 1)), float("nan"), float("inf"), "fast", None, [[1.0]]])
def test_values_that_do_not_fit(pendulum, value):
    with pytest.raises(gw.ModelError):
        pendulum.step(effort={"elbow": value})
    with pytest.raises(gw.ModelError):
        pendulum.reset(position={"elbow": value})
    assert pendulum.effort["elbow"] == pendulum.position["elbow"] == 0.0


# --- stepping -------------------------------------------------------------------------------------------------------


def test_efforts_are_held_and_cleared(pendulum):
    pendulum.step(effort={"elbow": 0.5})
    pendulum.step()
    assert pendulum.effort["elbow"] == 0.5
    pendulum.step(effort={"shoulder": np.float32(2)})
    assert (pendulum.effort["elbow"], pendulum.effort["shoulder"]) == (0.5, 2.0)
    pendulum.reset()
    assert dict(pendulum.effort) == {"shoulder": 0.0, "elbow": 0.0}


def test_time(pendulum):
    pendulum.step(n=3)
    assert pendulum.time == 3 * 1e-3
    pendulum.time = 7.0
    pendulum.step()
    assert pendulum.time == 7.0 + 1e-3
    pendulum.reset()
    assert pendulum.time == 0.0
    with pytest.raises(gw.ModelError):
        pendulum.step(n=-1)


def test_followers_are_read_anew():
    sim = compile(gw.loads(FOLLOWING))
    sim.reset(velocity={"leader": 1.0})
    for _ in range(3):
        sim.step()
        assert sim.position["follower"] == pytest.approx(0.1 - 2 * sim.position["leader"], abs=1e-15)
        assert sim.velocity["follower"] == pytest.approx(-2 * sim.velocity["leader"], abs=1e-15)


def test_step_changes_what_is_read(pendulum):
    pendulum.reset(position={"shoulder": 1.0})
    seen = []
    for _ in range(3):
        numbers = (pendulum.position["shoulder"], pendulum.energy, pendulum.acceleration["elbow"])
        seen.append((*numbers, pendulum.pose["lower"][0, 3], pendulum.mass_matrix()[0, 0], pendulum.bias()[0]))
        pendulum.step(n=10)
    assert all(len(set(values)) == 3 for values in zip(*seen, strict=True))
    before = pendulum.acceleration["elbow"]
    pendulum.step(effort={"elbow": 1.0}, n=0)
    assert pendulum.acceleration["elbow"] > before + 1


def test_effort_acts_on_its_joint(pendulum):
    """From rest, hanging: v = dt·M⁻¹·τ, but for what gravity does about the way of a step, dt²·g/l = 1e-5 of it."""
    pendulum.step(effort={"elbow": 0.3})
    expected = 1e-3 * np.linalg.solve(pendulum.mass_matrix(), [0.0, 0.3])
    assert [pendulum.velocity[n] for n in pendulum.coordinates] == pytest.approx(expected, rel=3e-5)
    assert pendulum.impulse_response("shoulder", "elbow") == pytest.approx(expected[0] / 3e-4, rel=ROUNDING)


def test_one_step_costs_little(pendulum):  # slack: times
    """At most 5 µs of Python around the machine code, whatever else the computer does."""
    n = 2000
    whole = min(repeat(pendulum.step, number=n, repeat=15)) / n
    inside = min(repeat(lambda: pendulum.step(n=n), number=1, repeat=15)) / n
    assert whole - inside < 5e-6
    assert min(repeat(lambda: pendulum.position["elbow"], number=n, repeat=15)) / n < 5e-6


# --- followers ------------------------------------------------------------------------------------------------------


def test_followers_are_aligned():
    sim = compile(gw.loads(FOLLOWING))
    sim.reset(position={"leader": 0.3}, velocity={"leader": 0.5})
    assert sim.position["follower"] == pytest.approx(-0.5, rel=ROUNDING)
    assert sim.velocity["follower"] == pytest.approx(-1.0, rel=ROUNDING)
    sim.reset(position={"leader": 0.3, "follower": -0.5}, velocity={"leader": 0.5, "follower": -1.0})
    with pytest.raises(gw.ModelError, match=r"'follower' is given at 0\.2.*puts it at 0\.1"):
        sim.reset(position={"follower": 0.2})
    with pytest.raises(gw.ModelError, match=r"given with velocity 1.*with velocity -1"):
        sim.reset(velocity={"leader": 0.5, "follower": 1.0})
    assert sim.position["leader"] == 0.3  # what fails leaves the state alone


def test_followers_in_batches_with_parameters():
    sim = compile(gw.loads(FOLLOWING), batch=3, parameters=("follower.multiplier",))
    sim.set_parameters({"follower.multiplier": [1.0, 2.0, 3.0]})
    sim.reset(position={"leader": 0.1, "follower": [0.2, 0.3, 0.4]})
    assert sim.position["follower"] == pytest.approx([0.2, 0.3, 0.4], rel=ROUNDING)
    with pytest.raises(gw.ModelError, match="robot 2"):
        sim.reset(position={"leader": 0.1, "follower": [0.2, 0.3, 0.5]})


# --- state ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 5])
def test_state_is_saved_and_restored_to_the_bit(free, rng, batch):
    sim = compile(free, batch=batch)
    sim.reset(velocity={"base.rx": 1.0, "gimbal": [0.3, -1.0], "spin": rng.normal(size=batch) if batch > 1 else 0.1})
    sim.step(n=13, effort={"spin": 0.2})
    saved = sim.state
    assert saved.shape == ((67,) if batch == 1 else (batch, 67))  # 14 positions, 4·12 velocities, 6 counters
    sim.step(n=20)
    expected = sim.state
    assert not np.array_equal(expected, saved)
    sim.state = saved
    assert np.array_equal(sim.state, saved)
    sim.step(n=20)
    assert np.array_equal(sim.state, expected)
    fresh = compile(free, batch=batch)
    fresh.state = saved
    fresh.step(n=20, effort={"spin": 0.2})
    assert np.array_equal(fresh.state, expected)


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((1, 4)), np.full(4, np.nan), "x"])
def test_states_that_do_not_fit(pendulum, wrong):
    with pytest.raises(gw.ModelError):
        pendulum.state = wrong


def test_a_copy_of_the_state_is_not_the_state(pendulum):
    pendulum.state[:] = 9.0
    assert not pendulum.state.any()


def test_memory_of_a_batch(arm):
    batch = 20_000
    compile(arm, batch=2)  # the code is there
    tracemalloc.start()
    sim = compile(arm, batch=batch)
    sim.step()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    kept = (SlotKind.STATE, SlotKind.DERIVED, SlotKind.INPUT)  # positions and velocities, M for the next step, efforts
    numbers = sum(slot.size for slot in sim.kernels["step"].program.slots if slot.kind in kept)
    assert numbers < 100 and used < 2 * numbers * 8 * batch


# --- failures -------------------------------------------------------------------------------------------------------


def test_non_finite_state_names_the_joint(pendulum):
    pendulum.reset(position={"shoulder": 0.3})
    pendulum.step(n=5)
    good = pendulum.state
    with pytest.raises(gw.SimulationError, match=r"of '(elbow|shoulder)' is .* after step 6, at 0\.006 s"):
        pendulum.step(effort={"elbow": 1e308}, n=10)
    assert np.array_equal(pendulum.state, good)
    assert pendulum.time == 5 * 1e-3
    pendulum.step(effort={"elbow": 0.0})
    assert np.isfinite(pendulum.state).all()


def test_non_finite_state_names_the_robot(double_pendulum):
    sim, healthy = compile(double_pendulum, batch=5), compile(double_pendulum)
    start = np.linspace(0.1, 0.5, 5)
    sim.reset(position={"shoulder": start})
    good = sim.state[3]
    with pytest.raises(gw.SimulationError, match=r"of robot 3 is .* after step 1, at 0\.001 s"):
        sim.step(effort={"elbow": [0.0, 0.0, 0.0, 1e308, 0.0]}, n=10)
    assert np.array_equal(sim.state[3], good)
    healthy.reset(position={"shoulder": start[4]})
    healthy.step(n=10)
    assert np.array_equal(sim.state[4], healthy.state)


def test_non_finite_state_in_a_run(pendulum):
    torque = np.zeros(100)
    torque[50:] = 1e308
    with pytest.raises(gw.SimulationError, match="after step 51"):
        pendulum.run(0.1, effort={"elbow": torque})
    assert pendulum.time == 50 * 1e-3


# --- linearisation --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", ["euler", "rk4"])
def test_linearize_equals_finite_differences(arm, rng, integrator):
    sim = compile(arm, dt=5e-3, integrator=integrator)
    sim.state = state = 0.4 * rng.normal(size=16)
    effort = {n: float(x) for n, x in zip(sim.coordinates, rng.normal(size=9), strict=True)}
    sim.step(effort=effort, n=0)
    A, B = sim.linearize()

    def after(dx, name=None, dt=0.0):
        sim.state = state + dx
        sim.step(effort={**effort, name: effort[name] + dt} if name else effort)
        return sim.state

    h = 1e-5
    numeric_A = np.column_stack([(after(h * e) - after(-h * e)) / (2 * h) for e in np.eye(16)])
    numeric_B = np.column_stack([(after(0, n, 1e-3) - after(0, n, -1e-3)) / 2e-3 for n in sim.coordinates])
    assert np.abs(A - numeric_A).max() < 3e-8 * np.abs(A).max()
    assert np.abs(B - numeric_B).max() < 3 * ROUNDING * np.abs(B).max()


def test_linearize_in_batches(double_pendulum):
    sim, one = compile(double_pendulum, batch=3), compile(double_pendulum)
    sim.reset(position={"elbow": [0.1, 0.2, 0.3]})
    one.reset(position={"elbow": 0.2})
    A, B = sim.linearize()
    assert (A.shape, B.shape) == ((3, 4, 4), (3, 4, 2))
    assert np.array_equal(A[1], one.linearize()[0])
    assert not np.array_equal(A[0], A[2])


# --- parameters -----------------------------------------------------------------------------------------------------


def heavier(robot, mass, damping):
    lower, elbow = robot.links["lower"], robot.joints["elbow"]
    lower = replace(lower, inertia=replace(lower.inertia, mass=mass))
    axis = elbow.axes[0]
    elbow = replace(elbow, axes=(replace(axis, dynamics=replace(axis.dynamics, damping=damping)),))
    return replace(robot, links={**robot.links, "lower": lower}, joints={**robot.joints, "elbow": elbow})


def test_parameters_in_batches_equal_changed_models(double_pendulum):
    masses, dampings = [0.5, 1.0, 4.0], [0.0, 0.2, 1.5]
    sim = compile(double_pendulum, batch=3, parameters=("lower.mass", "elbow.damping", "gravity.z"))
    assert sim.parameters["lower.mass"].tolist() == [1.0, 1.0, 1.0]
    sim.set_parameters({"lower.mass": masses, "elbow.damping": dampings, "gravity.z": -3.7})
    sim.reset(position={"shoulder": 1.0})
    sim.step(n=300)
    for k in range(3):
        changed = compile(heavier(double_pendulum, masses[k], dampings[k]), gravity=(0, 0, -3.7))
        changed.reset(position={"shoulder": 1.0})
        changed.step(n=300)
        assert sim.state[k] == pytest.approx(changed.state, rel=ROUNDING, abs=ROUNDING)
        assert sim.energy[k] == pytest.approx(changed.energy, rel=ROUNDING)
    assert np.ptp(sim.position["elbow"]) > 0.01


def test_parameters_that_do_not_fit(double_pendulum):
    sim = compile(double_pendulum, parameters=("lower.mass",))
    with pytest.raises(UnknownNameError, match=r"did you mean 'lower\.mass'"):
        sim.set_parameters({"lower.mas": 1.0})
    with pytest.raises(gw.ModelError):
        sim.set_parameters({"lower.mass": [1.0, 2.0]})
    with pytest.raises(UnknownNameError, match="parameter"):
        compile(double_pendulum, parameters=("lowr.mass",))


PARAMETERS = {
    "lower.mass": (-1.0, "cannot be negative"),
    "lower.inertia.iyy": (-1e-3, "cannot be negative"),
    "elbow.damping": (-0.1, "cannot be negative"),
    "elbow.armature": (-0.1, "cannot be negative"),
    "motor.stall_torque": (-2.0, "must be positive"),
    "motor.no_load_speed": (0.0, "must be positive"),
    "motor.rotor_inertia": (-1e-4, "cannot be negative"),
    "gear.reduction": (0.0, "must be finite and not zero"),
}


@pytest.mark.parametrize("batch", [1, 3])
def test_impossible_parameters_are_refused(double_pendulum, batch):
    """One robot of a batch is enough; then nothing is changed, of that parameter or of others given with it."""
    motor = gw.ElectricMotor(name="motor", stall_torque=2.0, no_load_speed=40.0, rotor_inertia=1e-4)
    gear = gw.SimpleTransmission(reduction=10.0)
    robot = driven(double_pendulum, motor, joints=("elbow",), through=gear)
    sim = compile(robot, parameters=("gravity.z", *PARAMETERS), batch=batch)
    before = dict(sim.parameters.items())
    for name, (wrong, said) in PARAMETERS.items():
        value = wrong if batch == 1 else [before[name][0], wrong, before[name][2]]
        with pytest.raises(gw.ModelError, match=f"'{name}' {said}"):
            sim.set_parameters({"gravity.z": -1.0, name: value})
        assert {n: np.array(x).tolist() for n, x in sim.parameters.items()} == {
            n: np.array(x).tolist() for n, x in before.items()
        }
    sim.set_parameters({"gear.reduction": -10.0, "lower.mass": 0.5, "elbow.damping": 0.0, "gravity.z": 1.0})
    sim.step(command={"motor": 0.1}, n=10)  # what is possible goes on
    assert np.isfinite(sim.state).all()


def test_couplings_can_be_taken_off(gripper):
    sim = compile(replace(bare(gripper), couplings=Couplings()))
    # two positions, velocities, mean velocities and what two guesses missed, impulses, pieces; 5 counters
    assert sim.state.shape == (19,)
    assert dict(sim.coupling_error) == {}


def test_no_freedom_at_all():
    sim = compile(gw.loads("<robot name='stone'><link name='stone'/></robot>"))
    sim.step(n=3)
    assert sim.state.shape == (0,)
    assert sim.energy == 0.0
    assert len(sim.run(0.01)) == 11


def test_repr(pendulum):
    assert "double_pendulum" in repr(pendulum)
    assert repr(pendulum.position) == "{'shoulder': 0.0, 'elbow': 0.0}"
