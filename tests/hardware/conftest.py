"""The desk arm, compiled once; tests reset it."""

import pytest

import gearwright as gw
from gearwright import robots
from gearwright.hardware.protocols import PROTOCOLS
from gearwright.hardware.rig import Rig

from .echo import ECHO

WHEEL = """<robot name="wheel"><link name="a"/><link name="b"><inertial><mass value="1"/>
  <inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="axle" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
  <actuator name="motor" type="ideal"><joint>axle</joint><torque_limit>2</torque_limit></actuator></robot>"""


@pytest.fixture(scope="session")
def desk_arm():
    return gw.load(robots.path("desk_arm"))


@pytest.fixture
def rig(desk_arm):
    return Rig.of(desk_arm)


@pytest.fixture(scope="session", autouse=True)
def echo():
    PROTOCOLS["echo"] = ECHO
    yield
    del PROTOCOLS["echo"]


@pytest.fixture(scope="session")
def wheel():
    """One link on a bearing, with an ideal motor."""
    return gw.loads(WHEEL.format(inertia=0.01))
