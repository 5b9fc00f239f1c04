"""ros2_control's semantics: interfaces by name, followers' states, transmissions, modes, limits and initial values."""

import re
from math import isnan

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.hardware.servos import Servo, with_servos
from gearwright.sim import compile
from tests.corpus.files import corpus
from tests.tolerances import ROUNDING

# followers whose limits are tighter than their leader's are what these tests are about
pytestmark = pytest.mark.filterwarnings("ignore:.*the limits of:gearwright.LoadWarning")

PEERS = ("ros2_control", "ros2_control_demos", "gz_ros2_control")
FILES = sorted(f for peer in PEERS for f in corpus().glob(f"peers/{peer}/models/*.urdf")) if corpus() else []
# files of ros2_control's tests of errors, and grippers whose followers leave their limits
REFUSED = re.compile("invalid_value|not_a_number|ill_defined|unknown_leader|mimic_(attr_absent|true)")


def model(*parts):
    if corpus() is None:
        pytest.skip("no corpus")
    return corpus().joinpath("peers", *parts)


def rails(tag, follower="", extra=""):
    """Two sliders of 2 kg and 1 kg side by side, without gravity along them."""
    body = "<inertial><mass value='{}'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    joint = (
        "<joint name='{0}' type='prismatic'><parent link='base'/><child link='{0}_link'/><axis xyz='1 0 0'/>"
        "<limit lower='-900' upper='{2}' effort='50' velocity='9'/>{1}</joint>"
    )
    limit = "0.5" if "stop" in extra else "900"
    return gw.loads(
        f"<robot name='rails'><link name='base'/><link name='a_link'>{body.format(2)}</link>"
        f"<link name='b_link'>{body.format(1)}</link>{joint.format('a', '', '900')}{joint.format('b', follower, limit)}"
        f"{extra.replace('stop', '')}<ros2_control name='system' type='system'><hardware><plugin>x</plugin></hardware>"
        f"{tag}</ros2_control></robot>"
    )


def tagged(name, commands=("position", "velocity", "effort"), states=("position", "velocity", "effort"), more=""):
    inner = "".join(f"<command_interface name='{c}'>{more}</command_interface>" for c in commands)
    return f"<joint name='{name}'>{inner}{''.join(f'<state_interface name={s!r}/>' for s in states)}</joint>"


# --- ros2_control's own robots --------------------------------------------------------------------------------------


def test_mimic_states_of_the_generic_system():
    """generic_system_mimic.yaml, after_read, exactly: joint2 = −2·joint1. At the start ours agree with it, too."""
    sim = compile(gw.load(model("ros2_control", "models", "generic_system_mimic.urdf")))
    hw = sim.hardware("MockHardwareSystem")
    assert list(hw.command_interfaces) == ["joint1/position", "joint1/velocity"]
    assert list(hw.state_interfaces) == ["joint1/position", "joint1/velocity", "joint2/position", "joint2/velocity"]
    sim.reset(position={"joint1": 0.11}, velocity={"joint1": 0.05})
    assert hw.read() == {
        "joint1/position": 0.11,
        "joint1/velocity": 0.05,
        "joint2/position": -0.22,
        "joint2/velocity": -0.1,
    }
    hw.reset()
    assert hw["joint1/position"] == 1.57 and hw["joint2/position"] == -3.14
    with pytest.raises(gw.ModelError, match=r"joint2/position.*did you mean 'joint1/position'"):
        hw.write({"joint2/position": 0.0})


def test_commands_through_the_transmissions_of_example_8():
    """example_8.yaml: joints at 0.5 are actuators at 1 and 2; actuators at 0.332392 and 0.664784 joints at 0.166196."""
    robot = with_servos(gw.load(model("ros2_control_demos", "models", "rrbot_example_8.urdf")))
    sim = compile(robot)
    hw = sim.hardware()
    hw.write({"joint1/position": 0.5, "joint2/position": 0.5})
    assert (sim.actuator["actuator1"].command, sim.actuator["actuator2"].command) == (1.0, 2.0)
    sim.step(n=3000)
    shafts = [sim.actuator[n].position for n in robot.actuators]
    joints = [hw["joint1/position"], hw["joint2/position"]]
    assert shafts == pytest.approx([2 * joints[0], 4 * joints[1]], rel=1e-12)
    # gravity's 10 N·m against 100 N·m per 0.01 rad at the joint
    assert joints == pytest.approx([0.5, 0.5], abs=2e-3)
    hw.write({"joint1/position": 3.0})  # the interface's max is 1
    assert hw.command["joint1/position"] == 1.0 and sim.actuator["actuator1"].command == 2.0


def test_the_gazebo_gripper():
    robot = with_servos(gw.load(model("gz_ros2_control", "models", "gz_gripper_mimic_position.urdf")))
    sim = compile(robot)
    hw = sim.hardware("GazeboSystem")
    hw.reset()
    assert hw["right_finger_joint/position"] == hw["left_finger_joint/position"] == 0.15
    hw.write({"right_finger_joint/position": 0.3})
    sim.run(1.0)
    # what a second leaves
    assert hw["left_finger_joint/position"] == hw["right_finger_joint/position"] == pytest.approx(0.3, abs=2e-9)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")  # other people's files
def test_every_hardware_of_the_corpus_has_its_interfaces(file):
    if REFUSED.search(file.stem):
        with pytest.raises(gw.LoadError):
            gw.load(file)
        return
    robot = with_servos(gw.load(file))
    sim = compile(robot, integrator="euler", device="interpreter")  # interfaces are the point
    for name, tag in robot.hardware.items():
        hw = sim.hardware(name)
        joints = {c.name for c in tag.joints}
        for key, value in hw.read().items():
            component, _, interface = key.partition("/")
            simulated = component in joints and interface in ("position", "velocity", "effort", "acceleration")
            assert np.isfinite(value) if simulated else isnan(value), key
        for key in hw.command_interfaces:
            hw.write({key: 0.0})
            assert hw.command[key] == 0.0
    sim.step(n=3)


# --- followers ------------------------------------------------------------------------------------------------------

MIMIC = "<mimic joint='a' multiplier='-2' offset='0.05'/>"


def test_follower_states_have_the_offset_and_no_gain():
    """gz_ros2_control#952 drops the offset, #949 follows with a fixed gain: here the states are m·q + o and m·q̇ at
    every instant, however fast the leader is."""
    tag = tagged("a") + tagged("b", commands=())
    sim = compile(with_servos(rails(tag, MIMIC)))
    hw = sim.hardware()
    hw.write({"a/velocity": 3.0})
    for _ in range(50):
        sim.step()
        assert hw["b/position"] == -2 * hw["a/position"] + 0.05
        assert hw["b/velocity"] == -2 * hw["a/velocity"]
    assert hw["a/velocity"] == pytest.approx(50 / 6 * 0.05, rel=1e-12)  # 50 N on 2 kg + (−2)²·1 kg


def test_an_effort_on_the_leader_reaches_the_follower():
    """gz_ros2_control#951: a gripper that takes efforts. Its follower is stopped at 0.5, which stops the leader, and
    the follower's effort is what its coupling puts on it: at rest the leader has F − m·λ = 0, so that λ = F/m."""
    tag = tagged("a", commands=("effort",)) + tagged("b", commands=())
    sim = compile(rails(tag, MIMIC, extra="stop"))
    hw = sim.hardware()
    hw.write({"a/effort": -8.0})
    sim.run(3.0)
    assert hw["b/position"] == pytest.approx(0.5, abs=ROUNDING)  # a stop gives a little
    assert hw["a/position"] == pytest.approx(-0.225, abs=ROUNDING)
    assert hw["a/effort"] == -8.0
    assert hw["b/effort"] == pytest.approx(-8.0 / -2.0, rel=ROUNDING)


def test_mimic_false_gives_the_joint_an_interface_of_its_own():
    tag = tagged("a") + tagged("b").replace("<joint name='b'>", "<joint name='b' mimic='false'>")
    sim = compile(with_servos(rails(tag, MIMIC)))
    hw = sim.hardware()
    hw.write({"a/position": 0.2, "b/position": 0.7})
    sim.run(1.0)
    assert (hw["a/position"], hw["b/position"]) == pytest.approx((0.2, 0.7), abs=5e-8)  # what a second leaves


# --- modes ----------------------------------------------------------------------------------------------------------

K, D, DT = 400.0, 30.0, 1e-3


@pytest.fixture
def hw():
    robot = with_servos(rails(tagged("a") + tagged("b", ("effort",))), gains={"a": (K, D)})
    return compile(robot, dt=DT, integrator="euler").hardware()


def test_each_mode_is_its_implicit_law(hw):
    """One Euler step each of m·Δv = dt·τ, m = 2, with τ at the end of the step."""
    sim = hw.sim
    hw.write({"a/effort": 5.0})
    sim.step()
    assert hw["a/velocity"] == pytest.approx(DT * 5.0 / 2, rel=1e-12) and hw["a/effort"] == 5.0
    sim.reset(velocity={"a": 0.3})
    assert hw.claimed("a") is None
    hw.write({"a/velocity": 1.0})
    sim.step()
    assert hw["a/velocity"] == pytest.approx((2 * 0.3 + DT * D * 1.0) / (2 + DT * D), rel=1e-12)
    assert hw["a/effort"] == pytest.approx(D * (1.0 - hw["a/velocity"]), rel=1e-12)
    sim.reset(position={"a": 0.1}, velocity={"a": 0.3})
    hw.write({"a/position": 0.15})
    sim.step()
    after = (2 * 0.3 + DT * K * (0.15 - 0.1)) / (2 + DT * D + DT**2 * K)
    assert hw["a/velocity"] == pytest.approx(after, rel=1e-12)


def test_the_last_interface_written_is_followed(hw):
    sim = hw.sim
    hw.write({"a/velocity": 0.5})
    sim.run(1.0)
    # what a second leaves
    assert hw["a/velocity"] == pytest.approx(0.5, abs=1e-6) and hw.claimed("a") == "velocity"
    hw.write({"a/effort": 0.0})
    sim.run(1.0)
    assert hw.claimed("a") == "effort" and isnan(hw.command["a/velocity"])
    assert hw["a/velocity"] == pytest.approx(0.5, abs=1e-6)  # it coasts
    hw.claim("a/position")
    held = hw["a/position"]
    sim.run(2.0)
    # what two seconds leave
    assert hw.command["a/position"] == held and hw["a/position"] == pytest.approx(held, abs=8e-8)
    hw.release("a")
    assert hw.claimed("a") is None
    sim.step(effort={"a": 4.0})
    assert hw["a/velocity"] == pytest.approx(DT * 2.0, abs=1e-6)  # what was left of its speed


def test_modes_are_part_of_the_state(hw):
    sim = hw.sim
    hw.write({"a/position": 0.4})
    sim.run(0.1)
    kept = sim.state
    first = sim.run(0.1).position["a"]
    hw.write({"a/effort": 3.0})
    sim.step(n=5)
    sim.state = kept
    assert hw.claimed("a") == "position"
    assert (sim.run(0.1, command={"a_servo": 0.4}).position["a"] == first).all()


def test_efforts_are_limited(hw):
    """The joint's limit of 50 N bounds the drive whatever the error: v = 50/2·t."""
    hw.write({"a/position": 8.0})
    hw.sim.run(0.1)
    assert hw["a/velocity"] == pytest.approx(50 / 2 * 0.1, rel=ROUNDING) and hw["a/effort"] == 50.0


def test_velocities_are_limited(hw):
    """Beyond the joint's 9 m/s the drive pushes no further; it settles within its last thousandth."""
    hw.write({"a/velocity": 100.0})
    hw.sim.run(2.0)
    assert 9 * 0.999 <= hw["a/velocity"] <= 9 * (1 + 1e-12)


# --- transmissions --------------------------------------------------------------------------------------------------

DIFFERENTIAL = """<transmission name='diff'><plugin>transmission_interface/DifferentialTransmission</plugin>
<actuator name='m1' role='actuator1'><mechanical_reduction>20</mechanical_reduction></actuator>
<actuator name='m2' role='actuator2'><mechanical_reduction>-20</mechanical_reduction></actuator>
<joint name='a' role='joint1'><mechanical_reduction>2</mechanical_reduction><offset>0.1</offset></joint>
<joint name='b' role='joint2'><mechanical_reduction>-2</mechanical_reduction></joint></transmission>"""


@pytest.fixture
def wrist():
    robot = with_servos(rails(tagged("a") + tagged("b") + DIFFERENTIAL))
    return compile(robot).hardware()


def test_joint_commands_become_actuator_commands(wrist):
    sim, diff = wrist.sim, wrist.sim.robot.transmissions["diff"].map
    for kind, values in (("effort", (3.0, -1.0)), ("velocity", (0.2, 0.5)), ("position", (0.3, -0.2))):
        sim.reset()
        wrist.write({f"a/{kind}": values[0], f"b/{kind}": values[1]})
        commands = [sim.actuator[m].command for m in ("m1", "m2")]
        assert commands == pytest.approx(getattr(diff, f"joint_to_actuator_{kind}")(values).tolist(), rel=1e-12)
        sim.run(2.0)
        reached = (wrist[f"a/{kind}"], wrist[f"b/{kind}"])
        assert reached == pytest.approx(values, rel=ROUNDING)  # an effort as it is; the drives have settled


def test_power_at_the_joints_is_power_at_the_motors(wrist):
    sim = wrist.sim
    wrist.write({"a/velocity": 0.7, "b/velocity": -0.4})
    sim.step(n=20)
    joints = sum(wrist[f"{j}/effort"] * wrist[f"{j}/velocity"] for j in "ab")
    motors = sum(sim.actuator[m].torque * sim.actuator[m].velocity for m in ("m1", "m2"))
    assert joints == pytest.approx(motors, rel=1e-12) and abs(joints) > 1e-3


def test_a_joint_behind_a_transmission_can_be_commanded_alone(wrist):
    wrist.write({"a/position": 0.3})  # the other holds where it is
    wrist.sim.run(1.0)
    assert (wrist["a/position"], wrist["b/position"]) == pytest.approx((0.3, 0.0), abs=1e-10)  # what a second leaves
    wrist.write({"b/position": 0.2})
    wrist.sim.run(1.0)
    assert (wrist["a/position"], wrist["b/position"]) == pytest.approx((0.3, 0.2), abs=6e-10)  # what a second leaves
    with pytest.raises(gw.ModelError, match="behind one transmission"):
        wrist.write({"a/position": 0.1, "b/velocity": 0.1})


# --- batches, values, other components ------------------------------------------------------------------------------


def test_batches():
    robot = with_servos(rails(tagged("a") + tagged("b") + DIFFERENTIAL))
    sim = compile(robot, batch=5)
    hw, where = sim.hardware(), np.linspace(-0.4, 0.4, 5)
    hw.write({"a/position": where, "b/position": 0.1})
    sim.run(1.0)
    # what a second leaves
    assert hw["a/position"] == pytest.approx(where, abs=6e-11) and hw["b/position"].shape == (5,)
    assert hw["a/effort"].shape == (5,)


def test_limits_and_initial_values():
    bounds = "<param name='min'>-0.2</param><param name='max'>0.3</param><param name='initial_value'>0.1</param>"
    tag = tagged("a", commands=("position",), more=bounds).replace(
        "<state_interface name='position'/>",
        "<state_interface name='position'><param name='initial_value'>0.25</param></state_interface>",
    )
    hw = compile(with_servos(rails(tag))).hardware()
    view = hw.command_interfaces["a/position"]
    assert (view.minimum, view.maximum, view.initial) == (-0.2, 0.3, 0.1)
    hw.reset()
    assert hw["a/position"] == 0.25
    hw.claim("a/position")
    assert hw.command["a/position"] == 0.1
    hw.write({"a/position": 7.0})
    assert hw.command["a/position"] == 0.3


def test_gpios_and_sensors():
    """A gpio's state is what it was told; a sensor's is the robot's sensor of that name, or given from outside."""
    tag = tagged("a") + (
        "<gpio name='valve'><command_interface name='open'/><state_interface name='open'>"
        "<param name='initial_value'>false</param></state_interface><state_interface name='pressure'/></gpio>"
        "<sensor name='rail_encoder'><state_interface name='position'/></sensor>"
        "<sensor name='wrench'><state_interface name='force.z'/></sensor>"
    )
    encoder = "<encoder name='rail_encoder' type='position'><joint>a</joint><ratio>3</ratio></encoder>"
    sim = compile(with_servos(rails(tag, extra=encoder)))
    hw = sim.hardware()
    assert hw["valve/open"] == 0.0 and isnan(hw["wrench/force.z"])
    hw.write({"valve/open": 1.0})
    hw.provide({"wrench/force.z": -2.5, "valve/pressure": 4.0})
    assert (hw["valve/open"], hw["wrench/force.z"], hw["valve/pressure"]) == (1.0, -2.5, 4.0)
    sim.reset(position={"a": 0.2})
    assert hw["rail_encoder/position"] == pytest.approx(0.6, rel=ROUNDING)
    for key in ("a/position", "rail_encoder/position"):
        with pytest.raises(gw.ModelError, match="read from the simulation"):
            hw.provide({key: 1.0})


def test_drives_follow_positions_and_velocities():
    sim = compile(rails(tagged("a")), drives={"a": gw.Drive(stiffness=1e4, damping=400)})
    hw = sim.hardware()
    hw.write({"a/position": 0.3})
    sim.step()
    assert hw["a/effort"] == pytest.approx(2 * hw["a/velocity"] / sim.dt, rel=1e-12)  # m·Δv/dt, from rest
    sim.run(1.0)
    assert hw["a/position"] == pytest.approx(0.3, abs=2e-10)  # what a second leaves


def test_motors_keep_what_they_are():
    curve = (
        "<actuator name='motor' type='electric_motor'><joint>a</joint><stall_torque>6</stall_torque>"
        "<no_load_speed>3</no_load_speed><rotor_inertia>0.5</rotor_inertia></actuator>"
    )
    robot = with_servos(rails(tagged("a"), extra=curve))
    servo = robot.actuators["motor"]
    assert isinstance(servo, Servo) and (servo.stall_torque, servo.rotor_inertia) == (6.0, 0.5)
    hw = compile(robot).hardware()
    hw.write({"a/velocity": 100.0})  # it settles where its curve ends
    hw.sim.run(20.0)
    assert hw["a/velocity"] == pytest.approx(3.0, rel=1e-6)  # what 20 s leave


def test_voltages():
    motor = (
        "<actuator name='motor' type='dc_motor'><joint>a</joint><resistance>2</resistance>"
        "<torque_constant>0.5</torque_constant><command>voltage</command></actuator>"
    )
    sim = compile(rails(tagged("a", commands=("voltage", "position")), extra=motor))
    hw = sim.hardware()
    hw.write({"a/voltage": 6.0})
    sim.step(n=20_000)
    assert sim.actuator["motor"].command == 6.0
    # m·R/k² = 16 s to where the back-EMF is the voltage; the step is off by (dt/16 s)²
    assert hw["a/velocity"] == pytest.approx(6.0 / 0.5 * (1 - np.exp(-20 / 16)), rel=2e-9)
    with pytest.raises(gw.ModelError, match="takes voltage commands"):
        hw.write({"a/position": 0.1})


def test_a_rotor_that_is_a_body():
    """The servo then turns the rotor, which turns the joint: m·Δv = dt·τ with both, 2 kg and 0.5 kg."""
    motor = (
        "<actuator name='motor' type='electric_motor'><joint>a</joint><rotor_inertia>0.5</rotor_inertia>"
        "<rotor>body</rotor></actuator>"
    )
    sim = compile(with_servos(rails(tagged("a"), extra=motor)))
    hw = sim.hardware()
    hw.write({"a/effort": 5.0})
    sim.step()
    assert hw["a/velocity"] == pytest.approx(sim.dt * 5.0 / 2.5, rel=1e-12) and hw["a/effort"] == 5.0
    hw.write({"a/position": 0.3})
    sim.run(1.0)
    assert hw["a/position"] == pytest.approx(0.3, abs=1e-9)


def test_mistakes_are_named(hw, wrist):
    plain = compile(rails(tagged("a") + tagged("b"))).hardware()
    for wrong, told in [
        (lambda: hw["a/positon"], "did you mean 'a/position'"),
        (lambda: hw.write({"a/positon": 1.0}), "did you mean 'a/position'"),
        (lambda: hw.write({"a/position": float("nan")}), "not finite"),
        (lambda: hw.write({"a/position": "up"}), "takes numbers"),
        (lambda: hw.write(3.0), "takes a mapping"),
        (lambda: hw.write({"a/position": 0.1, "a/velocity": 0.1}), "one interface at a time"),
        (lambda: hw.write({"b/position": 0.1}), "no command interface named 'b/position'"),
        (lambda: plain.write({"a/position": 0.1}), r"nothing on joint 'a' follows a position.*with_servos"),
        (lambda: hw.sim.hardware("sytem"), "did you mean 'system'"),
        (lambda: with_servos(hw.sim.robot, gains={"c": (1, 1)}), "no joint named 'c'"),
        (lambda: with_servos(hw.sim.robot, gains={"a": (1, 0)}), "positive damping"),
        (
            lambda: compile(rails(tagged("a") + DIFFERENTIAL)).hardware().write({"a/position": 1}),
            "takes effort commands",
        ),
    ]:
        with pytest.raises(gw.GearwrightError, match=told):
            wrong()
