"""A tolerance that is written as a number names its error source: beside it, above it, or in the test's docstring.

Beside and above it counts a comment that is not for a tool, in the docstring a number or an order. Those of twelve
digits and less are of rounding. How much is used of each is `make slack`.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.bounds import ROUNDING, SMALL

TESTS = Path(__file__).parents[1]
FOR_TOOLS = re.compile(r"#\s*(noqa|type:|fmt:|mypy:|ruff:|pragma:)[^#]*")
AMOUNT = re.compile(r"\d|[²³⁴]|\bdt\b|\border\b|\brounding|\bdigits\b")
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


def comments(text: str) -> dict[int, bool]:
    """Lines with a comment that is for readers; whether it stands alone."""
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    return {t.start[0]: t.line.strip() == t.string for t in tokens if FOR_TOOLS.sub("", t.string)}


def unnamed(text: str) -> Iterator[int]:
    """Lines of statements whose tolerances have no source."""
    said, tree = comments(text), ast.parse(text)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    for n in ast.walk(tree):
        if not isinstance(n, ast.Assert | ast.Expr) or not any(x > ROUNDING for x in numbers(n)):
            continue
        around = [f for f in functions if f.lineno <= n.lineno <= (f.end_lineno or 0)]
        beside = any(line in said for line in range(n.lineno, (n.end_lineno or n.lineno) + 1))
        amounts = any(AMOUNT.search(ast.get_docstring(f) or "") for f in around)
        if not (beside or said.get(n.lineno - 1) or amounts):
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
        ("def test():\n    'It stands.'\n    assert x == approx(1, rel=1e-6)", [3]),
        ("assert x == approx(1, rel=1e-6)  # type: ignore[arg-type]", [1]),
        ("assert x == approx(1, rel=1e-6)  # noqa: B015", [1]),
        ("assert x == approx(1, rel=1e-6)  # noqa: B015  # dt²", []),
        ("assert x['#'] == approx(1, rel=1e-6)", [1]),
        ("y = 1  # dt²\nassert x == approx(1, rel=1e-6)", [2]),
    ],
)
def test_what_is_found(text: str, found: list[int]) -> None:
    assert [*unnamed("\n" + text)] == [n + 1 for n in found]
