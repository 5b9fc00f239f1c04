from __future__ import annotations

import json
import subprocess
import sys

import pytest

import gearwright as gw
from gearwright.cli import COMMANDS
from tests.cli.commands import CHECKOUT, called, gearwright

RUN_HERE = {"check", "show", "run", "convert", "export", "sweep"}  # the others serve, or need more files
LOADING = ["--model", "--base", "--path", "--plugins", "--cut", "--xacro-arg", "--xacro-env", "--json", "--help"]
OPTIONS = {
    "check": [*LOADING, "--quiet"],
    "show": [*LOADING, "--svg", "--all"],
    "migrate": ["--in-place", "--check", "--no-verify", "--tolerance", "--path", "--plugins", "--json", "--help"],
}


def test_help_lists_the_commands():
    ran = gearwright("--help")
    assert ran.code == 0
    for command in OPTIONS:
        assert f"\n  {command} " in ran.out


@pytest.mark.parametrize("command", OPTIONS)
def test_help_lists_every_option(command: str):
    ran = called(command, "--help")
    assert ran.code == 0
    for option in OPTIONS[command]:
        assert option in ran.out


def test_help_lists_the_bundled_robots():
    listed = " ".join(called("--help").out.split("Bundled robots")[1].split())
    assert all(name in listed for name in gw.robots)


def _name(example: str) -> str:
    return example.partition(" ")[0]


@pytest.mark.parametrize("example", COMMANDS.values(), ids=_name)
def test_help_has_an_example(example: str):
    command = _name(example)
    assert f"Example:\n    gearwright {example}\n" in called(command, "--help").out


@pytest.mark.parametrize(
    "example", [e for e in COMMANDS.values() if e.split()[0] in RUN_HERE], ids=lambda e: e.split()[0]
)
def test_an_example_runs(example: str, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = called(*example.split())
    assert ran.code == 0, ran.err


def test_version():
    assert called("--version").out.strip() == f"gearwright {gw.__version__}"


def _imported(*arguments: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    code = (
        "import atexit, json, sys\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        f"sys.argv = ['gearwright', *{list(arguments)!r}]\n"
        "from gearwright.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", _with_site(code)], capture_output=True, text=True, cwd=CHECKOUT, check=False
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def _with_site(code: str) -> str:
    """The installed packages without what their .pth files import at start."""
    return f"import sys; sys.path[:] = {[str(CHECKOUT / 'src'), *sys.path]!r}\n{code}"


HEAVY = (
    "numpy",
    "lxml",
    "rich",
    "casadi",
    "llvmlite",
    "matplotlib",
    "gearwright.formats",
    "gearwright.model",
    "gearwright.display",
)


@pytest.mark.parametrize(("arguments", "most"), [(["--help"], 250), (["show", "--help"], 330)])
def test_help_imports_nothing_heavy(arguments: list[str], most: int):
    """Modules are counted since seconds differ from machine to machine; NumPy alone would bring more than a hundred."""
    modules = _imported(*arguments)
    assert "gearwright.cli" in modules
    assert [m for m in HEAVY if m in modules] == []
    assert len(modules) < most, len(modules)


def test_check_does_without_what_it_does_not_need():
    modules = _imported("check", "src/gearwright/robots/gripper.sdf")
    assert [
        m for m in ("casadi", "llvmlite", "matplotlib", "gearwright.dynamics", "gearwright.compiler") if m in modules
    ] == []
