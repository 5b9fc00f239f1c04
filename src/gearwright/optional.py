"""Packages that are imported where they are used. If one is missing, the error gives the line that installs it."""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from typing import Any

from gearwright.errors import GearwrightError

EXTRAS = {  # by module: the extra of pyproject.toml that installs it
    "cupy": "cuda",
    "gymnasium": "learn",
    "imageio_ffmpeg": "video",
    "onnx": "onnx",
    "pandas": "pandas",
    "plotly": "html",
    "pxr": "usd",
    "pyarrow": "lerobot",
    "ray": "ray",
    "scipy": "study",
}
DISTRIBUTIONS = {"can": "python-can", "collada": "pycollada", "pxr": "usd-core", "yaml": "pyyaml"}  # by module


def require(module: str, purpose: str, extra: str | None = None) -> Any:
    """Imports a module. `purpose` begins the message if its package is missing: "the viewer"."""
    try:
        return import_module(module)
    except ImportError:
        raise GearwrightError(missing_package(module, purpose, extra)) from None


def missing_package(module: str, purpose: str, extra: str | None = None) -> str:
    """The message for a package that is not installed, with the line to run."""
    package = module.partition(".")[0]
    return f"{purpose} needs {package}, which is not installed; run: {install_line(package, extra)}"


def install_line(package: str, extra: str | None = None) -> str:
    """The shell command that installs a package for the running interpreter."""
    extra = extra or EXTRAS.get(package)
    wanted = f"gearwright[{extra}]" if extra else DISTRIBUTIONS.get(package, package)
    return f"{shlex.quote(sys.executable or 'python')} -m pip install {shlex.quote(wanted)}"
