"""Derivatives of roll-outs against finite differences, over 1,000 steps: motors, gears, friction, stops, loops."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler.backends.cpu.target import host
from gearwright.sim.derivatives.sensitivity import differentiable
from gearwright.sim.programs.programs import TANGENT_STEP
from tests.sim.derivatives.finite_differences import differences
from tests.sim.robots import DOUBLE_PENDULUM, FOLDER, FREE, LIMITED

STEPS = np.arange(1000)
MOTOR = gw.DCMotor(
    name="motor", joint=None, command="voltage", supply_voltage=12.0, resistance=1.5, torque_constant=0.05,
    inductance=1e-3, rotor_inertia=2e-5, friction=0.003,
)  # fmt: skip


def close(sim, duration, outputs, given, tolerance=1e-6, h=1e-5, **acting):
    """Every column within `tolerance` of the largest derivative in it."""
    found = sim.sensitivity(duration, outputs=outputs, **given, **acting)
    expected = differences(sim, duration, outputs, **given, **acting, h=h)
    scale = np.abs(expected).max(axis=0)
    assert (scale > 0).any(axis=0).all()  # each number that is varied changes something
    error = np.abs(found.matrix - expected).max(axis=0) / np.where(scale > 0, scale, 1.0)
    assert error.max() < tolerance, dict(zip(found, error.ravel(), strict=True))
    return found


def driven_arm():
    """A motor with a limit, through a gear that loses power, lifts an arm with friction."""
    sim = gw.compile("examples/motor_arm.sdf")
    sim.reset(position={"elbow": 0.3})
    return sim


ARM = ("arm.mass", "arm.com.z", "motor.friction", "gearbox.reduction", "motor.stall_torque", "elbow.damping")


def test_a_driven_arm_with_friction_and_gear_loss():
    close(
        driven_arm(), 1.0, ("elbow.position", "elbow.velocity", "energy"),
        {"parameters": ARM, "state": ("elbow.position", "elbow.velocity"), "commands": ("motor",)},
        command={"motor": 0.25 * np.sin(0.012 * STEPS)},
    )  # fmt: skip


def test_a_winding_with_inductance():
    arm = gw.load("examples/motor_arm.sdf").with_actuator(MOTOR)
    sim = gw.compile(arm)
    close(
        sim, 1.0, ("elbow.position", "motor.current"),
        {"parameters": ("motor.torque_constant", "motor.resistance", "motor.inductance", "motor.friction", "arm.mass")},
        command={"motor": 6.0 * np.sin(0.01 * STEPS)},
    )  # fmt: skip


def test_against_a_stop():
    """The elbow hits its stop, stays on it for a while and leaves it again."""
    sim = gw.compile(gw.loads(LIMITED))
    sim.reset(position={"shoulder": 0.4, "elbow": 0.6}, velocity={"elbow": 6.0})
    found = close(
        sim, 1.0, ("shoulder.position", "elbow.position"),
        {"parameters": ("upper.mass", "lower.com.z"), "state": ("shoulder.position", "elbow.velocity")},
        h=1e-6,
    )  # fmt: skip
    assert found.values["elbow.position"].max() > 0.999


@pytest.mark.parametrize("options", [{}, {"integrator": "euler"}], ids=["midpoint", "euler"])
def test_stick_and_slide(options):
    """A pendulum with friction swings, comes to rest on the way back and is pulled off again."""
    more = "<dynamics damping='0.02' friction='0.4'/>"
    text = DOUBLE_PENDULUM.replace("<axis xyz='0 1 0'/>", f"<axis xyz='0 1 0'/>{more}")
    sim = gw.compile(gw.loads(text), **options)
    sim.reset(position={"shoulder": 0.8, "elbow": -0.3})
    close(
        sim, 1.0, ("shoulder.position", "elbow.position"),
        {"parameters": ("shoulder.friction", "elbow.damping", "lower.mass"), "state": ("shoulder.position",)},
        effort={"elbow": 2.0 * (STEPS > 600)},
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["stribeck", "dahl"])
def test_friction_by_speed_and_by_way(kind):
    own = {
        "stribeck": "<static>0.5</static><coulomb>0.3</coulomb><stribeck_velocity>0.2</stribeck_velocity>",
        "dahl": "<coulomb>0.3</coulomb><stiffness>40</stiffness>",
    }
    model = f"<dynamics><friction_model type='{kind}'>{own[kind]}</friction_model></dynamics>"
    sim = gw.compile(gw.loads(DOUBLE_PENDULUM.replace("<axis xyz='0 1 0'/>", f"<axis xyz='0 1 0'/>{model}", 1)))
    sim.reset(position={"shoulder": 0.9})
    close(
        sim, 1.0, ("shoulder.position",),
        {"parameters": ("shoulder.friction_model.coulomb", "upper.mass"), "state": ("shoulder.position",)},
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "numbers"),
    [
        (gw.LuGre(kinetic=0.3, static=0.5, stribeck_speed=0.2, stiffness=40, damping=0.3),
         ("static", "stiffness", "damping")),
        (gw.Friction(kinetic=0.1, static=0.2, stribeck_speed=0.3, stribeck_exponent=1.3, motor_load=0.1,
                     external_load=0.05, stribeck_external_load=0.1, quadratic=0.01),
         ("static", "external_load", "stribeck_exponent", "quadratic")),
        (gw.Cogging(amplitude=0.3, period=0.5), ("amplitude", "period")),
    ],
    ids=["lugre", "load", "cogging"],
)  # fmt: skip
def test_friction_of_the_library(model, numbers):
    sim = gw.compile(gw.loads(DOUBLE_PENDULUM).with_friction("shoulder", model))
    sim.reset(position={"shoulder": 0.9})
    own = tuple(f"shoulder.friction_model.{n}" for n in numbers)
    close(sim, 1.0, ("shoulder.position",), {"parameters": (*own, "upper.mass"), "state": ("shoulder.position",)})


GEAR = ("gear.backlash.gap", "gear.backlash.stiffness", "gear.friction", "gear.damping", "gear.efficiency")


def test_play_and_losses_of_a_gear():
    """Teeth that leave one flank and meet the other, over 1,000 steps."""
    own = {"gear.backlash.gap": 0.3, "gear.backlash.stiffness": 10.0, "gear.backlash.damping": 0.006}
    lost = {"gear.friction": 0.002, "gear.damping": 1e-4, "gear.efficiency": 0.8}
    sim = gw.compile(gw.load("examples/backlash.sdf").with_parameters(own | lost), parameters=GEAR)
    close(sim, 1.0, ("turn.position",), {"parameters": GEAR}, command={"motor": 0.5 * np.sin(0.005 * STEPS)})


def test_a_loss_that_the_file_does_not_have():
    """The parameter adds rows to the step; the state of the simulation is carried over without them."""
    sim = gw.compile("examples/backlash.sdf")
    sim.step(command={"motor": 0.1}, n=5)
    found = sim.sensitivity(0.1, outputs="turn.position", parameters="gear.efficiency", command={"motor": 0.1})
    assert found["turn.position", "gear.efficiency"][-1] > 0.0


def test_a_closed_loop():
    sim = gw.compile(FOLDER / "four_bar.sdf")
    motor = next(iter(sim.robot.actuators))
    close(sim, 0.5, ("energy",), {"parameters": ("gravity.z",), "commands": (motor,)}, command={motor: 0.05})


def test_a_free_base_with_balls():
    sim = gw.compile(gw.loads(FREE))
    sim.reset(velocity={"spin": 3.0, "socket": [1.0, 0.5, -0.4]})
    close(
        sim, 1.0, ("base.x.position", "spin.velocity"),
        {"parameters": ("hull.mass", "tail.com.x"), "state": ("base.rx.velocity", "spin.velocity")}, h=1e-4,
    )  # fmt: skip


# --- what it says, and refuses ----------------------------------------------------------------------------------------


def test_a_batch_is_its_robots(rng):
    sim = gw.compile("examples/motor_arm.sdf", batch=3, parameters=("arm.mass",))
    start, mass = rng.normal(size=3), np.array([2.0, 2.4, 3.0])
    sim.set_parameters({"arm.mass": mass})
    sim.reset(position={"elbow": start})
    asked = {"outputs": "elbow.position", "parameters": ("arm.mass", "motor.friction"), "command": {"motor": 0.2}}
    found = sim.sensitivity(0.2, **asked)
    assert found.matrix.shape == (201, 3, 1, 2)
    one = gw.compile("examples/motor_arm.sdf", parameters=("arm.mass",))
    for k in range(3):
        one.set_parameters({"arm.mass": mass[k]})
        one.reset(position={"elbow": start[k]})
        assert np.array_equal(one.sensitivity(0.2, **asked).matrix, found.matrix[:, k])


def test_rows_and_the_simulation_afterwards():
    sim = driven_arm()
    sim.step(command={"motor": 0.1}, n=7)
    before, time = sim.state, sim.time
    found = sim.sensitivity(0.1, outputs="elbow.position", parameters="arm.mass", every=20)
    assert np.array_equal(sim.state, before) and sim.time == time
    assert found.time == pytest.approx(0.007 + 0.02 * np.arange(6))
    ahead = sim.run(0.1, every=20)
    assert found.values["elbow.position"] == pytest.approx(ahead.position["elbow"], abs=1e-8)


def test_what_sticks_has_no_derivative_but_one_side_has():
    """At rest on its friction an arm does not feel a small command; at the edge of it, one side does."""
    text = DOUBLE_PENDULUM.replace("<axis xyz='0 1 0'/>", "<axis xyz='0 1 0'/><dynamics friction='1'/>")
    sim = gw.compile(gw.loads(text), gravity=(0, 0, 0), batch=3)
    held = sim.sensitivity(
        0.1, outputs="elbow.position", commands="elbow", effort={"elbow": np.array([0.5, 1.0 - 1e-9, 1.0 + 1e-9])}
    )
    stuck, below, above = held["elbow.position", "elbow.effort"][-1]
    assert stuck == below == 0.0
    assert above > 1e-3
    assert not held.zero  # not for all robots
    one = gw.compile(gw.loads(text), gravity=(0, 0, 0))
    assert one.sensitivity(0.1, outputs="elbow.position", commands="elbow").zero == (
        ("elbow.position", "elbow.effort"),
    )


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"outputs": "elbow.position"}, "what to differentiate by"),
        ({"outputs": "elbow.pos", "parameters": "arm.mass"}, "elbow.position"),
        ({"outputs": "elbow.position", "parameters": "arm.mas"}, "arm.mass"),
        ({"outputs": "elbow.position", "commands": "moter"}, "motor"),
        ({"outputs": "elbow.position", "state": "elbow"}, "elbow.position"),
        ({"outputs": (), "state": "elbow.position"}, "outputs"),
    ],
)
def test_refused(asked, says):
    with pytest.raises(gw.GearwrightError, match=says):
        driven_arm().sensitivity(0.01, **asked)


def test_a_roll_out_that_diverges_says_when():
    text = DOUBLE_PENDULUM.replace("<axis xyz='0 1 0'/>", "<axis xyz='0 1 0'/><dynamics damping='-400'/>", 1)
    try:
        sim = gw.compile(gw.loads(text))
    except gw.GearwrightError:
        pytest.skip("negative damping is refused")
    sim.reset(velocity={"shoulder": 10.0})
    with pytest.raises(gw.SimulationError, match="diverges"):
        sim.sensitivity(5.0, outputs="shoulder.position", parameters="upper.mass")


def test_saved_simulations_have_no_derivatives(tmp_path):
    driven_arm().save(tmp_path / "arm.gw")
    with pytest.raises(gw.GearwrightError, match="compile the robot"):
        gw.open(tmp_path / "arm.gw").sensitivity(0.01, outputs="elbow.position", parameters="arm.mass")


def test_directions_fill_the_lanes_of_a_register():
    kernels = differentiable(driven_arm(), ("arm.mass",)).kernels
    assert kernels[TANGENT_STEP].lanes == host().lanes("double")
    assert kernels["step"].lanes == 1
