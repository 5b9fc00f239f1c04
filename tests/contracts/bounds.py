"""Bounds of errors in the `assert` statements of tests, watched while these run: `abs(a - b) < 1e-9`.

An upper bound counts where it is written as a number (with names in capitals, or times a scale) and is small, or the
other side is an absolute value, a norm, a difference or an error by its name. Other bounds are statements about
mechanisms, not tolerances.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
from _pytest.assertion import rewrite

SMALL = 1e-3  # a bound below it is one of an error
ROUNDING = 1.001e-12  # of the expected number, or of 1
WATCHER = "@watched_bound"  # no name that a test could have
OPERATORS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
ERRORS = ("abs", "norm", "error", "diff", "apart", "drift", "ptp", "residual", "gap", "worst", "wrong", "violation")
CLOCKS = (
    "monotonic",
    "perf_counter",
    "process_time",
    "begun",
    "began",
    "seconds",
    "elapsed",
    "took",
    "duration",
    "timeit",
)
Record = Callable[[Any, Any, Any], None]


def _names(node: ast.AST) -> list[str]:
    named = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    return named + [n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)]


def _as_number(node: ast.expr) -> bool:
    """A number, a constant by its name, one of a table, or one of them times a scale."""
    match node:
        case ast.Constant(value=int() | float()):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper() or "toleran" in name or "allowed" in name or name == "eps"
        case ast.Subscript(value=value):
            return _as_number(value)
        case ast.UnaryOp(operand=operand):
            return _as_number(operand)
        case ast.IfExp(body=body, orelse=orelse):
            return _as_number(body) and _as_number(orelse)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() | ast.Pow(), right=right):
            return _as_number(left) or _as_number(right)
        case ast.BinOp(left=left, right=right):
            return _as_number(left) and _as_number(right)
    return False


def _of_an_error(node: ast.expr) -> bool:
    subtracts = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub) for n in ast.walk(node))
    return any(word in name.lower() for name in _names(node) for word in ERRORS) or subtracts


def _timed(node: ast.expr) -> bool:
    """A time-out is no tolerance."""
    return any(word in name.lower() for name in _names(node) for word in CLOCKS)


def of_rounding(node: ast.AST) -> bool:
    """Whether a comparison allows nothing but `ROUNDING`, times a scale where that is not one."""
    match node:
        case ast.Compare():
            approx = [n for n in ast.walk(node) if isinstance(n, ast.Call) and _names(n.func)[-1:] == ["approx"]]
            if approx:
                return all(n.keywords and _all_rounding(n.keywords) for n in approx)
            return any("ROUNDING" in _names(value) for value in (node.left, *node.comparators))
        case ast.Call(keywords=given):
            by_name = {k.arg: k for k in given if k.arg in ("rtol", "atol")}
            return "rtol" in by_name and _all_rounding(list(by_name.values()))
    return False


def _all_rounding(given: list[ast.keyword]) -> bool:
    return all("ROUNDING" in _names(k.value) for k in given if k.arg != "nan_ok")


class Kind(Enum):
    """What is known of a bound from the text."""

    NO_TOLERANCE = "no tolerance"
    IF_SMALL = "one of an error if it is small"
    OF_AN_ERROR = "one of an error, by its name"


def _kind(bound: ast.expr, error: ast.expr) -> Kind:
    if not _as_number(bound) or _timed(error):
        return Kind.NO_TOLERANCE
    return Kind.OF_AN_ERROR if _of_an_error(error) else Kind.IF_SMALL


class _Watched(ast.NodeTransformer):
    """Comparisons of an `assert`, handed to the watcher with what is known of them from the text."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        values = [node.left, *node.comparators]
        if not all(type(op) in OPERATORS for op in node.ops):
            return node
        pairs = list(zip(values, node.ops, values[1:], strict=False))
        sides = [(b, a) if isinstance(op, ast.Lt | ast.LtE) else (a, b) for a, op, b in pairs]
        kinds = [_kind(bound, error) for bound, error in sides]
        if all(kind is Kind.NO_TOLERANCE for kind in kinds):
            return node
        known = ast.Constant(tuple((type(op).__name__, kind.value) for op, kind in zip(node.ops, kinds, strict=True)))
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        later = [ast.Lambda(args=nothing, body=value) for value in values[2:]]  # evaluated only if what is before holds
        call = ast.Call(func=ast.Name(id=WATCHER, ctx=ast.Load()), args=[known, *values[:2], *later], keywords=[])
        return ast.fix_missing_locations(ast.copy_location(call, node))


class _Asserts(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        node.test = _Watched().visit(node.test)
        return node


def _watcher(record: Record) -> Any:
    def watched(known: tuple[tuple[str, str], ...], a: Any, b: Any, *later: Callable[[], Any]) -> Any:
        for i, (op, kind) in enumerate(known):
            holds = OPERATORS[getattr(ast, op)](a, b)
            _recorded(record, Kind(kind), *((b, a) if op.startswith("Lt") else (a, b)))
            if i == len(later) or not holds:
                break
            a, b = b, later[i]()
        return holds

    return watched


def one_count(allowed: Any, *numbers: Any) -> bool:
    """Whole numbers that may be off by one."""
    return bool(np.all(np.asarray(allowed) == 1) and all(np.all(np.mod(n, 1) == 0) for n in numbers))


def _recorded(record: Record, kind: Kind, bound: Any, error: Any) -> None:
    try:
        bound, error = np.asarray(bound, dtype=float), np.asarray(error, dtype=float)
    except (TypeError, ValueError):  # either: not of numbers
        return
    small = kind is Kind.OF_AN_ERROR or (kind is Kind.IF_SMALL and bound.size and bound.max() <= SMALL)
    if small and bound.size and error.size and bound.min() > 0 and error.min() >= 0 and not one_count(bound, error):
        record(error, bound, np.zeros(()))


def watch(replace: Callable[[Any, str, Any], None], record: Record) -> None:
    """Watches all modules of tests that are imported from now on."""
    rewritten = rewrite.rewrite_asserts

    def rewrite_asserts(tree: ast.Module, *rest: Any) -> None:
        _Asserts().visit(tree)
        rewritten(tree, *rest)

    replace(rewrite, "rewrite_asserts", rewrite_asserts)
    replace(rewrite, "_read_pyc", lambda *_: None)  # compiled without the watcher
    replace(rewrite, "_write_pyc", lambda *_: None)
    replace(builtins, WATCHER, _watcher(record))
