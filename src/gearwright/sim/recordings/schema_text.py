"""A schema as JSON, as files hold it: signals with units, instants, and names of groups. Sources stay behind."""

from __future__ import annotations

import json
from math import inf
from typing import Any

from gearwright.errors import GearwrightError
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.signals import TIME, Signal

VERSION = 1
MOST_SIGNALS = 1_000_000  # of a file that is read


def to_text(schema: Schema) -> str:
    """JSON of the signals that files hold."""
    stored = {s.family for s in schema.stored}
    return json.dumps(
        {
            "gearwright": VERSION, "robot": schema.robot, "batch": schema.batch, "dt": schema.dt,
            "every": schema.every, "start": schema.start, "first_step": schema.first_step,
            "bands": list(schema.bands), "followers": list(schema.followers),
            "signals": [[s.family, s.name, s.unit, list(s.shape)] for s in schema.stored],
            "members": {f: m for f, m in schema.members.items() if f in stored and m},
            "kinds": {f: k for f, k in schema.kinds.items() if f in stored},
            "limits": {f: {n: [_finite(x) for x in r] for n, r in own.items()} for f, own in schema.limits.items()},
            "file": schema.file, "base": schema.base,
        },
        ensure_ascii=False,
    )  # fmt: skip


def from_text(text: str | bytes, file: str) -> Schema:
    """The schema of a file; raises GearwrightError for anything else."""
    try:
        data = json.loads(text)
        if data["gearwright"] != VERSION:
            raise GearwrightError(
                f"{file}: the recording has format {data['gearwright']!r:.20}; only format {VERSION} can be read"
            )
        return _schema(data)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise GearwrightError(f"{file}: the description of its signals cannot be read") from None


def _schema(data: dict[str, Any]) -> Schema:
    if len(data["signals"]) > MOST_SIGNALS:
        raise ValueError
    signals = [_signal(*row) for row in data["signals"]]
    if len({s.key for s in signals}) != len(signals):
        raise ValueError
    return Schema(
        robot=str(data["robot"]), batch=_count(data["batch"]), dt=float(data["dt"]), every=_count(data["every"]),
        start=float(data["start"]), first_step=int(data["first_step"]), signals=tuple(signals),
        members={str(f): {str(n): tuple(map(str, own)) for n, own in m.items()} for f, m in data["members"].items()},
        kinds={str(f): str(k) for f, k in data["kinds"].items()}, followers=tuple(map(str, data["followers"])),
        bands=tuple(map(float, data["bands"])),
        limits={str(f): {str(n): _range(r) for n, r in own.items()} for f, own in data["limits"].items()},
        file=str(data.get("file", "")), base=str(data.get("base", "")),
    )  # fmt: skip


def _signal(family: Any, name: Any, unit: Any, shape: Any) -> Signal:
    if not all(isinstance(x, str) for x in (family, name, unit)):
        raise TypeError
    signal = Signal(family=family, name=name, unit=unit, shape=tuple(_count(n) for n in shape))
    return TIME if signal == TIME else signal


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**40:
        raise ValueError
    return value


def _finite(x: float) -> float | None:
    return x if abs(x) != inf else None


def _range(given: Any) -> tuple[float, float]:
    lower, upper = given
    return (-inf if lower is None else float(lower), inf if upper is None else float(upper))
