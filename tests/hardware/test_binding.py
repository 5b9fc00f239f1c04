"""Which actuator is on which bus: from the file, and from options."""

import pytest

import gearwright as gw
from gearwright.hardware.binding import bind
from gearwright.hardware.device import CanDevice
from gearwright.hardware.device_files import read_devices
from gearwright.hardware.plant import with_actuators
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


ROS2 = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<ros2_control name="arm" type="system"><hardware><plugin>{plugin}</plugin>{hardware}</hardware>
<joint name="j"><command_interface name="position"/><param name="id">{id}</param></joint></ros2_control>
{more}</robot>"""


def ros2(plugin="dynamixel_hardware/DynamixelHardware", hardware="", id="11", more=""):
    return with_actuators(gw.loads(ROS2.format(plugin=plugin, hardware=hardware, id=id, more=more)))


def test_a_ros2_control_plugin_implies_protocol_and_id():
    (bound,) = bind(ros2())
    assert (bound.actuator, bound.protocol.name, bound.node) == ("j", "dynamixel", 11)
    (bound,) = bind(ros2("my/System", '<param name="gearwright_protocol">feetech</param>', "0x0C"))
    assert (bound.protocol.name, bound.node) == ("feetech", 12)


def test_a_ros2_control_plugin_of_others_binds_nothing():
    with pytest.raises(gw.ModelError, match="no actuator of 'r' is on a bus"):
        bind(ros2("mock_components/GenericSystem"))
    with pytest.raises(gw.ModelError, match="a whole number, not 'x'"):
        bind(ros2(id="x"))


def test_an_actuator_of_a_transmission_has_a_device():
    more = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="j"/>
    <actuator name="m"><mechanicalReduction>50</mechanicalReduction><device protocol="feetech" node="7"/></actuator>
    </transmission>"""
    (bound,) = bind(ros2("none", more=more))
    assert (bound.actuator, bound.protocol.name, bound.node) == ("m", "feetech", 7)


def test_a_yaml_file_beside_the_robot(tmp_path):
    file = tmp_path / "devices.yaml"
    file.write_text("m: {protocol: feetech, node: 4, model: sts3215, speed: 7}\n")
    (bound,) = bind(load(""), written=read_devices(file))
    assert bound.node == 4 and dict(bound.options) == {"speed": "7", "model": "sts3215"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- 1", "a mapping of actuators"),
        ("m: 3", "needs a protocol"),
        ("m: {protocol: fetech}", "did you mean 'feetech'"),
        ("m: {protocol: feetech, node: -1}", "a whole number, not -1"),
        ("m: {protocol: feetech, node: true}", "a whole number, not True"),
        ("m: [", "devices.yaml"),
        ("? [1]\n: {protocol: feetech}", "devices.yaml"),
        ("1: {protocol: feetech}", "names of actuators"),
        ("a: &a [x, x]\nm: {protocol: feetech, speed: *a}", "needs a protocol"),
        ("m: {protocol: feetech, speed: [1]}", "a number or a text, not a list"),
        ("\0", "devices.yaml"),
        ("n: {protocol: feetech}", "'n'"),
    ],
)
def test_a_faulty_yaml_file_is_refused(tmp_path, text, message):
    file = tmp_path / "devices.yaml"
    file.write_text(text)
    with pytest.raises(gw.GearwrightError, match=message):
        bind(load(""), written=read_devices(file))


def test_serial_lines_have_ids_of_their_own(tmp_path):
    file = tmp_path / "devices.yaml"
    two = URDF.format(device="").replace(
        "</robot>", '<actuator name="n" type="ideal"><joint>j</joint></actuator></robot>'
    )
    file.write_text("m: {protocol: feetech, node: 1}\nn: {protocol: dynamixel, node: 1}\n")
    assert [b.node for b in bind(gw.loads(two), written=read_devices(file))] == [1, 1]
    file.write_text("m: {protocol: odrive, node: 1}\nn: {protocol: damiao, node: 1}\n")
    with pytest.raises(gw.ModelError, match="the same node id 1"):
        bind(gw.loads(two), written=read_devices(file))
