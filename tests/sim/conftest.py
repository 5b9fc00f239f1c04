"""Robots that several files share, and a cache of compiled code that no other run touches."""

import pytest

import gearwright as gw
from tests.sim.robots import ARM, DOUBLE_PENDULUM, GRIPPER


@pytest.fixture(scope="session", autouse=True)
def code_cache(tmp_path_factory):
    """Code compiled once for all tests; the user's own cache is left alone."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("code")
        patch.setenv("GEARWRIGHT_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def arm():
    return gw.load(ARM)


@pytest.fixture(scope="session")
def gripper():
    return gw.load(GRIPPER, base="fixed")


@pytest.fixture(scope="session")
def double_pendulum():
    return gw.loads(DOUBLE_PENDULUM)
