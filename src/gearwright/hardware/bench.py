"""A simulated robot on its buses, served by a thread of its own: `gearwright.serve`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import inf, isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import RLock, Thread
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any
from typing import Protocol as Interface

from gearwright.errors import GearwrightError, ModelError
from gearwright.files import write_whole
from gearwright.hardware.binding import Bound
from gearwright.hardware.eeprom import Eeprom
from gearwright.hardware.faults import Faults, Wire
from gearwright.hardware.frames import Frame
from gearwright.hardware.networks import CanNetwork, SerialNetwork
from gearwright.hardware.pacing import LONGEST_TURN, Lateness, Pacer
from gearwright.hardware.requests import Requests
from gearwright.hardware.rig import Rig
from gearwright.hardware.sweeping import sweep
from gearwright.hardware.transports import system
from gearwright.hardware.transports.json_lines import JsonServer
from gearwright.hardware.transports.line_server import LineServer
from gearwright.hardware.transports.loop import EventLoop
from gearwright.hardware.transports.plugin_server import PluginServer
from gearwright.hardware.transports.raw_can import RawCanServer
from gearwright.hardware.transports.socketcand import SocketcandServer
from gearwright.optional import require

if TYPE_CHECKING:
    import can

    from gearwright.hardware.transports.in_process import BridgedBus
    from gearwright.hardware.transports.pty_port import PtyPort
    from gearwright.sim import Simulation

CHORES = 0.25  # [s] of the wall clock between two looks at files and held-back frames
FREE_STEPS = 20  # of a free-running clock between two looks at the clients


class BenchRecording(Interface):
    """A file that is written while the bench runs."""

    def flush(self) -> None: ...
    def close(self) -> None: ...


class Bench:
    """Rig, buses, clock and transports. It is a context manager: it listens from the start, and stops at the end.

    All of it runs under one lock: in the thread of the server, or in that of a caller.
    """

    def __init__(
        self, rig: Rig, *, clock: str = "realtime", factor: float = 1.0, cycle: float | None = None,
        wait_for: Sequence[str] | None = None, seed: int = 0, bitrate: float | None = None,
        eeprom: Any = None, armed: bool = False,
    ) -> None:  # fmt: skip
        self.rig, self.lock = rig, RLock()
        self.pacer = Pacer("realtime", rig.plant.dt, factor)
        self.pacer.set_mode(clock)
        if armed:
            self.pacer.arm()
        self._steps_of_cycle = _whole_steps(cycle, rig.plant.dt)
        self._wait_for = [rig.device(name) for name in (rig.devices if wait_for is None else wait_for)]
        self._syncs = [p for p in rig.protocols.values() if p.has_sync]
        wires = {name: Wire(seed + k) for k, name in enumerate(("can", *rig.lines))}
        if bitrate is not None:
            if not bitrate > 0:
                raise ModelError(f"the bus's bitrate must be positive [bit/s], not {bitrate}")
            wires["can"].bitrate = bitrate
        self.latency = Lateness()  # from a frame's arrival to its answers
        self.network = CanNetwork(rig, wires["can"], self._after_frame, self.latency)
        self.lines = {n: SerialNetwork(rig, n, wires[n], self._after_packet, self.latency) for n in rig.lines}
        self.faults = Faults(rig, wires)
        self.loop = EventLoop()
        self.requests = Requests(self)
        self.ptys: dict[str, PtyPort] = {}
        self.servers: list[PluginServer | RawCanServer | SocketcandServer | JsonServer | BridgedBus | LineServer] = []
        self.listeners: list[Callable[[], None]] = []  # called after every step: recordings
        self.failure: GearwrightError | None = None
        self._interrupted = False  # no more steps: whoever waits for some gives up
        self.steps = 0  # in all, resets or not
        self._eeprom = Eeprom(eeprom, rig.devices) if eeprom is not None else None
        self._restart()
        if self._eeprom is not None:
            self._eeprom.save()  # a file that cannot be written is refused now
        self._thread = Thread(target=self._run, name="gearwright serve", daemon=True)
        self._open, self._chores = True, 0.0
        self._eds: Path | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self.record: str | os.PathLike[str] | None = None  # file that is opened at the start
        self._recorders: list[BenchRecording] = []

    def _restart(self) -> None:
        for device in self.rig.devices.values():
            device.power_on(self.rig.time)

    # --- for users ----------------------------------------------------------------------------------------------

    @property
    def sim(self) -> Simulation:
        """The simulation; hold `bench.lock` to read it while the clock runs."""
        return self.rig.plant.sim

    @property
    def node(self) -> int:
        """Id of the first node."""
        return self._first.node

    @property
    def _first(self) -> Bound:
        if not self.rig.bound:
            raise ModelError("no actuator of this robot is on a bus")
        return self.rig.bound[0]

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of JSON Lines."""
        for server in self.servers:
            if isinstance(server, JsonServer):
                return server.host, server.port
        raise ModelError('JSON Lines are not served: give tcp="0", or a port')

    @property
    def port(self) -> str:
        """Path of the serial port, for serial protocols; the number of the TCP port of a daemon."""
        if not self.ptys:
            for server in self.servers:
                if isinstance(server, LineServer):
                    return str(server.port)
            if self.rig.lines:
                raise ModelError(system.NO_TERMINALS)
            raise ModelError("this robot has no serial port: its protocols use a CAN bus; see bench.channel")
        return next(iter(self.ptys.values())).name

    @property
    def channel(self) -> str:
        """Name of the CAN channel: `can.Bus(interface="gearwright", channel=bench.channel)`."""
        for server in self.servers:
            if isinstance(server, PluginServer):
                return server.channel
        if self.rig.can:
            raise ModelError(system.NO_UNIX_SOCKETS)
        raise ModelError("this robot has no CAN bus: its protocols use a serial port; see bench.port")

    @property
    def eds(self) -> str:
        """Path of the first node's EDS file (CANopen), written when it is first asked for."""
        if self._eds is None:
            first = self._first
            text = first.protocol.eds(self.rig.devices[first.actuator])
            self._folder = TemporaryDirectory(prefix="gearwright-")
            self._eds = Path(self._folder.name) / f"{first.actuator}.eds"
            write_whole(self._eds, text)
        return str(self._eds)

    def can(self, **options: Any) -> can.BusABC:
        """A python-can bus in this process; options are those of `can.Bus`, e.g. `can_filters`.

        `bridged=True`: its frames go to the buses of `serve(can=…)`, too.
        """
        require("can", "a python-can bus")
        from gearwright.hardware.transports.in_process import InProcessBus

        filters = options.pop("can_filters", None)
        bus = InProcessBus(self.network, self.lock, "in-process", **options)
        bus.set_filters(filters)
        return bus

    def step(self, n: int = 1) -> None:
        """Makes n steps of the simulation, from this thread; arms lockstep."""
        with self.lock:
            self.pacer.arm()
            self.advance(n)
            if self.failure is not None:
                raise self.failure

    def run(self, seconds: float) -> None:
        """Simulates this many seconds, rounded to the nearest step."""
        self.step(round(seconds / self.rig.plant.dt))

    def hold(self, joint: str, position: float) -> None:
        """Drags a joint to a position [rad, m], as by hand, and holds it there until `release`."""
        with self.lock:
            self.rig.plant.hold(joint, position)

    def release(self, joint: str) -> None:
        """Releases a joint that is held."""
        with self.lock:
            self.rig.plant.hold(joint, None)

    def sweep(self, way: str = "all") -> float:
        """Moves all joints by hand, for a calibration, and returns the seconds that it takes.

        `middle`, `low` and `high` hold them there; `all` goes to the middle, both ends and the middle, and lets go.
        """
        with self.lock:
            return sweep(self.rig.plant, way)

    def release_all(self) -> None:
        """Releases every joint that is held, and ends a sweep."""
        with self.lock:
            self.rig.plant.let_go()

    def reset(self, position: Mapping[str, float] | None = None) -> None:
        """Resets the mechanism to its start at time 0, clears faults and power-cycles all devices."""
        with self.lock:
            self.faults.clear()
            for wire in self.faults.wires.values():
                wire.clear()
            self.rig.plant.restart(position)
            self.failure = None
            self._restart()
            self.network.emit(self.rig.boot())

    def add_recorder(self, recorder: BenchRecording) -> None:
        """Adds a recorder, which is closed with the bench."""
        self._recorders.append(recorder)

    # --- time ---------------------------------------------------------------------------------------------------

    def advance(self, n: int, until: float = inf) -> int:
        """Makes up to n steps, until a wall-clock time, and returns their number. Called under the lock.

        Frames that devices send are transmitted.
        """
        rig = self.rig
        for made in range(n):
            if self.failure is not None or self._interrupted or (made and monotonic() >= until):
                return made
            try:
                sent = rig.step()
            except GearwrightError as error:  # the mechanism diverged: it stays as it was, clients can still ask
                self.failure = error
                return made
            self.steps += 1
            if sent:
                self.network.emit(sent)
            t = rig.time
            self.network.on_time(t)
            for line in self.lines.values():
                line.on_time(t)
            for listener in self.listeners:
                listener()
        return n

    def _after_frame(self, frame: Frame) -> None:
        if self.pacer.mode != "lockstep":
            return
        if self._syncs:
            if any(p.is_sync(frame) for p in self._syncs):
                self._cycle()
        else:
            self._after_command()

    def _after_packet(self, t: float) -> float:
        self._after_command()
        return self.rig.time

    def _after_command(self) -> None:
        if self.pacer.mode == "lockstep" and all(d.commanded for d in self._wait_for):
            self._cycle()

    def _cycle(self) -> None:
        self.pacer.arm()
        self.advance(self._steps_of_cycle)

    # --- the thread ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Opens the recording, switches the drives on and lets the clock run."""
        with self.lock:
            if self.record is not None:
                from gearwright.hardware.recorder import Recorder

                self.add_recorder(Recorder(self, self.record))
            self.network.emit(self.rig.boot())
        self._thread.start()

    def _run(self) -> None:
        try:
            while self._open:
                self._turn()
        except Exception as error:
            self.failure = GearwrightError(f"the server failed: {error!r}")  # `gearwright serve` ends with it
            raise

    def _turn(self) -> None:
        """Waits for clients until a step is due; answers, then steps."""
        pause = self.pacer.timeout(monotonic())
        for call in self.loop.ready(CHORES if pause is None else min(pause, CHORES)):
            with self.lock:
                call()
        with self.lock:
            self._step_as_due()
            if monotonic() > self._chores:
                self._do_chores()

    def _step_as_due(self) -> None:
        """Steps that are due by the wall clock; clients are answered in between.

        A simulation that is slower than the clock always has one due: it ends its turn all the same.
        """
        free, end = FREE_STEPS, monotonic() + LONGEST_TURN
        while self._open and self.failure is None and self.pacer.due(now := monotonic()):
            self.advance(1)
            free -= 1
            if now > end or (self.pacer.mode == "freerun" and free <= 0):
                return
            if self.pacer.mode != "freerun" and self.pacer.timeout(monotonic()) == 0.0:
                for call in self.loop.ready(0.0):
                    call()

    def _do_chores(self) -> None:
        self._chores = monotonic() + CHORES
        for server in self.servers:
            if isinstance(server, SocketcandServer):
                server.on_time()
        for recorder in self._recorders:
            recorder.flush()
        if self._eeprom is not None:
            with suppress(GearwrightError):  # said at the end, if it is still so
                self._eeprom.save()

    def interrupt(self) -> None:
        """Ends a client's request that is in progress, without waiting for the lock; for signal handlers."""
        self._interrupted = True
        self.loop.wake()

    def close(self) -> None:
        """Stops the thread and removes all sockets, ports and links."""
        if not self._open:
            return
        self._open = False
        self.interrupt()
        if self._thread.is_alive():
            self._thread.join()
        self._interrupted = False  # the simulation is its owner's again
        with self.lock:
            for server in self.servers:
                server.close()
            for pty in self.ptys.values():
                pty.close()
            for recorder in self._recorders:
                recorder.close()
            self.loop.close()
            if self._folder is not None:
                self._folder.cleanup()
            if self._eeprom is not None:
                self._eeprom.save()

    def __enter__(self) -> Bench:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _whole_steps(cycle: float | None, dt: float) -> int:
    if cycle is None:
        return 1
    steps = round(cycle / dt) if isfinite(cycle / dt) else 0
    if steps < 1 or abs(steps * dt - cycle) > 1e-6 * cycle:
        raise ModelError(f"a cycle must be a whole number of steps of {dt:g} s, not {cycle:g} s")
    return steps
