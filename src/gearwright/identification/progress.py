"""Iterations of a search on the error stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gearwright.identification.least_squares import Report


@contextmanager
def shown(wanted: bool, what: str) -> Iterator[Report]:
    """A function to report iterations to."""
    if not wanted:
        yield lambda iteration, cost, left: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(f"identifying from {what}") as status:

        def report(iteration: int, cost: float, left: int) -> None:
            more = f", {left} starts" if left > 1 else ""
            status.update(f"identifying from {what}: iteration {iteration}{more}, squares {cost:.6g}")

        yield report
