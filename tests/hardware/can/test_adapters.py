"""slcan and fdcanusb: text of a client in any pieces, frames of the bus as text."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest
from moteus.fdcanusb_device import _append_checksum, _strip_and_validate_checksum

from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols import vesc_commands
from gearwright.hardware.transports import dm_serial
from gearwright.hardware.transports.adapters import ADAPTERS
from gearwright.hardware.transports.dm_serial import DmSerial
from gearwright.hardware.transports.fdcanusb import Fdcanusb, checksum
from gearwright.hardware.transports.slcan import Slcan
from gearwright.hardware.transports.vesc_serial import VescSerial


class Network:
    """Keeps what a client sent."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.malformed, self.rig = 0, SimpleNamespace(bound=[SimpleNamespace(node=1)])

    def attach(self, client) -> None:
        self.client = client

    def detach(self, client) -> None:
        del self.client

    def transmit(self, frame: Frame, sender) -> None:
        self.frames.append(frame)


def adapter(kind):
    network = Network()
    made, said = kind(network), bytearray()
    made.send = said.extend
    return made, network, said


FRAMES = {
    b"t1232A1F0": Frame(0x123, b"\xa1\xf0"),
    b"T000081230": Frame(0x8123, extended=True),
    b"r1230": Frame(0x123, remote=True),
    b"R000081230": Frame(0x8123, extended=True, remote=True),
    b"d1239" + b"11" * 12: Frame(0x123, b"\x11" * 12, fd=True),
    b"B000080012ABCD": Frame(0x8001, b"\xab\xcd", extended=True, fd=True, bitrate_switch=True),
}


@pytest.mark.parametrize(("text", "frame"), FRAMES.items())
def test_slcan_frames(text, frame):
    made, network, said = adapter(Slcan)
    made.receive(b"S8\rO\r" + text + b"\r")
    assert network.frames == [frame]
    made.deliver(frame, 0.0)
    assert bytes(said).upper().endswith(b"\r" + text.upper() + b"\r")


def test_slcan_is_silent_while_it_is_closed():
    made, network, said = adapter(Slcan)
    made.receive(b"t1230\rV\r")
    made.deliver(Frame(1), 0.0)
    assert network.frames == [] and bytes(said) == b"\aV1013\r"
    made.receive(b"L\rt1230\rC\r")
    assert network.frames == []


def test_the_checksum_is_the_clients():
    for data in (b"OK", b"can send 8001 0A00 BF", bytes(range(1, 10))):
        line = _append_checksum(data)
        assert line == data + b" *" + f"{checksum(data + b' '):02X}".encode()


def test_fdcanusb_speaks_with_checksums_to_those_who_do():
    made, network, said = adapter(Fdcanusb)
    made.receive(b"can send 8001 1100 BF\n")
    assert network.frames == [Frame(0x8001, b"\x11\x00", True, False, True, True)] and bytes(said) == b"OK\r\n"
    said.clear()
    made.receive(_append_checksum(b"can send 8001 1100 bF") + b"\n")
    made.deliver(Frame(0x100, b"\x21\x00\x00", fd=True, bitrate_switch=True), 0.0)
    ok, rcv = bytes(said).split(b"\r\n")[:2]
    assert _strip_and_validate_checksum(ok) == (b"OK", True, True)
    assert _strip_and_validate_checksum(rcv) == (b"rcv 100 210000 e B F", True, True)
    assert not network.frames[1].bitrate_switch
    made.receive(b"can send 8001 1100 BF *00\n")
    assert len(network.frames) == 2 and b"checksum" in said


@pytest.mark.parametrize("kind", ADAPTERS.values(), ids=ADAPTERS)
def test_random_bytes_in_random_pieces(kind):
    feed(kind, pieces=300)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ADAPTERS.values(), ids=ADAPTERS)
def test_200_megabytes_of_random_bytes(kind):
    feed(kind, pieces=200_000)


def feed(kind, pieces):
    """1000 bytes in a piece on average: bounded, and a frame passes afterwards."""
    made, network, said = adapter(kind)
    rng, size = random.Random(1), 0
    for _ in range(pieces):
        made.receive(rng.randbytes(rng.randint(1, 2000)))
        size = max(size, len(made._line if hasattr(made, "_line") else made._buffer))
        said.clear()
    made.receive(bytes(300))  # ends a request of bytes that has begun
    network.frames.clear()
    made.receive(LAST.get(kind, b"\ncan send 123\n"))
    assert network.frames == [ALIVE if kind is VescSerial else Frame(0x123)] and size <= 512


ALIVE = Frame(8 << 8 | 5, bytes((0, 0, 30)), extended=True)
LAST = {
    Slcan: b"\r\nO\rt1230\r", DmSerial: dm_serial.request(Frame(0x123)),
    VescSerial: vesc_commands.packet(bytes((34, 5, 30))),
}  # fmt: skip
DM = {  # the bytes of Damiao's own DM_CAN.py for enabling motor 1
    "55AA1E03010000000A00000000 01000000 00 08 0000 FFFFFFFFFFFFFFFC 00": Frame(1, bytes.fromhex("FFFFFFFFFFFFFFFC")),
}


@pytest.mark.parametrize(("text", "frame"), DM.items())
@pytest.mark.parametrize("size", [30, 29], ids=["whole", "without its checksum"])
def test_frames_of_damiaos_adapter(text, frame, size):
    made, network, said = adapter(DmSerial)
    data = bytes.fromhex(text.replace(" ", ""))[:size]
    for k in range(0, 2 * size, 7):
        made.receive((data + data)[k : k + 7])
    made.receive(bytes(2))
    assert network.frames == [frame, frame]
    made.deliver(Frame(0x11, b"12345678"), 0.0)
    made.deliver(Frame(0x11, bytes(12), fd=True), 0.0)  # which it does not know
    assert bytes(said) == bytes.fromhex("AA110811000000") + b"12345678" + b"\x55"


def test_extended_and_remote_frames_of_damiaos_adapter():
    made, network, said = adapter(DmSerial)
    sent = [Frame(0x12345678, b"ab", extended=True), Frame(0x123, remote=True)]
    made.receive(b"".join(map(dm_serial.request, sent)) + bytes(2))
    assert network.frames == sent
    for frame in sent:
        made.deliver(frame, 0.0)
    assert said[2] == 0x42 and said[18] == 0x80
