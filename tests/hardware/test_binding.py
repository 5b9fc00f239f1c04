"""Which actuator is on which bus: from the file, and from options."""

from math import tau

import pytest

import gearwright as gw
from gearwright.hardware.binding import bind
from gearwright.hardware.device import CanDevice
from gearwright.hardware.device_files import read_devices
from gearwright.hardware.plant import with_actuators
from gearwright.hardware.protocols import PROTOCOLS, Protocol
from gearwright.hardware.rig import Rig
from gearwright.model.hardware.device_bindings import DeviceBinding

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
        ("- 1", "a mapping from actuators"),
        ("m: 3", "needs a protocol"),
        ("m: {protocol: fetech}", "did you mean 'feetech'"),
        ("m: {protocol: feetech, node: -1}", "a whole number, not -1"),
        ("m: {protocol: feetech, node: true}", "a whole number, not True"),
        ("m: [", "devices.yaml"),
        ("? [1]\n: {protocol: feetech}", "devices.yaml"),
        ("1: {protocol: feetech}", "names of actuators must be text"),
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


# --- ids, sides and notes --------------------------------------------------------------------------------------------


def row_of(*joints, actuators=()):
    """A row of links; without names of actuators, each joint gets one of its name."""
    names = actuators or joints
    inertia = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    parts = ['<robot name="row"><link name="l0"/>']
    for k, (joint, name) in enumerate(zip(joints, names, strict=True), start=1):
        parts.append(
            f'<link name="l{k}"><inertial>{inertia}</inertial></link><joint name="{joint}" type="continuous">'
            f'<parent link="l{k - 1}"/><child link="l{k}"/><axis xyz="0 0 1"/></joint>'
            f'<actuator name="{name}" type="ideal"><joint>{joint}</joint></actuator>'
        )
    return gw.loads("".join(parts) + "</robot>")


@pytest.mark.parametrize(
    ("joints", "actuators", "ids"),
    [
        (("joint3", "joint1", "joint2"), (), [3, 1, 2]),
        (("gripper", "wrist", "base"), ("motor6", "motor5", "motor1"), [6, 5, 1]),  # as in the SO-101's URDF
        (("j0", "j1", "j2"), (), [1, 2, 3]),
        (("a1", "b1", "c2"), (), [1, 2, 3]),  # not distinct
        (("a", "b2"), (), [1, 2]),
        (("a500", "b501"), (), [1, 2]),  # no ids of this bus
    ],
)
def test_ids_follow_numbers_in_names(joints, actuators, ids):
    assert [b.node for b in bind(row_of(*joints, actuators=actuators), "silent")] == ids


def test_ids_that_are_given_come_first():
    nodes = {b.actuator: b.node for b in bind(row_of("j1", "j2", "j3"), "silent", nodes={"j3": 1})}
    assert nodes["j3"] == 1 and len(set(nodes.values())) == 3


GEARED = URDF.replace("<joint>j</joint>\n{device}</actuator>", "</actuator>").replace(
    "</robot>",
    '<transmission name="t"><type>transmission_interface/SimpleTransmission</type>'
    '<joint name="j"><offset>0.3</offset></joint><actuator name="m">'
    "<mechanicalReduction>{ratio}</mechanicalReduction></actuator></transmission></robot>",
)


def moved(ratio, protocol, **options):
    """Where a goal of 300 counts brings the joint, and where the register says that the shaft is."""
    text = GEARED.format(ratio=ratio) if ratio else URDF.format(device="")
    robot = gw.loads(text.replace('ixx="1" iyy="1" izz="1"', 'ixx="0.01" iyy="0.01" izz="0.01"'))
    rig = Rig.of(robot, protocol, options=options)
    servo = rig.devices["m"]
    here = servo.position
    servo.write(servo.table.by_name["torque_enable"].address, b"\1", 0.0)
    goal = servo.table.by_name["goal_position"]
    servo.write(goal.address, (here + 300).to_bytes(goal.size, "little"), 0.0)
    rig.step(1500)
    return rig.plant.sim.position["j"], servo.position - here, rig


@pytest.mark.parametrize("protocol", ["feetech", "dynamixel"])
def test_a_geared_product_counts_at_the_joint_whatever_gear_the_file_has(protocol):
    joint, counts, _ = moved(None, protocol)
    for ratio in (50, -50, 1):
        behind, own, rig = moved(ratio, protocol)
        assert behind == pytest.approx(joint, abs=1e-9) and own == counts
        assert any("measure at the joint" in note for note in rig.notes) is (abs(ratio) != 1)


def test_the_side_can_be_chosen():
    joint, counts, rig = moved(50, "dynamixel", side="actuator")
    assert joint == pytest.approx(counts * tau / 4096 / 50, abs=1e-3)
    assert not any("measure at the joint" in note for note in rig.notes)
    with pytest.raises(gw.ModelError, match="side must be joint or actuator, not 'left'"):
        Rig.of(gw.loads(GEARED.format(ratio=50)), "dynamixel", options={"side": "left"})


def test_a_product_that_holds_the_motor_back_is_said():
    strong = URDF.replace('type="ideal">', 'type="ideal"><torque_limit>50</torque_limit>').format(device="")
    (note,) = Rig.of(gw.loads(strong), "damiao").notes
    assert note == "m: the current limit of its damiao drive holds the motor of the file to 10 of 50 N·m"
    assert Rig.of(gw.loads(strong), "odrive").notes == ()


def test_a_drive_that_cannot_carry_its_load_is_said():
    """1 kg at 0.2 m, behind an effort limit, and behind a product."""
    text = """<robot name="arm"><link name="a"/><link name="b"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
      <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j"
      type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="1" effort="{effort}" velocity="9"/></joint></robot>"""

    def said(effort, *served, **options):
        notes = Rig.of(gw.loads(text.format(effort=effort)), *served, **options).notes
        return [note for note in notes if "not every pose can be held" in note]

    assert said(1.5, "odrive") == [
        "j 1.5 of 1.96 N·m: less torque than weight and friction need, so not every pose can be held"
    ]
    assert said(2.5, "odrive") == said(0, "cia402") == said(0, "dynamixel") == []
    assert said(0, "dynamixel", model="xl430-w250")[0].startswith("j 1.5 of 1.96")


def test_a_finger_whose_travel_is_a_few_counts_is_said():
    """22 mm: 14 counts of a servo, for which a metre is a radian, and 90 of 4096 per metre. A pinion of 10 mm helps."""
    text = """<robot name="hand"><link name="a"/><link name="b"><inertial><mass value="0.05"/>
      <inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="finger"
      type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
      <limit lower="0.015" upper="0.037" effort="5" velocity="1"/></joint>{pinion}</robot>"""
    pinion = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="finger"/>
      <actuator name="m"><mechanicalReduction>100</mechanicalReduction></actuator></transmission>"""

    def said(protocol, pinion="", old="", new=""):
        notes = Rig.of(gw.loads(text.format(pinion=pinion).replace(old, new)), protocol).notes
        return [note.split(":")[0] for note in notes if "counts of the encoder are the joint's whole travel" in note]

    assert said("feetech") == said("dynamixel") == ["finger 14"]
    assert said("lx16a") == ["finger 5"] and said("cia402") == ["finger 90"]
    assert said("odrive") == said("moteus") == said("damiao") == []  # positions are not counts
    assert said("feetech", pinion) == said("dynamixel", pinion) == said("cia402", pinion) == []
    assert said("feetech", old='lower="0.015" upper="0.037"', new='lower="0" upper="0"') == []  # no travel


def test_joints_without_an_actuator_are_said():
    """A file with actuators for some joints: the others hang, though the user may think that all are served."""
    second = """<link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
      </inertial></link><joint name="elbow" type="continuous"><parent link="b"/><child link="c"/>{more}</joint>"""
    text = URDF.format(device="")
    free = text.replace("</robot>", second.format(more="") + "</robot>")
    assert Rig.of(gw.loads(free), "odrive").notes == (
        "elbow: no actuator in the file, so it moves freely; --devices or --node gives it a drive",
    )
    for given in ({"nodes": {"elbow": 7}}, {"written": {"elbow": DeviceBinding(protocol="odrive", node=7)}}):
        rig = Rig.of(gw.loads(free), "odrive", **given)
        assert [(b.actuator, b.node) for b in rig.bound if b.node == 7] == [("elbow", 7)] and not rig.notes
        assert len(rig.bound) == len(gw.loads(free).actuators) + 1
    mimic = text.replace("</robot>", second.format(more='<mimic joint="j"/>') + "</robot>")
    assert Rig.of(gw.loads(mimic), "odrive").notes == Rig.of(gw.loads(text), "odrive").notes == ()


def test_a_model_that_the_file_overrules_is_said():
    robot = load('<device protocol="feetech" node="1" model="sts3250"/>')
    assert Rig.of(robot, model="sts3215").notes == ("model sts3215 has no effect on m: the file binds it itself",)
    assert Rig.of(robot, model="sts3250").notes == ()


def test_products_bring_rotor_and_losses_where_the_file_has_none():
    rig = Rig.of(load(""), "feetech", model="sts3215-bam-m1")
    motor = rig.plant.sim.robot.actuators["m"]
    assert motor.rotor_inertia == 0.0284 and motor.friction == 0.0524 and motor.damping == 0.0591
    rough = URDF.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><dynamics damping="0.1" friction="0.1"/>')
    motor = Rig.of(gw.loads(rough.format(device="")), "feetech", model="sts3215-bam-m1").plant.sim.robot.actuators["m"]
    assert motor.rotor_inertia == 0.0284 and motor.friction == motor.damping == 0.0
    geared = Rig.of(gw.loads(GEARED.format(ratio=50)), "feetech", model="sts3215-bam-m1").plant.sim.robot.actuators["m"]
    assert geared.rotor_inertia == pytest.approx(0.0284 / 2500) and geared.torque_constant == pytest.approx(1.2116 / 50)
