"""The console that commands print to. Colours follow the terminal, NO_COLOR and FORCE_COLOR."""

from __future__ import annotations

import os
from typing import IO

from rich.console import Console

PIPE_WIDTH = 200  # columns where nothing is there to be narrow


def console(file: IO[str] | None = None) -> Console:
    """Text is printed as it is: no markup, no emoji codes, no guessing at numbers to colour."""
    made = Console(file=file, highlight=False, markup=False, emoji=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    return made
