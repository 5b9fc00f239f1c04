"""A pytest plugin that runs tests with one constant of the package changed: `-p tests.contracts.mutating`.

The constant and its factor come from the environment, as `gearwright.sim.running.reporting:RARE:10`. The module is
changed while it is imported, before anybody copies the name; nothing is written to disk.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

VARIABLE = "GEARWRIGHT_MUTATION"


def scaled(value: Any, factor: float) -> Any:
    """A number, or all numbers of a tuple or a dictionary, times the factor; whole numbers stay whole."""
    if isinstance(value, dict):
        return {key: scaled(x, factor) for key, x in value.items()}
    if isinstance(value, tuple):
        return tuple(scaled(x, factor) for x in value)
    return type(value)(value * factor)


def after_assignment(source: str, name: str, statement: str) -> str:
    """The source with a statement behind the assignment of a name."""
    for node in ast.parse(source).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(n, ast.Name) and n.id == name for t in targets if t is not None for n in ast.walk(t)):
            lines = source.splitlines()
            return "\n".join([*lines[: node.end_lineno], statement, *lines[node.end_lineno :]])
    raise ValueError(f"no assignment of {name} at the top level")


class _Changed(SourceFileLoader):
    """Compiles the changed source; the byte code on disk is neither read nor written."""

    def get_code(self, fullname: str) -> CodeType:
        _, name, factor = os.environ[VARIABLE].split(":")
        statement = f"{name} = __import__('tests.contracts.mutating', fromlist=['_']).scaled({name}, {factor})"
        path = self.get_filename(fullname)
        source = self.get_data(path).decode("utf-8")
        return compile(after_assignment(source, name, statement), path, "exec")


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != os.environ[VARIABLE].split(":")[0]:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin is not None:
            spec.loader = _Changed(fullname, spec.origin)
        return spec


if os.environ.get(VARIABLE):
    sys.meta_path.insert(0, _Finder())
