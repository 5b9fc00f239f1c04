"""One rule from an axis to its coordinate, one for the transmission that acts, one for rotors."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.model import JOINT_KINDS, Axis, AxisRef, Joint
from gearwright.model.layout.layout import can_move, coordinate_of

INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)  # fmt: skip


def gear(name: str, joint: str) -> str:
    return f"""<transmission name="{name}"><type>transmission_interface/SimpleTransmission</type><joint name="{joint}">
<hardwareInterface>x</hardwareInterface></joint><actuator name="m"><mechanicalReduction>10</mechanicalReduction>
</actuator></transmission>"""


PLANAR = f"""<robot name="p"><link name="base"/><link name="b">{INERTIAL}</link>
<joint name="pl" type="planar"><parent link="base"/><child link="b"/><axis xyz="0 0 1"/></joint>
{gear("t", "pl")}</robot>"""
FIXED_FIRST = f"""<robot name="p"><link name="base"/><link name="b">{INERTIAL}</link><link name="c">{INERTIAL}</link>
<joint name="f" type="fixed"><parent link="base"/><child link="b"/></joint>
<joint name="j" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint>
{gear("t1", "f")}{gear("t2", "j")}
<ros2_control name="hw" type="system"><hardware><plugin>x</plugin></hardware><joint name="j">
<command_interface name="position"/><state_interface name="position"/></joint></ros2_control></robot>"""


@pytest.mark.filterwarnings("ignore:.*moves nothing:gearwright.LoadWarning")
def test_a_transmission_on_a_planar_joint_moves_nothing_as_it_says() -> None:
    """It was said to move nothing, and turned `rz`."""
    robot = gw.loads(PLANAR)
    assert "transmission-joint-fixed" in [d.code for d in robot.diagnostics]
    assert not robot.acting and not robot.has_axis(AxisRef("pl"))
    with pytest.warns(gw.NotSimulatedWarning, match="joints that cannot move do not act: 't'"):
        sim = gw.compile(robot)
    with pytest.raises(gw.GearwrightError, match="no actuator of this robot is connected"):
        sim.step(command={"m": 1.0})


@pytest.mark.filterwarnings("ignore:.*moves nothing:gearwright.LoadWarning")
def test_servos_take_the_transmission_that_acts() -> None:
    """A second motor was put on a joint whose motor's first transmission goes to a fixed joint."""
    robot = gw.loads(FIXED_FIRST)
    assert {name: t.name for name, t in robot.acting.items()} == {"m": "t2"}
    with_servos = gw.with_servos(robot)
    assert {name: type(a).__name__ for name, a in with_servos.actuators.items()} == {"m": "Servo"}


@pytest.mark.parametrize("kind", list(JOINT_KINDS.rows))
def test_axes_and_coordinates(kind: str) -> None:
    axes = (Axis(xyz=(0, 0, 1)), Axis(xyz=(0, 1, 0)))[: JOINT_KINDS[kind].axes]
    joint = Joint(name="j", kind=kind, parent="a", child="b", axes=axes)
    names = [coordinate_of(joint, AxisRef("j", i)) for i in range(len(axes))]
    expected = {"fixed": [], "planar": ["j.rz"], "ball": [], "floating": [], "universal": ["j.axis", "j.axis2"]}
    assert names == expected.get("universal" if len(axes) == 2 else kind, ["j"])
    assert [can_move(joint, AxisRef("j", i)) for i in range(2)] == [i < len(joint.refs) for i in range(2)]
    assert all(name in joint.positions for name in names)


@pytest.mark.filterwarnings("ignore:.*moves nothing:gearwright.LoadWarning")
def test_a_layout_by_index() -> None:
    robot = gw.loads(FIXED_FIRST)
    assert robot.layout.velocities == robot.tree.coordinates
    assert robot.layout.axes == {AxisRef("j"): (0, 0)} and not robot.layout.rotors
