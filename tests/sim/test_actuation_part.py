"""`compile(part="actuation")`: the efforts of motors and gears on joints that somebody else moves."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler import backends
from tests.compiler.cuda_on_cpu import CudaOnCpu, gpu

DT = 1e-3
ARM = """<robot name="arm"><link name="base"/><link name="upper"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="elbow" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
<actuator name="motor" type="electric_motor"><stall_torque>0.5</stall_torque><no_load_speed>400</no_load_speed>
<rotor_inertia>2e-5</rotor_inertia><damping>1e-5</damping><friction>0.003</friction></actuator>
<transmission name="gear" type="simple"><actuator>motor</actuator><joint>elbow</joint>
<mechanical_reduction>50</mechanical_reduction></transmission></robot>"""


def test_the_line_is_the_motors_curve_its_damper_and_its_rotor():
    act = gw.compile(gw.loads(ARM), part="actuation", dt=DT)
    v, n = 6.0, 50.0  # the motor at 300 rad/s: on its curve
    line = act.line(velocity={"elbow": v}, command={"motor": 1.0})
    curve = 0.5 * (1 - n * v / 400)
    rotor = 2e-5 * n * v / DT  # from rest
    assert line.effort["elbow"] == pytest.approx(n * (curve - 1e-5 * n * v - rotor), rel=1e-9)
    assert line.slope["elbow"] == pytest.approx(-n * n * (0.5 / 400 + 1e-5 + 2e-5 / DT), rel=1e-6)
    assert line.at(line.velocity)[0] == pytest.approx(line.efforts[0])


def test_friction_of_motors_is_told_apart():
    act = gw.compile(gw.loads(ARM), part="actuation")
    assert act.friction["motor"].effort == 0.003
    assert dict(act.friction["motor"].ratios) == {"elbow": 50.0}


def test_asking_changes_nothing():
    act = gw.compile("wrist", part="actuation", dt=DT)
    act.step(velocity={"pitch": 0.3}, command={"left_motor": 0.02})
    before = act.state
    act.line(velocity={"pitch": 2.0, "roll": -1.0})
    assert (act.state == before).all()


@pytest.mark.parametrize("name", ["gripper", "wrist", "hand", "desk_arm", "scara", "reference_arm_driven"])
def test_along_a_motion_of_the_whole_robot_its_efforts_are_the_robots(name):
    """On joints that move as in a simulation of the robot, motors and sensors show what they show there."""
    robot = gw.load(name)
    sim, act = gw.compile(robot, dt=DT, integrator="euler"), gw.compile(robot, part="actuation", dt=DT)
    act.reset(position={n: sim.position[n] for n in act.names})
    command = {a: 0.02 if a.endswith("1") else -0.013 for a in robot.actuators}
    for _ in range(20):
        sim.step(command=command)
        act.step(
            velocity={n: sim.velocity[n] for n in act.names}, position={n: sim.position[n] for n in act.names},
            command=command,
        )  # fmt: skip
    for a in robot.actuators:
        assert act.actuator[a].torque == pytest.approx(sim.actuator[a].torque, rel=1e-7, abs=1e-12)
        assert act.actuator[a].velocity == pytest.approx(sim.actuator[a].velocity, rel=1e-9, abs=1e-12)
    for s in act.sensor:
        assert act.sensor[s] == pytest.approx(sim.sensor[s], rel=1e-9, abs=1e-12)


def test_slopes_are_differences_of_efforts_of_coupled_joints():
    act = gw.compile("wrist", part="actuation", dt=DT)
    act.command({"left_motor": 0.02, "right_motor": 0.01})
    line = act.line(velocity={"pitch": 0.2, "roll": 0.1})
    for j, name in enumerate(act.names):
        v = dict(zip(act.names, line.velocity, strict=True))
        changed = act.line(velocity=v | {name: v[name] + 1e-3}).efforts
        np.testing.assert_allclose((line.efforts - changed) / 1e-3, line.matrix[:, j], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(line.matrix, line.matrix.T, rtol=1e-6)


def test_joints_that_nothing_couples_share_a_lane():
    assert gw.compile("hand", part="actuation")._lanes == 2
    assert gw.compile("wrist", part="actuation")._lanes == 3


def test_batches_equal_single_ones():
    robot, v = gw.loads(ARM), np.array([0.0, 1.0, 7.9, -3.0])
    many = gw.compile(robot, part="actuation", batch=4, dt=DT)
    one = gw.compile(robot, part="actuation", dt=DT)
    command = np.array([0.1, 0.5, 0.5, -0.2])
    together = many.line(velocity={"elbow": v}, command={"motor": command})
    for i in range(4):
        alone = one.line(velocity={"elbow": v[i]}, command={"motor": command[i]})
        assert together.efforts[i, 0] == pytest.approx(alone.efforts[0], rel=1e-12)
        assert together.matrix[i, 0, 0] == pytest.approx(alone.matrix[0, 0], rel=1e-9)
    many.step(velocity={"elbow": v})
    assert many.effort["elbow"].shape == (4,)


def test_play_holds_its_rotor_between_steps():
    """The rotor crosses its gap by itself: the joint feels nothing until the flank is reached."""
    robot = gw.loads(ARM.replace("</transmission>", """<backlash><gap>0.4</gap><stiffness>50</stiffness>
        <damping>0.01</damping></backlash></transmission>"""))  # fmt: skip
    act = gw.compile(robot, part="actuation", dt=1e-4)
    efforts, leads = [], []
    for _ in range(200):
        act.step(velocity={"elbow": 0.0}, command={"motor": 0.05})
        efforts.append(act.effort["elbow"])
        leads.append(act.actuator["motor"].position)
    assert efforts[0] == pytest.approx(0.0, abs=1e-9)
    assert max(leads) > 0.2  # half of the gap
    assert min(efforts) > -1e-9  # a flank pushes
    assert max(efforts) > 1.0


def test_a_robot_without_an_actuation_is_refused():
    with pytest.raises(gw.CompileError, match="has no actuator on a joint"):
        gw.compile(gw.loads('<robot name="r"><link name="a"/></robot>'), part="actuation")


def test_names_are_checked():
    act = gw.compile(gw.loads(ARM), part="actuation")
    with pytest.raises(gw.GearwrightError, match="elbow"):
        act.line(velocity={"elbo": 1.0})
    with pytest.raises(gw.GearwrightError, match="motor"):
        act.line(command={"moter": 1.0})
    with pytest.raises(gw.CompileError, match="part must be 'actuation', or left out, not 'wheels'"):
        gw.compile(gw.loads(ARM), part="wheels")


@pytest.mark.parametrize("name", ["wrist", "gripper"])
def test_cuda_gives_the_same_lines(name, rng, monkeypatch):
    """On a GPU where there is one, otherwise the kernels' text on the CPU."""
    if not gpu():
        monkeypatch.setitem(backends.BACKENDS, "cuda", CudaOnCpu)
    cpu, cuda = (gw.compile(name, part="actuation", batch=3, device=device) for device in ("cpu", "cuda"))
    for _ in range(5):
        v = {n: rng.normal(size=3) for n in cpu.names}
        command = {a: 0.05 * rng.normal(size=3) for a in cpu.robot.actuators}
        a, b = (act.line(velocity=v, command=command) for act in (cpu, cuda))
        np.testing.assert_allclose(b.efforts, a.efforts, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(b.matrix, a.matrix, rtol=1e-6, atol=1e-9 * np.abs(a.matrix).max())
        for act in (cpu, cuda):
            act.step(velocity=v)
    np.testing.assert_allclose(cuda.state, cpu.state, rtol=1e-12, atol=1e-13)
