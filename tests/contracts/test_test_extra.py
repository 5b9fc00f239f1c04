"""`pip install .[test]` installs what the tests import, so that `make test` and `make slow` pass from a fresh clone."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
OWN = {"gearwright", "tests", "benchmarks", *(path.stem for path in TESTS.rglob("*.py"))}
OWN |= {path.stem for folder in ("docs", "benchmarks") for path in (ROOT / folder).glob("*.py")}
DISTRIBUTIONS = {"pinocchio": "pin"}  # whose files its metadata do not list
OPTIONAL = {  # tests of these are skipped where they are not installed
    "isaaclab": "needs Isaac Sim; a stand-in has its classes",
    "mjlab": "asks for an older MuJoCo, and is large",
    "lerobot": "its versions of other packages are not ours",
    "pip": "there, but in environments that uv made",
    "playwright": "downloads browsers",
    **dict.fromkeys(("torch", "tensordict", "rsl_rl", "skrl", "stable_baselines3"), "large; for learning"),
    "ray": "large; the extra `ray`",
    "zensical": "builds the site; the extra `docs`",
}


def imported() -> dict[str, str]:
    """Packages that tests import or ask for, each with one of the files."""
    found: dict[str, str] = {}
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in _names(node):
                found.setdefault(name.partition(".")[0], path.relative_to(ROOT).as_posix())
    return {name: file for name, file in found.items() if name not in OWN | sys.stdlib_module_names}


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "importorskip":
        yield from (a.value for a in node.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str))


def installed() -> set[str]:
    """Distributions of `pip install .[test]`, with what they need in turn."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    waiting = [*project["dependencies"], *_with_extras(extras["test"], extras)]
    found: set[str] = set()
    while waiting:
        wanted = Requirement(waiting.pop())
        if _plain(wanted.name) in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        found.add(_plain(wanted.name))
        try:
            waiting += requires(wanted.name) or []
        except PackageNotFoundError:  # either: an optional requirement that is not installed
            continue
    return found


def _with_extras(given: Iterable[str], extras: dict[str, list[str]]) -> Iterator[str]:
    for text in given:
        wanted = Requirement(text)
        if wanted.name == "gearwright":
            yield from (each for extra in wanted.extras for each in _with_extras(extras[extra], extras))
        else:
            yield text


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_test_extra_has_what_tests_import() -> None:
    there, known = installed(), packages_distributions()
    missing = {}
    for name, file in imported().items():
        distributions = {_plain(d) for d in (DISTRIBUTIONS.get(name, ""), *known.get(name, (name,)))}
        if name not in OPTIONAL and not distributions & there:
            missing[name] = file
    assert missing == {}
    assert sorted(OPTIONAL.keys() - imported().keys()) == []
