"""Sockets and terminals in front of the buses: what clients see, and what a bad one cannot do to others."""

import json
import os
import select
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

import can
import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.transports.can_socket import path_of
from gearwright.hardware.transports.loop import MOST_CLIENTS
from gearwright.hardware.transports.raw_can import RawCanServer
from tests.tolerances import ROUNDING


@pytest.fixture
def bench(wheel):
    with gw.serve(wheel, protocol="echo", socketcand="0", tcp="0") as bench:
        yield bench


def servers(bench):
    plugin, socketcand, json_lines = (s for s in bench.servers if not isinstance(s, RawCanServer))
    return plugin, socketcand, json_lines


@contextmanager
def opened(bench, kind, **options):
    if kind == "in process":
        bus = bench.can(**options)
    elif kind == "plugin":
        bus = can.Bus(interface="gearwright", channel=bench.channel, **options)
    else:
        port = servers(bench)[1].port
        bus = can.Bus(interface="socketcand", host="127.0.0.1", port=port, channel="can0", **options)
    try:
        yield bus
    finally:
        bus.shutdown()


def wait_for(bus, number, timeout=5.0):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        message = bus.recv(0.2)
        if message is not None and message.arbitration_id == number:
            return message
    raise TimeoutError(f"no frame {number:#x}")


KINDS = ["in process", "plugin", "socketcand"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_is_answered(bench, kind):
    with opened(bench, kind) as bus:
        bus.send(can.Message(arbitration_id=0x101, data=[1, 2, 3], is_extended_id=False))
        assert bytes(wait_for(bus, 0x181).data) == b"\3\2\1"
        bus.send(can.Message(arbitration_id=0x101, data=[], is_extended_id=False))
        assert bytes(wait_for(bus, 0x181).data) == b""
        assert wait_for(bus, 0x701).timestamp >= 0.0  # heartbeats


@pytest.mark.parametrize("kind", ["in process", "plugin"])
def test_can_fd_filters_and_own_messages(bench, kind):
    filters = [{"can_id": 0x181, "can_mask": 0x7FF}]
    with opened(bench, kind, can_filters=filters) as bus:
        bus.send(
            can.Message(arbitration_id=0x101, data=range(64), is_extended_id=False, is_fd=True, bitrate_switch=True)
        )
        answer = bus.recv(5.0)
        assert answer.arbitration_id == 0x181 and answer.is_fd and answer.bitrate_switch and len(answer.data) == 64
    with opened(bench, kind, receive_own_messages=True) as bus:
        bus.send(can.Message(arbitration_id=0x321, data=[1], is_extended_id=False))
        assert wait_for(bus, 0x321)


def test_clients_hear_each_other(bench):
    with opened(bench, "plugin") as a, opened(bench, "socketcand") as b:
        a.send(can.Message(arbitration_id=0x12345678, data=[7], is_extended_id=True))
        heard = wait_for(b, 0x12345678)
        assert heard.is_extended_id and bytes(heard.data) == b"\7"


def test_a_channel_without_a_server_says_what_to_start():
    with pytest.raises(can.CanInitializationError, match="gearwright serve FILE --channel nobody"):
        can.Bus(interface="gearwright", channel="nobody")
    with pytest.raises(can.CanInitializationError, match="letters, digits"):
        can.Bus(interface="gearwright", channel="../../etc")


def test_a_channel_is_served_once(bench, wheel):
    with pytest.raises(gw.GearwrightError, match="served by another process"):
        gw.serve(wheel, protocol="echo", channel=bench.channel)


def test_the_plugin_is_found_in_another_process(bench):
    code = f"""
import can
bus = can.Bus(interface="gearwright", channel={bench.channel!r})
bus.send(can.Message(arbitration_id=0x101, data=[1, 2], is_extended_id=False))
while (m := bus.recv(5.0)).arbitration_id != 0x181: pass
print(bytes(m.data).hex())
bus.shutdown()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout.strip() == "0201", done.stderr


# --- JSON Lines -----------------------------------------------------------------------------------------------------


class Lines:
    def __init__(self, bench):
        with socket.create_connection(("127.0.0.1", servers(bench)[2].port)) as made:  # open as long as the file is
            self.file = made.makefile("rw", encoding="utf-8", newline="\n")
        self.hello = json.loads(self.file.readline())

    def ask(self, request):
        self.file.write((request if isinstance(request, str) else json.dumps(request)) + "\n")
        self.file.flush()
        return json.loads(self.file.readline())


def test_json_lines(bench):
    client = Lines(bench)
    assert client.hello == {
        "gearwright": 1, "robot": "wheel", "dt": 1e-3, "clock": "realtime", "joints": ["axle"], "actuators": ["motor"],
        "sensors": [],
    }  # fmt: skip
    client.ask({"mode": "lockstep"})
    client.ask({"reset": {}, "step": 0})
    state = client.ask({"command": {"motor": 0.5}, "step": 100})
    assert state["t"] == approx(0.1, rel=ROUNDING) and state["name"] == ["axle"]
    assert state["velocity"][0] == approx(0.5 / 0.01 * 0.1, rel=ROUNDING)
    assert client.ask({"step": 1})["t"] == approx(0.101, rel=ROUNDING)
    assert client.ask({"devices": {}})["devices"]["motor"]["node"] == 1


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "an object"),
        ({"comand": {}}, "did you mean 'command'"),
        ({"command": {"mtor": 1}}, "did you mean 'motor'"),
        ({"command": {"motor": "x"}}, "a finite number"),
        ({"command": 3}, "an object"),
        ({"step": -1}, "a whole number"),
        ({"step": 1e9}, "a whole number"),
        ({"mode": "fast"}, "lockstep"),
        ({"fault": {"kind": "dorp"}}, "did you mean 'drop'"),
        ({"hold": {"axel": 1}}, "did you mean 'axle'"),
        ("x" * 70000, "65536 bytes"),
    ],
)
def test_faulty_requests_are_answered_and_the_connection_stays(bench, request_, message):
    client = Lines(bench)
    answer = client.ask(request_)
    assert message in answer["error"] and answer["line"] == 1
    assert "t" in client.ask({"state": {}})


def connect(bench, which):
    if which == 0:
        made = socket.socket(socket.AF_UNIX)
        made.connect(str(path_of(bench.channel)))
        return made
    return socket.create_connection(("127.0.0.1", servers(bench)[which].port))


# --- limits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", [0, 1, 2], ids=["plugin", "socketcand", "JSON Lines"])
def test_64_connections_and_one_more(bench, which):
    with ExitStack() as stack:
        for _ in range(MOST_CLIENTS):
            assert stack.enter_context(connect(bench, which)).recv(10)
        last = stack.enter_context(connect(bench, which))
        text = last.makefile("rb").read().decode()
        assert "64 clients are connected" in text
    with connect(bench, which) as client:
        assert client.recv(10)  # there is room again


def test_a_client_that_stops_reading_is_dropped_and_disturbs_no_other(bench):
    with opened(bench, "plugin"), opened(bench, "in process") as other:
        start = time.monotonic()
        sent = 0
        while bench.loop.clients and time.monotonic() - start < 20:
            for _ in range(1000):
                other.send(can.Message(arbitration_id=0x300, data=range(8), is_extended_id=False))
            sent += 1000
        assert bench.loop.clients == 0, "still there"
        other.send(can.Message(arbitration_id=0x101, data=[1], is_extended_id=False))
        assert wait_for(other, 0x181)


@pytest.mark.parametrize("which", [0, 1, 2], ids=["plugin", "socketcand", "JSON Lines"])
def test_clients_that_leave_at_once_disturb_nobody(bench, which):
    """Connected and gone before the server says hello: the lock keeps it from that."""
    for _ in range(20):
        with bench.lock:
            connect(bench, which).close()
    with bench.lock:
        assert bench._thread.is_alive()
    with connect(bench, which) as client:
        assert client.recv(10)


def test_a_client_killed_within_a_frame_leaves_the_bus_working(bench):
    with socket.create_connection(("127.0.0.1", servers(bench)[1].port)) as client:
        client.recv(100)
        client.sendall(b"< open can0 >< rawmode >< send 101 2 0")
    with opened(bench, "socketcand") as bus:
        bus.send(can.Message(arbitration_id=0x101, data=[1], is_extended_id=False))
        assert wait_for(bus, 0x181)


def test_servers_listen_on_loopback_only(bench):
    assert servers(bench)[1].host == servers(bench)[2].host == "127.0.0.1"


def test_nothing_is_left_behind(wheel, desk_arm, tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    with gw.serve(wheel, protocol="echo", socketcand="0", tcp="0") as bench:
        channel = bench.channel
    with gw.serve(desk_arm, link=tmp_path / "tty") as bench:
        assert os.path.realpath(bench.port).startswith("/dev/pts/")
    assert not (tmp_path / "tty").exists()
    assert not path_of(channel).exists()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_link_never_replaces_a_file(desk_arm, tmp_path):
    (tmp_path / "tty").write_text("mine")
    with pytest.raises(gw.GearwrightError, match="cannot make the link"):
        gw.serve(desk_arm, link=tmp_path / "tty")
    assert (tmp_path / "tty").read_text() == "mine"


def test_a_bridged_python_can_bus(wheel):
    with gw.serve(wheel, protocol="echo", can=["virtual:gearwright-test"]):
        bus = can.Bus(interface="virtual", channel="gearwright-test")
        bus.send(can.Message(arbitration_id=0x101, data=[1, 2], is_extended_id=False))
        assert bytes(wait_for(bus, 0x181).data) == b"\2\1"
        bus.shutdown()


def test_what_waits_for_a_slow_client_leaves_as_soon_as_it_reads(wheel):
    """Frames that another thread sends are queued while the server waits for clients."""
    with gw.serve(wheel, protocol="echo", clock="lockstep") as bench:
        bench.step(1)
        with opened(bench, "plugin") as slow, opened(bench, "in process") as other:
            for _ in range(20_000):  # more than the socket holds, less than the server's queue
                other.send(can.Message(arbitration_id=0x300, data=range(8), is_extended_id=False))
            begun, count = time.monotonic(), 0
            while count < 20_000 and slow.recv(2.0) is not None:
                count += 1
            assert count == 20_000 and time.monotonic() - begun < 10.0


# --- serial ports ----------------------------------------------------------------------------------------------------

PING = bytes((0xFF, 0xFF, 1, 2, 1, 0xFB))


def readable(port, seconds):
    return bool(select.select([port], [], [], seconds)[0])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says when a terminal is closed")
def test_answers_that_a_dead_client_did_not_read_are_not_for_the_next(wheel):
    with gw.serve(wheel, protocol="feetech") as bench:
        for _ in range(3):
            dead = os.open(bench.port, os.O_RDWR | os.O_NOCTTY)
            os.write(dead, 20 * PING + PING[:3])
            assert readable(dead, 2.0)
            time.sleep(0.02)
            os.close(dead)
            time.sleep(0.3)  # on a loaded machine, too, the server has seen it by now
            port = os.open(bench.port, os.O_RDWR | os.O_NOCTTY)
            try:
                assert not readable(port, 0.05)
                os.write(port, PING)
                assert readable(port, 2.0) and len(os.read(port, 100)) == 6
            finally:
                os.close(port)


def test_a_client_beside_another_keeps_its_answers(wheel):
    with gw.serve(wheel, protocol="feetech") as bench:
        one, two = (os.open(bench.port, os.O_RDWR | os.O_NOCTTY) for _ in range(2))
        os.write(one, PING)
        assert readable(one, 2.0)
        os.close(two)
        time.sleep(0.05)
        assert len(os.read(one, 100)) == 6
        os.close(one)


def test_a_second_server_does_not_take_a_link(wheel, tmp_path):
    link = tmp_path / "port"
    script = f"import gearwright as gw; gw.serve(gw.load('desk_arm'), link={str(link)!r})"
    with gw.serve(wheel, protocol="feetech", link=link) as bench:
        target = os.readlink(link)
        os.close(os.open(bench.port, os.O_RDWR | os.O_NOCTTY))  # a client of this process comes and goes
        with pytest.raises(gw.GearwrightError, match="is the port of another server"):
            gw.serve(wheel, protocol="feetech", link=link)
        again = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=False, timeout=60
        )
        assert "is the port of another server" in again.stderr and os.readlink(link) == target
    assert not link.is_symlink()
    link.symlink_to("/dev/pts/nothing")
    with gw.serve(wheel, protocol="feetech", link=link):
        assert os.path.exists(link)


def test_a_bus_that_hears_itself_is_not_answered(wheel):
    """udp_multicast gives back what is sent: to the devices that would be requests of a client."""
    pytest.importorskip("msgpack")
    try:
        can.Bus(interface="udp_multicast", channel="239.74.163.9").shutdown()
    except Exception as error:
        pytest.skip(f"no multicast here: {error}")
    with gw.serve(wheel, protocol="odrive", can=["udp_multicast:239.74.163.9"]) as bench:
        time.sleep(0.5)
        with bench.lock:
            assert bench.network.frames > 20 and bench.network.latency.total == 0


def test_an_unplugged_drive_is_listed_as_such(bench):
    bench.faults.inject("unplug", "motor")
    (row,) = bench.requests.devices()["devices"].values()
    assert row["state"] == "unplugged"
