"""Addresses of the project, and the README as a package index shows it; everything else is in pyproject.toml."""

import os
import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
TARGET = re.compile(r'(\]\(|(?:src|href)=")(?!https?:|mailto:|#)([^)"\s]+)')
PICTURES = (".png", ".svg", ".gif")


def home() -> str:
    """The repository's address: $GEARWRIGHT_HOME_URL, or the placeholder of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return os.environ.get("GEARWRIGHT_HOME_URL") or str(project["tool"]["gearwright"]["home"])


def version() -> str:
    found = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/gearwright/__init__.py").read_text("utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def absolute(text: str, home: str, tag: str) -> str:
    """The text with links to files of the repository at this tag."""

    def moved(link: re.Match[str]) -> str:
        view = "raw" if link[2].endswith(PICTURES) else "blob"
        return f"{link[1]}{home}/{view}/{tag}/{link[2]}"

    return TARGET.sub(moved, text)


def urls(home: str) -> dict[str, str]:
    return {
        "Homepage": home,
        "Documentation": f"{home}/blob/main/docs/index.md",
        "Source": home,
        "Issues": f"{home}/issues",
        "Changelog": f"{home}/blob/main/CHANGELOG.md",
    }


if __name__ == "__main__":
    setup(
        long_description=absolute((ROOT / "README.md").read_text(encoding="utf-8"), home(), f"v{version()}"),
        long_description_content_type="text/markdown",
        project_urls=urls(home()),
    )
