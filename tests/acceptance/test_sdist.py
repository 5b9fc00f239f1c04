"""The source archive holds everything that a packager needs to build, check and read."""

import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version

import pytest

from tests.cli.commands import CHECKOUT

WANTED = ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Makefile", "MANIFEST.in")
FOLDERS = ("src", "tests", "docs", "examples", "benchmarks")
LEFT_OUT = {".venv", ".git", "__pycache__", "build", "dist"}


def sources():
    """Files of the checkout by path; what tools leave there is no part of it."""
    found = {name for name in WANTED if (CHECKOUT / name).is_file()}
    for folder in FOLDERS:
        for path in (CHECKOUT / folder).rglob("*"):
            parts = path.relative_to(CHECKOUT).parts
            if path.is_file() and path.suffix != ".pyc" and not any(p in LEFT_OUT or "egg-info" in p for p in parts):
                found.add("/".join(parts))
    return found


@pytest.mark.skipif(
    int(version("setuptools").split(".")[0]) < 77, reason="setuptools 77 reads licences as pyproject.toml says them"
)
def test_the_archive_holds_the_whole_checkout(tmp_path):
    copy = tmp_path / "checkout"
    expected = sources()
    for name in expected:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, copy / name)
    build = f"from setuptools.build_meta import build_sdist; build_sdist({str(tmp_path)!r})"
    done = subprocess.run([sys.executable, "-c", build], cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        held = {name.partition("/")[2] for name in tar.getnames()}
    assert not expected - held
    assert all(any(name.startswith(f"{folder}/") for name in held) for folder in FOLDERS)
