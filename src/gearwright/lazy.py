"""Names of a package that are imported when they are first used, so that a start loads only what it needs.

The package says once where its names are, in imports that type checkers and readers see and no program runs:

    if TYPE_CHECKING:
        from gearwright.formats import load as load
    else:
        __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

IMPORT = re.compile(r"^    from (\S+) import (\w+) as \2$", re.MULTILINE)


def lazy_names(package: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package."""
    with open(file, encoding="utf-8") as source:
        places = {name: module for module, name in IMPORT.findall(source.read())}
    names = sorted(places)

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = places[name]  # the package itself: `name` is a module in it
        found = import_module(f"{package}.{name}") if module == package else getattr(import_module(module), name)
        setattr(sys.modules[package], name, found)
        return found

    return names, find, lambda: names + [n for n in ("__version__",) if n in vars(sys.modules[package])]
