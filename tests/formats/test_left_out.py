"""What the mechanism is sound without is left out with a warning, and is an error with `strict`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import gearwright as gw
from gearwright.cli import app
from gearwright.diagnostics import Diagnostic
from tests.corpus.files import corpus, robot_data
from tests.formats.arms import text

PLUGIN = "<plugin>transmission_interface/SimpleTransmission</plugin>"
SIMPLE = "<type>transmission_interface/SimpleTransmission</type>"
ROS1 = (
    f'\n<transmission name="gone">{SIMPLE}<joint name="zetta"/><actuator name="gone_motor"/></transmission>'
    f'\n<transmission name="kept">{SIMPLE}<joint name="zeta"/><actuator name="motor"/></transmission>'
)


def strict_errors(parts: str) -> list[Diagnostic]:
    with pytest.raises(gw.LoadError) as caught:
        gw.loads(text(parts), strict=True)
    return [d for d in caught.value.diagnostics if d.severity == "error"]


def warnings(robot: gw.Mechanism) -> list[Diagnostic]:
    return [d for d in robot.diagnostics if d.severity == "warning" and "mechanicalReduction" not in d.message]


# --- transmissions ----------------------------------------------------------------------------------------------------


def test_a_transmission_of_no_joint_is_left_out_with_its_actuator() -> None:
    robot = gw.loads(text(ROS1))
    assert (list(robot.transmissions), list(robot.actuators)) == (["kept"], ["motor"])
    (d,) = warnings(robot)
    assert (d.code, d.line) == ("transmission-joint-not-found", 2)
    assert "did you mean 'zeta'?; it is left out, and so is its actuator 'gone_motor'" in d.message
    gw.compile(robot)
    (error,) = strict_errors(ROS1)
    assert (error.code, error.line) == ("transmission-joint-not-found", 2)


def test_a_transmission_that_names_a_joint_twice_is_left_out() -> None:
    ends = '<actuator role="actuator1">m</actuator><actuator role="actuator2">n</actuator>'
    joints = '<joint role="joint1">zeta</joint><joint role="joint2">zeta</joint>'
    motors = '<actuator name="m"/><actuator name="n"/>'
    parts = f'{motors}\n<transmission name="t" type="differential">{ends}{joints}</transmission>'
    robot = gw.loads(text(parts))
    assert not robot.transmissions
    (d,) = warnings(robot)
    assert (d.code, d.line) == ("transmission-repeats", 2)
    assert "joint 'zeta' is named twice; it is left out; actuator 'm', 'n' does not act through it" in d.message
    (error,) = strict_errors(parts)
    assert (error.code, error.line) == ("transmission-repeats", 2)


def test_an_actuator_that_another_transmission_drives_stays() -> None:
    robot = gw.loads(text(ROS1.replace("gone_motor", "motor")))
    assert list(robot.actuators) == ["motor"]


def test_an_actuator_that_the_file_declares_stays() -> None:
    ends = "<actuator>m</actuator><joint>x</joint>"
    parts = f'<actuator name="m"/>\n<transmission name="t" type="simple">{ends}</transmission>'
    robot = gw.loads(text(parts))
    assert (list(robot.transmissions), list(robot.actuators)) == ([], ["m"])
    assert "actuator 'm' does not act through it" in warnings(robot)[0].message


@pytest.mark.parametrize("target", ["<transmission>gone</transmission>", "<actuator>gone_motor</actuator>"])
def test_an_encoder_of_what_is_left_out_is_left_out(target: str) -> None:
    robot = gw.loads(
        text(f'{ROS1}\n<encoder name="e">{target}</encoder><encoder name="f"><joint>zeta</joint></encoder>')
    )
    assert list(robot.sensors) == ["f"]
    assert ("encoder-target-not-found", 4) in [(d.code, d.line) for d in warnings(robot)]


def test_one_missing_joint_of_two_leaves_the_transmission_out() -> None:
    parts = (
        '<transmission name="d" type="differential"><actuator name="m" role="actuator1"/>'
        '<actuator name="n" role="actuator2"/><joint name="zeta" role="joint1"/><joint name="x" role="joint2"/>'
        "</transmission>"
    )
    robot = gw.loads(text(parts))
    assert not robot.transmissions and not robot.actuators


def test_the_hardware_forgets_a_transmission_that_is_left_out() -> None:
    parts = (
        '<ros2_control name="s" type="system"><hardware><plugin>p</plugin></hardware><joint name="zeta"/>'
        f'<transmission name="t">{PLUGIN}<joint name="x"/></transmission>'
        f'<transmission name="u">{PLUGIN}<joint name="zeta"/></transmission></ros2_control>'
    )
    assert gw.loads(text(parts)).hardware["s"].transmissions == ("u",)


@pytest.mark.parametrize("name", ["valkyrie_A.urdf", "talos_left_arm.urdf"])
def test_variants_of_robots_load(name: str) -> None:
    folders = [f for f in (corpus(), robot_data()) if f is not None]
    found = next((p for f in folders for p in f.rglob(name)), None)
    if found is None:
        pytest.skip(f"{name} is not here")
    robot = gw.load(found)
    assert {d.code for d in warnings(robot)} >= {"transmission-joint-not-found"}
    with pytest.raises(gw.LoadError) as caught:
        gw.load(found, strict=True)
    assert {d.code for d in caught.value.diagnostics if d.severity == "error"} == {"transmission-joint-not-found"}


def test_strict_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(text(ROS1))
    run = CliRunner().invoke
    assert run(app, ["check", str(tmp_path / "r.urdf")]).exit_code == 0
    strict = run(app, ["check", "--strict", str(tmp_path / "r.urdf")])
    assert strict.exit_code == 1
    assert "[transmission-joint-not-found]" in strict.output


# --- shapes and other things that do not move -------------------------------------------------------------------------

BALL = '<geometry><sphere radius="1"/></geometry>'
SHAPES = {
    "scale": '<visual>\n<geometry>\n<mesh filename="a.stl" scale="0.001 0.001"/></geometry></visual>',
    "size": '<collision>\n<geometry>\n<box size="1 two 3"/></geometry></collision>',
    "radius": '<visual><geometry>\n\n<sphere radius=""/></geometry></visual>',
    "origin": '<visual>\n\n<origin xyz="a b c"/><geometry><sphere radius="1"/></geometry></visual>',
    "rgba": "<visual>" + BALL + '<material name="m">\n\n<color rgba="red"/></material></visual>',
    "three colours": "<visual>" + BALL + '<material name="m">\n\n<color rgba="1 1"/></material></visual>',
}


@pytest.mark.parametrize("what", SHAPES)
def test_a_shape_that_cannot_be_read_is_left_out(what: str) -> None:
    parts = f'<link name="x">{SHAPES[what]}<visual><geometry><box size="1 1 1"/></geometry></visual></link>'
    parts += '<joint name="j" type="fixed"><parent link="l0"/><child link="x"/></joint>'
    robot = gw.loads(text(parts))
    (d,) = warnings(robot)
    assert (d.code, d.line) == ("number-invalid", 3)
    assert "left out" in d.message
    shapes = robot.links["x"].visuals + robot.links["x"].collisions
    assert len(shapes) == (2 if "colo" in what or what == "rgba" else 1)
    (error,) = strict_errors(parts)
    assert (error.code, error.line) == ("number-invalid", 3)


def test_a_shape_of_sdformat_that_cannot_be_read_is_left_out() -> None:
    shape = "<visual name='v'><geometry>\n<sphere><radius>big</radius></sphere></geometry></visual>"
    sdf = f"<sdf version='1.9'><model name='m'><link name='l'>{shape}</link></model></sdf>"
    robot = gw.loads(sdf)
    assert [(d.code, d.line) for d in warnings(robot)] == [("number-invalid", 2)]
    assert not robot.links["l"].visuals
    with pytest.raises(gw.LoadError):
        gw.loads(sdf, strict=True)


def test_a_safety_controller_that_cannot_be_read_is_left_out() -> None:
    joint = (
        '<link name="x"/><joint name="j" type="continuous"><parent link="l0"/><child link="x"/><axis xyz="0 0 1"/>'
        '\n<safety_controller k_velocity="fast"/></joint>'
    )
    robot = gw.loads(text(joint))
    assert robot.joints["j"].safety is None
    assert ("number-invalid", 2) in [(d.code, d.line) for d in warnings(robot)]


def test_a_joint_that_cannot_be_read_still_refuses_the_robot() -> None:
    with pytest.raises(gw.LoadError, match="number-invalid"):
        gw.loads(text("").replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 one"/>'))
