"""Force-torque sensors and IMUs, from SDFormat and by hand, against what the simulation says of the same instant."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright import compile, loads
from tests.tolerances import ROUNDING

ARM = """<sdf version="1.9"><model name="m">
  <link name="arm"><pose>0 0 1 0.3 0 0</pose>
    <inertial><mass>2</mass><pose>0 0 -0.5 0 0 0</pose>
      <inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.03</izz></inertia></inertial>
    <sensor name="imu" type="imu"><pose>0.1 0 -0.5 0 0.4 1.5</pose>{imu}</sensor>
    <sensor name="camera" type="camera"><camera/></sensor></link>
  <link name="tool"><pose relative_to="arm">0 0 -1 0 0 0.7</pose>
    <inertial><mass>1</mass><pose>0.05 0 0.02 0 0 0</pose>
      <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
  <joint name="pin" type="revolute"><parent>world</parent><child>arm</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="flange" type="fixed"><parent>arm</parent><child>tool</child><pose>0 0 0.1 0.2 0 0</pose>
    <sensor name="ft" type="force_torque"><pose>0.01 0.02 0.03 0 0 0.5</pose><force_torque>{ft}</force_torque></sensor>
  </joint></model></sdf>"""


def swinging(ft="", imu="", **options):
    sim = compile(loads(ARM.format(ft=ft, imu=imu)), **options)
    sim.reset(position={"pin": 0.4}, velocity={"pin": 2.0})
    return sim


def joint_in_world(sim, name):
    joint = sim.robot.joint(name)
    return sim.pose[joint.child] @ joint.X_CJ.matrix


@pytest.mark.sampled(5)
@pytest.mark.parametrize("direction", ["parent_to_child", "child_to_parent", ""])
@pytest.mark.parametrize("frame", ["child", "parent", "sensor", ""])
def test_a_force_torque_sensor_reads_the_wrench_in_its_frame(frame, direction):
    """At the sensor's origin, which is not the joint's; defaults are child, and what the child puts on the parent."""
    ft = (f"<frame>{frame}</frame>" if frame else "") + (
        f"<measure_direction>{direction}</measure_direction>" if direction else ""
    )
    sim = swinging(ft)
    for _ in range(2):  # after the reset, and after steps
        X_WJ, X_WS = joint_in_world(sim, "flange"), joint_in_world(sim, "flange") @ sim.robot.sensors["ft"].pose.matrix
        force, torque = (X_WJ[:3, :3] @ x for x in sim.reaction["flange"])
        torque = torque + np.cross(X_WJ[:3, 3] - X_WS[:3, 3], force)
        axes = {"parent": sim.pose["arm"], "sensor": X_WS}.get(frame, sim.pose["tool"])[:3, :3]
        sign = 1.0 if direction == "parent_to_child" else -1.0
        wanted = sign * np.concatenate([axes.T @ force, axes.T @ torque])
        assert sim.sensor["ft"] == pytest.approx(wanted, abs=ROUNDING)
        assert np.abs(wanted).max() > 5.0
        sim.step(effort={"pin": 3.0}, n=20)


def test_an_imu_reads_specific_force_and_angular_velocity():
    """The acceleration of its place, by differences of it along the motion, less gravity."""
    sim = swinging(dt=1e-4)
    states = []
    for _ in range(3):
        states.append((sim.pose["arm"] @ sim.robot.sensors["imu"].pose.matrix, sim.sensor["imu"]))
        sim.step()
    (before, _), (X, reading), (after, _) = states
    a = (before[:3, 3] - 2 * X[:3, 3] + after[:3, 3]) / 1e-8
    expected = X[:3, :3].T @ (a - np.array(sim.robot.gravity))
    assert reading[3:] == pytest.approx(expected, abs=4e-7)  # rounding 1e-16/dt²·|p| = 1e-8, truncation dt²·ω⁴·|p|
    turned = X[:3, :3].T @ (after[:3, :3] - before[:3, :3]) / 2e-4
    assert reading[:3] == pytest.approx([turned[2, 1], turned[0, 2], turned[1, 0]], abs=3e-7)  # found 7e-8


def test_noise_offset_and_rate():
    noise = "<noise type='gaussian'><mean>0.5</mean><stddev>0.2</stddev></noise>"
    sim = swinging(imu=f"<update_rate>100</update_rate><imu><angular_velocity><x>{noise}</x></angular_velocity></imu>")
    exact = swinging()
    imu = sim.robot.sensors["imu"]
    assert (imu.noise, imu.offset, imu.update_rate) == ((0.2, 0, 0, 0, 0, 0), (0.5, 0, 0, 0, 0, 0), 100.0)
    rec, without = sim.run(4.0), exact.run(4.0)
    assert rec.sensor["imu"].shape == (4001, 6)
    held = rec.sensor["imu.wx"][10::10]
    assert np.array_equal(rec.sensor["imu.wx"][11::10], held[:-1])  # a sample every ten steps
    error = held - without.sensor["imu.wx"][10::10]
    assert error.mean() == pytest.approx(0.5, abs=4 * 0.2 / 20)  # four deviations of the mean of 400
    assert error.std() == pytest.approx(0.2, abs=4 * 0.2 / np.sqrt(800))  # slack: four deviations
    assert np.array_equal(rec.sensor["imu.ay"][10::10], without.sensor["imu.ay"][10::10])


def test_a_users_own_sensor_of_a_wrench_and_of_a_link():
    robot = loads(ARM.format(ft="", imu=""))
    robot = robot.with_sensor(gw.CustomSensor(name="load", reaction="pin", function=lambda x, v, s: (x[:3] ** 2).sum()))
    robot = robot.with_sensor(gw.CustomSensor(name="tilt", link="arm", function=lambda x, v, s: x[3:]))
    sim = compile(robot)
    sim.run(0.1, effort={"pin": 1.0})
    assert sim.sensor["load"] == pytest.approx((sim.reaction["pin"].force ** 2).sum(), rel=1e-12)
    a = sim.link_acceleration["arm"].linear - np.array(sim.robot.gravity)
    assert sim.sensor["tilt"] == pytest.approx(sim.pose["arm"][:3, :3].T @ a, abs=1e-12)


def test_a_torque_sensor_in_a_drive_train_feels_the_wrench_on_the_tool():
    robot = loads(ARM.format(ft="<frame>parent</frame><measure_direction>parent_to_child</measure_direction>", imu=""))
    pushed, free = compile(robot, wrenches=("tool",)), compile(robot)
    for sim in (pushed, free):
        sim.reset(position={"pin": 0.4})
    pushed.step(wrench={"tool": ((0.0, 7.0, 0.0), (0.0, 0.0, 0.0))})
    free.step()
    assert pushed.sensor["ft.fy"] - free.sensor["ft.fy"] == pytest.approx(-7.0, rel=0.05)  # along the pin: no motion


def test_names_repeat_between_links():
    text = ARM.format(ft="", imu="").replace(
        '<link name="tool">', '<link name="tool"><sensor name="imu" type="imu"/><sensor type="imu"/>'
    )
    assert [*loads(text).sensors] == ["imu", "tool.imu", "tool.imu_1", "ft"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reaction": None}, "needs the joint"),
        ({"frame": "up"}, "child, parent or sensor"),
        ({"direction": "up"}, "child_to_parent or parent_to_child"),
        ({"noise": (1.0,)}, "six finite numbers"),
        ({"noise": (0, 0, 0, 0, 0, -1.0)}, "negative"),
    ],
)
def test_wrong_values(change, message):
    with pytest.raises(gw.ModelError, match=message):
        replace(gw.ForceTorque(name="ft", reaction="pin"), **change)


def test_a_sensor_of_what_does_not_exist():
    robot = loads(ARM.format(ft="", imu=""))
    with pytest.raises(gw.ModelError, match="joint 'pim' does not exist; did you mean 'pin'"):
        robot.with_sensor(gw.ForceTorque(name="x", reaction="pim"))
    with pytest.raises(gw.ModelError, match="link 'harm' does not exist; did you mean 'arm'"):
        robot.with_sensor(gw.Imu(name="x", link="harm"))
