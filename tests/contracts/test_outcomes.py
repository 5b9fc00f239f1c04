"""A test knows what comes out: none accepts one of several errors or numbers, any exception, or drops an error.

An error is dropped by `suppress`, and by a handler that only passes, continues or returns nothing. Where the outcome is
not the point, the line says so:

    with suppress(LoadError):  # either: time is the point
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
MARK = "# either: "


def either(text: str) -> Iterator[int]:
    """Lines that accept more than one outcome, and do not say why."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if _accepts_more(node) and MARK not in lines[node.lineno - 1]:
            yield node.lineno


def _accepts_more(node: Any) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="raises") | ast.Name(id="raises"), args=[expected, *_]):
            return isinstance(expected, ast.Tuple) or ast.unparse(expected) in ("Exception", "BaseException")
        case ast.Call(func=ast.Attribute(attr="suppress") | ast.Name(id="suppress")):
            return True
        case ast.Assert(test=test):
            return any(_one_of_numbers(part) or _one_or_another(part) for part in _claims(test))
        case ast.ExceptHandler(body=[ast.Pass() | ast.Continue() | ast.Return(value=None)]):
            return True
    return False


def _claims(test: ast.expr) -> Iterator[ast.expr]:
    """What is asserted, with the parts of it that are asserted too, or of each."""
    yield test
    match test:
        case ast.BoolOp(values=values):
            yield from (part for value in values for part in _claims(value))
        case ast.Call(func=ast.Name(id="all" | "any"), args=[ast.GeneratorExp(elt=each)]):
            yield from _claims(each)


def _one_or_another(node: ast.expr) -> bool:
    """`x == 1 or x == 2`."""
    if not (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)):
        return False
    equal = [v for v in node.values if isinstance(v, ast.Compare) and isinstance(v.ops[0], ast.Eq)]
    return len({ast.unparse(v.left) for v in equal}) < len(equal)


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
        ("try:\n  f()\nexcept A:\n  return", [3]),
        ("try:\n  f()\nexcept A:\n  return None", []),
        ("try:\n  f()\nexcept A:\n  return False", []),
        ("for x in y:\n  try:\n    f()\n  except A:\n    continue", [4]),
        ("for x in y:\n  try:\n    f()\n  except A:  # either: no such x\n    continue", []),
        ("with suppress(A):\n  f()", [1]),
        ("with contextlib.suppress(A):  # either: time is the point\n  f()", []),
        ("with pytest.raises(Exception, match='x'):\n  f()", [1]),
        ("assert x == 1 or x == 2", [1]),
        ("assert y and (x == 1 or x == 2)", [1]),
        ("assert x == 1 or y == 2", []),
        ("assert x & (7 if y in (1, 2) else 3) == y", []),
        ("assert all(x in (1, 2) for x in y)", [1]),
    ],
)
def test_what_is_found(text: str, found: list[int]) -> None:
    assert [*either(text)] == found
