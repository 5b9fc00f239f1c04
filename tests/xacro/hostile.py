"""Expressions that ask for much time or memory, made at random from everything that expressions may use."""

from __future__ import annotations

import random
from collections.abc import Callable

from gearwright.formats.xacro.functions import MATH, PYTHON
from gearwright.formats.xacro.methods import TABLE
from gearwright.formats.xacro.values import Function

# Values near the limits, for each type; all others are made of them.
VALUES = {
    "text": (
        "'x'*199999", "'x '*99999", "'ab'*90000", "'😀'*199999", "'é'*150000", "'%s'*50000", "'{0}'*60000",
        "'0'*150000", "'\\n'*150000", "'b' + 'a'*99999", "'ab' + 'a'*99990", "'%0'*90000", "'a'", "''", "' '", "','",
        "'%s'", "'{0}{0}{0}'", "'%999d'", "'%(a)s'", "'%(a(b))999999999d'", "'{:>999}'", "'{:0999999999d}'",
        "'%('*60000",
    ),
    "list": (
        "[0]*49999", "[' ']*20000", "['x']*20000", "range(49999)", "list(range(9999))", "('x '*99999).split()",
        "[i*(2**61-1) for i in range(4900)]", "[(i, i) for i in range(3999)]", "[[i] for i in range(9999)]",
        "[[0]*100]*400", "dict([(i, i) for i in range(3000)])", "python.set(range(9999))", "(1, 2, 3)", "[]",
        "['b']*10", "['bbbbbbbbbbbb'] + ['b']*9", "dict(a=1)", "('abcdefghij',)*4000", "python.frozenset(range(99))",
        "list('ab')", "python.set([i*(2**61-1) for i in range(4900)])",
    ),
    "number": (
        "2**16000", "2**61-1", "10**300", "1e308", "-1", "0", "1", "3", "999", "1000", "199999", "10**9", "0.5", "True",
    ),
}  # fmt: skip
METHODS = {
    "text": sorted(TABLE[str]),
    "list": sorted({name for kind in (list, tuple, dict, set, range) for name in TABLE[kind]}),
    "number": sorted({*TABLE[int], *TABLE[float]}),
}
TAKES = {  # what functions want, where it is not numbers
    "list": "len list sorted python.sum python.tuple python.set python.frozenset python.enumerate python.zip dict"
    " python.reversed python.all python.any prod fsum hypot gcd lcm max min xacro.dotify str python.repr",
    "text": "len list str float int xacro.tokenize python.set python.tuple python.enumerate python.zip python.repr",
}
FUNCTIONS = {
    **{kind: names.split() for kind, names in TAKES.items()},
    "number": [
        *(f"python.{name}" for name, v in PYTHON.items() if isinstance(v, Function)),
        *(name for name, v in MATH.items() if isinstance(v, Function)),
    ],
}
KEYS = ("len", "str", "lambda v: str(v)*99", "lambda v: [v]*99", "python.repr", "list", "python.set", "float", "abs")
OPERATORS = ("+", "*", "%", "-", "**", "<<", "&", "|", "^", "==", "<", "in", "and", "//")
CALLED_BACK = (
    "map({0}, {1})", "map({0}, {1}, {1})", "python.filter({0}, {1})", "sorted({1}, key={0})", "max({1}, key={0})",
    "list({1}).sort(key={0})", "len(map({0}, {1}))",
)  # fmt: skip
LOOPS = (
    "[{0} for a in {1}]", "{{a: {0} for a in {1}}}", "[a for a in {1} for b in {0}]", "[lambda: {0} for a in {1}]",
    "['a'.upper for a in {1}]", "{{{0} for a in {1}}}", "python.all({0} for a in {1})", "[{0} for a, b in {1}]",
    "[[a]*9 for a in {1}]", "[str(a)*99 for a in {1}]",
)  # fmt: skip
MANY = (
    "f'{braces}'", "[{names}]", "python.zip({names})", "max({names})", "[{stars}]", "'%s'.join([{names}])",
    "('{{0}}'*{n}).format(v)", "('%s'*{n}) % ({names})", "v.join([v]*{n})", "[*map(str, [v]*{n})]",
)  # fmt: skip


def expression(rng: random.Random, depth: int = 3, kind: str | None = None) -> str:
    """A random expression, which starts from a value of this kind. Some are only mistakes."""
    kind = kind or rng.choices(("text", "list", "number"), (5, 5, 1))[0]
    rules: list[Callable[[random.Random, int, str], str]] = [_value]
    if depth > 0:
        rules += [_operation, _call, _method, _method, _called_back, _called_back, _called_back, _loop, _many, _spread]
    return rng.choice(rules)(rng, depth - 1, kind)


def _value(rng: random.Random, _: int, kind: str) -> str:
    return f"({rng.choice(VALUES[kind])})"


def _operation(rng: random.Random, depth: int, kind: str) -> str:
    other = rng.choice((kind, "number", "list"))
    return f"({expression(rng, depth, kind)} {rng.choice(OPERATORS)} {expression(rng, depth, other)})"


def _call(rng: random.Random, depth: int, kind: str) -> str:
    arguments = [expression(rng, depth, kind) for _ in range(rng.choice((1, 1, 1, 2)))]
    return f"{rng.choice(FUNCTIONS[kind])}({', '.join(arguments)})"


def _method(rng: random.Random, depth: int, kind: str) -> str:
    given = rng.choice((("",), ("text",), ("list",), ("text", "text"), ("number",)))
    arguments = ", ".join(expression(rng, depth, k) for k in given if k)
    return f"{expression(rng, depth, kind)}.{rng.choice(METHODS[kind])}({arguments})"


def _called_back(rng: random.Random, depth: int, kind: str) -> str:
    """A function that others call, once per value: often a method of a large value."""
    method = f"{expression(rng, depth, kind)}.{rng.choice(METHODS[kind])}"
    function = rng.choice((method, method, rng.choice(FUNCTIONS[kind]), rng.choice(KEYS)))
    return rng.choice(CALLED_BACK).format(function, expression(rng, depth, "list"))


def _loop(rng: random.Random, depth: int, kind: str) -> str:
    return rng.choice(LOOPS).format(expression(rng, depth, kind), expression(rng, depth, "list"))


def _many(rng: random.Random, _: int, kind: str) -> str:
    """One value many times in a text, a list or the arguments of a call."""
    n = rng.choice((9, 300, 900))
    names = ", ".join(["v"] * n)
    braces, stars = "{v}" * n, names.replace("v", "*v")
    return (
        f"(lambda v: {rng.choice(MANY).format(braces=braces, names=names, stars=stars, n=n)})({_value(rng, 0, kind)})"
    )


def _spread(rng: random.Random, depth: int, kind: str) -> str:
    return f"{rng.choice(FUNCTIONS[kind])}(*{expression(rng, depth, kind)})"
