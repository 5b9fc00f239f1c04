"""A page in a browser can send bytes to every port of this machine. None of them reach the robot or a bus."""

import signal
import socket
import time
from contextlib import contextmanager, suppress

import can
import pytest

import gearwright as gw
from gearwright.hardware.transports.json_lines import JsonServer
from gearwright.hardware.transports.opening import Opening
from gearwright.hardware.transports.socketcand import SocketcandServer
from tests.hardware.json_client import JsonClient
from tests.hardware.test_serve_command import Server
from tests.hardware.test_transports import wait_for

TOKEN = "not-for-everybody"

REQUESTS = '{"fault": {"kind": "stall", "actuator": "motor"}}\n{"hold": {"axle": 1.0}}\n{"mode": "lockstep"}\n'
FRAMES = "< open can0 >< rawmode >< send 101 2 1 2 >< send 7FF 1 1 >"
BODY = f"\n{REQUESTS}\n{FRAMES}\rO\rt10121122\r"
HEADERS = f"Host: 127.0.0.1\r\nOrigin: https://evil.example\r\nContent-Length: {len(BODY)}\r\n\r\n"
UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
SENT = {
    "a simple POST": f"POST / HTTP/1.1\r\n{HEADERS}{BODY}",
    "a form": f"POST /a?b=c HTTP/1.1\r\nContent-Type: text/plain\r\n{HEADERS}{BODY}",
    "a link": f"GET /{{}} HTTP/1.1\r\n{HEADERS}{BODY}",
    "a preflight": f"OPTIONS * HTTP/1.1\r\n{HEADERS}{BODY}",
    "a WebSocket": f"GET / HTTP/1.1\r\n{UPGRADE}{HEADERS}{BODY}",
    "a WebSocket with a protocol": f"GET / HTTP/1.1\r\n{UPGRADE}Sec-WebSocket-Protocol: {{}}\r\n\r\n{BODY}",
    "an address longer than a line": f"POST /{'a' * 70_000} HTTP/1.1\r\n{HEADERS}{BODY}",
    "a method of a page that rebinds its name": f"x / HTTP/1.1\r\n{HEADERS}{BODY}",
    "a method longer than a line": f"{'x' * 70_000} / HTTP/1.1\r\n{HEADERS}{BODY}",
    "a proxy's request": f"POST http://127.0.0.1/ HTTP/1.0\r\n{HEADERS}{BODY}",
    "HTTP 0.9": f"GET /\r\n{BODY}",
    "HTTP 2": f"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n{BODY}",
    "a tab for a blank": f"POST\t/ HTTP/1.1\r\n{HEADERS}{BODY}",
    "blank lines before it": f"\r\n\r\nPOST / HTTP/1.1\r\n{HEADERS}{BODY}",
    "TLS": f"\x16\x03\x01\x02\x00\x01\x00{BODY}",
    "TURN": f"\x00\x03\x00\x08!\x12\xa4B{BODY}",
}  # fmt: skip


@pytest.fixture
def bench(wheel):
    with gw.serve(wheel, protocol="echo", socketcand="0", tcp="0", can=["virtual:web"]) as bench:
        yield bench


def port(bench, kind):
    return next(server.port for server in bench.servers if isinstance(server, kind))


def send(port, data, piece):
    """As the browser does, and as a slow network does."""
    with socket.create_connection(("127.0.0.1", port)) as made:
        made.settimeout(20)
        with suppress(OSError):  # either: it may hang up while we send
            for at in range(0, len(data), piece):
                made.sendall(data[at : at + piece])
                if at < 8:
                    time.sleep(0.003)
            while made.recv(65536):
                pass


@contextmanager
def real_bus():
    """The other side of the bridge."""
    with can.Bus(interface="virtual", channel="web") as bus:
        yield bus


def frames(bus, seconds=0.1):
    """Ids that were heard so far, but for heartbeats."""
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        message = bus.recv(0.02)
        if message is not None and message.arbitration_id != 0x701:
            found.append(message.arbitration_id)
    return found


@pytest.mark.parametrize("piece", [1 << 20, 1], ids=["at once", "byte by byte"])
@pytest.mark.parametrize("name", SENT)
def test_what_a_browser_sends_does_nothing(bench, name, piece):
    data = SENT[name].encode("latin-1")
    if piece == 1:
        data = data.replace(b"a" * 70_000, b"a").replace(b"x" * 70_000, b"xx")
    with real_bus() as bus:
        for kind in (JsonServer, SocketcandServer):
            send(port(bench, kind), data, piece)
        assert frames(bus) == []
    assert bench.faults.active == {} and bench.pacer.mode == "realtime" and bench.rig.plant.hands == {}
    assert bench.network.malformed == 0
    assert "t" in JsonClient(bench).ask({"state": {}})


@pytest.mark.parametrize(
    "opening", ["{", " {", "\n\n[", "< open", "O\rt1230\r", "x" * 70_000 + "\n{", "V\rN\r", "\r\n<", "", "\n"]
)
def test_clients_of_ours_are_admitted(opening):
    whole, pieces = Opening(), Opening()
    assert whole.admits(opening.encode()) and all(pieces.admits(bytes([b])) for b in opening.encode())
    assert whole.known == pieces.known == any(c in opening for c in "{[<")


# --- bridges --------------------------------------------------------------------------------------------------------


@contextmanager
def client(bench, kind, bridged):
    end = ".bridge" if bridged else ""
    if kind == "in process":
        bus = bench.can(bridged=bridged)
    elif kind == "plugin":
        bus = can.Bus(interface="gearwright", channel=bench.channel + end)
    else:
        bus = can.Bus(
            interface="socketcand", host="127.0.0.1", port=port(bench, SocketcandServer), channel=f"can0{end}"
        )
    try:
        yield bus
    finally:
        bus.shutdown()


@pytest.mark.parametrize("bridged", [False, True])
@pytest.mark.parametrize("kind", ["in process", "plugin", "socketcand"])
def test_a_bridge_carries_only_what_a_client_asks_it_to(bench, kind, bridged):
    """Its frames, and the answers of devices to them; the device is on the other bus as before."""
    with real_bus() as bus, client(bench, kind, bridged) as own:
        own.send(can.Message(arbitration_id=0x101, data=[1, 2], is_extended_id=False))
        assert bytes(wait_for(own, 0x181).data) == b"\2\1"
        assert frames(bus) == ([0x101, 0x181] if bridged else [])
        bus.send(can.Message(arbitration_id=0x101, data=[3, 4], is_extended_id=False))
        assert bytes(wait_for(bus, 0x181).data) == b"\4\3"
        assert bytes(wait_for(own, 0x101).data) == b"\3\4"  # it hears the other bus in either case


def test_a_bench_without_bridges_has_no_such_channel(wheel):
    with gw.serve(wheel, protocol="echo") as bench, pytest.raises(can.CanInitializationError, match="no simulated"):
        can.Bus(interface="gearwright", channel=bench.channel + ".bridge")


# --- tokens ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", [None, "", "not-for-everybodx", 7, ["not-for-everybody"]])
def test_json_lines_want_their_token_first(wheel, said):
    with gw.serve(wheel, protocol="echo", tcp="0", token=TOKEN) as bench:
        stranger = JsonClient(bench)
        answer = stranger.ask({"token": said, "mode": "lockstep"} if said is not None else {"mode": "lockstep"})
        assert "send the token first" in answer["error"] and stranger.file.readline() == ""
        assert bench.pacer.mode == "realtime"
        known = JsonClient(bench)
        assert "t" in known.ask({"token": TOKEN}) and "t" in known.ask({"mode": "lockstep"})
        assert bench.pacer.mode == "lockstep"


def test_socketcand_wants_its_token(wheel):
    with gw.serve(wheel, protocol="echo", socketcand="0", token=TOKEN) as bench:
        own = port(bench, SocketcandServer)
        for said in ("can0", "can0 not-for-everybodx", f"can0 x {TOKEN}"):
            with socket.create_connection(("127.0.0.1", own)) as stranger, stranger.makefile("rb") as answers:
                stranger.sendall(f"< open {said} >< rawmode >< send 101 1 1 >".encode())
                assert answers.read() == b"< hi >< error a token is needed: open CHANNEL TOKEN >"
        with can.Bus(interface="socketcand", host="127.0.0.1", port=own, channel=f"can0 {TOKEN}") as bus:
            bus.send(can.Message(arbitration_id=0x101, data=[1], is_extended_id=False))
            assert wait_for(bus, 0x181)


@pytest.mark.parametrize("token", ["", "short", "two words!", "a" * 300])
def test_a_token_is_one_long_word(wheel, token):
    with pytest.raises(gw.GearwrightError, match="8 to 200"):
        gw.serve(wheel, protocol="echo", tcp="0", token=token)


@pytest.mark.parametrize(
    ("address", "token", "noted"),
    [("0.0.0.0:0", (), True), ("0.0.0.0:0", ("--token", TOKEN), False), ("localhost:0", (), False), (":0", (), False)],
)
def test_an_open_port_without_a_token_is_mentioned(address, token, noted):
    server = Server("desk_arm", "--tcp", address, *token, "--no-table")
    assert ("--token TEXT asks clients" in "\n".join(server.lines)) == noted
    assert server.end(signal.SIGINT)[0] == 0


def test_a_client_may_say_a_token_where_none_is_wanted(wheel):
    with gw.serve(wheel, protocol="echo", tcp="0") as bench:
        assert "t" in JsonClient(bench).ask({"token": TOKEN, "state": {}})
