"""Worlds as they are written: lights and actors, frames that place a robot, several worlds, names that clash."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.diagnostics import Diagnostic
from tests.tolerances import ROUNDING

BODY = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
LINK = f'<link name="l">{BODY}</link>'
ARM = f'<model name="arm">{LINK}</model>'


def world(inner: str, version: str = "1.11", name: str = "w") -> str:
    return f'<sdf version="{version}">\n<world name="{name}">\n{inner}\n</world>\n</sdf>'


def errors(text: str, **options: object) -> list[Diagnostic]:
    with pytest.raises(gw.LoadError) as caught:
        gw.loads(text, **options)  # type: ignore[arg-type]
    return [d for d in caught.value.diagnostics if d.severity == "error"]


def said(robot: gw.Mechanism, code: str) -> list[tuple[str, int]]:
    return [(d.severity, d.line) for d in robot.diagnostics if d.code == code]


def position(robot: gw.Mechanism, link: str = "l") -> list[float]:
    found: list[float] = robot.forward_kinematics()[link][:3, 3].tolist()
    return found


# --- comments ---------------------------------------------------------------------------------------------------------


def test_a_comment_with_hyphens_is_read_leniently() -> None:
    robot = gw.loads(world(f"<!-- gz sim\n --verbose -->{ARM}<!-- a --- b ---><!-- c -->"))
    assert said(robot, "xml-lenient") == [("warning", 4)]
    assert list(robot.links) == ["l"]


@pytest.mark.parametrize("text", ["<!-- -- ", "<!-- a --> </b>", "<!-- -- --> <", "<!-- - --></model>"])
def test_what_else_is_wrong_stays_an_error(text: str) -> None:
    assert [d.code for d in errors(world(ARM + text))] == ["xml-malformed"]


def test_a_comment_in_cdata_is_none() -> None:
    robot = gw.loads(world(f"{ARM}<plugin name='p' filename='p.so'><![CDATA[<!-- a -- b ]]></plugin><!-- c -- d -->"))
    assert said(robot, "xml-lenient") == [("warning", 3)]


# --- frames of the world ----------------------------------------------------------------------------------------------

FRAMES = (
    f'<frame name="table"><pose>1 2 3 0 0 {pi / 2!r}</pose></frame>'
    '<frame name="corner"><pose relative_to="table">1 0 0 0 0 0</pose></frame>'
)
PLACED = ARM.replace("<link", '<pose relative_to="{}">0 0 0.5 0 0 0</pose><link')


@pytest.mark.parametrize("model", [None, "arm", "w::arm"])
def test_frames_of_the_world_place_a_robot(model: str | None) -> None:
    robot = gw.loads(world(FRAMES + PLACED.format("corner")), model=model)
    assert position(robot) == pytest.approx([1, 3, 3.5], rel=ROUNDING)
    assert not robot.diagnostics


def test_with_all_models_a_robot_stands_at_the_same_place() -> None:
    robot = gw.loads(world(FRAMES + PLACED.format("corner")), model="*")
    assert position(robot, "arm::l") == pytest.approx([1, 3, 3.5], rel=ROUNDING)


@pytest.mark.parametrize("frame", ["shelf", "shelf::top", "shelf::l"])
def test_another_model_places_a_robot(frame: str) -> None:
    shelf = f'<model name="shelf"><pose relative_to="table">0 0 1 0 0 0</pose>{LINK}<frame name="top"/></model>'
    robot = gw.loads(world(FRAMES + shelf + PLACED.format(frame)), model="arm")
    assert position(robot) == pytest.approx([1, 2, 4.5], rel=ROUNDING)


def test_a_frame_that_does_not_exist() -> None:
    (error,) = errors(world(FRAMES + PLACED.format("tabel")))
    assert error.code == "frame-not-found"
    assert "did you mean 'table'?" in error.message
    assert error.line == 3


def test_frames_that_place_each_other() -> None:
    circle = '<frame name="a"><pose relative_to="b"/></frame><frame name="b"><pose relative_to="a"/></frame>'
    assert {e.code for e in errors(world(circle + PLACED.format("a")))} == {"frame-cycle"}


def test_a_joint_of_the_world_is_read_with_all_models_only() -> None:
    text = world(f'{ARM}\n<joint name="held" type="fixed"><parent>world</parent><child>arm::l</child></joint>')
    assert ("warning", 4) in said(gw.loads(text), "element-ignored")
    assert list(gw.loads(text, model="*").joints) == ["held"]


# --- which world, which model -----------------------------------------------------------------------------------------

TWO = (
    f'<sdf version="1.11">\n<world name="a">{ARM}</world>\n<world name="b"><gravity>0 0 -1</gravity>{ARM}</world></sdf>'
)


def test_a_model_of_one_of_several_worlds() -> None:
    (error,) = errors(TWO, model="arm")
    assert error.code == "model-choice"
    assert "'a::arm', 'b::arm'" in error.message
    assert gw.loads(TWO, model="b::arm").gravity == (0, 0, -1)
    assert gw.loads(TWO, model="a::arm").gravity == (0, 0, -9.8)


def test_models_of_several_worlds_are_listed_by_names_that_choose_them() -> None:
    with pytest.raises(gw.LoadError, match=r"model='a::arm'.*'a::arm', 'b::arm'"):
        gw.loads(TWO)


def test_all_models_of_one_of_several_worlds() -> None:
    first = gw.loads(TWO, model="*")
    assert said(first, "model-choice") == [("warning", 3)]
    assert (first.name, gw.loads(TWO, model="b::*").name) == ("a", "b")
    assert "did you mean" in errors(TWO.replace('"b"', '"broad"'), model="brod::*")[0].message


def test_all_models_of_a_file_without_a_world() -> None:
    text = f'<sdf version="1.6"><model name="a">{LINK}</model><model name="b">{LINK}</model></sdf>'
    robot = gw.loads(text, model="*")
    assert list(robot.links) == ["a::l", "b::l"]
    assert not robot.diagnostics


def test_what_is_not_loaded_is_named_once() -> None:
    robot = gw.loads(world(f'{ARM}\n<model name="table">{LINK}</model>'), model="arm")
    assert [(d.severity, d.code, d.line) for d in robot.diagnostics] == [("info", "element-ignored", 4)]


@pytest.mark.parametrize("version", ["1.6", "1.11"])
def test_models_of_one_name_are_numbered(version: str) -> None:
    robot = gw.loads(world(f"{ARM}\n{ARM}\n{ARM}", version), model="*")
    assert list(robot.links) == ["arm::l", "arm_1::l", "arm_2::l"]
    assert said(robot, "name-duplicate") == [("warning", 4), ("warning", 5)]
    assert len(robot.bases) == 3


def test_a_number_that_is_taken_is_left_alone() -> None:
    robot = gw.loads(world(f"{ARM}{ARM.replace('arm', 'arm_1')}{ARM}"), model="*")
    assert sorted(robot.links) == ["arm::l", "arm_1::l", "arm_2::l"]


def test_the_first_of_two_models_of_one_name_is_chosen() -> None:
    robot = gw.loads(world(f"{ARM}\n{ARM}"), model="arm")
    assert said(robot, "name-duplicate") == [("warning", 4)]


# --- includes ---------------------------------------------------------------------------------------------------------

CONFIG = '<?xml version="1.0"?>\n<model><name>box</name>{}</model>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "box").mkdir()
    return tmp_path


def included(folder: Path, uri: str = "model://box", more: str = "", **options: object) -> gw.Mechanism:
    (folder / "w.sdf").write_text(world(f"<include><uri>{uri}</uri>{more}</include>"))
    return gw.load(folder / "w.sdf", **options)  # type: ignore[arg-type]


def write(folder: Path, config: str, *versions: str) -> None:
    (folder / "box" / "model.config").write_text(CONFIG.format(config))
    for v in versions:
        model = f'<model name="box"><link name="of_{v}">{BODY}</link></model>'
        (folder / "box" / f"{v}.sdf").write_text(f'<sdf version="1.6">{model}</sdf>')


@pytest.mark.parametrize(
    ("listed", "taken"),
    [
        ("1.5 1.10 1.9", "1.10"),  # by number, not by letter
        ("1.12 1.6", "1.12"),
        ("1.5 1.99 2.0", "1.5"),  # newer than what is read here
        ("1.99 2.0", "1.99"),  # all are: the first
        ("1.4", "1.4"),
    ],
)
def test_model_config_says_which_file(folder: Path, listed: str, taken: str) -> None:
    versions = listed.split()
    write(folder, "".join(f'<sdf version="{v}">{v}.sdf</sdf>' for v in versions), *versions)
    assert list(included(folder).links) == [f"of_{taken}"]
    assert list(included(folder, "box").links) == [f"of_{taken}"]  # a folder beside the file, too


def test_model_config_without_a_version(folder: Path) -> None:
    write(folder, "<sdf>1.5.sdf</sdf><sdf>1.6.sdf</sdf>", "1.5", "1.6")
    robot = included(folder)
    assert list(robot.links) == ["of_1.5"]
    assert said(robot, "version-unknown") == [("warning", 2), ("warning", 2)]


def test_the_older_name_of_model_config(folder: Path) -> None:
    write(folder, '<sdf version="1.5">1.5.sdf</sdf>', "1.5")
    (folder / "box" / "model.config").rename(folder / "box" / "manifest.xml")
    assert list(included(folder).links) == ["of_1.5"]


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ("", "include-not-found"),
        ("<sdf version='1.5'/>", "include-not-found"),
        ("<sdf version='1.5'>nothing.sdf</sdf>", "include-not-found"),
        ("<sdf version='1.5'>../../out.sdf</sdf>", "include-unsafe"),
        ("<sdf version='1.5'>", "xml-malformed"),
        ("<a/>" * 2000, "xml-unsafe"),
    ],
)
def test_a_model_config_that_leads_nowhere(folder: Path, config: str, code: str) -> None:
    here = folder / "here"
    here.mkdir()
    (folder / "box").rename(here / "box")
    write(here, config)
    (folder / "out.sdf").write_text(f'<sdf version="1.6"><model name="out">{LINK}</model></sdf>')
    with pytest.raises(gw.LoadError) as caught:
        included(here)
    assert code in [d.code for d in caught.value.diagnostics if d.severity == "error"]


def test_a_folder_that_is_a_link_to_elsewhere_is_not_read(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write(folder, '<sdf version="1.5">1.5.sdf</sdf>', "1.5")
    (folder / "box").rename(elsewhere / "box")
    (folder / "box").symlink_to(elsewhere / "box")
    with pytest.raises(gw.LoadError, match="include-unsafe"):
        included(folder)


@pytest.mark.parametrize("tag", ["light", "actor"])
def test_lights_and_actors_may_be_included(folder: Path, tag: str) -> None:
    (folder / "box" / "model.sdf").write_text(f'<sdf version="1.9"><{tag} name="x"/></sdf>')
    (folder / "w.sdf").write_text(world(f"{ARM}\n<include><uri>model://box</uri></include>"))
    for model in (None, "*"):
        robot = gw.load(folder / "w.sdf", model=model)
        assert said(robot, "element-ignored") == [("info", 4)]
        assert len(robot.links) == 1


def test_the_pose_of_an_include_counts(folder: Path) -> None:
    (folder / "box" / "model.sdf").write_text(
        f'<sdf version="1.9"><model name="box"><pose>9 9 9 0 0 0</pose>{LINK}</model></sdf>'
    )
    assert position(included(folder)) == [9, 9, 9]
    assert position(included(folder, more="<pose>1 2 3 0 0 0</pose>")) == [1, 2, 3]
    still = included(folder, more="<pose>1 2 3 0 0 0</pose><static>true</static>")
    assert [j.kind for j in still.bases.values()] == ["fixed"]
    np.testing.assert_array_equal(still.forward_kinematics()["l"][:3, 3], [1, 2, 3])


def test_gazebos_own_empty_world_is_read() -> None:
    """As gz-sim writes it: `--` in a comment, plugins, a light, and a ground that does not move."""
    text = """<?xml version="1.0" ?>
<!--
  gz sim empty.sdf --render-engine ogre
-->
<sdf version="1.6"><world name="empty">
  <physics name="1ms" type="ignored"><max_step_size>0.001</max_step_size></physics>
  <plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics"/>
  <light type="directional" name="sun"/>
  <model name="ground"><static>true</static><link name="link"/></model>
</world></sdf>"""
    robot = gw.loads(text)
    assert robot.name == "ground"
    assert said(robot, "xml-lenient") == [("warning", 3)]


def test_a_placement_frame_that_does_not_exist() -> None:
    model = ARM.replace('name="arm"', 'name="arm" placement_frame="gripper"')
    assert [d.code for d in errors(world(model))] == ["frame-not-found"]


@pytest.mark.parametrize("merge", ["true", "false"])
def test_a_placement_frame_of_an_include_that_does_not_exist(folder: Path, merge: str) -> None:
    (folder / "box" / "model.sdf").write_text(f'<sdf version="1.9"><model name="box">{LINK}</model></sdf>')
    include = f'<include merge="{merge}"><uri>model://box</uri><placement_frame>x</placement_frame></include>'
    (folder / "m.sdf").write_text(f'<sdf version="1.9"><model name="m"><link name="a"/>{include}</model></sdf>')
    with pytest.raises(gw.LoadError, match="frame-not-found"):
        gw.load(folder / "m.sdf")


# --- robots and what is around them -----------------------------------------------------------------------------------

SHAPE = "<collision name='c'><geometry><plane/></geometry></collision>"
GROUND = f"<model name='ground'><static>true</static><pose>0 0 -1 0 0 0</pose><link name='plate'>{SHAPE}</link></model>"
SCENERY = "<model name='sky'><static>true</static><link name='dome'/></model>"
CUBE = f"<model name='cube'><pose>1 0 0 0 0 0</pose><link name='l'>{SHAPE}</link></model>"
FREE_ARM = (
    "<model name='arm'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent>a</parent>"
    "<child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model>"
)


def test_static_models_are_the_environment_of_the_one_that_moves() -> None:
    robot = gw.loads(world(ARM + GROUND + SCENERY))
    assert robot.name == "arm"
    assert "ground::plate" in robot.links
    assert "sky::dome" not in robot.links  # nothing can touch it
    assert all("::" not in name for name in robot.joints)
    (base,) = [b for b in robot.bases.values() if b.child == "ground::plate"]
    assert base.kind == "fixed"
    assert base.X_PJ.p.tolist() == [0, 0, -1]
    assert "ground::plate" not in gw.loads(world(ARM + GROUND), model="arm").links


def test_a_static_model_that_cannot_be_read_is_left_out() -> None:
    broken = GROUND.replace("</link>", "</link><link name='plate'/>")
    with pytest.warns(gw.LoadWarning, match="model 'ground' is left out"):
        robot = gw.loads(world(ARM + broken))
    assert robot.name == "arm"


def test_several_models_that_move_are_one_mechanism() -> None:
    robot = gw.loads(world(FREE_ARM + CUBE + GROUND))
    assert list(robot.joints) == ["arm::j"]
    assert {b.child: (n, b.kind) for n, b in robot.bases.items()} == {
        "arm::a": ("arm::base", "floating"), "cube::l": ("cube", "floating"), "ground::plate": ("ground", "fixed"),
    }  # fmt: skip
    assert {"cube.x", "arm::base.x", "arm::j"} <= set(robot.layout.velocities)
    assert robot.poses()["cube::l"].p.tolist() == [1, 0, 0]


def test_joints_between_models_tie_them() -> None:
    tie = (
        "<joint name='hinge' type='revolute'><parent>arm::b</parent><child>cube::l</child>"
        "<axis><xyz>0 0 1</xyz></axis></joint>"
    )
    robot = gw.loads(world(FREE_ARM + CUBE + tie))
    assert robot.joints["hinge"].parent == "arm::b"
    assert [b.child for b in robot.bases.values()] == ["arm::a"]


def test_an_include_is_reported_once() -> None:
    missing = "<include><uri>model://none</uri></include>"
    with pytest.warns(gw.LoadWarning):
        robot = gw.loads(world(FREE_ARM + CUBE + missing))
    assert len([d for d in robot.diagnostics if d.code == "include-not-found"]) == 1
