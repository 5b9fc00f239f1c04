"""Buses between clients and devices: who hears what, what faults do to it, and when lockstep advances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Protocol as Interface

from gearwright.hardware.device import Device
from gearwright.hardware.faults import Wire
from gearwright.hardware.frames import Frame
from gearwright.hardware.pacing import Lateness
from gearwright.hardware.rig import Rig


class CanClient(Interface):
    """A transport's side of a CAN bus."""

    def deliver(self, frame: Frame, t: float) -> None:
        """A frame of the bus, at a time [s]."""


SMOOTHING = 0.1  # of a new answer's time in what the live table shows


class AnswerTimes:
    """How long devices took to answer, each smoothed over its last answers [s]: for the live table."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self._devices = tuple(devices)
        self.seconds = {d.drive.name: 0.0 for d in devices}

    def begin(self) -> None:
        self._counts = [d.answered for d in self._devices]

    def end(self, took: float) -> None:
        """Those that have answered since `begin` did it in this time."""
        for device, count in zip(self._devices, self._counts, strict=True):
            if device.answered != count:
                before = self.seconds[device.drive.name]
                self.seconds[device.drive.name] = before + SMOOTHING * (took - before) if before else took


class CanNetwork:
    """The CAN bus: clients hear each other and the devices; devices hear clients.

    Bridges to other buses, which may be real ones, hear the devices, each other, and those clients that asked for it.
    """

    def __init__(self, rig: Rig, wire: Wire, cycle: Callable[[Frame], None], latency: Lateness) -> None:
        self.rig, self.wire = rig, wire
        self._cycle = cycle  # called after each frame of a client: lockstep's
        self.latency = latency
        self.clients: list[CanClient] = []
        self.bridges: list[CanClient] = []
        self._bridged: list[CanClient] = []  # bridges, and clients whose frames they carry
        self.listeners: list[Callable[[Frame, float], None]] = []  # recordings
        self.frames = self.malformed = 0
        self.answers = AnswerTimes(rig.can)

    def attach(self, client: CanClient, bridged: bool = False) -> None:
        """`bridged`: the client has asked that bridges carry its frames and their answers."""
        self.clients.append(client)
        if bridged:
            self._bridged.append(client)

    def attach_bridge(self, bridge: CanClient) -> None:
        self.bridges.append(bridge)
        self._bridged.append(bridge)

    def detach(self, client: CanClient) -> None:
        for group in (self.clients, self.bridges, self._bridged):
            if client in group:
                group.remove(client)

    def transmit(self, frame: Frame, sender: CanClient | None = None) -> None:
        """A client's frame; returns when the devices' answers are queued."""
        if not frame.valid:
            self.malformed += 1
            return
        self.answers.begin()
        begun = perf_counter()
        self.wire.carry(frame, frame.id, self.rig.time, lambda f: self._arrive(f, sender))
        took = perf_counter() - begun
        self.latency.add(took)
        self.answers.end(took)
        self._cycle(frame)

    def _arrive(self, frame: Frame, sender: CanClient | None) -> None:
        bridged = sender is None or sender in self._bridged
        self._spread(frame, bridged, sender)
        self.emit(self.rig.send(frame), bridged)

    def emit(self, frames: list[Frame], bridged: bool = True) -> None:
        """Frames of devices; answers to a client go where its frame went."""
        for frame in frames:
            self.wire.carry(frame, frame.id, self.rig.time, lambda f: self._spread(f, bridged))

    def _spread(self, frame: Frame, bridged: bool, sender: CanClient | None = None) -> None:
        t = self.rig.time
        self.frames += 1
        for listener in self.listeners:
            listener(frame, t)
        for client in (*self.clients, *(self.bridges if bridged else ())):
            if client is not sender:
                client.deliver(frame, t)

    def on_time(self, t: float) -> None:
        """Lets go what was delayed."""
        self.wire.release(t)


class SerialNetwork:
    """A serial line: one host on one side, servos on the other."""

    def __init__(self, rig: Rig, line: str, wire: Wire, served: Callable[[float], float], latency: Lateness) -> None:
        self.rig, self.line, self.wire = rig, line, wire
        self.latency = latency
        rig.lines[line].served = served
        self.send: Callable[[bytes], None] = lambda data: None  # to the host; set by the transport
        self.listeners: list[Callable[[bytes, float, bool], None]] = []
        self.frames = 0
        self.answers = AnswerTimes(rig.lines[line].devices)

    def clear(self) -> None:
        """The host has gone: a packet that it began is forgotten."""
        self.rig.lines[self.line].clear()

    def receive(self, data: bytes) -> None:
        """Bytes of the host."""
        with self._measured():
            self.wire.carry(data, None, self.rig.time, self._arrive)

    def ask(self, request: bytes) -> bytes:
        """The answer to a request over TCP, whose bytes no faulty wire carries."""
        with self._measured():
            answer = self.rig.receive(request, self.line)
        for listener in self.listeners:
            listener(request, self.rig.time, False)
            listener(answer, self.rig.time, True)
        return answer

    @contextmanager
    def _measured(self) -> Iterator[None]:
        self.frames += 1
        self.answers.begin()
        begun = perf_counter()
        yield
        took = perf_counter() - begun
        self.latency.add(took)
        self.answers.end(took)

    def _arrive(self, data: bytes) -> None:
        for listener in self.listeners:
            listener(data, self.rig.time, False)
        answer = self.rig.receive(data, self.line)
        if answer:
            self.wire.carry(answer, None, self.rig.time, self._leave)

    def _leave(self, data: bytes) -> None:
        for listener in self.listeners:
            listener(data, self.rig.time, True)
        self.send(data)

    def on_time(self, t: float) -> None:
        self.wire.release(t)
