"""Findings in a file, on the terminal: all of it where it did not load, its warnings where it did."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from gearwright.cli.terminal import console
from gearwright.display.diagnostics_text import count_text, diagnostic_line
from gearwright.display.visible import visible

if TYPE_CHECKING:
    from gearwright.cli.loading import Loaded

INDENT = 4  # columns of what goes on in the next line
MOST_WARNINGS = 8  # of a file, before a command that is about something else goes on


def print_line(out: Console, line: Text, *, wrapped: bool | None = None) -> None:
    """A long line. On a terminal it goes on below, indented, broken between words; in a pipe it stays one line, so that
    an editor finds `file:line` in it."""
    if not (out.file.isatty() if wrapped is None else wrapped):
        out.print(line, soft_wrap=True)
        return
    first, *others = line.divide(_breaks(line.plain, out.width))
    for part in (first, *(Text(" " * INDENT).append_text(other) for other in others)):
        part.rstrip()
        out.print(part, soft_wrap=True)


def _breaks(text: str, width: int) -> list[int]:
    """Where lines begin, each with a whole word, or a number and its noun; one that is too long stands alone."""
    found: list[int] = []
    column = 0
    for word in re.finditer(r"(?:\S*[0-9] )?\S+\s*", text):
        if column and column + cell_len(word[0].rstrip()) > width:
            found.append(word.start())
            column = INDENT
        column += cell_len(word[0])
    return found


def complain(loaded: Loaded) -> None:
    """Prints the errors on the error stream; there is no mechanism to print."""
    err = console(sys.stderr)
    for d in loaded.diagnostics:
        if d.severity != "info":
            print_line(err, diagnostic_line(d))
    print_line(err, Text(f"{visible(loaded.file)}: not loaded, {count_text(loaded.diagnostics)}", style="bold"))


def mention(loaded: Loaded) -> None:
    """Prints warnings of a file that loaded, and hints at numbers that are hardly meant: the first of many."""
    found = [d for d in loaded.diagnostics if d.severity == "warning" or d.code == "implausible"]
    err = console(sys.stderr)
    for d in found[:MOST_WARNINGS]:
        print_line(err, diagnostic_line(d))
    if len(found) > MOST_WARNINGS:
        more = len(found) - MOST_WARNINGS
        print_line(err, Text(f"and {more} more: gearwright check {visible(loaded.file)}", style="yellow"))
