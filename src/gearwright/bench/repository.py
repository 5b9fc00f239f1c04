"""Access to the repository's `benchmarks` folder: other engines' adapters and the report, which no wheel contains."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from gearwright.errors import GearwrightError

CLONE = Path(__file__).parents[3]  # the repository, where the package runs from its `src` folder


class MissingBenchmarksError(GearwrightError):
    """The installed package has no `benchmarks` folder beside it."""

    def __init__(self, option: str) -> None:
        super().__init__(
            f"{option} needs the folder benchmarks/ of Gearwright's repository, which the installed package does not "
            "contain: clone the repository, run `pip install -e .` in it, and try again"
        )


def benchmarks_module(name: str, option: str) -> ModuleType:
    """The module `benchmarks.NAME`. `option` is the command-line option that needs it, for the message."""
    clone = [str(CLONE)] if (CLONE / "benchmarks" / "peers" / "__init__.py").is_file() else []
    sys.path[:0] = clone
    try:
        return import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        if error.name not in ("benchmarks", f"benchmarks.{name}"):
            raise
        raise MissingBenchmarksError(option) from None
    finally:
        for folder in clone:
            sys.path.remove(folder)
