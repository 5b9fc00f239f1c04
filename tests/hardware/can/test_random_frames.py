"""Random, malformed, truncated and out-of-order frames: no exception, nothing moves that was not enabled."""

from __future__ import annotations

import random

import pytest

from gearwright.hardware.frames import FD_LENGTHS, Frame
from gearwright.hardware.setpoints import COAST
from tests.hardware.can.turntable import Turntable

NAMES = (
    "cia402", "odrive", "mini_cheetah", "cubemars", "damiao", "robstride", "robstride_mit", "cubemars_servo", "vesc",
    "moteus", "rmd", "piper",
)  # fmt: skip
QUICK, BULK = 4_000, 1_000_000
UNASKED = ("vesc", "cubemars_servo", "piper")  # they say their state by the clock
EXTENDED = ("robstride", "moteus", "vesc", "cubemars_servo")
ENABLED = {  # states in which a device may push
    "operation enabled", "quick stop active", "fault reaction active", "CLOSED_LOOP_CONTROL", "enabled", "run",
    "current", "position", "timeout", "zero velocity", "stay within", "brake", "on",
}  # fmt: skip


def frames(name: str, rng: random.Random, count: int):
    """Half of them meant for the device: its ids, its opcodes, lengths that are right or wrong."""
    for _ in range(count):
        extended = rng.random() < (0.8 if name in EXTENDED else 0.1)
        length = rng.choice(FD_LENGTHS) if rng.random() < 0.3 else rng.randint(0, 8)
        fd = length > 8 or rng.random() < 0.2
        id = rng.getrandbits(29 if extended else 11)
        if rng.random() < 0.7:
            id = aimed(name, rng, extended)
        remote = not fd and rng.random() < 0.05
        data = b"" if remote else likely(name, rng, length)
        yield Frame(id, data, extended, remote, fd, fd and rng.random() < 0.5)


def aimed(name: str, rng: random.Random, extended: bool) -> int:
    if name == "cia402":
        return rng.choice((0, 0x80, 0x601, 0x601, 0x201, 0x301, 0x401, 0x701, 0x700 + rng.randint(1, 127)))
    if name == "odrive":
        return 1 << 5 | rng.randint(0, 31)
    if name == "robstride":
        return rng.choice((0, 1, 3, 4, 6, 17, 18, rng.randint(0, 31))) << 24 | rng.getrandbits(16) << 8 | 1
    if name == "piper":
        return rng.choice((0x150, 0x151, 0x155, 0x15A, 0x471, 0x472, 0x475, 0x477, 0x4AF))
    if name == "rmd":
        return rng.choice((0x141, 0x141, 0x280, 0x401, 0x142))
    if name in ("vesc", "cubemars_servo"):
        return rng.randint(0, 12) << 8 | 1
    if name == "moteus":
        return rng.choice((0x8001, 0x0001, 0x807F, 0x8101))
    return rng.choice((1, 1, 0x7FF, 0x101, 0x201, 0x301))


def likely(name: str, rng: random.Random, length: int) -> bytes:
    data = bytearray(rng.randbytes(length))
    if name == "cia402" and length == 8 and rng.random() < 0.8:
        data[0] = rng.choice((0x40, 0x23, 0x2B, 0x2F, 0x21, 0x60, 0x00, 0x80, rng.getrandbits(8)))
        index = rng.choice((0x1000, 0x1600, 0x1800, 0x6040, 0x6060, 0x607A, 0x6098, 0x60FF, 0x1010, 0x1017, 0x6085))
        data[1:3] = index.to_bytes(2, "little")
        data[3] = rng.randint(0, 9)
    elif name == "cia402" and length == 2:
        data[:] = bytes((rng.choice((1, 2, 128, 129, 130)), rng.choice((0, 1, 5))))
    elif length == 8 and rng.random() < 0.3:
        data[:] = rng.choice(
            (
                b"\xff" * 7 + bytes((rng.randint(0xFA, 0xFF),)),
                bytes((1, 0, rng.choice((0x33, 0x55, 0xCC, 0xAA)), rng.randint(0, 90), *rng.randbytes(4))),
            )
        )
    elif name == "odrive" and length == 8 and rng.random() < 0.3:
        data[:] = rng.choice((8, 1, 3)).to_bytes(4, "little") + bytes(4)
    elif name == "rmd" and length:
        data[0] = rng.choice(
            (0xA1, 0xA2, 0xA4, 0xA6, 0xA8, 0x9A, 0x9C, 0x30, 0x31, 0x42, 0x76, 0x80, rng.getrandbits(8))
        )
    elif name == "moteus" and length > 2:
        data[0] = rng.choice((0x00, 0x01, 0x0D, 0x0C, 0x10, 0x14, 0x1C, 0x40, 0x42, 0x50, rng.getrandbits(8)))
        data[1] = rng.choice((0x00, 0x20, 0x01, rng.getrandbits(8)))
    return bytes(data)


def feed(name: str, count: int, seed: int) -> Turntable:
    table, rng = Turntable(name), random.Random(seed)
    for n, frame in enumerate(frames(name, rng, count)):
        if not frame.valid:
            continue
        for answer in table.device.on_frame(frame, table.time):
            assert answer.valid, (frame, answer)
        if n % 20 == 0:
            for answer in table.run(0.002):
                assert answer.valid
        if table.device.state not in ENABLED:
            assert table.drive.setpoint is COAST, (n, frame)
        assert table.drive.control(1e-9) == table.drive.control(1e-9)  # a number, not nan
    return table


@pytest.mark.parametrize("name", NAMES)
def test_random_frames(name: str) -> None:
    feed(name, QUICK, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_million_random_frames(name: str) -> None:
    feed(name, BULK, seed=2)


@pytest.mark.parametrize("name", NAMES)
def test_a_device_answers_after_random_frames(name: str) -> None:
    """A power cycle brings it back, with the id that it has by then."""
    table = feed(name, QUICK // 4, seed=3)
    table.device.power_on(table.time)
    table.run(0.05)
    node = table.device.node
    request = {
        "cia402": Frame(0x600 + node, bytes.fromhex("4000100000000000")),
        "odrive": Frame(node << 5 | 0x01, remote=True),
        "robstride": Frame(3 << 24 | 0xFD << 8 | node, bytes(8), extended=True),
        "piper": Frame(0x4AF, bytes(8)),
        "rmd": Frame(0x140 + node, bytes((0x9C, *bytes(7)))),
        "vesc": Frame(3 << 8 | node, bytes(4), extended=True),
        "cubemars_servo": Frame(3 << 8 | node, bytes(4), extended=True),
        "moteus": Frame(0x8000 | node, bytes((0x11, 0x00)), extended=True, fd=True),
    }.get(name, Frame(node, b"\xff" * 7 + b"\xfc"))
    answers = table.device.on_frame(request, table.time)
    assert answers or (name in UNASKED and table.run(0.05))
