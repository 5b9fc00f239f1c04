"""The lines of the install page run as they are printed, in one shell per section.

There is no network: the package index is a folder with the wheel of this checkout, and a new environment sees the
dependencies of the one that runs the tests, but not Gearwright.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.commands import CHECKOUT

PAGE = (CHECKOUT / "docs/install.md").read_text(encoding="utf-8")
SECTIONS = {
    title: blocks
    for title, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    if (blocks := "\n".join(re.findall(r"```bash\n(.*?)```", body, re.DOTALL)))
}
FIRST = SECTIONS["From the package index"].splitlines()[:2]  # makes the environment of some later sections
SOURCES = ("src", "examples", "pyproject.toml", "setup.py", "README.md", "LICENSE", "Makefile")
SLOW = {"From a clone"}  # runs the demo
PYTHON = """#!/bin/sh
{python} "$@" || exit 1
[ "$2" = venv ] || exit 0
cd "$3"/lib/python*/site-packages
rm -rf setuptools* _distutils_hack distutils-precedence.pth  # older than what pip would fetch to build
echo {packages} > others.pth
"""

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="lines of a POSIX shell"),
    pytest.mark.skipif(int(version("setuptools").split(".")[0]) < 77, reason="setuptools 77 builds the package"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `bin` (python3, pip), `index` (the wheel) and `gearwright` (a clone)."""
    place = tmp_path_factory.mktemp("install")
    clone = place / "gearwright"
    clone.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (CHECKOUT / name).is_dir() else shutil.copy
        copy(CHECKOUT / name, clone / name)
    build = f"from setuptools.build_meta import build_wheel; build_wheel({str(place / 'index')!r})"
    (place / "index").mkdir()
    subprocess.run([sys.executable, "-c", build], cwd=clone, check=True, capture_output=True)
    shutil.rmtree(clone / "build")
    _others(place / "packages")
    tools = place / "bin"
    tools.mkdir()
    _script(tools / "python3", PYTHON.format(python=sys.executable, packages=place / "packages"))
    _script(tools / "pip", f'#!/bin/sh\nexec {sys.executable} -m pip "$@"\n')
    return place


def _others(folder: Path) -> None:
    """Links to everything that is installed, but Gearwright."""
    folder.mkdir()
    for installed in Path(packages_folder()).iterdir():
        if not re.match(r"_*(editable.*)?gearwright|.*\.pth$|pip$|pip-", installed.name):
            (folder / installed.name).symlink_to(installed)


def packages_folder() -> str:
    import numpy

    return str(Path(numpy.__file__).parents[1])


def _script(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize("title", [pytest.param(t, marks=pytest.mark.slow) if t in SLOW else t for t in SECTIONS])
def test_the_lines_of_a_section_run(title: str, place: Path, tmp_path: Path) -> None:
    (tmp_path / "gearwright").symlink_to(place / "gearwright")
    lines = SECTIONS[title]
    if lines.startswith("pip "):
        pytest.importorskip("pip", reason="an environment that uv made has no pip")
    if "robots/bin" in lines and "venv robots" not in lines:
        lines = "\n".join([*FIRST, lines])
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "PYTHON", "GEARWRIGHT"))}
    environment = clean | {
        "PATH": f"{place / 'bin'}:{os.environ['PATH']}", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(place / "index"),
        "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_CONFIG_FILE": os.devnull, "MPLBACKEND": "Agg",
        "GEARWRIGHT_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path),
    }  # fmt: skip
    words = ["sh", "-e", "-x", "-c", lines]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def test_the_page_has_what_pyproject_has() -> None:
    import tomllib

    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    empty = {name for name, needs in project["optional-dependencies"].items() if not needs}
    ours = {"test", "docs", "check", "release"}
    listed = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|(.*?)\|", PAGE, re.MULTILINE))))
    assert set(project["optional-dependencies"]) - empty - ours <= listed
    (everything,) = project["optional-dependencies"]["all"]
    inside = set(everything.partition("[")[2].rstrip("]").split(","))
    assert inside == set(project["optional-dependencies"]) - empty - ours - {"all", "cuda", "ray"}
