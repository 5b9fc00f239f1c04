"""Random, broken and truncated bytes: no exception, bounded memory, nothing moves, and the bus works afterwards."""

import os
import random
import socket
import time
import tracemalloc

import pytest

import gearwright as gw
from gearwright.hardware.protocols import dynamixel_packets, feetech
from gearwright.hardware.rig import Rig

PARSED = 2_000_000  # bytes in the default suite: half a second each


def ping(protocol):
    return feetech.packet(1, 1) if protocol == "feetech" else dynamixel_packets.packet(1, 1)


def nearly(protocol, rng):
    """Packets of every instruction, most of them broken somewhere; none is valid and writes a goal or the torque."""
    body = rng.randbytes(rng.randrange(0, 40))
    instruction = rng.choice((0, 1, 2, 4, 6, 8, 0x82, 0x92, rng.randrange(256)))
    if instruction in (3, 4, 0x83, 0x93):
        instruction = 2
    make = feetech.packet if protocol == "feetech" else dynamixel_packets.packet
    data = bytearray(make(rng.choice((1, 2, 6, 0xFE, 200)), instruction, body))
    for _ in range(rng.randrange(3)):
        data[rng.randrange(4, len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(1, len(data) + 1)])


@pytest.mark.parametrize("protocol", ["feetech", "dynamixel"])
@pytest.mark.parametrize("kind", ["random", "nearly right", "headers alone"])
def test_a_line_survives(desk_arm, protocol, kind):
    rig, rng = Rig.of(desk_arm, protocol), random.Random(5)
    before = rig.plant.sim.state.copy()
    head = (b"\xff\xff\x01\xfa", b"\xff\xff\xfd\x00\x01\x00\x04")[protocol == "dynamixel"]
    answered = fed = 0
    while fed < (PARSED if kind == "random" else PARSED // 8):
        data = {
            "random": lambda: rng.randbytes(4096), "nearly right": lambda: nearly(protocol, rng),
            "headers alone": lambda: head * 100,
        }[kind]()  # fmt: skip
        fed += len(data)
        answered += len(rig.receive(data))
    assert all(not d.table["torque_enable"] for d in rig.devices.values())
    assert (rig.plant.sim.state == before).all()
    rig.receive(bytes(2048))  # ends what has begun
    assert rig.receive(ping(protocol)), "the line is dead"
    assert answered < 4 * fed


def flood(bench, protocol, total):
    """Random bytes into every transport of a bench."""
    rng = random.Random(3)
    block = rng.randbytes(1 << 20)
    for server in bench.servers:
        if not hasattr(server, "port"):
            continue
        sent = 0
        while sent < total:  # a transport may hang up on a client that talks nonsense; it comes back
            try:
                with socket.create_connection(("127.0.0.1", server.port)) as client:
                    client.settimeout(20)
                    while sent < total:
                        client.sendall(block)
                        sent += len(block)
            except OSError:
                sent += 4096
    for pty in bench.ptys.values():
        port = os.open(pty.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        sent, end = 0, time.monotonic() + 600
        while sent < total and time.monotonic() < end:
            try:
                sent += os.write(port, block[:4096])
                os.read(port, 65536)
            except BlockingIOError:
                time.sleep(0.0005)
        os.close(port)


def flooded(desk_arm, protocol, total):
    with gw.serve(desk_arm, protocol=protocol, tcp="0", clock="lockstep") as bench:
        bench.step(1)
        before = bench.sim.state.copy()
        tracemalloc.start()
        flood(bench, protocol, total)
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


def test_every_transport_survives(desk_arm):
    flooded(desk_arm, "feetech", 1 << 20)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["feetech", "dynamixel"])
def test_every_transport_survives_200_mb(desk_arm, protocol):
    flooded(desk_arm, protocol, 200 << 20)
