"""`gearwright serve`, in a process of its own."""

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager, suppress
from unittest.mock import patch

import pytest
from rich.console import Console
from rich.text import Text

import gearwright as gw
from gearwright.cli import main
from gearwright.cli.serve_table import Rates, Screen, table
from gearwright.cli.serve_terminal import as_request, conclude
from gearwright.cli.terminal import console
from gearwright.hardware.bench import Bench
from gearwright.hardware.protocols import feetech
from gearwright.hardware.rig import Rig

COMMAND = [sys.executable, "-m", "gearwright", "serve"]


class Server:
    """A server that has said `ready`."""

    def __init__(self, *arguments, **options):
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, **options,
        )  # fmt: skip
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if line.startswith("ready"):
                return
        raise AssertionError(self.process.stderr.read())

    def end(self, number):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=10)
        return self.process.returncode, out, err

    @contextmanager
    def connected(self):
        """A connection to JSON Lines, and it as a file."""
        port = int(re.search(r"nc 127\.0\.0\.1 (\d+)", "\n".join(self.lines))[1])
        with socket.create_connection(("127.0.0.1", port)) as client, client.makefile("rw") as file:
            file.readline()
            yield client, file

    def ask(self, request):
        with self.connected() as (_, file):
            file.write(json.dumps(request) + "\n")
            file.flush()
            return json.loads(file.readline())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_it_says_where_it_listens_and_ends_clean(tmp_path, number):
    link = tmp_path / "ttyARM"
    server = Server("desk_arm", "--link", link, "--tcp", "0", "--eeprom", tmp_path / "eeprom.json")
    assert "  feetech 2: shoulder_lift" in server.lines
    assert any(f'scservo_sdk.PortHandler("{link}")' in line for line in server.lines)
    port = os.open(link, os.O_RDWR | os.O_NOCTTY)
    os.write(port, feetech.packet(3, feetech.PING))
    assert os.read(port, 100) == feetech.packet(3, 0)
    os.close(port)
    code, out, err = server.end(number)
    assert (code, err) == (0, "")
    assert re.search(r"ran for [\d.]+ s; (no|\d+) overruns?.*; 99.9 % of steps were at most [\d.]+ ms late", out)
    assert not link.is_symlink() and (tmp_path / "eeprom.json").exists()


def test_typed_lines_move_joints_and_inject_faults(tmp_path):
    server = Server("desk_arm", "--tcp", "0", "--fault", "over-temperature=90@gripper")
    server.process.stdin.write("hold wrist_roll 0.5\nfault stall gripper\nfly away\n")
    server.process.stdin.flush()
    end = time.monotonic() + 20
    while time.monotonic() < end:
        state, devices = server.ask({"state": {}}), server.ask({"devices": {}})
        at = state["position"][state["name"].index("wrist_roll")]
        if abs(at - 0.5) < 0.05 and ["stall", "gripper", 1.0] in devices["faults"]:
            break
        time.sleep(0.1)
    else:
        raise AssertionError((state, devices))
    assert ["over-temperature", "gripper", 90.0] in devices["faults"]
    server.process.stdin.write("quit\n")
    _, err = server.process.communicate(timeout=10)
    assert server.process.returncode == 0 and "unknown command: 'fly away'" in err


@pytest.mark.parametrize("ending", ["mcap", "npz"])
def test_a_killed_server_leaves_a_recording_up_to_the_last_second(tmp_path, ending):
    if ending == "mcap":
        pytest.importorskip("mcap")
    file = tmp_path / f"run.{ending}"
    server = Server("desk_arm", "--tcp", "0", "--record", file, "--link", tmp_path / "tty")
    port = os.open(tmp_path / "tty", os.O_RDWR | os.O_NOCTTY)
    os.write(port, feetech.packet(1, feetech.WRITE, bytes((40, 1))))
    os.read(port, 100)
    os.close(port)
    server.ask({"hold": {"gripper": 1.0}})
    time.sleep(2.0)
    state = server.ask({"state": {}})
    server.process.kill()
    server.process.communicate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it was not closed
        recording = gw.Recording.open(file)
    assert recording.time[-1] > state["t"] - 1.0
    last = len(recording.time) - 1
    assert recording.position["gripper"][last] > 0.1
    assert "> FF FF 01 04 03 28 01 CE" in (tmp_path / "run.feetech.log").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere.urdf"], 1, "does not exist"),
        (["gripper"], 1, "no actuator of 'gripper' is on a bus"),
        (["desk_arm", "--protocol", "fetech"], 2, "did you mean 'feetech'"),
        (["desk_arm", "--clock", "fast"], 2, "lockstep"),
        (["desk_arm", "--node", "gripper"], 2, "NAME=VALUE"),
        (["desk_arm", "--node", "gripper=x"], 2, "a whole number"),
        (["desk_arm", "--node", "gripper=1"], 1, "the same node id 1"),
        (["desk_arm", "--tcp", "no"], 1, "host:port"),
        (["desk_arm", "--fault", "dorp"], 2, "did you mean 'drop'"),
        (["desk_arm", "--fault", "drop=2"], 2, "fault 'drop' takes a probability, 0 … 1, not 2"),
        (["desk_arm", "--fault", "delay=-1"], 2, "fault 'delay' takes seconds, 0 or more, not -1"),
        (["desk_arm", "--protocol", "canopen"], 2, "canopen is 'cia402' here"),
        (["desk_arm", "--eds", "x.eds"], 2, "no EDS files"),
        (["desk_arm", "--record", "x.xyz"], 1, "xyz"),
    ],
)
def test_wrong_commands_say_what_is_wrong(arguments, code, message, capsys):
    from gearwright.cli import app

    with pytest.raises(SystemExit) as ended:
        app(["serve", *arguments], standalone_mode=True)
    assert ended.value.code == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("hold elbow -0.3", {"hold": {"elbow": -0.3}}),
        ("release elbow", {"hold": {"elbow": None}}),
        ("fault drop", {"fault": {"kind": "drop"}}),
        ("fault drop 0.1", {"fault": {"kind": "drop", "actuator": None, "value": 0.1}}),
        ("fault stall elbow", {"fault": {"kind": "stall", "actuator": "elbow", "value": None}}),
        ("fault over-temperature elbow 90", {"fault": {"kind": "over-temperature", "actuator": "elbow", "value": 90}}),
        ("clear", {"clear": {}}),
        ("clear drop", {"clear": {"kind": "drop"}}),
        ("quit", None),
    ],
)
def test_typed_lines_are_requests(line, request_):
    assert as_request(line.split()) == request_


def test_the_live_table_has_a_row_for_every_drive(desk_arm, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    bench = Bench(Rig.of(desk_arm))
    bench.faults.inject("stall", "gripper")
    bench.advance(5)
    text = io.StringIO()
    console(text).print(table(bench, Rates(bench)))
    assert "no client yet" in text.getvalue()
    bench.lines["feetech"].receive(feetech.packet(2, feetech.PING))
    times = bench.lines["feetech"].answers.seconds
    assert 0.0 < times["shoulder_lift"] < 0.1 and not times["gripper"]
    console(text).print(table(bench, Rates(bench)))
    assert "(99 %)" in text.getvalue()
    bench.close()
    lines = text.getvalue().splitlines()
    assert sum("torque off" in line for line in lines) == 2 * 6
    assert any("gripper" in line and "[stall]" in line and "0.000" in line for line in lines)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_names_and_numbers_of_the_live_table_are_whole_in_a_narrow_terminal(desk_arm, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    bench = Bench(Rig.of(desk_arm))
    for kind in ("over-temperature", "encoder-freeze", "open-winding", "stall"):
        bench.faults.inject(kind, "gripper")
    text = io.StringIO()
    console(text).print(table(bench, Rates(bench)))
    bench.faults.clear()
    bench.close()
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    rows = [line for line in lines if line.startswith("│")]
    assert len(rows) == len(bench.rig.devices)  # none goes over two lines
    for name, row in zip(bench.rig.devices, rows, strict=True):
        assert name in row and re.search(r" -?0\.0000 ", row)
    assert any(line.startswith(f"not shown in {width} columns: ms, 1/s") for line in lines)


def test_a_line_that_is_typed_stays_below_the_table(monkeypatch):
    text = io.StringIO()
    screen = Screen()
    screen._console = Console(file=text, force_terminal=True, width=80, height=20)
    screen.draw(Text("one\ntwo"))
    assert text.getvalue() == "\r\x1b[Jone\x1b[K\ntwo\x1b[K\n"
    text.truncate(text.seek(0))
    screen.draw(Text("one\nthree"))  # the cursor is saved and restored: what is typed stays
    assert text.getvalue() == "\x1b7\x1b[2A\rone\x1b[K\nthree\x1b[K\n\x1b8"
    text.truncate(text.seek(0))
    screen.entered("not understood")
    screen.draw(Text("one\nthree"))
    assert text.getvalue().startswith("\x1b[1A\r\x1b[2K") and "not understood" in text.getvalue()


def test_a_port_that_is_taken_is_named_and_so_is_the_file_that_a_client_needs(tmp_path):
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # either: taken already is as good
            other.bind(("127.0.0.1", 29540))
            other.listen()
        server = Server("desk_arm", "--protocol", "cia402")
        text = "\n".join(server.lines)
        assert "port 29540 is in use" in text and "(its file: add --eds robot.eds)" in text
        assert server.ask({"reset": {}, "command": {"gripper": 0.1}})["commanded"] == {"gripper": {"unit": "N·m"}}
        server.ask({"fault": {"kind": "unplug", "actuator": "gripper"}})
        server.ask({"step": 2})
        refused = server.ask({"command": {"gripper": 0.1}})["commanded"]["gripper"]
        assert refused == {"unit": "N·m", "no_effect": "the drive has no power"}
        assert "0 … 1" in server.ask({"fault": {"kind": "drop", "value": 2}})["error"]
        assert server.end(signal.SIGTERM)[0] == 0


def test_a_port_that_is_taken_while_the_robot_compiles_is_replaced(monkeypatch, capsys):
    """Two servers that start at the same moment both find the usual port free."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        ports = iter([f"127.0.0.1:{other.getsockname()[1]}", "127.0.0.1:0"])
        monkeypatch.setattr("gearwright.cli.serve._usual", lambda *_: next(ports))
        monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
        with patch.object(sys, "argv", ["gearwright", "serve", "desk_arm"]), pytest.raises(SystemExit) as end:
            main()
    assert end.value.code in (0, None) and "ready: desk_arm" in capsys.readouterr().out


def test_the_time_that_it_ran_counts_over_resets(desk_arm, capsys):
    bench = Bench(Rig.of(desk_arm))
    bench.advance(40)
    bench.reset()
    bench.advance(10)
    conclude(bench)
    bench.close()
    assert capsys.readouterr().out.startswith("ran for 0.05 s")
