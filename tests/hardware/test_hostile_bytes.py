"""Random, broken and truncated bytes: no exception, bounded memory, nothing moves, and the bus works afterwards."""

import os
import random
import socket
import time
import tracemalloc

import can
import pytest

import gearwright as gw
from gearwright.hardware.protocols import dynamixel_packets, feetech, lx16a
from gearwright.hardware.rig import Rig
from gearwright.hardware.setpoints import COAST
from gearwright.hardware.transports import raw_can
from gearwright.hardware.transports.can_socket import path_of
from gearwright.hardware.transports.plugin_server import PluginServer
from gearwright.hardware.transports.raw_can import RawCanServer

PARSED = 2_000_000  # bytes in the default suite: half a second each


MAKE = {"dynamixel": dynamixel_packets.packet, "lx16a": lx16a.packet}  # packets; those of others have a checksum
HEADS = {"dynamixel": b"\xff\xff\xfd\x00\x01\x00\x04", "lx16a": b"\x55\x55\x01\x07"}
WRITES = {"lx16a": {1, 7, 11, 12, 13, 29, 31}}  # instructions that move or rename something
PING = {"lx16a": 14}


def ping(protocol):
    return MAKE.get(protocol, feetech.packet)(1, PING.get(protocol, 1))


def nearly(protocol, rng):
    """Packets of every instruction, most of them broken somewhere; none is valid and writes a goal or the torque."""
    body = rng.randbytes(rng.randrange(0, 40))
    instruction = rng.choice((0, 1, 2, 4, 6, 8, 0x82, 0x92, rng.randrange(256)))
    if instruction in WRITES.get(protocol, {3, 4, 0x83, 0x93}):
        instruction = 2
    make = MAKE.get(protocol, feetech.packet)
    data = bytearray(make(rng.choice((1, 2, 6, 0xFE, 200)), instruction, body))
    for _ in range(rng.randrange(3)):
        data[rng.randrange(4, len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(1, len(data) + 1)])


@pytest.mark.parametrize("protocol", ["feetech", "feetech_hls", "feetech_scs", "dynamixel", "dynamixel1", "lx16a"])
@pytest.mark.parametrize("kind", ["random", "nearly right", "headers alone"])
def test_a_line_survives(desk_arm, protocol, kind):
    rig, rng = Rig.of(desk_arm, protocol), random.Random(5)
    before = rig.plant.sim.state.copy()
    head = HEADS.get(protocol, b"\xff\xff\x01\xfa")
    answered = fed = 0
    while fed < (PARSED if kind == "random" else PARSED // 8):
        data = {
            "random": lambda: rng.randbytes(4096), "nearly right": lambda: nearly(protocol, rng),
            "headers alone": lambda: head * 100,
        }[kind]()  # fmt: skip
        fed += len(data)
        answered += len(rig.receive(data))
    assert all(d.drive.setpoint is COAST for d in rig.devices.values())
    assert (rig.plant.sim.state == before).all()
    rig.receive(bytes(2048))  # ends what has begun
    assert rig.receive(ping(protocol)), "the line is dead"
    assert answered < 4 * fed


def flood_socket(connect, total, greeting=b""):
    """Random bytes; a transport may hang up on a client that talks nonsense, which then comes back."""
    block, sent = random.Random(3).randbytes(1 << 20), 0
    while sent < total:
        try:
            with connect() as client:
                client.settimeout(20)
                client.sendall(greeting)
                while sent < total:
                    client.sendall(block)
                    sent += len(block)
        except OSError:
            sent += len(block) // 16


def flood_pty(path, total):
    block, sent = random.Random(3).randbytes(4096), 0
    port = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    while sent < total:
        try:
            sent += os.write(port, block)
            os.read(port, 65536)
        except BlockingIOError:
            time.sleep(0.0005)
    os.close(port)


def plugin_socket(bench):
    made = socket.socket(socket.AF_UNIX)
    made.connect(str(path_of(bench.channel)))
    return made


def raw_socket(bench):
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    made.connect(str(raw_can.path_of(bench.channel)))
    return made


def flood_datagrams(connect, total):
    """Random datagrams of the lengths of frames, and of others."""
    rng, sent = random.Random(3), 0
    while sent < total:
        try:
            with connect() as client:
                client.settimeout(20)
                while sent < total:
                    sent += client.send(rng.randbytes(rng.choice((16, 72, rng.randrange(1, 3000)))))
        except OSError:
            sent += 1 << 16


def flood(bench, total):
    """Into every transport of a bench."""
    for server in bench.servers:
        if isinstance(server, PluginServer):
            flood_socket(lambda: plugin_socket(bench), total)
        elif isinstance(server, RawCanServer):
            flood_datagrams(lambda: raw_socket(bench), total)
        else:
            address = ("127.0.0.1", server.port)
            flood_socket(lambda address=address: socket.create_connection(address), total, b"< open can0 >< rawmode >")
    for pty in bench.ptys.values():
        flood_pty(pty.path, total)


def flooded(desk_arm, protocol, total):
    with gw.serve(desk_arm, protocol=protocol, tcp="0", clock="lockstep") as bench:
        bench.step(1)
        before = bench.sim.state.copy()
        tracemalloc.start()
        flood(bench, total)
        grown, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (bench.sim.state == before).all()
        assert grown < 20e6
        port = os.open(bench.port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        end, answer = time.monotonic() + 10, b""
        bench.step(200)
        while ping(protocol)[:3] not in answer and time.monotonic() < end:
            os.write(port, bytes(64) + ping(protocol))
            time.sleep(0.02)
            try:
                answer = os.read(port, 65536)
            except BlockingIOError:
                answer = b""
        os.close(port)
        assert answer, "the line is dead"
        assert bench.failure is None


def flooded_can(wheel, total):
    with gw.serve(wheel, protocol="echo", tcp="0", socketcand="0", clock="lockstep") as bench:
        bench.step(1)
        before = bench.sim.state.copy()
        tracemalloc.start()
        flood(bench, total)
        grown, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (bench.sim.state == before).all() and grown < 20e6 and bench.failure is None
        with can.Bus(interface="gearwright", channel=bench.channel) as bus:
            bus.send(can.Message(arbitration_id=0x101, data=[1, 2], is_extended_id=False))
            assert bytes(bus.recv(10.0).data) == b"\2\1"


def test_every_transport_survives(desk_arm, wheel):
    flooded(desk_arm, "feetech", 1 << 20)
    flooded_can(wheel, 1 << 20)


@pytest.mark.slow
def test_every_can_transport_survives_200_mb(wheel):
    flooded_can(wheel, 200 << 20)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["feetech", "dynamixel"])
def test_a_line_survives_a_million_packets(desk_arm, protocol):
    rig, rng = Rig.of(desk_arm, protocol), random.Random(7)
    before = rig.plant.sim.state.copy()
    for _ in range(1_000_000):
        rig.receive(nearly(protocol, rng))
    assert (rig.plant.sim.state == before).all()
    rig.receive(bytes(2048))
    assert rig.receive(ping(protocol)), "the line is dead"


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["feetech", "dynamixel"])
def test_every_transport_survives_200_mb(desk_arm, protocol):
    flooded(desk_arm, protocol, 200 << 20)
