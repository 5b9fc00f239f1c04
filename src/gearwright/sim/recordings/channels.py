"""The channels of an .mcap file: joints, transforms, motors, sensors, couplings, energy, each with a JSON schema.

A channel's messages are made by one text with a gap for every number, so that a row costs one formatting.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from gearwright.sim.recordings.columns import Array, Chunk
from gearwright.sim.recordings.foxglove import SCHEMAS, titled
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.signals import FAMILIES, Signal, kind, word

JOINT_FAMILIES = ("position", "velocity", "acceleration", "effort")
MOST_NUMBERS = 25_000  # a second of recorded time, in all channels but transforms: a gripper has every row at 1 kHz
MOST_POSES = 2_000  # a second
STAMP = '"timestamp":{"sec":%d,"nsec":%d}'


@dataclass(frozen=True)
class MessageChannel:
    """Messages with one number per field."""

    topic: str
    title: str  # of its schema
    schema: dict[str, Any]
    text: str  # with gaps: seconds, nanoseconds, then the fields
    fields: tuple[Signal, ...]

    def messages(self, times: Array, chunk: Chunk, rows: slice, robot: int) -> Iterator[tuple[int, bytes]]:
        """Nanoseconds and JSON of some rows of a chunk."""
        numbers = np.stack([chunk.column(s)[rows, robot] for s in self.fields], axis=1)
        for time, row in zip(times[rows].tolist(), np.nan_to_num(numbers).tolist(), strict=True):
            yield time, (self.text % (*divmod(time, 10**9), *row)).encode()


def nanoseconds(times: Array) -> Array:
    return np.maximum(0, np.round(times * 1e9)).astype(np.int64)


def channels(schema: Schema) -> list[MessageChannel]:
    """All channels of a recording but transforms and scene."""
    families = schema.by_family
    stored = {s.key for s in schema.stored}
    shaped = {f: {n: s for n, s in own.items() if s.key in stored and not s.shape} for f, own in families.items()}
    return [
        *_joints(shaped), *_devices(shaped, "actuator", "motor"), *_devices(shaped, "friction", "friction"),
        *_sensors(schema, shaped),
        *(_family(f, shaped.get(f, {})) for f in ("coupling_error", "coupling_effort", "reaction") if shaped.get(f)),
        *_energy(shaped.get("", {})),
    ]  # fmt: skip


def strides(schema: Schema, made: Sequence[MessageChannel]) -> tuple[int, int]:
    """Rows from one message to the next, and from one set of transforms to the next."""
    rate = 1.0 / max(schema.dt * schema.every, 1e-9)
    numbers = sum(len(c.fields) for c in made)
    poses = len(schema.tables.get("link_pose", ()))
    return max(1, ceil(numbers * rate / MOST_NUMBERS - 1e-6)), max(1, ceil(poses * rate / MOST_POSES), round(rate / 60))


def _joints(families: dict[str, dict[str, Signal]]) -> Iterator[MessageChannel]:
    loops = {f: row.also for f, row in FAMILIES.items() if row.also}
    families = families | {f: families.get(f, {}) | families.get(also, {}) for f, also in loops.items()}
    names = dict.fromkeys(n for f in ("position", "velocity") for n in families.get(f, {}))
    if not names:
        return
    parts, fields = [], []
    for name in names:
        own = [f for f in JOINT_FAMILIES if name in families.get(f, {})]
        parts.append(_object([("name", name)], own))
        fields += [families[f][name] for f in own]
    text = f'{{{STAMP},"joints":[{",".join(parts)}]}}'
    title = "foxglove.JointStates"
    yield MessageChannel("/joint_states", title, SCHEMAS[title], text, tuple(fields))


def _devices(families: dict[str, dict[str, Signal]], of: str, word_of: str) -> Iterator[MessageChannel]:
    """One channel a device, with all of its numbers."""
    own = {f: each for f, each in families.items() if kind(f) == of}
    for name in dict.fromkeys(n for each in own.values() for n in each):
        numbers = {word(f): each[name] for f, each in own.items() if name in each}
        yield _channel(f"/{word_of}s/{name}", f"gearwright.{word_of}.{name}", numbers)


def _sensors(schema: Schema, families: dict[str, dict[str, Signal]]) -> Iterator[MessageChannel]:
    readings = families.get("sensor", {})
    several = schema.members.get("sensor", {})
    for sensor, own in several.items():
        found = {r.removeprefix(f"{sensor}.") or r: readings[r] for r in own if r in readings}
        if found:
            yield _channel(f"/sensors/{sensor}", f"gearwright.sensor.{sensor}", found)
    for name in readings:
        if not any(name in own for own in several.values()):
            yield _channel(f"/sensors/{name}", f"gearwright.sensor.{name}", {"reading": readings[name]})


def _family(family: str, signals: dict[str, Signal]) -> MessageChannel:
    return _channel(f"/{family}", f"gearwright.{family}", signals)


def _energy(signals: dict[str, Signal]) -> Iterator[MessageChannel]:
    names: tuple[str, ...] = ("energy", "kinetic_energy", "potential_energy", "unsettled")
    own = {n: signals[n] for n in names if n in signals}
    if own:
        yield _channel("/energy", "gearwright.energy", own)


def _channel(topic: str, title: str, fields: dict[str, Signal]) -> MessageChannel:
    schema = titled(title, {name: s.unit for name, s in fields.items()})
    gaps = "".join(f",{_quoted(name)}:%.9g" for name in fields)
    return MessageChannel(topic, title, schema, f"{{{STAMP}{gaps}}}", tuple(fields.values()))


def _object(texts: Sequence[tuple[str, str]], gaps: Sequence[str]) -> str:
    fixed = [f"{_quoted(key)}:{_quoted(text)}" for key, text in texts]
    return "{" + ",".join([*fixed, *(f"{_quoted(gap)}:%.9g" for gap in gaps)]) + "}"


def _quoted(text: str) -> str:
    return json.dumps(text).replace("%", "%%")


# --- transforms ------------------------------------------------------------------------------------------------------


def transforms_text(links: Sequence[str]) -> str:
    """Poses of links in the world: seconds, nanoseconds, then x, y, z of the origin and x, y, z, w of each rotation."""
    xyz, xyzw = (",".join(f'"{axis}":%.8g' for axis in axes) for axes in ("xyz", "xyzw"))
    each = [
        f'{{{STAMP},"parent_frame_id":"world","child_frame_id":{_quoted(link)},'
        f'"translation":{{{xyz}}},"rotation":{{{xyzw}}}}}'
        for link in links
    ]
    return f'{{"transforms":[{",".join(each)}]}}'


def transform_numbers(poses: Array) -> Array:
    """(T, L, 7) of (T, L, 12), rows of the rotation matrix and the origin; to a tenth of a micrometre."""
    R, p = poses[..., :9].reshape(*poses.shape[:-1], 3, 3), poses[..., 9:]
    return np.round(np.concatenate([p, quaternions(R)], axis=-1), 7) + 0.0


def quaternions(R: Array) -> Array:
    """x, y, z, w of rotation matrices, (…, 4): the eigenvector of the largest component (Shepperd)."""
    d = np.diagonal(R, axis1=-2, axis2=-1)
    trace = d.sum(axis=-1)
    squares = np.stack([1 - trace + 2 * d[..., 0], 1 - trace + 2 * d[..., 1], 1 - trace + 2 * d[..., 2], 1 + trace], -1)
    largest = squares.argmax(axis=-1)
    xy, xz, yz = (R[..., i, k] + R[..., k, i] for i, k in ((0, 1), (0, 2), (1, 2)))
    wx, wy, wz = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    x, y, z, w = np.moveaxis(squares, -1, 0)
    rows = np.stack([np.stack(r, -1) for r in ((x, xy, xz, wx), (xy, y, yz, wy), (xz, yz, z, wz), (wx, wy, wz, w))], -2)
    q = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    signed: Array = q * np.where(q[..., 3:] < 0, -1.0, 1.0)
    return signed
