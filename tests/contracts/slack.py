"""A pytest plugin that says how much of each tolerance is used: `-p tests.contracts.slack`.

For every `pytest.approx` it keeps the largest difference found, beside what was allowed; those that use less than a
tenth of it are listed at the end, by the line of the test. A bound in an `assert x < 1e-9` is not seen.

Tolerances of twelve digits are left out: another processor rounds in other places, with other vectors and fused
products, and may need that where nothing is found here.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

ApproxScalar: Any = type(pytest.approx(0.0))  # its module's name depends on pytest's version
LITTLE = 0.1  # of what is allowed
ROUNDING = 1.001e-12  # of the expected number, or of 1
FOUND: dict[tuple[str, int], tuple[float, float]] = {}  # by file and line: the largest share, and its difference
_equal = ApproxScalar.__eq__


def _of_a_test(file: str) -> bool:
    return "/tests/" in file and file != __file__


def _line() -> tuple[str, int]:
    """File and line of the test that compares."""
    frame = sys._getframe(2)
    while frame.f_back is not None and not _of_a_test(frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_code.co_filename.rpartition("/tests/")[2], frame.f_lineno


def _recorded(self: Any, actual: Any) -> bool:
    try:
        difference, allowed = abs(float(self.expected) - float(actual)), float(self.tolerance)
    except (TypeError, ValueError):
        return bool(_equal(self, actual))
    if allowed > ROUNDING * max(1.0, abs(float(self.expected))) and difference < float("inf"):
        _keep(_line(), difference / allowed, difference)
    return bool(_equal(self, actual))


def _keep(place: tuple[str, int], share: float, difference: float) -> None:
    FOUND[place] = max(FOUND.get(place, (0.0, 0.0)), (share, difference))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of xdist hands on what it has found."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["slack"] = [[*place, *most] for place, most in FOUND.items()]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    for file, line, share, difference in getattr(node, "workeroutput", {}).get("slack", ()):
        _keep((file, line), share, difference)


def pytest_configure(config: pytest.Config) -> None:
    ApproxScalar.__eq__ = _recorded


def pytest_unconfigure(config: pytest.Config) -> None:
    ApproxScalar.__eq__ = _equal


def pytest_terminal_summary(terminalreporter: Any) -> None:
    slack = sorted((share, difference, place) for place, (share, difference) in FOUND.items() if share < LITTLE)
    terminalreporter.write_line(f"{len(slack)} of {len(FOUND)} tolerances use less than a tenth of what they allow")
    for share, difference, (file, line) in slack:
        terminalreporter.write_line(f"{share:9.2g} of it ({difference:.2g} found)  tests/{file}:{line}")
