"""Xacro files through `load` and the command: arguments, packages, lines of messages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gearwright as gw
from tests.cli.commands import CHECKOUT, called

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
ARM = HEAD + '\n<xacro:arg name="side" default="left"/>\n<link name="$(arg side)_arm"/></robot>'
VARIABLES = ("GEARWRIGHT_PATH", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH")


@pytest.fixture(autouse=True)
def _no_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def errors(path: Path, **options: object) -> list[gw.Diagnostic]:
    with pytest.raises(gw.LoadError) as caught:
        gw.load(path, **options)  # type: ignore[arg-type]
    return [d for d in caught.value.diagnostics if d.severity == "error"]


# --- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["arm.xacro", "arm.urdf.xacro", "arm.urdf"])
def test_arguments(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, ARM)
    assert list(gw.load(path).links) == ["left_arm"]
    assert list(gw.load(path, xacro_args={"side": "right"}).links) == ["right_arm"]
    assert list(gw.load(path, xacro_args={"side": 3}).links) == ["3_arm"]


def test_arguments_of_the_command(tmp_path: Path) -> None:
    path = write(tmp_path / "arm.xacro", ARM)
    for command in (("check",), ("show", "--json"), ("run", "--duration", "0.001", "--json")):
        ran = called(*command, str(path), "--xacro-arg", "side:=right", "--xacro-arg", "x:=a:=b")
        assert ran.code == 0 and "the file has no argument 'x'" in ran.out + ran.err
    assert "right_arm" in called("show", "--json", str(path), "--xacro-arg", "side := right").out
    assert called("check", str(path), "--xacro-arg", "side=right").code == 2


def test_an_argument_that_the_file_does_not_have(tmp_path: Path) -> None:
    robot = gw.load(write(tmp_path / "arm.xacro", ARM), xacro_args={"sied": "right"})
    (told,) = [d for d in robot.diagnostics if d.code == "xacro-argument"]
    assert "did you mean 'side'?" in told.message


def test_wrong_options(tmp_path: Path) -> None:
    path = write(tmp_path / "arm.xacro", ARM)
    for options in ({"xacro_args": "side:=right"}, {"xacro_args": {1: 2}}, {"search_path": "x"}, {"xacro_env": "HOME"}):
        with pytest.raises(gw.ModelError):
            gw.load(path, **options)  # type: ignore[arg-type]


def test_nothing_falls_back_to_the_xacro_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither imported nor started as a program, whether the file expands or not."""
    monkeypatch.setitem(sys.modules, "xacro", None)
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(os, "posix_spawn", None)
    monkeypatch.setattr(os, "fork", None)
    assert list(gw.load(write(tmp_path / "arm.xacro", ARM)).links) == ["left_arm"]
    assert errors(write(tmp_path / "arm.xacro", ARM.replace("$(arg side)", "${hash(1)}")))[0].code == "xacro-failed"


def test_plain_files_load_neither_the_expander_nor_what_takes_long_to_import() -> None:
    slow = {"gearwright.formats.xacro.expander", "yaml", "ssl", "importlib.metadata", "casadi", "llvmlite"}
    code = (
        'import sys, gearwright as gw; gw.loads(\'<robot name="r"><link name="a"/></robot>\'); '
        f"found = {slow!r} & set(sys.modules); sys.exit(', '.join(found) or 0)"
    )
    path = {"PYTHONPATH": str(CHECKOUT / "src")}
    assert subprocess.run([sys.executable, "-c", code], env=os.environ | path, check=False).returncode == 0


def test_texts_are_expanded_too() -> None:
    assert list(gw.loads(ARM, xacro_args={"side": "upper"}).links) == ["upper_arm"]
    with pytest.raises(gw.LoadError, match="has no folder"):
        gw.loads(HEAD + '<xacro:include filename="x.xacro"/></robot>')


# --- the environment --------------------------------------------------------------------------------------------------


def test_the_environment_is_read_by_leave_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARM_SIDE", "left")
    path = write(tmp_path / "arm.xacro", HEAD + '<link name="$(env ARM_SIDE)_$(optenv ARM_SIDE none)"/></robot>')
    (only,) = errors(path)
    assert only.code == "xacro-refused" and "--xacro-env ARM_SIDE" in only.message
    assert list(gw.load(path, xacro_env=["ARM_SIDE"]).links) == ["left_left"]
    assert "left_left" in called("show", "--json", str(path), "--xacro-env", "ARM_SIDE").out
    write(path, HEAD + '<link name="$(optenv ARM_SIDE none)"/></robot>')
    assert list(gw.load(path).links) == ["none"]


# --- packages ---------------------------------------------------------------------------------------------------------

MAIN = HEAD + '<xacro:include filename="$(find arm_parts)/urdf/part.xacro"/><xacro:part/></robot>'
PART = HEAD + '<xacro:macro name="part"><link name="part"/></xacro:macro></robot>'
PACKAGE = "<package><name>arm_parts</name></package>"


@pytest.mark.parametrize(
    ("package", "variable", "entry"),
    [
        ("ws/arm_parts", None, "ws"),
        ("ws/arm_parts", None, "ws/arm_parts"),
        ("ws/src/repository/arm_parts", None, "ws"),
        ("ws/src/repository/other_folder", None, "ws"),
        ("ws/share/arm_parts", None, "ws"),
        ("ws/arm_parts", "GEARWRIGHT_PATH", "ws"),
        ("ws/src/deep/arm_parts", "ROS_PACKAGE_PATH", "ws"),
        ("install/share/arm_parts", "AMENT_PREFIX_PATH", "install"),
        ("ws/arm_parts", "GZ_SIM_RESOURCE_PATH", "ws"),
    ],
)
def test_packages_without_ros(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, variable: str | None, entry: str
) -> None:
    write(tmp_path / package / "package.xml", PACKAGE)
    write(tmp_path / package / "urdf/part.xacro", PART)
    path = write(tmp_path / "robot/main.xacro", MAIN)
    with pytest.raises(gw.LoadError) as caught:
        gw.load(path)
    assert [d.code for d in caught.value.diagnostics] == ["package-not-found"]  # once: no warning beside the error
    if variable:
        monkeypatch.setenv(variable, f"/nowhere:{tmp_path / entry}")
    robot = gw.load(path, search_path=[] if variable else [tmp_path / entry])
    assert list(robot.links) == ["part"]
    monkeypatch.chdir(tmp_path)  # a relative folder begins where the program runs, not at the model
    if variable:
        monkeypatch.setenv(variable, entry)
    assert list(gw.load(path, search_path=[] if variable else [entry]).links) == ["part"]


def test_the_enclosing_package(tmp_path: Path) -> None:
    write(tmp_path / "folder/package.xml", PACKAGE)
    write(tmp_path / "folder/urdf/part.xacro", PART)
    path = write(tmp_path / "folder/robots/main.xacro", MAIN)
    assert list(gw.load(path).links) == ["part"]
    write(path, MAIN.replace("$(find arm_parts)", ".."))  # above the model's folder, but in its package
    assert list(gw.load(path).links) == ["part"]


def test_a_package_beside_the_model_is_named(tmp_path: Path) -> None:
    write(tmp_path / "arm_parts/urdf/part.xacro", PART)
    (only,) = errors(write(tmp_path / "robot/main.xacro", MAIN))
    assert f"--path '{tmp_path}'" in only.message


def test_a_package_that_only_meshes_need(tmp_path: Path) -> None:
    """The mechanism does not depend on it: a warning, and an address in its place."""
    mesh = '<visual><geometry><mesh filename="file://$(find meshes)/a.stl"/></geometry></visual>'
    robot = gw.load(write(tmp_path / "main.xacro", f'{HEAD}<link name="a">{mesh}</link></robot>'))
    assert [d.severity for d in robot.diagnostics if d.code == "package-not-found"] == ["warning"]


def test_a_linked_model_reads_beside_its_target(tmp_path: Path) -> None:
    """As in a workspace that is installed by links."""
    write(tmp_path / "src/part.xacro", PART)
    write(tmp_path / "src/main.xacro", MAIN.replace("$(find arm_parts)/urdf/", ""))
    (tmp_path / "install").mkdir()
    for name in ("part.xacro", "main.xacro"):
        (tmp_path / "install" / name).symlink_to(tmp_path / "src" / name)
    assert list(gw.load(tmp_path / "install/main.xacro").links) == ["part"]


# --- lines ------------------------------------------------------------------------------------------------------------


def test_messages_point_into_the_source(tmp_path: Path) -> None:
    """At the line of the macro's body in its own file, and at the line of the call."""
    part = write(tmp_path / "part.xacro", PART.replace('<link name="part"/>', '\n\n<link name="${nmae}"/>'))
    include = '<xacro:property name="name" value="1"/>\n<xacro:include filename="part.xacro"/>'
    path = write(tmp_path / "main.xacro", f"{HEAD}\n{include}\n<xacro:part/></robot>")
    (only,) = errors(path)
    assert (only.file, only.line) == (str(part), 3)
    assert "did you mean 'name'?" in only.message and f"{path}:4" in only.message


def test_readers_messages_point_into_the_source(tmp_path: Path) -> None:
    part = write(
        tmp_path / "part.xacro",
        PART.replace('<link name="part"/>', '\n<link name="part"><inertial><mass value="x"/></inertial></link>'),
    )
    path = write(tmp_path / "main.xacro", f'{HEAD}<xacro:include filename="part.xacro"/>\n<xacro:part/></robot>')
    assert {(d.file, d.line) for d in errors(path)} == {(str(part), 2)}


MISTAKES = {
    '<xacro:prat x="1"/>': "did you mean 'part'?",
    '<xacro:part y="1"/>': "no parameter 'y'",
    "<xacro:part/>": "needs the parameter 'x'",
    '<xacro:part x="1"><a/></xacro:part>': "no block parameter for <a>",
    '<xacro:insert_block name="b"/>': "no block 'b'",
    '<a v="${1/0}"/>': "division by zero",
    '<a v="${[1][2]}"/>': "out of range",
    '<a v="${dict(a=1)[\'b\']}"/>': "there is no 'b'",
    '<a v="${1 +}"/>': "is not an expression",
    '<a v="${\'a\' + 1}"/>': "can only concatenate",
    '<a v="${open}"/>': "'open' is not defined",
    '<a v="${sinn(1)}"/>': "did you mean 'sin'",
    '<a v="$(arg nothing)"/>': "--xacro-arg nothing:=",
    '<a v="${"/>': "neither text nor a closed expression",
    '<xacro:if value="maybe"/>': "neither true nor false",
    "<xacro:if/>": "needs the attribute value",
    '<xacro:property name="a b" value="1"/>': "cannot be named",
    '<xacro:property name="a" value="1" default="2"/>': "one of value, default and remove",
    '<xacro:property name="a" value="1" scope="parent"/>': "outside a macro",
    '<xacro:macro name="a.b"/>': "cannot be named 'a.b'",
    '<xacro:arg name="x"/>': "has no default",
    '<xacro:include filename="nowhere.xacro"/>': "does not exist",
    '<a v="${xacro.fatal(\'stop\')}"/>': "the file says: stop",
    '<xacro:element xacro:name=""/>': "not a name",
    "<xacro:call/>": "needs the attribute macro",
    '<a v="$(fnid x)"/>': "did you mean 'find'",
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_explained(tmp_path: Path, mistake: str) -> None:
    macro = '<xacro:macro name="part" params="x"><link name="${x}"/></xacro:macro>'
    path = write(tmp_path / "main.xacro", f"{HEAD}{macro}\n\n{mistake}</robot>")
    (only,) = errors(path)
    assert MISTAKES[mistake] in only.message
    assert only.line == 3


def test_messages_of_the_file(tmp_path: Path) -> None:
    text = f"{HEAD}<link name=\"a\"/>${{xacro.message('hello', 1)}}${{xacro.warning('careful')}}</robot>"
    told = [
        (d.severity, d.message)
        for d in gw.load(write(tmp_path / "m.xacro", text)).diagnostics
        if d.code == "xacro-message"
    ]
    assert told == [("info", "hello 1"), ("warning", "careful")]


def test_a_deep_recursion_of_macros_is_no_deep_stack(tmp_path: Path) -> None:
    """Loops are written as recursions; a thousand turns are three times what xacro itself can follow."""
    joint = '<joint name="j${n}" type="fixed"><parent link="l${n}"/><child link="l${n-1}"/></joint>'
    turn = f'<xacro:if value="${{n}}"><link name="l${{n}}"/>{joint}<xacro:m n="${{n-1}}"/></xacro:if>'
    macro = f'<xacro:macro name="m" params="n">{turn}</xacro:macro>'
    text = f'{HEAD}{macro}<link name="l0"/><xacro:m n="1000"/></robot>'
    assert len(gw.load(write(tmp_path / "m.xacro", text)).links) == 1001


def test_sdf_through_xacro(tmp_path: Path) -> None:
    head = '<sdf version="1.11" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="h" value="0.5"/>'
    text = f'{head}<model name="m"><link name="a"><pose>0 0 ${{h*2}} 0 0 0</pose></link></model></sdf>'
    robot = gw.load(write(tmp_path / "model.sdf.xacro", text))
    assert robot.poses()["a"].p[2] == 1.0
