"""Time and memory of an expression are bounded, whatever it says."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from gearwright.diagnostics import Report
from gearwright.formats.xacro.calls import call_macro
from gearwright.formats.xacro.directives import DIRECTIVES
from gearwright.formats.xacro.errors import XacroError
from gearwright.formats.xacro.expander import Expander
from gearwright.formats.xacro.files import Files
from gearwright.formats.xacro.substitutions import Arguments
from gearwright.formats.xacro.values import text_of
from tests.formats.guarded import guarded
from tests.xacro.hostile import expression

SECONDS, MEGABYTES = 10.0, 500  # of one file
GROUP = 50  # expressions in one process


class Cost(NamedTuple):
    """What a text took to load."""

    seconds: float  # of processor time
    megabytes: float  # the most at a time
    text: str


def _peak() -> float:
    """Megabytes that this process has held at most."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def cost(text: str) -> Cost:
    """Evaluates an expression and writes its value down. Either may be refused, by a diagnostic's error alone."""
    expander = Expander(DIRECTIVES, call_macro, Files(None, ()), Arguments({}), {}, Report())
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins here
    before, begun = _peak(), time.process_time()
    with suppress(XacroError, RecursionError):  # either: its cost is the point
        text_of(expander.text.expressions.evaluate(text, expander.top.scope), expander.budget)
    return Cost(time.process_time() - begun, _peak() - before, text)


def _costs(texts: list[str]) -> Iterator[Cost]:
    for first in range(0, len(texts), GROUP):
        group = texts[first : first + GROUP]
        outcome = guarded(lambda group=group: [cost(text) for text in group], seconds=100, megabytes=4000)  # type: ignore[misc]
        assert outcome.kind == "loaded", outcome.detail
        yield from outcome.value


# One cause each: sizes that are only known when a function is called, and operations whose time is a product of two.
KNOWN = {
    "a text split by lists": "xacro.tokenize('b', ['bbbbbbbbbbbb'] + ['b']*9)",
    "a method called many times": "map(('x'*199999).replace, ['x']*20000, ['y']*20000)",
    "a method that filters": "python.filter(('x '*99999).split, [' ']*49000)",
    "a method that sorts": "sorted([' ']*20000, key=('x '*99999).split)",
    "integers of one hash": "len(python.set([i*(2**61-1) for i in range(49999)]))",
    "integers of one hash as keys": "len({i*(2**61-1): 0 for i in range(49999)})",
    "sets that are joined": "(lambda a: len({*a(0), *a(1), *a(2), *a(3), *a(4), *a(5), *a(6), *a(7), *a(8), *a(9)}))"
    "(lambda k: [i*(2**61-1) for i in range(4500*k, 4500*k + 4500)])",
    "a tuple in many fields": "('{0}'*40000).format(('abcdefghij',)*4000)",
    "a width behind a key": "'%(a(b))999999999d' % dict([('a(b)', 1)])",
    "keys that do not end": "('%('*100000) % 1",
    "a search from the end": "('a'*199999).rfind('ab' + 'a'*99990)",
    "characters to strip": "('😀'*199999).strip('é'*99999 + '😀')",
    "characters of a text as values": "(lambda v: [" + ", ".join(["*v"] * 900) + "])('😀'*199999)",
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_known_bombs(name: str) -> None:
    (found,) = _costs([KNOWN[name]])
    assert found.seconds < 0.5 and found.megabytes < 50, found  # 0.02 s and 3 MB here


@pytest.mark.parametrize("count", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_random_expressions_stay_within_their_bounds(count: int) -> None:
    rng = random.Random(21)
    found = list(_costs([expression(rng) for _ in range(count)]))
    worst = [c for c in found if c.seconds > SECONDS or c.megabytes > MEGABYTES]
    assert len(found) == count and not worst
