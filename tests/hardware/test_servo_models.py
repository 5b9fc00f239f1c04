"""A servo on its bus and the same servo in a simulation: what a client reads is what the step computes."""

from math import inf, pi

import pytest

import gearwright as gw
from gearwright.hardware.rig import Rig

from .servos import Host

COUNT = 2 * pi / 4096
TORQUE, GOAL, POSITION, CURRENT, VELOCITY = 40, 42, 56, 69, 58
ARM = """<sdf version="1.11"><model name="p"><link name="arm"><pose>0 0 -0.12 0 0 0</pose><inertial><mass>0.5</mass>
  <inertia><ixx>1e-6</ixx><iyy>1e-6</iyy><izz>1e-6</izz></inertia></inertial></link>
  <joint name="j" type="revolute"><pose>0 0 0.12 0 0 0</pose><parent>world</parent><child>arm</child>
  <axis><xyz>0 -1 0</xyz></axis></joint></model></sdf>"""


@pytest.fixture(scope="module")
def robot():
    """The firmware at its rate; a dead zone of half a count as the registers have it, and no slew."""
    return gw.loads(ARM).with_servo("j", "sts3215-bam-m1", sample_rate=1000.0, dead_zone=COUNT / 2, goal_speed=inf)


def test_the_bus_shows_the_motion_of_the_step(robot):
    """A goal by a packet, and the same goal as a command: the same motion to rounding, step by step."""
    host = Host(Rig.of(robot, "feetech", dt=1e-3))
    sim = gw.compile(robot, dt=1e-3)
    host.write(1, TORQUE, 1)
    host.write(1, GOAL, 2048 + 300, 2)
    for _ in range(300):
        host.rig.step(1)
        sim.step(command={"j": 300 * COUNT})
        seen = host.rig.plant.sim
        assert seen.position["j"] == pytest.approx(sim.position["j"], abs=1e-9)
    assert sim.position["j"] > 0.3
    assert host.read(1, POSITION) == round(sim.position["j"] / COUNT) + 2048
    current = sim.actuator["j"].current
    assert host.read(1, CURRENT) == round(abs(current) / 6.5e-3)
    assert seen.actuator["j"].torque == pytest.approx(sim.actuator["j"].torque, rel=1e-6)
