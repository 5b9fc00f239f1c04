"""A URDF that an SDFormat file includes, and models in SDFormat inside of a URDF's <gazebo> blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.diagnostics import Diagnostic
from gearwright.formats.paths import includes
from tests.tolerances import ROUNDING

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
SDF_MASS = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
ARM = f"""<robot name="arm"><link name="upper">{MASS}</link><link name="hand">{MASS}</link>
<joint name="wrist" type="revolute"><origin xyz="0 0 2" rpy="0 0 1.5707963267948966"/><parent link="upper"/>
<child link="hand"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="2" velocity="3"/></joint>
<joint name="twin" type="continuous"><parent link="hand"/><child link="tip"/><axis xyz="1 0 0"/>
<mimic joint="wrist" multiplier="2"/></joint><link name="tip">{MASS}</link>
<transmission name="t"><type>SimpleTransmission</type><joint name="wrist"/>
<actuator name="m"><mechanicalReduction>5</mechanicalReduction></actuator></transmission>
<ros2_control name="system" type="system"><hardware><plugin>p</plugin></hardware><joint name="wrist"/></ros2_control>
</robot>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models" / "arm").mkdir(parents=True)
    (tmp_path / "models" / "arm" / "arm.urdf").write_text(ARM)
    (tmp_path / "models" / "arm" / "model.config").write_text("<model><name>arm</name><sdf>arm.urdf</sdf></model>")
    return tmp_path


def loaded(folder: Path, content: str, **options: object) -> gw.Mechanism:
    (folder / "file.sdf").write_text(f'<sdf version="1.9">{content}</sdf>')
    return gw.load(folder / "file.sdf", search_path=[folder / "models"], **options)  # type: ignore[arg-type]


def place(robot: gw.Mechanism, link: str) -> list[float]:
    return np.asarray(robot.forward_kinematics({})[link])[:3, 3].tolist()


def warnings(robot: gw.Mechanism) -> list[Diagnostic]:
    return [d for d in robot.diagnostics if d.severity == "warning"]


# --- a URDF in SDFormat -----------------------------------------------------------------------------------------------

INCLUDE = "<include{}><uri>model://arm</uri>{}<pose>1 0 0 0 0 1.5707963267948966</pose>{}</include>"
OUTER = '<model name="outer"><link name="base">' + SDF_MASS + "</link>{}</model>"


def test_an_included_urdf_is_a_nested_model(folder: Path) -> None:
    tied = '<joint name="j" type="fixed"><parent>base</parent><child>arm::upper</child></joint>'
    robot = loaded(folder, OUTER.format(INCLUDE.format("", "", "") + tied))
    assert list(robot.links) == ["arm::upper", "arm::hand", "arm::tip", "base"]
    assert (list(robot.actuators), list(robot.transmissions)) == (["arm::m"], ["arm::t"])
    assert [j.name for j in robot.hardware["arm::system"].joints] == ["arm::wrist"]
    assert robot.couplings["arm::twin"].leader.joint == "arm::wrist"
    assert robot.dof == 6 + 1
    assert warnings(robot) == []
    np.testing.assert_allclose(place(robot, "arm::hand"), [1, 0, 2], atol=ROUNDING)
    turned = np.asarray(robot.forward_kinematics({})["arm::hand"])[:3, :3]
    np.testing.assert_allclose(turned, np.diag([-1, -1, 1]), atol=ROUNDING)  # half a turn of pose and origin together
    assert robot.joints["arm::wrist"].axes[0].limits.upper == 1.0
    gw.compile(robot).step(n=3)


def test_an_included_urdf_may_be_renamed_placed_and_merged(folder: Path) -> None:
    renamed = loaded(folder, OUTER.format(INCLUDE.format("", "<name>left</name>", "")))
    assert "left::hand" in renamed.links
    put = loaded(folder, OUTER.format(INCLUDE.format("", "", "<placement_frame>hand</placement_frame>")))
    np.testing.assert_allclose(place(put, "arm::hand"), [1, 0, 0], atol=ROUNDING)
    frame = '<frame name="f" attached_to="hand"/><frame name="g" attached_to="wrist"/>'
    merged = loaded(folder, OUTER.format(INCLUDE.format(' merge="true"', "", "") + frame))
    assert list(merged.links) == ["base", "upper", "hand", "tip"]
    assert [merged.frames[n].link for n in "fg"] == ["hand", "hand"]
    np.testing.assert_allclose(place(merged, "hand"), [1, 0, 2], atol=ROUNDING)


@pytest.mark.parametrize("model", [None, "arm", "*"])
def test_a_urdf_in_a_world(folder: Path, model: str | None) -> None:
    world = f'<world name="w">{INCLUDE.format("", "", "")}</world>'
    robot = loaded(folder, world, model=model)
    prefix = "arm::" if model == "*" else ""
    np.testing.assert_allclose(place(robot, f"{prefix}hand"), [1, 0, 2], atol=ROUNDING)
    assert robot.dof == 7  # it floats, as models do
    still = loaded(folder, world.replace("</include>", "<static>true</static></include>"), model=model)
    assert still.dof == 1


def test_a_urdf_of_its_own_world(folder: Path) -> None:
    tied = ARM.replace("<ros2_control", '<link name="world"/><joint name="tie" type="fixed"><origin xyz="0 0 5"/>'
                       '<parent link="world"/><child link="upper"/></joint><ros2_control')  # fmt: skip
    (folder / "models" / "arm" / "arm.urdf").write_text(tied)
    two = INCLUDE.format("", "", "") + INCLUDE.format("", "<name>other</name>", "")
    robot = loaded(folder, f'<model name="outer">{two}</model>')
    assert robot.dof == 2
    np.testing.assert_allclose(place(robot, "other::hand"), [1, 0, 7], atol=ROUNDING)


def test_a_file_by_its_name_and_errors_at_their_lines(folder: Path) -> None:
    (folder / "arm.urdf").write_text(ARM)
    by_name = "<include><uri>arm.urdf</uri></include>"
    assert list(loaded(folder, OUTER.format(by_name)).links) == ["arm::upper", "arm::hand", "arm::tip", "base"]
    (folder / "arm.urdf").write_text(ARM.replace('child link="hand"', 'child link="hnad"'))
    with pytest.raises(gw.LoadError) as caught:
        loaded(folder, OUTER.format(by_name))
    error = next(d for d in caught.value.diagnostics if d.severity == "error")
    assert (Path(error.file).name, error.line, "did you mean" in error.message) == ("arm.urdf", 3, True)


def test_other_files_are_not_included(folder: Path) -> None:
    (folder / "arm.urdf").write_text('<robot xmlns:xacro="x"><xacro:property name="p" value="1"/></robot>')
    with pytest.raises(gw.LoadError, match="include-not-found"):
        loaded(folder, OUTER.format("<include><uri>arm.urdf</uri></include>"))


def test_a_file_is_parsed_once_however_often_it_is_included(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    whole = includes.parse
    monkeypatch.setattr(includes, "parse", lambda data, file, *rest: parsed.append(file) or whole(data, file, *rest))
    content = "".join(INCLUDE.format("", f"<name>arm{i}</name>", "") for i in range(50))
    robot = loaded(folder, f'<model name="m">{content}</model>')
    assert [Path(f).name for f in parsed] == ["arm.urdf"]
    assert len(robot.links) == 150
    assert robot.joints["arm7::wrist"].child == "arm7::hand"


# --- SDFormat in a URDF -----------------------------------------------------------------------------------------------

LIGHT = f"""<gazebo><model name="light"><pose>0.4 0 0 0 0 0</pose><link name="bulb"><pose>0 0 1 0 0 0</pose>{SDF_MASS}
</link><model name="inner"><link name="wire">{SDF_MASS}</link></model></model></gazebo>"""
JOINT = '<gazebo><joint name="hold" type="{}"><parent>arch</parent><child>light::{}</child>{}</joint></gazebo>'
HUSKY = '<robot name="husky"><link name="arch">' + MASS + "</link>{}</robot>"
HINGE = "<axis><xyz>0 1 0</xyz></axis>"


def test_a_model_inside_gazebo_is_read() -> None:
    robot = gw.loads(HUSKY.format(LIGHT + JOINT.format("revolute", "bulb", HINGE)))
    assert list(robot.links) == ["arch", "light::inner::wire", "light::bulb"]
    assert robot.joints["hold"].child == "light::bulb"
    np.testing.assert_allclose(place(robot, "light::bulb"), [0.4, 0, 1], atol=ROUNDING)
    assert robot.dof == 1 + 6  # the hinge, and the wire, which nothing holds
    assert robot.bases["base_light::inner::wire"].kind == "floating" and robot.bases["base"].kind == "fixed"
    assert warnings(robot) == []


def test_where_a_joint_of_gazebo_stands() -> None:
    robot = gw.loads(HUSKY.format(LIGHT + JOINT.format("revolute", "bulb", f"{HINGE}<pose>0 0 -1 0 0 0</pose>")))
    np.testing.assert_allclose(robot.joints["hold"].X_PJ.p, [0.4, 0, 0], atol=ROUNDING)
    moved = np.asarray(robot.forward_kinematics({"hold": np.pi / 2})["light::bulb"])[:3, 3]
    np.testing.assert_allclose(moved, [1.4, 0, 0], atol=ROUNDING)


def test_a_static_model_inside_gazebo_is_fixed() -> None:
    static = LIGHT.replace("<pose>0.4", "<static>true</static><pose>0.4")
    robot = gw.loads(HUSKY.format(static))
    assert robot.dof == 0
    np.testing.assert_allclose(place(robot, "light::inner::wire"), [0.4, 0, 0], atol=ROUNDING)


def test_an_include_inside_gazebo(folder: Path) -> None:
    hold = JOINT.format("fixed", "upper", "").replace("light::", "arm::")
    include = "<gazebo><include><uri>model://arm</uri></include></gazebo>"
    file = folder / "husky.urdf"
    file.write_text(HUSKY.format(include + hold))
    assert gw.load(file, search_path=[folder / "models"]).dof == 1
    robot = gw.load(file)
    assert [d.code for d in warnings(robot)] == ["include-not-found", "link-not-found"]
    assert list(robot.links) == ["arch"]


def test_a_joint_to_a_model_that_is_not_there_is_left_out() -> None:
    text = HUSKY.format(JOINT.format("fixed", "bulb", ""))
    robot = gw.loads(text)
    assert not robot.joints
    assert [(d.severity, d.code) for d in robot.diagnostics] == [("warning", "link-not-found")]
    with pytest.raises(gw.LoadError, match="light::bulb"):
        gw.loads(text, strict=True)


def test_a_joint_to_a_link_that_is_not_there_stays_an_error() -> None:
    with pytest.raises(gw.LoadError, match="link-not-found"):
        gw.loads(HUSKY.format(JOINT.format("fixed", "bulb", "").replace("light::", "")))
    with pytest.raises(gw.LoadError, match="link-not-found"):
        gw.loads(HUSKY.format(LIGHT + JOINT.format("fixed", "blub", "")))


def test_two_roots_of_the_urdf_itself_stay_an_error() -> None:
    with pytest.raises(gw.LoadError, match="there are 2 root links"):
        gw.loads(HUSKY.format(f'<link name="other">{MASS}</link>{LIGHT}'))


def test_models_in_settings_of_one_link_are_left_to_gazebo() -> None:
    assert list(gw.loads(HUSKY.format(LIGHT.replace("<gazebo>", '<gazebo reference="arch">'))).links) == ["arch"]
