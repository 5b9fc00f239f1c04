"""The terminal of `gearwright serve`: where it listens, the live table, commands typed while it runs."""

from __future__ import annotations

import signal
import sys
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import typer

from gearwright.errors import GearwrightError, counted
from gearwright.given_numbers import is_number_text

if TYPE_CHECKING:
    from gearwright.cli.serve_table import Screen
    from gearwright.hardware.bench import Bench

USAGE = "hold JOINT POSITION, release [JOINT], sweep [middle|low|high], fault KIND [ACTUATOR] [VALUE], clear, quit"


def announce(bench: Bench, eds: str | None = None, notes: Iterable[str] = ()) -> None:
    """One line for each place to connect to, then `ready`."""
    from gearwright.display.visible import visible
    from gearwright.hardware.shafts import ratios
    from gearwright.hardware.transports import system
    from gearwright.hardware.transports.adapters import ADAPTERS

    for b in bench.rig.bound:
        joints = ", ".join(visible(name) for name in ratios(bench.sim.robot, b.actuator) if name != b.actuator)
        where = f", joint {joints}" if joints else ""
        typer.echo(f"  {b.protocol.name} {bench.rig.devices[b.actuator].node}: {visible(b.actuator)}{where}")
    for note in bench.rig.notes:
        typer.echo(visible(note))
    clients = {p.name: p.client for p in bench.rig.protocols.values()}
    clients |= {name: adapter.client for name, adapter in ADAPTERS.items()}
    for name, pty in bench.ptys.items():
        typer.echo(f"serial port {pty.name}, any baud rate: {_filled(clients[name], port=pty.name)}")
    adapter = {"port": next((pty.name for name, pty in bench.ptys.items() if name in ADAPTERS), "")}
    for note in notes:
        typer.echo(note)
    sheet = {"eds": eds or "robot.eds", "get_eds": "" if eds else "  (its file: add --eds robot.eds)"}
    for server in bench.servers:
        typer.echo(f"listening: {server.description}")
    for name, protocol in bench.rig.protocols.items():
        if protocol.bus == "can" and clients[name] and system.UNIX_SOCKETS:
            node = next(b.node for b in bench.rig.bound if b.protocol is protocol)
            typer.echo(f"{name}: " + _filled(clients[name], channel=bench.channel, node=str(node), **adapter, **sheet))
    drives = counted(len(bench.rig.bound), "drive")
    typer.echo(f"ready: {visible(bench.sim.robot.name)}, {drives}, clock {bench.pacer.mode}")
    sys.stdout.flush()


def conclude(bench: Bench) -> None:
    """Prints at the end how long it ran and how well it kept time."""
    text, pacer = f"ran for {bench.steps * bench.rig.plant.dt:.2f} s", bench.pacer
    if pacer.mode == "realtime":
        overruns = f"{counted(pacer.overruns, 'overrun')} ({pacer.given_up:.2f} s skipped)"
        late = f"{1e3 * pacer.lateness.percentile(0.999):.2f} ms late"
        text += f"; {overruns if pacer.overruns else 'no overruns'}; 99.9 % of steps were at most {late}"
    typer.echo(text)


def _filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


class CommandReader:
    """Lines of standard input, while the server runs."""

    def __init__(self, bench: Bench, stop: Event, screen: Screen | None = None) -> None:
        self._bench, self._stop, self._screen = bench, stop, screen

    def start(self) -> None:
        if hasattr(signal, "SIGTTIN"):
            signal.signal(signal.SIGTTIN, signal.SIG_IGN)  # in the background there is nothing to read
        Thread(target=self._read, name="commands", daemon=True).start()

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            for line in sys.stdin:
                words = line.split()
                message = self.obey(words) if words else ""
                if self._screen is not None:
                    self._screen.entered(message)
                elif message:
                    typer.echo(message, err=True)
                if self._stop.is_set():
                    return

    def obey(self, words: list[str]) -> str:
        """Returns what was wrong, if anything."""
        try:
            request = as_request(words)
            if request is None:
                self._stop.set()
                return ""
            with self._bench.lock:
                deque(self._bench.requests.handle(request), maxlen=0)
        except (GearwrightError, ValueError) as error:
            return str(error)
        return ""


def as_request(words: list[str]) -> dict[str, Any] | None:
    """A typed line as a request of JSON Lines; None to quit."""
    match words:
        case ["quit" | "exit"]:
            return None
        case ["hold", joint, position]:
            return {"hold": {joint: float(position)}}
        case ["release"]:
            return {"sweep": None}
        case ["release", joint]:
            return {"hold": {joint: None}}
        case ["sweep"]:
            return {"sweep": "all"}
        case ["sweep", place]:
            return {"sweep": place}
        case ["fault", kind]:
            return {"fault": {"kind": kind}}
        case ["fault", kind, *rest] if len(rest) <= 2:
            value = float(rest.pop()) if is_number_text(rest[-1]) else None
            return {"fault": {"kind": kind, "actuator": rest[0] if rest else None, "value": value}}
        case ["clear", *rest] if len(rest) <= 2:
            return {"clear": dict(zip(("kind", "actuator"), rest, strict=False))}
    raise ValueError(f"unknown command: {' '.join(words)[:80]!r}; valid: {USAGE}")
