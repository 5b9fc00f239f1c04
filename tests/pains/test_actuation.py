"""What users of other programs report about actuators and transmissions, one test each, named after the report."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import AxisRef
from gearwright.sim import compile
from tests.pains.robots import joint, link, urdf
from tests.sim.driven import body, driven, motor, rigid, wheel
from tests.tolerances import ROUNDING

ARM = link("upper") + link("lower") + joint("shoulder", "continuous", "upper", axis="0 0 1")
ARM += joint("elbow", "continuous", "lower", axis="0 0 1")
INERTIA = 1e-3  # of either link about its axis [kg·m²]


def ros2_control(kind, actuators, joints):
    """A <transmission> as ros2_control's files have it: (name, role, reduction) of each end."""

    def ends(tag, each):
        return "".join(
            f'<{tag} name="{n}" role="{r}"><mechanical_reduction>{x}</mechanical_reduction></{tag}>' for n, r, x in each
        )

    declared = "".join(f'<joint name="{n}"><command_interface name="effort"/></joint>' for n, _, _ in joints)
    return (
        f'<ros2_control name="s" type="system"><hardware><plugin>p</plugin></hardware>{declared}<transmission name="t">'
        f"<plugin>transmission_interface/{kind}</plugin>{ends('actuator', actuators)}{ends('joint', joints)}"
        "</transmission></ros2_control>"
    )


def test_gz_ros2_control_938_and_ros2_control_1881_command_the_actuator_through_its_transmission():
    """In simulation commands went to joints, past the transmission. Here a motor's command reaches its joint as n·τ,
    its state comes back as n·q, and its rotor's inertia as n²·I is in the way."""
    robot = urdf(ARM, ros2_control("SimpleTransmission", [("motor", "actuator1", 20)], [("elbow", "joint1", 1)]))
    spinning = replace(robot.actuators["motor"], rotor_inertia=1e-5)
    sim = compile(replace(robot, actuators={"motor": spinning}), gravity=(0, 0, 0))
    sim.step(command={"motor": 0.01}, n=100)
    assert sim.velocity["elbow"] == pytest.approx(0.1 * 20 * 0.01 / (INERTIA + 20**2 * 1e-5), rel=ROUNDING)
    assert sim.actuator["motor"].position == pytest.approx(20 * sim.position["elbow"], rel=1e-12)
    assert sim.velocity["shoulder"] == 0.0


@pytest.mark.parametrize("swapped", [False, True])
def test_ros2_control_1745_and_3382_roles_not_the_alphabet(swapped):
    """A differential whose joints are sorted by name there swaps them. `role` decides, in any order of the file.

    The motors turn against each other: that moves joint 2 alone, whatever its name.
    """
    first, second = ("shoulder", "elbow") if not swapped else ("elbow", "shoulder")
    actuators = [("m_left", "actuator1", 10), ("m_right", "actuator2", 10)]
    joints = [(first, "joint1", 1), (second, "joint2", 1)]
    seen = []
    for order in (1, -1):  # and in either order of the file
        control = ros2_control("DifferentialTransmission", actuators[::order], joints[::order])
        sim = compile(urdf(ARM, control), gravity=(0, 0, 0))
        sim.step(command={"m_left": 0.01, "m_right": -0.01}, n=100)
        assert sim.velocity[second] == pytest.approx(0.1 * 2 * 10 * 0.01 / INERTIA, rel=ROUNDING)
        assert sim.velocity[first] == pytest.approx(0.0, abs=1e-12)
        seen.append([sim.actuator[n].position for n in ("m_left", "m_right")])
    assert seen[0] == seen[1]


def test_ros2_control_1746_four_bar_efforts_conserve_power():
    """The four-bar's effort map created power until 2025. Energy over a run: motors' work is the kinetic energy."""
    control = ros2_control(
        "FourBarLinkageTransmission",
        [("m1", "actuator1", 5), ("m2", "actuator2", -4)], [("shoulder", "joint1", 2), ("elbow", "joint2", 0.5)],
    )  # fmt: skip
    robot = urdf(ARM, control)
    gaps = []
    for dt in (1e-3, 5e-4):
        sim = compile(robot, dt=dt, gravity=(0, 0, 0))
        rec = sim.run(1.0, command={"m1": lambda t: 0.01 * np.sin(9 * t), "m2": lambda t: 0.02 * np.cos(5 * t)})
        power = sum(rec.actuator[n].torque * rec.actuator[n].velocity for n in ("m1", "m2"))
        joints = rec.velocity["shoulder"] ** 2 + rec.velocity["elbow"] ** 2
        assert rec.kinetic_energy == pytest.approx(0.5 * INERTIA * joints, rel=ROUNDING)
        gaps.append(abs(dt * power.sum() - rec.kinetic_energy[-1]) / rec.kinetic_energy.max())
    assert gaps[0] < 0.01 and gaps[0] / gaps[1] == pytest.approx(2.0, abs=0.02)  # the integrator's own, of first order


def test_ros_control_244_a_real_four_bar():
    """Theirs is a linear remote drive by that name. A linkage's ratio depends on where it stands: near a dead point
    the motor turns the joint with almost three times the torque of half-way, and a third of the speed."""
    bars = gw.FourBarLinkage(ground=0.4, input=0.1, coupler=0.4, output=0.3)
    low, high = sorted(bars.toggles.output)[-2:]
    places = (low + high) / 2, low + 0.02 * (high - low)
    ratios = [bars.actuator_per_joint_at(q).item() for q in places]
    assert ratios == pytest.approx([2.97, 8.60], abs=0.01)  # two decimals are written here
    sim = compile(driven(rigid(body("j", 0.01)), motor(), through=bars), integrator="euler")  # τ at the start
    for q, ratio in zip(places, ratios, strict=True):
        sim.reset({"j": q}, {"j": 0.01})
        assert sim.actuator["motor"].position == pytest.approx(bars.joint_to_actuator_position(q), rel=1e-12)
        assert sim.actuator["motor"].velocity == pytest.approx(0.01 * ratio, rel=ROUNDING)
        sim.step(command={"motor": 1e-3})
        assert sim.velocity["j"] - 0.01 == pytest.approx(1e-3 * 1e-3 * ratio / 0.01, rel=1e-9)  # a difference


def test_ros_odrive_24_a_simulated_drive_does_not_only_echo():
    """A mock says that the motor is where it was told to be. Here a load holds it back, a stop stops it, and it takes
    its time: 0.2 N·m on the joint stretch a drive of 0.5 N·m/rad behind 4 : 1 by 0.1 rad."""
    drive = motor(command="position", stiffness=0.5, damping_gain=0.05, effort_limit=0.3)
    sim = compile(wheel(drive, 0.01, 4.0))
    sim.step(command={"motor": 2.0})
    assert sim.actuator["motor"].position < 0.01  # not there yet
    sim.step(effort={"j": -0.2}, n=20_000)
    assert sim.actuator["motor"].position == pytest.approx(2.0 - 0.2 / 4 / 0.5, rel=ROUNDING)
    stopped = compile(wheel(drive, 0.01, 4.0, limit=(-1, 0.25)))
    stopped.step(command={"motor": 2.0}, n=20_000)
    assert stopped.actuator["motor"].position == pytest.approx(1.0, abs=ROUNDING)
    assert stopped.actuator["motor"].torque == pytest.approx(0.3, rel=ROUNDING)  # at its limit, against the stop


def test_gazebo_classic_1152_backlash_and_the_encoder_before_or_after_it():
    """Asked for since 2014. The motor turns 0.2 rad of play before the joint feels it; an encoder on the motor sees
    that, one on the joint does not; back and forth the two differ by the gap, seen at the joint gap/n."""
    n, gap = 10.0, 0.2
    loose = gw.Backlash(gap=gap, stiffness=500.0, damping=0.5)
    drive = motor(command="position", stiffness=20.0, damping_gain=0.4, rotor_inertia=1e-4)
    robot = wheel(drive, 0.01, n, backlash=loose)
    sensors = (
        gw.Encoder(name="before", transmission="gear"),
        gw.Encoder(name="after", transmission="gear", side="joint"),
        gw.Encoder(name="joint", joint=AxisRef("j")),
    )
    robot = replace(robot, sensors={s.name: s for s in sensors})
    sim = compile(robot, dt=5e-4)
    sim.step(command={"motor": 0.09}, effort={"j": 0.0}, n=4000)
    assert sim.sensor["before"] == pytest.approx(0.09, abs=ROUNDING)
    assert sim.sensor["after"] == pytest.approx(0.0, abs=ROUNDING) == sim.sensor["joint"]  # within the play
    rub = -0.05  # something light presses the joint against the motor [N·m]
    sim.step(command={"motor": 1.0}, effort={"j": rub}, n=20_000)
    up = n * sim.sensor["after"] - sim.sensor["before"]
    sim.step(command={"motor": 1.0}, effort={"j": -rub}, n=20_000)
    down = n * sim.sensor["after"] - sim.sensor["before"]
    # besides the gap the contact yields by load/n/stiffness on either side
    assert down - up == pytest.approx(gap + 2 * 0.05 / n / 500.0, rel=ROUNDING)
