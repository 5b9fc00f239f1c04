"""Drivers whose CAN interface or serial port is written in their code, against served robots."""

import shutil
import socket
import subprocess
import sys

import pytest

import gearwright as gw
from gearwright.errors import GearwrightError
from gearwright.hardware.frames import Frame
from gearwright.hardware.transports.raw_can import EXTENDED, INVERTED, RawCanClient, packed, path_of, unpacked
from gearwright.hardware.with_bus import environment

from .processes import CLIENTS
from .vendors import output, running, until, wheels

COMPILER = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
needs_compiler = pytest.mark.skipif(
    COMPILER is None or sys.platform != "linux", reason="no C compiler, or no SocketCAN"
)


@pytest.fixture(scope="module")
def bench():
    with gw.serve(gw.loads(wheels(2)), protocol="echo") as made:
        yield made


@needs_compiler
def test_a_program_in_c(bench, tmp_path):
    """Filters, select and poll on a raw socket; without the library there is no such interface."""
    program = tmp_path / "raw_can"
    subprocess.run([COMPILER, str(CLIENTS / "raw_can.c"), "-o", str(program)], check=True)
    env = environment({"can0": bench.channel}, {})
    done = subprocess.run([program], env=env, capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == "181 3 3 2 1\nfiltered\n", done.stderr
    assert subprocess.run([program], capture_output=True, timeout=30, check=False).returncode == 1


PYTHON_CAN = """
import can
import time
bus = can.Bus(interface="socketcan", channel="can0", fd=True, can_filters=[{"can_id": 0x181, "can_mask": 0x7FF}])
print(type(bus).__module__)
bus.send(can.Message(arbitration_id=0x101, data=[5, 6], is_extended_id=False))
message = bus.recv(5.0)
print(message.data.hex(), abs(message.timestamp - time.time()) < 60.0)
bus.send(can.Message(arbitration_id=0x101, data=bytes(range(12)), is_extended_id=False, is_fd=True))
print(bus.recv(5.0).data.hex())
bus.shutdown()
"""


@pytest.mark.parametrize("preload", [False, pytest.param(True, marks=needs_compiler)], ids=["alias", "library"])
def test_python_can(bench, preload):
    """By the alias, and python-can's own class over the library."""
    script = PYTHON_CAN if not preload else "import sys; sys.meta_path.pop(0)\n" + PYTHON_CAN
    with running(script, channels={"can0": bench.channel}, preload=preload) as client:
        module, *answers = output(client).splitlines()
    ours = "gearwright.hardware.with_bus.socketcan"
    assert module == ("can.interfaces.socketcan.socketcan" if preload else ours)
    assert answers == ["0605 True", bytes(range(12))[::-1].hex()]


def test_the_command_says_what_is_wrong(bench):
    command = [sys.executable, "-m", "gearwright", "with-bus"]
    run = lambda *more: subprocess.run([*command, *more], capture_output=True, text=True, timeout=30, check=False)  # noqa: E731
    done = run("--can", "can0", "--", "driver")
    assert done.returncode == 2 and "can0=can0" in done.stderr
    done = run("--no-preload", "--", "/no/such/driver")
    assert done.returncode == 2 and "/no/such/driver" in done.stderr
    with pytest.raises(GearwrightError, match="NAME=PLACE"):
        environment({"can0": "a=b"}, {})


@pytest.mark.parametrize(
    "frame",
    [
        Frame(0x7FF, b"12345678"), Frame(0x1FFFFFFF, b"", extended=True), Frame(5, remote=True),
        Frame(9, bytes(64), fd=True, bitrate_switch=True),
    ],
    ids=str,
)  # fmt: skip
def test_frames_of_the_kernel(frame):
    assert unpacked(packed(frame)) == frame
    assert len(packed(frame)) == (72 if frame.fd else 16)
    assert unpacked(packed(frame)[:-1]) is None


class Listener(RawCanClient):
    """A client's filters alone."""

    def __init__(self, filters):
        self._filters = filters


def test_filters_of_the_kernel():
    passes = lambda filters, frame: Listener(filters)._passes(frame)  # noqa: E731
    assert passes([(0x100, 0x700)], Frame(0x123)) and not passes([(0x100, 0x700)], Frame(0x223))
    assert not passes([(0x100 | INVERTED, 0x700)], Frame(0x123)) and passes([(0x100 | INVERTED, 0x700)], Frame(0x223))
    assert not passes([(0x100, EXTENDED | 0x700)], Frame(0x123, extended=True)) and not passes([], Frame(1))


def test_a_raw_client_survives_nonsense(bench):
    """Datagrams of every length, settings of every kind; then it still answers."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.connect(str(path_of(bench.channel)))
    client.settimeout(5.0)
    for length in (*range(1, 40), 72, 71, 1000):
        client.send(bytes([255]) * length)
        client.send(bytes(length))
    client.send(b"\xff" * 4 + (1).to_bytes(4, "little") + bytes(8))
    client.send(packed(Frame(0x101, b"\1\2")))
    assert until(lambda: unpacked(client.recv(100)) == Frame(0x181, b"\2\1"), 5.0)
    client.close()
    assert bench.failure is None
