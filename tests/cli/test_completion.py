"""Tab in bash and zsh: the script that `--install-completion` leaves is run by the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import CHECKOUT


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a `gearwright` on its path."""
    command = tmp_path / "bin" / "gearwright"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gearwright "$@"\n')
    command.chmod(0o755)
    return tmp_path


def shell(home: Path, name: str, lines: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    environment = {
        "HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(CHECKOUT / "src"),
        "SHELL": found, "LC_ALL": "C.UTF-8",
    }  # fmt: skip
    flags = ["--norc"] if name == "bash" else ["-f"]
    done = subprocess.run([found, *flags, "-c", lines], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


INSTALL = "gearwright --install-completion; true"  # `; true`: the shell stays, and is found
BASH = """
source ~/.bash_completions/gearwright.sh
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_gearwright_completion gearwright
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
ZSH = """
compdef() {{ }}
_arguments() {{ print -rl -- "$@" }}
_files() {{ print files }}
source ~/.zfunc/_gearwright
words=({words}); CURRENT=$#words
_gearwright_completion
"""
CASES = [
    ("gearwright sho", "show"),
    ("gearwright run --dura", "--duration"),
    ("gearwright run grip", "gripper"),
    ("gearwright check gripper.sdf wri", "wrist"),
]


@pytest.mark.parametrize(("name", "script"), [("bash", BASH), ("zsh", ZSH)])
def test_tab_completes_commands_options_and_bundled_robots(home: Path, name: str, script: str) -> None:
    installed = shell(home, name, INSTALL)
    assert f"{name} completion installed" in installed
    for words, expected in CASES:
        assert expected in shell(home, name, script.format(words=words))


def test_files_are_left_to_the_shell(home: Path) -> None:
    shell(home, "bash", INSTALL)
    assert "complete -o default" in (home / ".bash_completions/gearwright.sh").read_text()
    assert shell(home, "bash", BASH.format(words="gearwright run ./ro")).strip() == ""
