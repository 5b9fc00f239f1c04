"""Faults that can be injected, and what each does: on the wire, in a drive, at the supply.

One row per fault in `FAULTS`. A fault is seen by a client through the protocol's own status.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import Any, NamedTuple, TypeVar

from gearwright.errors import ModelError, UnknownNameError
from gearwright.hardware.frames import Frame
from gearwright.hardware.rig import Rig

T = TypeVar("T", bytes, Frame)
LONGEST_QUEUE = 10_000  # items that a delayed wire holds; more are lost, as on a bus that is full
DIP = 0.05  # [s] of a brown-out
SAG = 0.45  # of the nominal voltage while it is too low: below what drives report, above what stops them


class _Waiting(NamedTuple):
    time: float  # [s]: when it may go
    priority: int
    order: int
    arrive: Callable[[Any], None]
    item: Any

    def arrive_now(self) -> None:
        self.arrive(self.item)


@dataclass
class Wire:
    """One bus with its faults. Probabilities are drawn from a seeded generator."""

    seed: int = 0
    drop: float = 0.0  # probability
    duplicate: float = 0.0
    corrupt: float = 0.0
    delay: float = 0.0  # [s] of simulated time
    off: bool = False  # bus-off: nothing passes
    bitrate: float = inf  # [bit/s]: frames take time, and the lowest id goes first
    lost: int = 0
    _random: Random = field(init=False)
    _waiting: list[_Waiting] = field(default_factory=list)
    _count: int = 0
    _busy: float = 0.0  # [s]: until when the bus carries a frame

    def __post_init__(self) -> None:
        self._random = Random(self.seed)

    @property
    def clean(self) -> bool:
        return not (self.drop or self.duplicate or self.corrupt or self.delay or self.off) and self.bitrate == inf

    def carry(self, item: T, priority: int | None, t: float, arrive: Callable[[T], None]) -> None:
        """Brings an item to the other end: now, later, twice, changed, or never."""
        if self.clean:
            arrive(item)
            return
        if self.off or self._happens(self.drop):
            self.lost += 1
            return
        if self._happens(self.corrupt):
            self.lost += 1
            if isinstance(item, Frame):  # its checksum is wrong: no controller passes it on
                return
            item = self._flipped(item)
        for _ in range(2 if self._happens(self.duplicate) else 1):
            self._bring(item, priority, t, arrive)

    def _bring(self, item: T, priority: int | None, t: float, arrive: Callable[[T], None]) -> None:
        if not self.delay and self.bitrate == inf:
            arrive(item)
        elif len(self._waiting) < LONGEST_QUEUE:
            self._count += 1
            first = -1 if priority is None else priority
            heapq.heappush(self._waiting, _Waiting(t + self.delay, first, self._count, arrive, item))
        else:
            self.lost += 1

    def release(self, t: float) -> None:
        """Frames that have arrived are delivered. With a bit rate they follow each other, the lowest id first."""
        if self.bitrate == inf:
            while self._waiting and self._waiting[0].time <= t + 1e-12:
                heapq.heappop(self._waiting).arrive_now()
            return
        while ready := [w for w in self._waiting if w.time <= max(t, self._busy) + 1e-12]:
            first = min(ready, key=lambda w: (w.priority, w.order))
            end = max(self._busy, first.time) + bits(first.item) / self.bitrate
            if end > t + 1e-12:
                return
            self._busy = end
            self._waiting.remove(first)
            heapq.heapify(self._waiting)
            first.arrive_now()

    def clear(self) -> None:
        """Forgets what is on its way."""
        self._waiting.clear()
        self._busy = 0.0

    def _happens(self, probability: float) -> bool:
        return probability > 0.0 and self._random.random() < probability

    def _flipped(self, data: Any) -> Any:
        if not data:
            return data
        k = self._random.randrange(len(data))
        return data[:k] + bytes((data[k] ^ 1 << self._random.randrange(8),)) + data[k + 1 :]


def bits(item: bytes | Frame) -> float:
    """Length on the wire: of a frame with a fifth of its bits stuffed, of serial bytes with start and stop bits."""
    if isinstance(item, Frame):
        return (44 + 20 * item.extended + 8 * len(item.data)) * 1.2 + 3
    return 10.0 * len(item)


# --- the table -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fault:
    """One kind: where it acts, and what switches it on and off."""

    where: str  # "wire", "drive" or "supply"
    apply: Callable[[Faults, str | None, float], None]
    clear: Callable[[Faults, str | None], None]
    default: float = 1.0  # what is applied where nothing is given: a probability, a time, a temperature
    doc: str = ""
    takes: str = "a number"
    most: float = inf  # values are 0 … most


class Faults:
    """`inject(kind, target, value)`, `clear(kind, target)`; `active` lists what is on.

    A target is an actuator's name; faults of wire and supply take none. Values: a probability of `drop`, `duplicate`
    and `corrupt`, seconds of `delay` and `brown-out`, °C of `over-temperature`, volts of `under-voltage`.
    """

    def __init__(self, rig: Rig, wires: Mapping[str, Wire]) -> None:
        self.rig, self.wires = rig, wires
        self.active: dict[tuple[str, str | None], float] = {}

    def inject(self, kind: str, target: str | None = None, value: float | None = None) -> None:
        """A fault of an actuator, or of the bus; kinds and values are listed on the page of simulated hardware."""
        fault = self._known(kind, target)
        amount = fault.default if value is None else float(value)
        if not 0.0 <= amount <= fault.most or amount == inf:
            bounds = "0 or more" if fault.most == inf else f"0 … {fault.most:g}"
            raise ModelError(f"fault {kind!r} takes {fault.takes}, {bounds}, not {amount:g}")
        fault.apply(self, target, amount)
        self.active[kind, target] = amount

    def clear(self, kind: str | None = None, target: str | None = None) -> None:
        """Clears one fault, all of a kind, or all."""
        for known, where in list(self.active):
            if kind in (None, known) and target in (None, where):
                FAULTS[known].clear(self, where)
                del self.active[known, where]
        if kind is not None:
            self._known(kind, target, any_target=True)

    def _known(self, kind: str, target: str | None, any_target: bool = False) -> Fault:
        if kind not in FAULTS:
            raise UnknownNameError("fault", kind, FAULTS)
        fault = FAULTS[kind]
        if target is not None:
            self.rig.plant.drive(target)
        if not any_target and (fault.where == "drive") != (target is not None):
            needs = "the name of an actuator" if fault.where == "drive" else "no actuator"
            raise ModelError(f"fault {kind!r} takes {needs}, not {target!r}")
        return fault

    def flags(self, target: str | None) -> Any:
        assert target is not None
        return self.rig.plant.drives[target].faults

    def set_wire(self, name: str, value: Any) -> None:
        for wire in self.wires.values():
            setattr(wire, name, value)


def _on_wire(
    name: str, default: float, doc: str, off: Any = 0.0, takes: str = "a probability", most: float = 1.0
) -> Fault:
    return Fault(
        "wire",
        lambda f, _, value: f.set_wire(name, bool(value) if off is False else value),
        lambda f, _: f.set_wire(name, off),
        default,
        doc,
        takes,
        most,
    )


def _in_drive(name: str, doc: str) -> Fault:
    return Fault(
        "drive",
        lambda f, target, _: setattr(f.flags(target), name, True),
        lambda f, target: setattr(f.flags(target), name, False),
        doc=doc,
        takes="no value, or a switch",
        most=1.0,
    )


def _force_supply(f: Faults, voltage: float | None) -> None:
    f.rig.plant.supply.forced = voltage


def _brown_out(f: Faults, _: str | None, seconds: float) -> None:
    f.rig.plant.supply.forced = 0.0
    f.rig.plant.at(f.rig.time + seconds, lambda: _force_supply(f, None))


FAULTS: dict[str, Fault] = {
    "drop": _on_wire("drop", 1.0, "frames are lost"),
    "delay": _on_wire("delay", 0.01, "frames arrive later", takes="seconds", most=inf),
    "duplicate": _on_wire("duplicate", 1.0, "frames arrive twice"),
    "corrupt": _on_wire("corrupt", 1.0, "bits flip: a CAN frame is lost, a serial packet fails its checksum"),
    "bus-off": _on_wire("off", 1.0, "nothing passes", off=False, takes="no value, or a switch"),
    "unplug": _in_drive("unplugged", "the connector is off: it neither hears nor answers, and has no power"),
    "encoder-freeze": _in_drive("encoder_freeze", "the encoder shows where it stopped"),
    "open-winding": _in_drive("open_winding", "no current flows"),
    "stall": _in_drive("stall", "the output is jammed"),
    "over-temperature": Fault(
        "drive",
        lambda f, target, value: setattr(f.flags(target), "over_temperature", value),
        lambda f, target: setattr(f.flags(target), "over_temperature", None),
        120.0,
        "the winding's sensor shows this temperature [°C]",
        "°C",
    ),
    "under-voltage": Fault(
        "supply",
        lambda f, _, value: _force_supply(f, value or SAG * f.rig.plant.supply.nominal),
        lambda f, _: _force_supply(f, None),
        0.0,
        "the supply falls to this voltage [V]; 0: to 45 % of its own",
        "volts",
    ),
    "brown-out": Fault(
        "supply", _brown_out, lambda f, _: _force_supply(f, None), DIP, "no supply for a moment [s]", "seconds"
    ),
}
