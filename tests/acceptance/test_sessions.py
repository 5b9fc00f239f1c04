"""Pages that are followed literally: files, commands and Python as printed there, and every output compared."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def follow(*pages):
    """Each page in a new folder and session. A warning that a reader would see must be on the page."""
    pytest.importorskip("matplotlib")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "Agg"}
    words = [sys.executable, str(ROOT / "docs/session.py"), *(str(p) for p in pages)]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)


def test_the_tutorial_prints_what_it_says():
    done = follow(ROOT / "docs/tutorial.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


HOW_TO = sorted((ROOT / "docs/how-to").glob("*.md"))


def test_how_to_pages_print_what_they_say():
    """In one process, a folder and a session each; they share what takes long to import."""
    done = follow(*HOW_TO)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def test_the_page_on_bridges_runs():
    for engine in ("mujoco", "pydrake"):
        pytest.importorskip(engine)
    done = follow(ROOT / "docs/bridges.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def test_the_page_on_mjcf_runs():
    done = follow(ROOT / "docs/mjcf.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def test_the_pages_on_friction_and_servos_run():
    done = follow(ROOT / "docs/friction.md", ROOT / "docs/servos.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def test_a_warning_that_a_page_does_not_show_is_found(tmp_path):
    page = tmp_path / "page.md"
    warns = "```python\nimport warnings\nwarnings.warn('odd', stacklevel=1)\n```\n"
    page.write_text(warns)
    assert "UserWarning: odd\nbut the page says" in follow(page).stdout
    page.write_text(warns + "\n```text\nUserWarning: odd\n```\n")
    assert follow(page).returncode == 0


@pytest.mark.parametrize("page", HOW_TO, ids=lambda p: p.stem)
def test_a_how_to_page_is_short_and_has_something_to_run(page):
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 60 and "```text\n" in text and "```text\n```" not in text


def test_a_transmission_is_added_as_the_page_says(tmp_path):
    """In a copy of the repository, as on a branch: class, row, tests, pages."""
    for part in ("src", "tests", "docs"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for file in ("pyproject.toml", "README.md", "zensical.toml"):
        shutil.copy(ROOT / file, tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path / "src"), str(tmp_path)])}
    words = [sys.executable, "-W", "ignore", "docs/session.py", "--here", "docs/contributing.md"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "### worm" in (tmp_path / "docs/kinds.md").read_text()


def test_another_output_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("""```python title="half.py"
print(1 / 2)
```

```bash
python half.py
```

```text
0.5
```

```python
x = 1
```

```python
print(x)
```

```text
2
```
""")
    done = follow(page)
    assert done.returncode == 1
    assert "print(x)\nprints\n1\nbut the page says\n2\n" in done.stdout and "0.5" not in done.stdout
