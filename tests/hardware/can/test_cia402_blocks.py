"""SDO block transfers frame by frame, the joint's limits in object 607D, and homing at limit switches."""

from __future__ import annotations

from binascii import crc_hqx
from math import pi

import pytest

from tests.hardware.can.test_cia402 import NODE, TURN, Master, abort
from tests.tolerances import ROUNDING

TEXT = b"0123456789abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def master() -> Master:
    return Master()


def frames(master: Master, data: bytes) -> list[bytes]:
    return [f.data for f in master.table.send(0x600 + NODE, data.ljust(8, b"\0")) if f.id == 0x580 + NODE]


def begin_download(master: Master, size: int) -> None:
    (answer,) = frames(master, b"\xc6\x03\x64\0" + size.to_bytes(4, "little"))
    assert answer[0] == 0xA4 and answer[4] == 127


def segments(data: bytes) -> list[bytes]:
    """Numbered from 1 in each block of 127."""
    parts = [data[k : k + 7] for k in range(0, len(data), 7)] or [b""]
    last = len(parts) - 1
    return [bytes([n % 127 + 1 | (0x80 if n == last else 0)]) + part for n, part in enumerate(parts)]


def end(data: bytes, check: int | None = None) -> bytes:
    return bytes([0xC1 | (-len(data) % 7) << 2]) + (crc_hqx(data, 0) if check is None else check).to_bytes(2, "little")


def upload(master: Master, segments_: int = 127) -> bytes:
    (answer,) = frames(master, bytes([0xA4, 0x03, 0x64, 0, segments_]))
    assert answer[0] == 0xC6
    data, block = b"", frames(master, b"\xa3")
    while True:
        data += b"".join(part[1:] for part in block)
        block = frames(master, bytes([0xA2, len(block), segments_]))
        if block[0][0] & 0xE3 == 0xC1:
            data = data[: len(data) - (block[0][0] >> 2 & 7)]
            assert crc_hqx(data, 0) == int.from_bytes(block[0][1:3], "little")
            assert frames(master, b"\xa1") == []
            return data


@pytest.mark.parametrize("size", [0, 1, 7, 8, 889, 890, 1000])
def test_blocks_there_and_back(master, size):
    data = (TEXT * 28)[:size]
    begin_download(master, size)
    parts = segments(data)
    for k in range(0, len(parts), 127):
        block = parts[k : k + 127]
        answers = [answer for part in block for answer in frames(master, part)]
        assert answers == [bytes([0xA2, len(block), 127, 0, 0, 0, 0, 0])]
    last = end(data) if size else bytes([0xC1 | 7 << 2, 0, 0])
    assert frames(master, last)[0][0] == 0xA1
    assert upload(master) == upload(master, 3) == data


def test_lost_segments_are_sent_again(master):
    begin_download(master, len(TEXT))
    parts = segments(TEXT)
    answers = [answer for n, part in enumerate(parts) if n != 2 for answer in frames(master, part)]
    assert answers[-1][:2] == b"\xa2\x02"  # two came in their order
    again = [bytes([n | (0x80 if n == len(parts) - 2 else 0)]) + p[1:] for n, p in enumerate(parts[2:], 1)]
    assert [answer for part in again for answer in frames(master, part)][-1][:2] == bytes([0xA2, len(again)])
    assert frames(master, end(TEXT))[0][0] == 0xA1 and upload(master) == TEXT


def test_a_wrong_checksum_changes_nothing(master):
    begin_download(master, len(TEXT))
    for part in segments(TEXT):
        frames(master, part)
    assert abort(frames(master, end(TEXT, 0x1234))[0]) == 0x05040004
    assert upload(master) == b""


def test_a_block_that_is_too_long_is_refused(master):
    assert abort(frames(master, b"\xc6\x03\x64\0" + (5000).to_bytes(4, "little"))[0]) == 0x06070012
    begin_download(master, 0)
    for n in range(127):
        answers = frames(master, bytes([n + 1]) + b"x" * 7)
    assert answers[0][:2] == b"\xa2\x7f"
    for n in range(127):
        answers = frames(master, bytes([n + 1]) + b"x" * 7)
    assert abort(answers[0]) == 0x06070012


def test_a_client_that_dies_in_a_block_is_forgotten(master):
    begin_download(master, 100)
    frames(master, segments(TEXT)[0])
    assert frames(master, b"\x40\0\x10\0") == []  # still a segment of the block
    master.table.run(1.1)
    assert master.read(0x1000) == 0x00020192


# --- the ends of a joint --------------------------------------------------------------------------------------------


@pytest.fixture
def jointed() -> Master:
    """A shaft that turns from −1 to 3 rad."""
    master = Master()
    master.table.drive.travel, master.table.drive.switches = (-1.0, 3.0), (-0.96, 2.96)
    return master


def test_software_limits_are_those_of_the_joint(jointed):
    counts = TURN / (2 * pi)
    limits = [jointed.read(0x607D, n) for n in (1, 2)]
    assert limits == [round(-1.0 * counts), round(3.0 * counts)]
    jointed.enable(1)
    jointed.write(0x607A, TURN, 4)  # 6.28 rad
    jointed.write(0x6040, 0x1F, 2)
    jointed.table.run(2.0)
    assert jointed.read(0x6064) == pytest.approx(limits[1], abs=1)
    assert jointed.status & 1 << 11  # internal limit active
    jointed.write(0x607D, 500, 4, sub=2)
    assert [jointed.read(0x607D, n) for n in (1, 2)] == [-(1 << 31), 500]  # what is written counts


@pytest.mark.parametrize(("method", "edge", "bit"), [(17, -0.96, 1), (18, 2.96, 2), (1, -0.96, 1), (2, 2.96, 2)])
def test_homing_at_a_limit_switch(jointed, method, edge, bit):
    master, counts = jointed, TURN / (2 * pi)
    master.write(0x6098, method, 1)
    master.enable(6)
    master.write(0x6040, 0x1F, 2)
    seen = 0
    for _ in range(300):
        master.table.run(0.05)
        seen |= master.read(0x60FD)
        if master.status & 0x1400 == 0x1400:
            break
    else:
        pytest.fail("not homed")
    assert seen == bit and master.read(0x60FD) == 0  # it has left the switch
    home = master.table.device.power.axis.zero / counts
    if method in (1, 2):  # the next index pulse inside: whole turns of the encoder
        assert home == pytest.approx(0.0, abs=ROUNDING)
    else:
        # the edge is seen within a period of 1 ms at a twentieth of a turn a second: 3e-4 rad
        assert home == pytest.approx(edge, abs=1e-3)
        assert abs(master.read(0x6064)) < 5
    limits = [master.read(0x607D, n) for n in (1, 2)]
    assert limits == pytest.approx([(end_ - home) * counts for end_ in (-1.0, 3.0)], abs=1.0)  # a count


def test_polarity_swaps_the_switches(jointed):
    jointed.write(0x607E, 0x80, 1)
    jointed.table.true[0] = 3.0
    jointed.table.run(0.002)
    assert jointed.read(0x60FD) == 1
