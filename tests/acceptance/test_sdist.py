"""The source archive holds everything that a packager needs to build, check and read."""

import re
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version

import pytest

from tests.cli.commands import CHECKOUT

WANTED = (
    "pyproject.toml", "setup.py", "uv.lock", "README.md", "CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md", "LICENSE", "Makefile", "MANIFEST.in", "SECURITY.md", ".pre-commit-config.yaml",
)  # fmt: skip
FOLDERS = (".github", "src", "tests", "docs", "examples", "benchmarks")
LINK = re.compile(r'(?:\]\(|(?:src|href)=")([^)"\s]+)')
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
        information = next(n for n in tar.getnames() if n.count("/") == 1 and n.endswith("/PKG-INFO"))
        read = tar.extractfile(information)
        assert read is not None
        metadata = read.read().decode()
    assert not expected - held
    assert all(any(name.startswith(f"{folder}/") for name in held) for folder in FOLDERS)
    # a package index has no files beside the README
    targets = LINK.findall(metadata)
    assert len(targets) > 50 and all(t.startswith(("https://", "#")) for t in targets)
    assert metadata.count("Project-URL: ") >= 4
