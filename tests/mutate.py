"""Which constants of the package could be wrong without a test noticing: `make mutate`, outside the suite.

Every number at the top of a module, and every field of a table of numbers there (`TUNING = Tuning()`), is multiplied by
10 and by 0.1, and the tests of its module run. A constant that passes them both times has survived and is printed. The
tests of `dynamics/solve/rows.py` are the file `tests/dynamics/solve/test_rows.py` and every test file that imports the
module; where there are none, the tests of the nearest folder. `make mutate ONLY=dynamics.solve` looks at the modules
whose names begin so.

A survivor is no fault by itself: a number may stand for infinity, or decide only how fast something is done. It is a
question for the reader of its line.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "gearwright"
VARIABLE = "GEARWRIGHT_MUTATION"  # "gearwright.sim.running.reporting:RARE:10.0" in the process that runs the tests
FACTORS = (10.0, 0.1)
LONGEST = 300.0  # [s] of one run of tests: a mutant that hangs has been noticed


class Constant(NamedTuple):
    """`name` is assigned a number, or several, at the top of a module."""

    module: str  # "sim.reporting"
    name: str  # of a table of numbers, "TUNING.far"
    line: int


def constants(only: str = "") -> Iterator[Constant]:
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE).with_suffix("").as_posix().removesuffix("/__init__").replace("/", ".")
        if module.startswith(only):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in tree.body:
                yield from (Constant(module, name, node.lineno) for name in numeric_names(node))
                yield from (Constant(module, name, line) for name, line in table_fields(node, tree))


def table_fields(node: ast.stmt, tree: ast.Module) -> list[tuple[str, int]]:
    """Numeric fields, with their lines, where a statement makes the one instance of a class: `TUNING = Tuning()`."""
    match node:
        case ast.Assign(targets=[ast.Name(id=table)], value=ast.Call(func=ast.Name(id=made), args=[], keywords=[])):
            fields = [x for c in tree.body if isinstance(c, ast.ClassDef) and c.name == made for x in c.body]
            return [
                (f"{table}.{x.target.id}", x.lineno)
                for x in fields
                if isinstance(x, ast.AnnAssign) and isinstance(x.target, ast.Name) and x.value and _is_numeric(x.value)
            ]
    return []


def numeric_names(node: ast.stmt) -> list[str]:
    """Names in capitals to which a statement assigns numbers: `A, B = 1, 2`, `C: float = 2 * A`, `D = {"x": 1e-3}`."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    names = [n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)]
    value = getattr(node, "value", None)
    return [n for n in names if n.isupper()] if value is not None and _is_numeric(value) else []


def _is_numeric(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=number):
            return type(number) in (int, float)
        case ast.UnaryOp(operand=operand):
            return _is_numeric(operand)
        case ast.BinOp(left=left, right=right):
            return _is_numeric(left) and (_is_numeric(right) or isinstance(right, ast.Name))
        case ast.Tuple(elts=values) | ast.Dict(values=values):
            return bool(values) and all(map(_is_numeric, values))
    return False


def suite_of(module: str) -> list[str]:
    """By name, by import, or else the nearest folder of tests."""
    *rooms, last = module.split(".")
    named = ROOT.joinpath("tests", *rooms, f"test_{last}.py")
    imports = re.compile(
        rf"^\s*(from gearwright\.{re.escape(module)} import |"
        rf"from gearwright\.?{re.escape('.'.join(rooms))} import (?!.*\bas\b).*\b{last}\b)",
        re.MULTILINE,
    )
    files = [p for p in ROOT.glob("tests/**/test_*.py") if p == named or imports.search(p.read_text(encoding="utf-8"))]
    folders = (ROOT.joinpath("tests", *rooms[:n]) for n in range(len(rooms), 0, -1))
    found = sorted(files) or [folder for folder in folders if folder.is_dir()][:1]
    return [p.relative_to(ROOT).as_posix() for p in found] or ["@tests/quick.txt"]


def noticed(constant: Constant, factor: float, tests: Sequence[str]) -> bool:
    """Whether a test fails with the constant times the factor, in a session with compiled code of its own."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment = own | {VARIABLE: f"gearwright.{constant.module}:{constant.name}:{factor!r}"}
    plugins = ["-p", "tests.mutate", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command = [sys.executable, "-m", "pytest", *plugins, "-x", "--tb=no", "--no-header", *tests]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def scaled(value: Any, factor: float) -> Any:
    """A number, or all numbers of a tuple or a dictionary, times the factor; whole numbers stay whole."""
    if isinstance(value, dict):
        return {key: scaled(x, factor) for key, x in value.items()}
    if isinstance(value, tuple):
        return tuple(scaled(x, factor) for x in value)
    return type(value)(value * factor)


class _Mutated(SourceFileLoader):
    """Compiles the source with the constant changed behind its assignment; nothing is written to disk."""

    def get_code(self, fullname: str) -> CodeType:
        _, name, factor = os.environ[VARIABLE].split(":")
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path))
        table, _, field = name.partition(".")
        new = f"__import__('tests.mutate', fromlist=['_']).scaled({name}, {factor})"
        new = f"__import__('dataclasses').replace({table}, {field}={new})" if field else new
        change = ast.parse(f"{table} = {new}").body
        named = ([*numeric_names(node), *(name for name, _ in table_fields(node, tree))] for node in tree.body)
        last = max(i for i, names in enumerate(named) if name in names)
        tree.body[last + 1 : last + 1] = change
        return compile(tree, path, "exec")


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != os.environ[VARIABLE].split(":")[0]:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin is not None:
            spec.loader = _Mutated(fullname, spec.origin)
        return spec


if os.environ.get(VARIABLE):
    sys.meta_path.insert(0, _Finder())


def main() -> int:
    survivors = looked_at = 0
    for constant in constants(*sys.argv[1:2]):
        tests = suite_of(constant.module)
        looked_at += 1
        if not any(noticed(constant, factor, tests) for factor in FACTORS):
            survivors += 1
            place = f"src/gearwright/{constant.module.replace('.', '/')}.py:{constant.line}"
            print(f"{place}: {constant.name} survives {' '.join(tests)}", flush=True)
    print(f"{survivors} of {looked_at} constants survive")
    return 0


if __name__ == "__main__":
    sys.exit(main())
