"""Interfaces of ros2_control tags over JSON Lines."""

import json
import socket

import pytest
from pytest import approx

import gearwright as gw


class Client:
    def __init__(self, bench):
        self.file = socket.create_connection(bench.address).makefile("rw", encoding="utf-8", newline="\n")
        self.hello = json.loads(self.file.readline())

    def ask(self, **request):
        self.file.write(json.dumps(request) + "\n")
        self.file.flush()
        return json.loads(self.file.readline())


@pytest.fixture(scope="module")
def bench():
    with gw.serve("wrist", protocol="ros2_control", clock="lockstep") as bench:
        yield bench


def test_states_and_commands_by_interface(bench):
    client = Client(bench)
    client.ask(reset={})
    first = client.ask(step=0, read={})
    assert set(first["state"]) == {f"{j}/{i}" for j in ("pitch", "roll") for i in ("position", "velocity", "effort")}
    assert first["command"]["pitch/position"] is None
    answer = client.ask(write={"pitch/position": 0.2, "roll/position": -0.1})
    assert answer["command"]["roll/position"] == -0.1 and answer["t"] == first["t"]
    after = client.ask(step=2000, read={})
    assert [after["state"][f"{j}/position"] for j in ("pitch", "roll")] == approx([0.2, -0.1], abs=2e-3)
    assert after["t"] == approx(first["t"] + 2.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [({"pich/position": 1}, "pitch/position"), ({"pitch/position": "x"}, "a finite number"), (3, "an object")],
)
def test_faulty_commands_change_nothing(bench, values, message):
    client = Client(bench)
    before = client.ask(read={})
    assert message in client.ask(write=values)["error"]
    assert client.ask(read={})["command"] == before["command"]


def test_a_robot_without_a_tag_or_a_bus_says_so(bench, wheel):
    with pytest.raises(gw.ModelError, match="no <ros2_control> tag"):
        gw.serve(wheel, protocol="ros2_control")
    with pytest.raises(gw.ModelError, match="on a bus"):
        _ = bench.node
    with gw.serve(wheel, protocol="echo") as other, pytest.raises(gw.ModelError, match="JSON Lines are not served"):
        _ = other.address
