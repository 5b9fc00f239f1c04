"""The console that commands print to. Colours follow the terminal, NO_COLOR and FORCE_COLOR."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import IO

from rich.console import Console

PIPE_WIDTH = 200  # columns where nothing is there to be narrow
PATIENCE = 2.0  # [s] that something may take before it says that it goes on


def console(file: IO[str] | None = None) -> Console:
    """Text is printed as it is: no markup, no emoji codes, no guessing at numbers to colour."""
    made = Console(file=file, highlight=False, markup=False, emoji=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    return made


@contextmanager
def waiting(what: str, console: Console | None = None, after: float = PATIENCE) -> Iterator[None]:
    """Says on stderr, if that is a terminal, what takes longer and for how long already."""
    shown = console or Console(stderr=True, highlight=False, markup=False, emoji=False)
    if not shown.is_terminal:
        yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    line = Progress(*columns, console=shown, transient=True)
    line.add_task(what, total=None)
    timer = Timer(after, line.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # where it had begun to show the line, that is shown now
        line.stop()
