"""What takes long says so, in a terminal and nowhere else."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from gearwright.cli.terminal import waiting


def shown(*, terminal: bool, after: float) -> str:
    text = io.StringIO()
    with waiting("compiling [arm]", Console(file=text, force_terminal=terminal, width=80), after=after):
        time.sleep(0.3)
    return text.getvalue()


def test_a_terminal_is_told_after_a_while() -> None:
    assert "compiling [arm]" in shown(terminal=True, after=0.05)


@pytest.mark.parametrize(("terminal", "after"), [(False, 0.05), (True, 60.0)])
def test_nothing_is_said_to_a_pipe_nor_of_what_is_quick(terminal: bool, after: float) -> None:
    assert shown(terminal=terminal, after=after) == ""


def test_an_error_comes_through() -> None:
    with (
        pytest.raises(ValueError, match="no such robot"),
        waiting("compiling", Console(file=io.StringIO(), force_terminal=True), after=0.0),
    ):
        raise ValueError("no such robot")
