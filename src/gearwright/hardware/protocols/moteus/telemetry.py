"""Telemetry channels of a moteus controller: what `tel get NAME` shows, and the binary schema that describes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import pack
from typing import TYPE_CHECKING, Any

from gearwright.hardware.protocols.moteus.multiplex import FLOAT, packed, whole
from gearwright.hardware.protocols.moteus.servo import MODES

if TYPE_CHECKING:
    from gearwright.hardware.protocols.moteus.device import Moteus

FINAL, BOOLEAN, INT, UINT, FLOAT32, OBJECT, ENUM, FIXED_ARRAY = 0, 2, 3, 4, 7, 16, 17, 19  # of the schema's types


@dataclass(frozen=True)
class Kind:
    """A type of the schema: how it is described, and how a value of it is written."""

    schema: bytes
    pack: Callable[[Any], bytes]


def _text(words: str) -> bytes:
    return whole(len(words)) + words.encode("ascii")


def _whole_number(kind: int, size: int, code: str) -> Kind:
    return Kind(bytes([kind, size]), lambda value: pack("<" + code, int(value)))


U8, U32, I64 = _whole_number(UINT, 1, "B"), _whole_number(UINT, 4, "I"), _whole_number(INT, 8, "q")
BOOL = Kind(bytes([BOOLEAN]), lambda value: bytes([bool(value)]))
F32 = Kind(bytes([FLOAT32]), lambda value: packed(value, FLOAT, None))
NAMES = {mode: words.replace(" ", "_") for mode, words in MODES.items()}
MODE = Kind(
    bytes([ENUM]) + U8.schema + whole(len(NAMES)) + b"".join(U8.pack(k) + _text(v) for k, v in NAMES.items()), U8.pack
)


def _array(kind: Kind, size: int) -> Kind:
    schema = bytes([FIXED_ARRAY]) + whole(size) + kind.schema
    return Kind(schema, lambda values: b"".join(kind.pack(value) for value in values))


Fields = dict[str, tuple[Kind, Callable[["Moteus"], Any]]]

CHANNELS: dict[str, Fields] = {
    "firmware": {
        "version": (U32, lambda m: m.firmware),
        "serial_number": (
            _array(U32, 3),
            lambda m: [int.from_bytes(m.uuid[4 * n : 4 * n + 4], "little") for n in range(3)],
        ),
        "model": (U32, lambda m: 0),
        "family": (U8, lambda m: 0),
    },
    "git": {
        "hash": (_array(U8, 20), lambda m: bytes(20)),
        "dirty": (BOOL, lambda m: False),
        "timestamp": (I64, lambda m: 0),
    },
    "servo_stats": {
        "mode": (MODE, lambda m: m.servo.mode),
        "fault": (U32, lambda m: m.servo.fault),
        "bus_V": (F32, lambda m: m.drive.sample.voltage),
        "filt_bus_V": (F32, lambda m: m.drive.sample.voltage),
        "fet_temp_C": (F32, lambda m: m.drive.sample.temperature),
        "motor_temp_C": (F32, lambda m: m.drive.sample.temperature),
        "d_A": (F32, lambda m: 0.0),
        "q_A": (F32, lambda m: m.drive.sample.current),
        "position": (F32, lambda m: m.servo.position),
        "velocity": (F32, lambda m: m.servo.velocity),
        "velocity_filt": (F32, lambda m: m.servo.velocity),
        "torque_Nm": (F32, lambda m: m.servo.output_torque(m.drive.sample.torque)),
        "control_position": (F32, lambda m: m.servo.profile.position),
        "control_velocity": (F32, lambda m: m.servo.profile.velocity),
        "trajectory_done": (BOOL, lambda m: m.servo.complete),
    },
    "system_info": {"ms_count": (U32, lambda m: round(m.servo.now * 1e3) & 0xFFFFFFFF)},
}


def schema(channel: str) -> bytes:
    """An object of fields: flags, name, no aliases, type, no default; ended by a nameless one."""
    fields = b"".join(
        b"\0" + _text(name) + b"\0" + kind.schema + b"\0" for name, (kind, _) in CHANNELS[channel].items()
    )
    return bytes([OBJECT, 0]) + fields + b"\0" + _text("") + b"\0" + bytes([FINAL, 0])


def binary(channel: str, device: Moteus) -> bytes:
    return b"".join(kind.pack(value(device)) for kind, value in CHANNELS[channel].values())


def text(channel: str, device: Moteus) -> str:
    """A line for each number."""
    lines = []
    for name, (_, value) in CHANNELS[channel].items():
        now = value(device)
        parts = {f".{n}": part for n, part in enumerate(now)} if isinstance(now, bytes | list) else {"": now}
        lines += [f"{channel}.{name}{suffix} {_plain(part)}" for suffix, part in parts.items()]
    return "".join(f"{line}\r\n" for line in lines)


def _plain(value: Any) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(int(value))
