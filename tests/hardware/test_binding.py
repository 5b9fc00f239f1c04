"""Which actuator is on which bus: from the file, and from options."""

import pytest

import gearwright as gw
from gearwright.hardware.binding import bind
from gearwright.hardware.device import CanDevice
from gearwright.hardware.protocols import PROTOCOLS, Protocol

URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<actuator name="m" type="ideal"><joint>j</joint>
{device}</actuator></robot>"""


class Silent(CanDevice):
    def on_frame(self, frame, t):
        return []


@pytest.fixture(autouse=True)
def silent():
    PROTOCOLS["silent"] = Protocol(name="silent", title="Silent", device=Silent)
    yield
    del PROTOCOLS["silent"]


def load(device):
    return gw.loads(URDF.format(device=device))


def test_a_file_binds_its_actuators():
    (bound,) = bind(load('<device protocol="silent" node="0x1F" speed="fast"/>'))
    assert (bound.actuator, bound.protocol.name, bound.node, bound.options) == ("m", "silent", 31, (("speed", "fast"),))


def test_options_bind_what_the_file_does_not():
    assert bind(load(""), "silent")[0].node == 1
    assert bind(load(""), "silent", nodes={"m": 9})[0].node == 9


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ('<device protocol="silnet" node="1"/>', "there is no protocol 'silnet'.*silent"),
        ('<device protocol="silent" node="x"/>', "a whole number, not 'x'"),
        ("<device/>", "there is no protocol ''"),
    ],
)
def test_faulty_devices_are_reported_with_their_line(device, message):
    with pytest.raises(gw.LoadError, match=message) as caught:
        load(device)
    assert caught.value.diagnostics[0].line == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "no actuator of 'r' is on a bus"),
        ({"name": "silnet"}, "did you mean 'silent'"),
        ({"name": "silent", "nodes": {"m": 128}}, "node ids 1 … 127, not 128"),
        ({"name": "silent", "nodes": {"n": 1}}, "'n'"),
        ({"name": "silent", "model": "x"}, "'x'"),
    ],
)
def test_faulty_options_are_refused(options, message):
    name = options.pop("name", None)
    with pytest.raises(gw.GearwrightError, match=message):
        bind(load(""), name, **options)
