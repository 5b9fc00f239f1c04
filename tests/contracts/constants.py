"""Numbers at the top of modules, and a run of tests with one of them changed.

`python -m tests.contracts.constants steps.passes.SETTLED 10 tests/sim` says which tests notice.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.contracts.mutating import VARIABLE

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "gearwright"
PACKAGES = ("dynamics", "sim", "compiler", "model")


def constants() -> Iterator[str]:
    """`module.NAME` of every upper-case name that is assigned numbers, from the package's root."""
    packages = (path for package in PACKAGES for path in sorted((SOURCE / package).rglob("*.py")))
    for path in (*sorted(SOURCE.glob("*.py")), *packages):
        module = path.relative_to(SOURCE).with_suffix("").as_posix().replace("/", ".")
        no_numbers: set[str] = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            for name, value in _assigned(node):
                if _is_numeric(value) and not no_numbers & _names(value):
                    yield f"{module}.{name}"
                else:
                    no_numbers.add(name)


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        pairs = [(node.target, node.value)]
    elif isinstance(node, ast.Assign):
        pairs = [(node.targets[0], node.value)]
    else:
        return
    for target, value in pairs:
        both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        for t, v in zip(target.elts, value.elts, strict=True) if both else [(target, value)]:  # type: ignore[attr-defined]
            if isinstance(t, ast.Name) and t.id.isupper():
                yield t.id, v


def _is_numeric(value: ast.expr) -> bool:
    """Made of numbers alone: with signs, products, tuples, tables by text, and other constants."""
    if isinstance(value, ast.Constant):
        return type(value.value) in (int, float)
    if isinstance(value, ast.UnaryOp):
        return _is_numeric(value.operand)
    if isinstance(value, ast.BinOp):
        return _is_numeric(value.left) and _is_numeric(value.right)
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(_is_numeric, value.elts))
    if isinstance(value, ast.Dict):
        return bool(value.values) and all(map(_is_numeric, value.values))
    return isinstance(value, ast.Name) and value.id.isupper()


def _names(value: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}


def own_session() -> dict[str, str]:
    """The environment of a pytest that is not a worker of this one: workers share compiled code, and what was made
    with one constant changed would be found with another."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}


def changed_run(constant: str, factor: float, *tests: str) -> subprocess.CompletedProcess[str]:
    """pytest in a process of its own, with the constant times the factor; it ends at the first failure."""
    module, name = constant.rsplit(".", 1)
    environment = own_session() | {VARIABLE: f"gearwright.{module}:{name}:{factor!r}"}
    plugins = ["-p", "tests.contracts.mutating", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command = [sys.executable, "-m", "pytest", *plugins, "-x", "--tb=no", "--no-header", *tests]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def main() -> int:
    constant, factor, *tests = sys.argv[1:]
    (full,) = [c for c in constants() if c.endswith(constant)]
    done = changed_run(full, float(factor), *tests)
    print(done.stdout, done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
