"""The devices of the mechanism graph: which chips hang below which joint."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from gearwright.display.devices import losses, sharpness, strength
from gearwright.display.maps import formulas, ratio
from gearwright.display.motion_sources import loose_actuators
from gearwright.display.quantities import force
from gearwright.display.svg_text import short, text_width
from gearwright.model import Actuator, AxisRef, Mechanism, Sensor, Transmission

CHIP, CHIP_GAP, LINK = 21.0, 6.0, 20.0  # height, between lines, from one to the next [px]
LABEL = 28  # characters of a name


@dataclass(frozen=True, kw_only=True)
class Chip:
    """A device: a transmission, an actuator or a sensor. `level` is its depth below the axis."""

    family: str
    name: str
    label: str
    level: int
    tip: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        return text_width(self.label, 11, bold=True) + 24


@dataclass(frozen=True, kw_only=True)
class ChipPlace:
    """Where a chip stands in the train of a joint: its left side and its line, and the chip it is connected with."""

    x: float  # [px] from the first
    line: int
    parent: int | None


def train(chips: list[Chip]) -> list[ChipPlace]:
    """From the joint outwards to the right; further branches on lines of their own."""
    places: list[ChipPlace] = []
    path: list[int] = []  # the chips that the last one hangs on
    line = -1
    for i, chip in enumerate(chips):
        goes_on = bool(places) and chip.level > chips[i - 1].level
        line += not goes_on
        path = path[: chip.level]
        parent = path[-1] if path else None
        x = 0.0 if parent is None else places[parent].x + chips[parent].width + LINK
        places.append(ChipPlace(x=x, line=line, parent=parent))
        path.append(i)
    return places


@dataclass(frozen=True, kw_only=True)
class GraphDevices:
    """All chips: below an axis, or connected with none. A transmission of several joints is drawn below its first."""

    hanging: dict[AxisRef, list[Chip]]
    loose: list[Chip]

    @staticmethod
    def of(m: Mechanism) -> GraphDevices:
        hanging: defaultdict[AxisRef, list[Chip]] = defaultdict(list)
        loose: list[Chip] = []
        readers = _readers(m)
        for t in m.transmissions.values():
            (hanging[t.joints[0]] if t.joints else loose).extend(_train(m, t, readers))
        for a in m.actuators.values():
            if a.joint is not None:
                hanging[a.joint].extend(_motor(a, readers, 0))
        for name in loose_actuators(m):
            loose.extend(_motor(m.actuators[name], readers, 0))
        for s in m.sensors.values():
            if s.joint is not None and s.transmission is None and s.actuator is None:
                hanging[s.joint].append(_sensor(s, 0))
        return GraphDevices(hanging=hanging, loose=loose)


Readers = dict[tuple[str, str], list[Sensor]]  # (family, name) → the sensors that read it


def _readers(m: Mechanism) -> Readers:
    found: Readers = {}
    for s in m.sensors.values():
        if s.actuator is not None:
            found.setdefault(("actuator", s.actuator), []).append(s)
        elif s.transmission is not None:
            found.setdefault(("transmission", s.transmission), []).append(s)
    return found


def _train(m: Mechanism, t: Transmission, readers: Readers) -> Iterator[Chip]:
    """A transmission, what drives it, and what reads it."""
    kind = ratio(m, t) or (short(t.type, LABEL) if t.type != t.name else "")
    label = ", ".join(filter(None, (short(t.name, LABEL), kind)))
    tip = (f"transmission {t.name} ({t.type})", *formulas(t))
    yield Chip(family="transmission", name=t.name, label=label, level=0, tip=tip)
    for name in t.actuators:
        yield from _motor(m.actuators[name], readers, 1)
    for s in readers.get(("transmission", t.name), ()):
        yield _sensor(s, 1)


def _motor(a: Actuator, readers: Readers, level: int) -> Iterator[Chip]:
    peak = min(max((t for _, t in a.torque_speed), default=a.effort_limit), a.effort_limit)
    label = short(a.name, LABEL) + (f", {force(peak)}" if peak < float("inf") else "")
    tip = (f"actuator {a.name} ({a.type}, {a.command})", strength(a), losses(a))
    yield Chip(family="actuator", name=a.name, label=label, level=level, tip=tip)
    for s in readers.get(("actuator", a.name), ()):
        yield _sensor(s, level + 1)


def _sensor(s: Sensor, level: int) -> Chip:
    tip = (f"{s.kind} {s.name}", sharpness(s))
    return Chip(family="sensor", name=s.name, label=short(s.name, LABEL), level=level, tip=tip)
