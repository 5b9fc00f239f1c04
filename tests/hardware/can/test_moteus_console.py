"""The diagnostic stream of a moteus controller: typed lines, telemetry and its schema, read by moteus' own reader."""

from __future__ import annotations

import io
import math

import pytest
from moteus.reader import Stream, Type

from gearwright.hardware.protocols.moteus import multiplex
from gearwright.hardware.protocols.moteus.telemetry import CHANNELS
from tests.hardware.can.turntable import Turntable
from tests.tolerances import ROUNDING


class Terminal:
    """A client that types lines and polls for what comes back."""

    def __init__(self) -> None:
        self.table = Turntable("moteus")
        self.console = self.table.device.console

    def poll(self) -> bytes:
        out = b""
        while True:
            self.table.device.servo.now = self.table.time
            answer = self.console.on_stream(multiplex.RegisterStream(1, None, 61), 64)
            if len(answer) <= 3:
                return out
            out += answer[3:]

    def type(self, line: str) -> bytes:
        self.console.on_stream(multiplex.RegisterStream(1, line.encode() + b"\n"), 64)
        return self.poll()


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


def blob(data: bytes) -> bytes:
    head, rest = data.split(b"\r\n", 1)
    assert head.split()[0] in (b"schema", b"emit")
    assert int.from_bytes(rest[:4], "little") == len(rest) - 4
    return rest[4:]


@pytest.mark.parametrize("channel", CHANNELS)
def test_channels_are_read_by_their_schema(terminal, channel):
    kind = Type.from_binary(io.BytesIO(blob(terminal.type(f"tel schema {channel}"))))
    data = io.BytesIO(blob(terminal.type(f"tel get {channel}")))
    assert set(kind.read(Stream(data))._fields) == set(CHANNELS[channel]) and data.read() == b""


def test_telemetry_as_text(terminal):
    assert terminal.type("tel list").split() == [*map(str.encode, CHANNELS), b"OK"]
    assert terminal.type("tel fmt servo_stats 1") == b"OK\r\n"
    assert b"servo_stats.bus_V 24.000000\r\n" in terminal.type("tel get servo_stats")


def test_a_rate_is_kept_in_simulated_time(terminal):
    assert terminal.type("tel rate system_info 100").startswith(b"OK")
    count = 0
    for _ in range(50):
        terminal.table.run(0.02)
        count += terminal.poll().count(b"emit system_info")
    assert count == 10
    assert terminal.type("tel stop") == b"OK\r\n"
    terminal.table.run(0.2)
    assert terminal.poll() == b""


def test_nobody_fetches_what_is_emitted(terminal):
    terminal.type("tel rate servo_stats 1")
    for _ in range(500):
        terminal.table.run(0.002)
        terminal.table.device.servo.now = terminal.table.time
        terminal.console.on_stream(multiplex.RegisterStream(1, None, 0), 64)
    assert len(terminal.poll()) < 4096


def test_lines_drive_the_servo(terminal):
    assert terminal.type("d pos 0.3 0 1 a20 tnan") == b"OK\r\n"
    terminal.table.run(1.0)
    assert terminal.table.device.servo.position == pytest.approx(0.3, abs=2e-10)  # what a second leaves
    assert terminal.type("d exact 2.0") == b"OK\r\n"
    assert terminal.table.device.servo.position == pytest.approx(2.0, rel=ROUNDING)
    assert terminal.type("d stop") == b"OK\r\n" and terminal.table.device.servo.mode == 0


@pytest.mark.parametrize(
    "line",
    [
        "d pos 1",
        "d pos 1 2 3 z9",
        "d what",
        "tel get nothing",
        "tel what git",
        "conf enumerate nothing",
        "x",
        "d exact nan",
    ],
)
def test_faulty_lines_are_errors(terminal, line):
    assert terminal.type(line).startswith(b"ERR")


# --- settings --------------------------------------------------------------------------------------------------------


def test_settings_that_have_no_effect_are_kept(terminal):
    assert terminal.type("conf get motor.poles").startswith(b"ERR")
    assert terminal.type("conf set motor.poles 14") == b"OK\r\n"
    assert terminal.type("conf get motor.poles") == b"14\r\n"
    assert b"motor.poles 14\r\n" in terminal.type("conf enumerate")
    memory = terminal.table.device.memory
    other = Terminal()
    other.table.device.memory = memory
    assert other.type("conf get motor.poles") == b"14\r\n"


@pytest.mark.parametrize("line", ["poles 14", "motor.poles", "motor.poles " + "9" * 65, "../x.y 1", "motor.a\x01b 1"])
def test_settings_that_cannot_be_are_refused(terminal, line):
    assert terminal.type(f"conf set {line}").startswith(b"ERR")


def test_settings_are_bounded(terminal):
    for k in range(1100):
        terminal.console.keep(f"group.name{k}", "1")
    assert len(terminal.console.others) == 1024


def test_positions_and_torques_are_those_of_the_output(terminal):
    """A reduction of 10: the rotor turns ten times as far, with a tenth of the torque."""
    assert terminal.type("conf set motor_position.rotor_to_output_ratio 0.1") == b"OK\r\n"
    assert terminal.type("conf set motor_position.rotor_to_output_ratio 0").startswith(b"ERR")
    for line in ("servo.pid_position.kp 100", "servo.pid_position.kd 10"):
        assert terminal.type(f"conf set {line}") == b"OK\r\n"
    assert terminal.type("d pos 0.1 0 1000 tnan") == b"OK\r\n"
    table, servo = terminal.table, terminal.table.device.servo
    assert servo.position == pytest.approx(table.true[0] / math.tau * 0.1)
    table.run(0.001)
    assert servo.output_torque(table.drive.sample.torque) == pytest.approx(10.0, rel=1e-2)  # kp times 0.1 turns
    table.run(20.0)
    assert table.true[0] == pytest.approx(math.tau, rel=1e-3)
    assert servo.position == pytest.approx(0.1, rel=1e-3)


def test_the_current_is_limited(terminal):
    assert terminal.type("conf set servo.max_current_A 0.5") == b"OK\r\n"
    assert terminal.type("d pos 10 0 nan tnan") == b"OK\r\n"
    terminal.table.run(0.002)
    assert terminal.table.drive.sample.current == pytest.approx(0.5)
