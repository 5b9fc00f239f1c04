"""Every command and every piece of Python in the README and the documentation runs as it is printed there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.forked import Script, run_scripts
from tests.acceptance.table import COMMANDS, PYTHON

ROOT = Path(__file__).parents[2]


@pytest.fixture
def workplace(tmp_path):
    (tmp_path / "src").symlink_to(ROOT / "src")
    return tmp_path


def _run(words, folder):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "Agg"}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_python_blocks_run_one_after_the_other(workplace):
    pytest.importorskip("matplotlib")
    code = "\n".join(PYTHON)
    done = _run([sys.executable, "-c", code], workplace)
    assert done.returncode == 0, done.stderr
    assert "left_finger = 1·right_finger + 0" in done.stdout


SESSIONS = {"tutorial.md", "contributing.md"}  # test_sessions.py runs them and how-to/, with files and commands
PAGES = [
    str(p.relative_to(ROOT / "docs"))
    for p in sorted((ROOT / "docs").rglob("*.md"))
    if p.name not in SESSIONS and p.parent.name != "how-to"
]
BLOCKS = {name: re.findall(r"```python\n(.*?)```", (ROOT / "docs" / name).read_text(), re.DOTALL) for name in PAGES}
WITH_PYTHON = [name for name, blocks in BLOCKS.items() if blocks]
GROUPS = [WITH_PYTHON[i::2] for i in range(2)]  # each in one process that forks


@pytest.mark.parametrize("pages", GROUPS, ids=lambda pages: f"{pages[0]} … {pages[-1]}")
def test_the_python_of_the_documentation_runs(pages, tmp_path):
    for name in pages:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "src").symlink_to(ROOT / "src")
    scripts = {name: Script("\n".join(BLOCKS[name]), str(tmp_path / name / "page.py")) for name in pages}
    found = run_scripts(scripts, tmp_path)
    assert {name: result.err for name, result in found.items() if result.code != 0} == {}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs(command, workplace):
    pytest.importorskip("matplotlib")
    done = _run([sys.executable, "-m", *command.split()], workplace)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_readme_has_commands_to_run():
    assert len(PYTHON) >= 2 and len(COMMANDS) >= 4
