"""The terminal of `gearwright serve`: where it listens, the live table, commands typed while it runs."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

import typer

from gearwright.errors import GearwrightError

if TYPE_CHECKING:
    from rich.table import Table

    from gearwright.hardware.bench import Bench

REFRESH = 0.25  # [s]
USAGE = "hold JOINT POSITION, release JOINT, fault KIND [ACTUATOR] [VALUE], clear, quit"


def announce(bench: Bench) -> None:
    """One line for each place to connect to, then `ready`."""
    from gearwright.display.visible import visible
    from gearwright.hardware.transports.adapters import ADAPTERS

    for b in bench.rig.bound:
        device = bench.rig.devices[b.actuator]
        typer.echo(f"  {b.protocol.name} {device.node}: {visible(b.actuator)}")
    clients = {p.name: p.client for p in bench.rig.protocols.values()}
    clients |= {name: adapter.client for name, adapter in ADAPTERS.items()}
    for name, pty in bench.ptys.items():
        typer.echo(f"serial port {pty.name}, any baud rate: {_filled(clients[name], port=pty.name)}")
    adapter = {"port": next((pty.name for name, pty in bench.ptys.items() if name in ADAPTERS), "")}
    for server in bench.servers:
        typer.echo(f"listening: {server.description}")
    for name, protocol in bench.rig.protocols.items():
        if protocol.bus == "can" and clients[name]:
            node = next(b.node for b in bench.rig.bound if b.protocol is protocol)
            typer.echo(f"{name}: " + _filled(clients[name], channel=bench.channel, node=str(node), **adapter))
    count = len(bench.rig.bound)
    typer.echo(f"ready: {visible(bench.sim.robot.name)}, {count} {'drive' if count == 1 else 'drives'}, "
               f"clock {bench.pacer.mode}")  # fmt: skip
    sys.stdout.flush()


def conclude(bench: Bench) -> None:
    """How it went, at the end."""
    pacer = bench.pacer
    late = f", {pacer.overruns} overruns ({pacer.given_up:.2f} s given up), 99.9 % of steps at most " \
           f"{1e3 * pacer.lateness.percentile(0.999):.2f} ms late" if pacer.mode == "realtime" else ""  # fmt: skip
    typer.echo(f"ran {bench.rig.time:.2f} s{late}")


def _filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


class CommandReader:
    """Lines of standard input, while the server runs."""

    def __init__(self, bench: Bench, stop: Event) -> None:
        self._bench, self._stop = bench, stop

    def start(self) -> None:
        if hasattr(signal, "SIGTTIN"):
            signal.signal(signal.SIGTTIN, signal.SIG_IGN)  # in the background there is nothing to read
        Thread(target=self._read, name="commands", daemon=True).start()

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            for line in sys.stdin:
                words = line.split()
                if words:
                    self.obey(words)
                if self._stop.is_set():
                    return

    def obey(self, words: list[str]) -> None:
        try:
            request = as_request(words)
            if request is None:
                self._stop.set()
                return
            with self._bench.lock:
                self._bench.requests.handle(request)
        except (GearwrightError, ValueError) as error:
            typer.echo(f"{error}", err=True)


def as_request(words: list[str]) -> dict[str, Any] | None:
    """A typed line as a request of JSON Lines; None to quit."""
    match words:
        case ["quit" | "exit"]:
            return None
        case ["hold", joint, position]:
            return {"hold": {joint: float(position)}}
        case ["release", joint]:
            return {"hold": {joint: None}}
        case ["fault", kind]:
            return {"fault": {"kind": kind}}
        case ["fault", kind, *rest] if len(rest) <= 2:
            value = float(rest.pop()) if _is_number(rest[-1]) else None
            return {"fault": {"kind": kind, "actuator": rest[0] if rest else None, "value": value}}
        case ["clear", *rest] if len(rest) <= 2:
            return {"clear": dict(zip(("kind", "actuator"), rest, strict=False))}
    raise ValueError(f"not understood: {' '.join(words)[:80]!r}; there are: {USAGE}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# --- the table --------------------------------------------------------------------------------------------------------


def live_table(bench: Bench, stop: Event) -> None:
    """Redrawn until the server stops."""
    from rich.live import Live

    from gearwright.cli.terminal import console

    rates = Rates(bench)
    with Live(console=console(), auto_refresh=False) as live:
        while not stop.wait(REFRESH) and bench.failure is None:
            with bench.lock:
                shown = table(bench, rates)
            live.update(shown, refresh=True)


class Rates:
    """Packets a second by device."""

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


def table(bench: Bench, rates: Rates) -> Table:
    """One row a drive."""
    from rich.table import Table

    rates.refresh()
    pacer = bench.pacer
    answered = f"answers within {1e3 * bench.latency.percentile(0.99):.2f} ms (99 %)"
    times = dict(bench.network.answers.seconds)
    for line in bench.lines.values():
        times |= line.answers.seconds
    made = Table(
        title=f"{bench.sim.robot.name}  t {bench.rig.time:.2f} s  {pacer.mode}  overruns {pacer.overruns}  "
        f"{answered if bench.latency.total else 'no client yet'}",
        title_justify="left",
    )
    columns = (
        "actuator",
        "node",
        "state",
        "mode",
        "position",
        "velocity",
        "torque",
        "current",
        "°C",
        "errors",
        "1/s",
        "ms",
    )
    for column in columns:
        made.add_column(column, justify="left" if column in ("actuator", "state", "mode", "errors") else "right")
    for name, device in bench.rig.devices.items():
        now = device.drive.sample
        flags = [kind for kind, target in bench.faults.active if target in (None, name)]
        made.add_row(
            name, str(device.node), device.state if device.drive.powered else "no power", device.mode,
            f"{now.position:.4f}", f"{now.velocity:.3f}", f"{now.torque:.3f}", f"{now.current:.3f}",
            f"{now.temperature:.0f}", ", ".join([*device.errors, *(f"[{f}]" for f in flags)]),
            f"{rates.rates[name]:.0f}", f"{1e3 * times[name]:.2f}" if times[name] else "",
        )  # fmt: skip
    return made
