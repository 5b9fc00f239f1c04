"""Interfaces of ros2_control tags over JSON Lines."""

import json
import socket

import pytest
from pytest import approx

import gearwright as gw
from tests.tolerances import ROUNDING


class Client:
    def __init__(self, bench):
        with socket.create_connection(bench.address) as made:  # open as long as the file is
            self.file = made.makefile("rw", encoding="utf-8", newline="\n")
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
    # friction and gravity, beside the servos' stiffness
    assert [after["state"][f"{j}/position"] for j in ("pitch", "roll")] == approx([0.2, -0.1], abs=1e-3)
    assert after["t"] == approx(first["t"] + 2.0, rel=ROUNDING)


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


MOCK = """<robot name="m"><link name="base"/><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
 ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute"><parent link="base"/><child link="l"/>
 <axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="2" effort="5"/></joint>
<ros2_control name="m" type="system" rw_rate="100"><hardware><plugin>mock_components/GenericSystem</plugin>
 <param name="calculate_dynamics">true</param></hardware><joint name="j"><command_interface name="position"/>
 <state_interface name="position"/><state_interface name="velocity"/></joint></ros2_control></robot>"""


def test_a_mock_in_another_process():
    with gw.serve(gw.loads(MOCK), protocol="ros2_control", clock="lockstep", mock=True, armed=True) as bench:
        client = Client(bench)
        (info,) = client.ask(hardware={})["hardware"]
        assert info["rw_rate"] == 100.0 and info["limits"]["j"]["max_velocity"] == 2.0
        client.ask(write={"j/position": 0.5})
        after = client.ask(step=10, read={})
        assert after["state"] == {"j/position": 0.5, "j/velocity": approx(50.0, rel=ROUNDING)}
        client.ask(reset={})
        again = client.ask(read={})
        assert again["state"] == {"j/position": 0.0, "j/velocity": 0.0} and again["command"] == {"j/position": None}


def test_limits_are_enforced_when_asked():
    with gw.serve(
        gw.loads(MOCK), protocol="ros2_control", clock="lockstep", enforce_command_limits=True, armed=True
    ) as bench:
        client = Client(bench)
        for k in range(100):
            answer = client.ask(step=10, write={"j/position": 9.0})
            assert answer["command"]["j/position"] <= 2.0 * 0.01 * (k + 1) + ROUNDING
        assert answer["command"]["j/position"] == 1.0


def test_a_switch_releases_what_stops_and_claims_what_starts(bench):
    client = Client(bench)
    client.ask(reset={})
    client.ask(write={"pitch/position": 0.2, "roll/position": -0.1})
    answer = client.ask(switch={"start": ["pitch/effort", "roll/effort"], "stop": ["pitch/position", "roll/position"]})
    assert answer["command"]["pitch/position"] is None and answer["command"]["pitch/effort"] == 0.0
    answer = client.ask(switch={"stop": ["pitch/effort", "roll/effort"]})
    assert set(answer["command"].values()) == {None}


@pytest.mark.parametrize(
    ("switch", "message"),
    [
        ({"start": ["pich/position"]}, "did you mean 'pitch/position'"),
        ({"start": "pitch/position"}, "a list of interfaces"),
        ([], "an object"),
        ({"stop": [1]}, "a list of interfaces"),
    ],
)
def test_a_faulty_switch_is_refused(bench, switch, message):
    assert message in Client(bench).ask(switch=switch)["error"]
