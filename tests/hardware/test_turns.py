"""Long requests: other clients, other threads and signals have their turn."""

import json
import signal
import socket
import time

import pytest

import gearwright as gw
from gearwright.hardware.transports.json_lines import LONGEST, JsonServer
from gearwright.hardware.transports.loop import CHUNK
from tests.hardware.json_client import JsonClient
from tests.hardware.test_serve_command import Server

LONG = '{"step": 100000}\n' * 50  # a minute, in 850 bytes


@pytest.mark.parametrize("table", [False, True], ids=["", "with the table"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_server_with_a_minute_of_steps_to_do_ends_at_once(number, table):
    server = Server("desk_arm", "--tcp", "0", *(["--table"] if table else ["--no-table"]))
    with server.connected() as (_, file):
        file.write(LONG)
        file.flush()
        time.sleep(0.5)
        begun = time.monotonic()
        code, _, err = server.end(number)
    assert (code, err) == (0, "") and time.monotonic() - begun < 3.0


def test_a_close_does_not_wait_for_requests(wheel):
    with gw.serve(wheel, protocol="echo", tcp="0", clock="lockstep") as bench:
        JsonClient(bench).write(LONG)
        time.sleep(0.2)
        begun = time.monotonic()
    assert time.monotonic() - begun < 1.0
    before = bench.sim.time
    bench.step(5)  # the simulation is its owner's again
    assert bench.steps > 0 and bench.sim.time > before


def test_other_clients_are_answered_in_between(wheel):
    with gw.serve(wheel, protocol="echo", tcp="0", clock="lockstep") as bench:
        busy, other = JsonClient(bench), JsonClient(bench)
        busy.write(LONG)
        waits = []
        for _ in range(5):
            begun = time.monotonic()
            assert "t" in other.ask({"state": {}})
            waits.append(time.monotonic() - begun)
        assert min(waits) < 0.5  # a request of 100,000 steps takes a second
        assert bench.steps < 1_000_000


def test_requests_are_answered_in_order_and_whole(wheel):
    """Many in one packet, long and short ones, a wrong one between them, and the connection half closed after it."""
    with gw.serve(wheel, protocol="echo", tcp="0", clock="lockstep", armed=True) as bench:
        client = JsonClient(bench)
        client.write('{"step": 20000}\n\nno\n{"step": 1}\n{"state": {}}\n')
        answers = [json.loads(client.file.readline()) for _ in range(4)]
        assert [round(1e3 * a["t"]) if "t" in a else a["line"] for a in answers] == [20_000, 3, 20_001, 20_001]


def test_a_simulation_slower_than_its_clock_lets_others_in(desk_arm):
    """100,000 steps a second are due, more than it makes: the lock is free now and then all the same."""
    with gw.serve(desk_arm, dt=1e-5) as bench:
        time.sleep(0.2)
        assert bench.lock.acquire(timeout=5.0)
        bench.lock.release()
        assert bench.pacer.overruns > 0


def test_a_client_that_floods_is_read_no_faster_than_answered(wheel):
    """Its socket fills, not the server's memory."""
    with gw.serve(wheel, protocol="echo", tcp="0", clock="lockstep") as bench:
        sent, data = 0, (LONG * 1000).encode()
        with socket.create_connection(bench.address) as made:
            made.setblocking(False)
            end = time.monotonic() + 1.0
            while time.monotonic() < end:
                try:
                    sent += made.send(data)
                except BlockingIOError:
                    time.sleep(0.01)
            (server,) = (s for s in bench.servers if isinstance(s, JsonServer))
            (served,) = server._clients
            assert len(served._buffer) < min(sent, 2 * (CHUNK + LONGEST))
