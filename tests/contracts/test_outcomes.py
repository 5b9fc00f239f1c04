"""A test knows what comes out: none accepts one of several errors or codes, and none swallows an error."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


def either(text: str) -> Iterator[int]:
    """Lines that accept more than one outcome."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Attribute(attr="raises") | ast.Name(id="raises"), args=[ast.Tuple(), *_]):
                yield node.lineno
            case ast.Assert(test=test):
                parts = test.values if isinstance(test, ast.BoolOp) else [test]
                if any(_one_of_numbers(part) for part in parts):
                    yield node.lineno
            case ast.ExceptHandler(body=[ast.Pass()]):
                yield node.lineno


def _one_of_numbers(node: ast.expr) -> bool:
    """`code in (1, 2)`."""
    match node:
        case ast.Compare(ops=[ast.In()], comparators=[ast.Tuple(elts=some) | ast.List(elts=some) | ast.Set(elts=some)]):
            return all(isinstance(x, ast.Constant) and isinstance(x.value, int) for x in some)
    return False


def test_no_test_accepts_either_outcome() -> None:
    found = {
        f"{file.relative_to(TESTS)}:{line}"
        for file in sorted(TESTS.rglob("*.py"))
        for line in either(file.read_text(encoding="utf-8"))
    }
    assert not found, "say which of them it is: " + ", ".join(sorted(found))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("with raises((A, B)):\n  f()", [1]),
        ("with pytest.raises(A):\n  f()", []),
        ("assert x.code in (1, 2) and y", [1]),
        ("assert x in ('a', 'b')", []),
        ("assert x in names", []),
        ("try:\n  f()\nexcept A:\n  pass", [3]),
        ("try:\n  f()\nexcept A:\n  g()", []),
    ],
)
def test_what_is_found(text: str, found: list[int]) -> None:
    assert [*either(text)] == found
