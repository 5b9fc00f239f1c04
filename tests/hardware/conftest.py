"""The desk arm, compiled once; tests reset it."""

import pytest

import gearwright as gw
from gearwright import robots
from gearwright.hardware.rig import Rig


@pytest.fixture(scope="session")
def desk_arm():
    return gw.load(robots.path("desk_arm"))


@pytest.fixture
def rig(desk_arm):
    return Rig.of(desk_arm)
