"""A server that says that it is ready answers: the first request of a client that comes at once is not lost."""

import os
import select
import socket
import struct

import can
import pytest

import gearwright as gw
from gearwright.hardware.protocols import PROTOCOLS, lx16a
from gearwright.hardware.protocols.dynamixel_packets import packet as dynamixel_packet
from gearwright.hardware.protocols.feetech import packet as feetech_packet

PATIENCE = 5.0  # [s] of the wall clock; found: a millisecond
ENABLE = b"\xff" * 7 + b"\xfc"
CAN = {  # id and data of a request, and the id of its answer where devices send other frames unasked
    "cia402": (0x601, bytes.fromhex("4000100000000000"), 0x581),
    "odrive": (1 << 5 | 0x17, b"", 1 << 5 | 0x17),
    "mini_cheetah": (1, ENABLE, None),
    "cubemars": (1, ENABLE, None),
    "damiao": (0x7FF, bytes((1, 0, 0xCC, 0, 0, 0, 0, 0)), None),
    "robstride": (0xFD01, bytes(8), None),
    "robstride_mit": (1, ENABLE, None),
    "vesc": (0x1101, b"\xfe", 0x12FE),
    "cubemars_servo": (0x101, bytes(4), None),  # it answers nothing; it uploads its state
    "rmd": (0x141, b"\x92" + bytes(7), 0x241),
    "piper": (0x4AF, b"\x01" + bytes(7), 0x4AF),
    "moteus": (0x8001, bytes((0x11, 0x00)), None),
}
SERIAL = {
    **dict.fromkeys(("feetech", "feetech_hls", "feetech_scs"), feetech_packet(1, 1)),
    "dynamixel": dynamixel_packet(1, 1),
    "dynamixel1": feetech_packet(1, 1),  # the same bytes
    "lx16a": lx16a.packet(1, 28),
    "robotiq": bytes.fromhex("090307D00003040E"),
}
PIGPIO = struct.pack("<4I", 17, 0, 0, 0)  # the hardware's revision
SETPOINTS = 100  # 10 ms apart, a millisecond each in lockstep: CubeMars' drive uploads its state every 20 ms


def test_every_protocol_is_here():
    assert {*PROTOCOLS} == {*CAN, *SERIAL, "pigpio", "echo"}


def answered(bench, protocol):
    if protocol == "pigpio":
        with socket.create_connection(("127.0.0.1", int(bench.port)), PATIENCE) as daemon:
            daemon.sendall(PIGPIO)
            return len(daemon.recv(16)) == 16
    if protocol in SERIAL:
        port = os.open(bench.port, os.O_RDWR | os.O_NOCTTY)
        try:
            os.write(port, SERIAL[protocol])
            return bool(select.select([port], [], [], PATIENCE)[0])
        finally:
            os.close(port)
    number, data, answer = CAN[protocol]
    extended = number > 0x7FF or protocol == "cubemars_servo"
    request = can.Message(arbitration_id=number, data=data, is_extended_id=extended, is_fd=protocol == "moteus")
    with can.Bus(interface="gearwright", channel=bench.channel) as bus:
        if protocol == "cubemars_servo":
            return any(bus.send(request) or bus.recv(0.01) for _ in range(SETPOINTS))
        bus.send(request)
        while (message := bus.recv(PATIENCE)) is not None:
            if answer in (None, message.arbitration_id):
                return True
    return False


def starts(wheel, protocol, clock, n):
    count = 0
    for _ in range(n):
        with gw.serve(wheel, protocol=protocol, clock=clock, armed=clock == "lockstep") as bench:
            count += answered(bench, protocol)
    return count


@pytest.mark.parametrize("clock", ["realtime", "lockstep"])
@pytest.mark.parametrize("protocol", [*CAN, *SERIAL, "pigpio"])
def test_the_first_request_is_answered(wheel, protocol, clock):
    assert starts(wheel, protocol, clock, 3) == 3


@pytest.mark.slow
@pytest.mark.parametrize("clock", ["realtime", "lockstep"])
@pytest.mark.parametrize("protocol", [*CAN, *SERIAL, "pigpio"])
def test_a_hundred_starts(wheel, protocol, clock):
    assert starts(wheel, protocol, clock, 100) == 100


def test_a_node_answers_after_a_reset_in_lockstep(wheel):
    with gw.serve(wheel, protocol="cia402", clock="lockstep", armed=True) as bench, bench.can() as bus:
        bench.reset()
        bus.send(can.Message(arbitration_id=0x601, data=CAN["cia402"][1], is_extended_id=False))
        ids = [message.arbitration_id for message in iter(lambda: bus.recv(0.0), None)]
        assert ids == [0x701, 0x581] and bench.rig.time == 0.0


def test_a_node_takes_its_time_when_its_power_comes_back(wheel):
    """Boot-up is a matter of 20 ms of simulated time once the clock runs."""
    with gw.serve(wheel, protocol="cia402", clock="lockstep", armed=True) as bench, bench.can() as bus:
        bench.faults.inject("brown-out", None, 0.002)
        bench.step(5)
        bus.send(can.Message(arbitration_id=0x601, data=CAN["cia402"][1], is_extended_id=False))
        assert bus.recv(0.0) is None
        bench.step(30)
        assert struct.unpack("<B", bus.recv(0.0).data) == (0,)
