"""Robots that several files share."""

import pytest

import gearwright as gw
from tests.sim.robots import ARM, DOUBLE_PENDULUM, GRIPPER


@pytest.fixture(scope="session")
def arm():
    return gw.load(ARM)


@pytest.fixture(scope="session")
def gripper():
    return gw.load(GRIPPER, base="fixed")


@pytest.fixture(scope="session")
def double_pendulum():
    return gw.loads(DOUBLE_PENDULUM)
