"""The live table of `gearwright serve`: one row per drive, as wide as the terminal lets it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Event, Lock
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from gearwright.display.visible import visible
from gearwright.errors import counted
from gearwright.hardware.transports.json_lines import JsonServer

if TYPE_CHECKING:
    from gearwright.hardware.bench import Bench

REFRESH = 0.25  # [s]
WORDS = ("actuator", "state", "mode", "errors")  # columns of text; the others hold numbers
FIRST_TO_GO = ("ms", "1/s", "°C", "mode", "current", "velocity", "torque", "node")  # where the terminal is too narrow
FRAME = 3  # columns that a cell takes beside its text; one more for the last border


class Screen:
    """Draws in place, above the line on which commands are typed, and leaves that line as it is."""

    def __init__(self) -> None:
        from gearwright.cli.terminal import console

        self._console, self._lock = console(), Lock()
        self._size = (0, 0)  # lines and columns of what is drawn
        self._message = ""

    def show(self, bench: Bench, stop: Event) -> None:
        """Redrawn until the server stops; where there is no terminal to draw in, printed once at the end."""
        rates = Rates(bench)
        while not stop.wait(REFRESH) and bench.failure is None:
            if self._console.is_terminal:
                self.draw(_now(bench, rates))
        if self._console.is_terminal:
            self._write("\r\x1b[2K")  # the ^C that ended it
        else:
            self._console.print(_now(bench, rates))

    def draw(self, shown: RenderableType) -> None:
        with self._console.capture() as drawn:
            self._console.print(shown)
            if self._message:
                self._console.print(Text(self._message, style="yellow"))
        lines = drawn.get().rstrip("\n").split("\n")[: max(1, self._console.height - 2)]
        size = (len(lines), self._console.width)
        up = f"\x1b[{self._size[0]}A" if self._size[0] else ""
        body = "".join(f"{line}\x1b[K\n" for line in lines)
        if size == self._size:
            self._write(f"\x1b7{up}\r{body}\x1b8")
        else:
            self._write(f"\r{up}\x1b[J{body}")
        self._size = size

    def entered(self, message: str) -> None:
        """A line was typed: the cursor goes back to where it was, and a message, if any, below the table."""
        self._message = visible(message)
        if self._console.is_terminal:
            self._write("\x1b[1A\r\x1b[2K")

    def _write(self, text: str) -> None:
        with self._lock:
            self._console.file.write(text)
            self._console.file.flush()


def _now(bench: Bench, rates: Rates) -> LiveTable:
    with bench.lock:
        return table(bench, rates)


class Rates:
    """Packets per second by device."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._at = bench, monotonic()
        self._counts = {name: d.answered for name, d in bench.rig.devices.items()}
        self.rates = dict.fromkeys(self._counts, 0.0)

    def refresh(self) -> None:
        now = monotonic()
        for name, device in self._bench.rig.devices.items():
            self.rates[name] = (device.answered - self._counts[name]) / max(now - self._at, 1e-3)
            self._counts[name] = device.answered
        self._at = now


@dataclass(frozen=True)
class LiveTable:
    """Columns that do not fit are named below; names and numbers are never cut to make room."""

    lines: tuple[str, ...]  # above the table
    columns: dict[str, list[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        hidden = _hidden(self.columns, options.max_width)
        columns = dict(self.columns)
        excess = _width(columns, hidden) - options.max_width
        if excess > 0 and "errors" in columns:  # names and numbers stay whole
            longest = max(map(len, columns["errors"]), default=0)
            columns["errors"] = [_cut(text, longest - excess) for text in columns["errors"]]
        made = Table()
        for heading in columns:
            if heading not in hidden:
                made.add_column(
                    heading, no_wrap=True, overflow="ellipsis", justify="left" if heading in WORDS else "right"
                )
        for cells in zip(*(c for h, c in columns.items() if h not in hidden), strict=True):
            made.add_row(*cells)
        for line in self.lines:
            yield Text(line, style="italic")
        yield made
        if hidden:
            yield Text(f"not shown in {options.max_width} columns: {', '.join(hidden)}", style="dim italic")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= max(most, 1) else text[: max(most, 1) - 1] + "…"


def _hidden(columns: dict[str, list[str]], most: int) -> list[str]:
    """The fewest columns, in their order of importance, without which the others are whole."""
    hidden: list[str] = []
    for heading in FIRST_TO_GO:
        if _width(columns, hidden) <= most:
            return hidden
        hidden.append(heading)
    for heading in reversed(FIRST_TO_GO):  # a narrow one may fit in what a wide one left
        without = [h for h in hidden if h != heading]
        if heading in hidden and _width(columns, without) <= most:
            hidden = without
    return hidden


def _width(columns: dict[str, list[str]], hidden: Iterable[str]) -> int:
    shown = [(h, cells) for h, cells in columns.items() if h not in hidden]
    return sum(max(Text(t).cell_len for t in (h, *cells)) + FRAME for h, cells in shown) + 1


def table(bench: Bench, rates: Rates) -> LiveTable:
    """One row per drive."""
    rates.refresh()
    times = dict(bench.network.answers.seconds)
    for line in bench.lines.values():
        times |= line.answers.seconds
    headings = ("actuator", "node", "state", "mode", "position", "velocity", "torque", "current", "°C", "errors", "1/s")
    columns: dict[str, list[str]] = {h: [] for h in (*headings, "ms")}
    for name, device in bench.rig.devices.items():
        now = device.drive.sample
        flags = [kind for kind, target in bench.faults.active if target in (None, name)]
        cells = (
            visible(name), str(device.node), device.shown_state, device.mode,
            f"{now.position:.4f}", f"{now.velocity:.3f}", f"{now.torque:.3f}", f"{now.current:.3f}",
            f"{now.temperature:.0f}", ", ".join([*device.errors, *(f"[{f}]" for f in flags)]),
            f"{rates.rates[name]:.0f}", f"{1e3 * times[name]:.2f}" if times[name] else "",
        )  # fmt: skip
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
    return LiveTable(_heading(bench), columns)


def _heading(bench: Bench) -> tuple[str, ...]:
    first = f"{visible(bench.sim.robot.name)}  t {bench.rig.time:.2f} s  {bench.pacer.mode}"
    if bench.pacer.mode == "realtime":
        first += f"  overruns {bench.pacer.overruns}"
    if bench.latency.total:
        return first, f"answers within {1e3 * bench.latency.percentile(0.99):.2f} ms (99 %)"
    clients = sum(server.accepted for server in bench.servers if isinstance(server, JsonServer))
    return first, f"{counted(clients, 'client')} of JSON Lines so far, no driver yet" if clients else "no client yet"
