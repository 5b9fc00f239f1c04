"""A pytest plugin that says how much of each tolerance is used: `make slack`, or `-p tests.contracts.slack` of a room.

It keeps the largest difference found beside what was allowed, for every `pytest.approx`, `allclose` and bound of an
error in an `assert` (tests/contracts/bounds.py), by its place in the test. Those that use less than a tenth are listed,
and the run fails, unless the statement says on one of its lines or the one above, or its function where that is
defined, why it allows more:

    assert moved == approx(500, rel=0.1)  # slack: the data sheet's own tolerance

`--reseed N` draws other random numbers, and `--slack-file` keeps the largest of several runs.

Tolerances of twelve digits, and those by the name ROUNDING, are left out: another processor rounds in other places,
with other vectors and fused products, and may need that where nothing is found here. So are whole numbers that may
be off by one, which is the resolution of an encoder or a register.
"""

from __future__ import annotations

import ast
import itertools
import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

from tests.contracts import bounds

Place = tuple[str, int, int]  # file, line and column of the comparison
ApproxScalar: Any = type(pytest.approx(0.0))  # its module's name depends on pytest's version
LITTLE = 0.1  # of what is allowed
MARK = "# slack: "
TESTS = Path(__file__).parents[1]
FOUND: dict[Place, tuple[float, float, float]] = {}  # the largest share, with its difference and what was allowed
UNCHANGED: list[tuple[Any, str, Any]] = []  # what the plugin has replaced
ABSENT = object()  # what was not there before
# helpers of rooms too; before conftest imports some
pytest.register_assert_rewrite(*(f"tests.{r.name}" for r in TESTS.iterdir() if r.is_dir() and r.name != "contracts"))


def _of_a_test(file: str) -> bool:
    return "/tests/" in file and file not in (__file__, bounds.__file__)


@cache
def _place(code: Any, instruction: int) -> Place:
    line, _, column, _ = next(itertools.islice(code.co_positions(), instruction // 2, None))
    return code.co_filename, line or 0, column or 0


def _caller(depth: int) -> Place | None:
    """Where a test compares; none where only the package does."""
    frame: Any = sys._getframe(depth)
    while frame is not None and not _of_a_test(frame.f_code.co_filename):
        frame = frame.f_back
    return _place(frame.f_code, frame.f_lasti) if frame is not None else None


def _keep(place: Place | None, share: float, difference: float, allowed: float) -> None:
    if place is not None:
        FOUND[place] = max(FOUND.get(place, (0.0, 0.0, 0.0)), (share, difference, allowed))


def compared(place: Place | None, difference: Any, allowed: Any, size: Any) -> None:
    """Records differences beside what was allowed for numbers of this size, where that is more than rounding."""
    difference, allowed, size = np.broadcast_arrays(difference, allowed, size)
    with np.errstate(all="ignore"):
        counts = (allowed > bounds.ROUNDING * np.maximum(1.0, size)) & (difference < np.inf)
    if counts.any():
        shares = difference[counts] / allowed[counts]
        most = int(np.argmax(shares))
        _keep(place, float(shares[most]), float(difference[counts][most]), float(allowed[counts][most]))


def _approx(self: Any, actual: Any) -> bool:
    try:
        numbers = abs(float(self.expected) - float(actual)), float(self.tolerance), abs(float(self.expected))
    except (TypeError, ValueError):
        return bool(original(ApproxScalar, "__eq__")(self, actual))
    if not bounds.one_count(numbers[1], actual, self.expected):
        compared(_caller(2), *numbers)
    return bool(original(ApproxScalar, "__eq__")(self, actual))


def _close(owner: Any, name: str, relative: float, absolute: float) -> Any:
    """`assert_allclose(actual, desired)` and its like, recorded."""

    def close(actual: Any, desired: Any, rtol: float = relative, atol: float = absolute, **options: Any) -> Any:
        a, d = np.asarray(actual), np.asarray(desired)
        if _of_a_test(sys._getframe(1).f_code.co_filename) and a.size and d.size:
            compared(_caller(2), np.abs(a - d), atol + rtol * np.abs(d), np.abs(d))
        return original(owner, name)(actual, desired, rtol, atol, **options)

    return close


def _reseeded(by: int) -> Any:
    """`default_rng` with other seeds where a test makes the generator."""

    def default_rng(seed: Any = None) -> Any:
        mine = _of_a_test(sys._getframe(1).f_code.co_filename) and isinstance(seed, int | list | tuple)
        return original(np.random, "default_rng")([*np.atleast_1d(seed).tolist(), by] if mine else seed)

    return default_rng


def _other_draws(derandomized: Any) -> Any:
    """hypothesis' settings without a fixed seed."""

    def settings(self: Any, *parent: Any, **given: Any) -> None:
        given.pop("derandomize", None)
        derandomized(self, *parent, **given)

    return settings


def _replace(owner: Any, name: str, new: Any) -> None:
    UNCHANGED.append((owner, name, getattr(owner, name, ABSENT)))
    setattr(owner, name, new)


def original(owner: Any, name: str) -> Any:
    return next(old for o, n, old in UNCHANGED if o is owner and n == name)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reseed", type=int, default=0, help="other random numbers in the tests")
    parser.addoption("--slack-file", type=Path, help="keeps the largest of several runs")


def pytest_configure(config: pytest.Config) -> None:
    _replace(ApproxScalar, "__eq__", _approx)
    _replace(np.testing, "assert_allclose", _close(np.testing, "assert_allclose", 1e-7, 0.0))
    _replace(np, "allclose", _close(np, "allclose", 1e-5, 1e-8))
    if config.getoption("--reseed"):
        _replace(np.random, "default_rng", _reseeded(config.getoption("--reseed")))
        _replace(hypothesis.settings, "__init__", _other_draws(hypothesis.settings.__init__))
    bounds.watch(_replace, lambda *numbers: compared(_caller(3), *numbers))


def pytest_unconfigure(config: pytest.Config) -> None:
    while UNCHANGED:
        owner, name, old = UNCHANGED.pop()
        if old is ABSENT:
            delattr(owner, name)
        else:
            setattr(owner, name, old)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of xdist hands on what it has found."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["slack"] = [[*place, *most] for place, most in FOUND.items()]
        return
    file = session.config.getoption("--slack-file")
    if file is not None:
        for *place, share, difference, allowed in json.loads(file.read_text()) if file.exists() else ():
            _keep(tuple(place), share, difference, allowed)
        file.write_text(json.dumps([[*place, *most] for place, most in FOUND.items()]))
    if any(not argued(place) for place in slack()) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    for *place, share, difference, allowed in getattr(node, "workeroutput", {}).get("slack", ()):
        _keep(tuple(place), share, difference, allowed)


@cache
def _source(file: str) -> tuple[list[str], list[Any]]:
    text = Path(file).read_text(encoding="utf-8")
    return text.splitlines(), [node for node in ast.walk(ast.parse(text)) if hasattr(node, "lineno")]


def argued(place: Place) -> bool:
    """Whether the statement says why it allows more than is found."""
    file, at, _ = place
    lines, nodes = _source(file)
    around = [n for n in nodes if isinstance(n, ast.stmt) and n.lineno <= at <= n.end_lineno]
    first, last = next(((n.lineno, n.end_lineno) for n in around if not hasattr(n, "body")), (at, at))
    own = [lines[n.lineno - 1] for n in around if isinstance(n, ast.FunctionDef)] + lines[first - 1 : last]
    return lines[first - 2].strip().startswith(MARK) or any(MARK in line for line in own)


def rounding(place: Place) -> bool:
    """Whether all tolerances of the comparison are of rounding, by name."""
    file, *at = place
    begin = [n for n in _source(file)[1] if [n.lineno, n.col_offset] == at]
    return any(bounds.of_rounding(node) for node in begin)


def slack() -> dict[Place, tuple[float, float, float]]:
    return {place: most for place, most in FOUND.items() if most[0] < LITTLE and not rounding(place)}


def pytest_terminal_summary(terminalreporter: Any) -> None:
    open_ones = {place: most for place, most in slack().items() if not argued(place)}
    terminalreporter.write_line(
        f"{len(FOUND)} tolerances measured: {len(slack())} use less than a tenth of what they allow, "
        f"{len(slack()) - len(open_ones)} of these argued, {len(open_ones)} not"
    )
    for (file, line, _), (share, difference, allowed) in sorted(open_ones.items()):
        text, where = _source(file)[0][line - 1].strip(), os.path.relpath(file)
        terminalreporter.write_line(f"{difference:.2g} of {allowed:.2g} ({share:.1g})  {where}:{line}  {text}")
