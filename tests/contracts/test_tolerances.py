"""A tolerance that is written as a number names its error source: beside it, above it, or in the test's docstring.

Those of twelve digits and less are of rounding. How much is used of each is `make slack`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROUNDING = 1.001e-12
SMALL = 1e-3  # a bound below it is one of an error
KEYWORDS = {"approx": ("rel", "abs"), "allclose": ("rtol", "atol"), "assert_allclose": ("rtol", "atol")}


def numbers(statement: ast.stmt) -> Iterator[float]:
    """Tolerances that are written in it as numbers."""
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), keywords=given) if name in KEYWORDS:
                values = [k.value for k in given if k.arg in KEYWORDS[name]]
            case ast.Compare(ops=[ast.Lt() | ast.LtE()], comparators=[ast.Constant(value=float(bound)) as value]):
                values = [value] if bound <= SMALL and isinstance(statement, ast.Assert) else []
            case _:
                continue
        yield from (v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, float))


def unnamed(text: str) -> Iterator[int]:
    """Lines of statements whose tolerances have no source."""
    lines, tree = text.splitlines(), ast.parse(text)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    for n in ast.walk(tree):
        if not isinstance(n, ast.Assert | ast.Expr) or not any(x > ROUNDING for x in numbers(n)):
            continue
        around = [f for f in functions if f.lineno <= n.lineno <= (f.end_lineno or 0)]
        beside = any("#" in line for line in lines[n.lineno - 1 : n.end_lineno])
        if not (beside or lines[n.lineno - 2].strip().startswith("#") or any(map(ast.get_docstring, around))):
            yield n.lineno


def test_tolerances_name_their_source() -> None:
    files = (file for file in sorted(TESTS.rglob("*.py")) if file.parent.name != "contracts")
    found = [f"{f.relative_to(TESTS)}:{n}" for f in files for n in unnamed(f.read_text(encoding="utf-8"))]
    assert not found, "say where the error comes from: " + ", ".join(found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("assert x == approx(1, rel=1e-6)", [1]),
        ("assert x == approx(1, rel=1e-6)  # dt²", []),
        ("# dt²\nassert x == approx(1, rel=1e-6)", []),
        ("assert x == approx(1, rel=1e-12)", []),
        ("assert x == approx(1, rel=ROUNDING)", []),
        ("np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)", [1]),
        ("assert abs(x) < 1e-9", [1]),
        ("assert x < 0.5", []),
        ("def test():\n    'To dt².'\n    assert x == approx(1, rel=1e-6)", []),
        ("def test():\n    assert x == approx(1, rel=1e-6)", [2]),
    ],
)
def test_what_is_found(text: str, found: list[int]) -> None:
    assert [*unnamed("\n" + text)] == [n + 1 for n in found]
