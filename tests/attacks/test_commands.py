"""The same through the command: the current folder is not imported from, and odd file names are only names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.attacks.attack import HEAD, SECRET
from tests.cli.commands import CHECKOUT, gearwright
from tests.installed import install

ROBOT = f'{HEAD}<xacro:property name="y" value="${{xacro.load_yaml(\'v.yaml\')}}"/><link name="${{y.name}}"/></robot>'
HIJACKED = ("xacro", "yaml", "math", "ast", "typer", "rich", "numpy", "gearwright_plugin", "ament_index_python")
NAMES = (
    "-robot.xacro",
    "--help.xacro",
    "a:=b.xacro",
    "$(env X).xacro",
    "new\nline.xacro",
    "sp ace;touch canary.xacro",
    "é.urdf",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model among modules that must not be imported."""
    for name in HIJACKED:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'canary')!r}, 'w')\nraise SystemExit(99)\n")
    (tmp_path / "v.yaml").write_text("name: arm\n")
    (tmp_path / "robot.xacro").write_text(ROBOT)
    return tmp_path


def _console(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As the installed command starts: its own folder first on the path, not the current one."""
    script = f"import sys; sys.path[:0] = [{str(CHECKOUT / 'src')!r}]; from gearwright.cli import main; main()"
    command = [sys.executable, "-P", "-c", script, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_the_command_imports_nothing_from_the_current_folder(folder: Path) -> None:
    (folder / "re.py").write_text((folder / "yaml.py").read_text())
    done = _console(folder, "check", "robot.xacro")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (folder / "canary").exists()


def test_python_m_imports_nothing_from_the_current_folder(folder: Path) -> None:
    """But what Python itself imports before a module of ours, such as `re`."""
    ran = gearwright("check", "robot.xacro", cwd=folder)
    assert ran.code == 0, ran.out + ran.err
    assert not (folder / "canary").exists()


def test_file_names_are_only_names(folder: Path) -> None:
    """All in one run: those that look like options come after `--`, as ever."""
    for name in NAMES:
        (folder / name).write_text(ROBOT)
    ran = gearwright("check", "--", *NAMES, cwd=folder, X=SECRET)
    assert ran.code == 0, ran.out
    assert ran.out.count("✓") == len(NAMES)
    assert SECRET not in ran.out
    assert not (folder / "canary").exists()


def test_arguments_are_only_values(folder: Path) -> None:
    """A value is text, not an expression."""
    text = f'{HEAD}<xacro:arg name="n" default="d"/><link name="$(arg n)"/></robot>'
    (folder / "robot.xacro").write_text(text)
    value = "${open('canary','w')}"
    ran = gearwright("show", "robot.xacro", "--json", "--xacro-arg", f"n:={value}", cwd=folder)
    assert ran.code == 0, ran.out + ran.err
    assert value in ran.out
    assert not (folder / "canary").exists()


@pytest.mark.parametrize("start", ["installed", "python -m"])
def test_a_package_beside_the_model_is_not_an_installed_one(folder: Path, start: str) -> None:
    """Kinds of installed packages need no leave; metadata in the current folder does not make one."""
    install(folder, "mine", "[gearwright.actuators]\nmine = gearwright_plugin:Mine\n")
    text = (
        '<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
        '<parent>a</parent><child>b</child></joint><actuator name="m" type="mine"><joint>j</joint></actuator>'
        "</model></sdf>"
    )
    (folder / "robot.sdf").write_text(text)
    if start == "installed":
        done = _console(folder, "check", "robot.sdf", "--strict")
        code, out = done.returncode, done.stdout
    else:
        ran = gearwright("check", "robot.sdf", "--strict", cwd=folder)
        code, out = ran.code, ran.out
    assert code == 1
    assert "type 'mine' is not known" in out
    assert not (folder / "canary").exists()
