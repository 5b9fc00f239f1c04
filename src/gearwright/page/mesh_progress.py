"""A bar in the terminal while the meshes of a large robot are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

PATIENCE = 2.0  # [s] of reading before the bar is shown


@contextmanager
def mesh_progress(shapes: int, console: Any = None, after: float = PATIENCE) -> Iterator[Callable[[], None]]:
    """The block calls what it gets once per shape. On the error stream, if that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    shown = console or Console(stderr=True)
    if not shown.is_terminal:
        yield lambda: None
        return
    columns = TextColumn("reading shapes"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    bar = Progress(*columns, console=shown, transient=True)
    task = bar.add_task("", total=shapes)
    timer = Timer(after, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda: bar.advance(task)
    finally:
        timer.cancel()
        timer.join()  # where it had begun to show the bar, that is shown now
        bar.stop()
