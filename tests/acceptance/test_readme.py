"""Every command and every piece of Python in the README and the documentation runs as it is printed there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
COMMANDS = [
    line.split("#")[0].strip()
    for block in re.findall(r"```bash\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("gearwright ")
]


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


SESSIONS = {"tutorial.md", "contributing.md"}  # test_sessions.py runs them with their files and commands
PAGES = [p.name for p in sorted((ROOT / "docs").glob("*.md")) if p.name not in SESSIONS]


@pytest.mark.parametrize("page", [name for name in PAGES if "```python" in (ROOT / "docs" / name).read_text()])
def test_the_python_of_a_page_of_the_documentation_runs(page, workplace):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
    done = _run([sys.executable, "-W", "ignore", "-c", "\n".join(blocks)], workplace)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs(command, workplace):
    pytest.importorskip("matplotlib")
    done = _run([sys.executable, "-m", *command.split()], workplace)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_readme_has_commands_to_run():
    assert len(PYTHON) >= 2 and len(COMMANDS) >= 4
