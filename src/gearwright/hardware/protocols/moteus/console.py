"""The diagnostic console of a moteus controller: text lines in a byte stream, as `moteus_tool` and users type them."""

from __future__ import annotations

import re
from math import inf, isfinite, nan
from typing import TYPE_CHECKING

from gearwright.hardware.protocols.moteus import multiplex, telemetry
from gearwright.hardware.protocols.moteus.multiplex import RegisterStream
from gearwright.hardware.protocols.moteus.servo import BRAKE, POSITION, STOPPED, ZERO_VELOCITY

if TYPE_CHECKING:
    from gearwright.hardware.protocols.moteus.device import Moteus
    from gearwright.hardware.protocols.moteus.servo import MoteusServo

CHANNEL = 1
LONGEST_LINE, LONGEST_ANSWER = 256, 4096  # [bytes]
FASTEST = 1e-3  # [s] between two emissions of a channel
OK, UNKNOWN = "OK\r\n", "ERR unknown command\r\n"
# letters of `d pos`, and the command registers that they set
OPTIONS = {
    "p": "command_kp_scale", "d": "command_kd_scale", "s": "command_stop_position", "t": "command_timeout",
    "f": "command_feedforward_torque", "v": "command_velocity_limit", "a": "command_accel_limit",
    "i": "command_ilimit_scale", "b": "command_ignore_position_bounds",
}  # fmt: skip
SETTINGS = {
    "id.id": "node",
    "servo.pid_position.kp": "kp",
    "servo.pid_position.ki": "ki",
    "servo.pid_position.kd": "kd",
    "servo.pid_position.ilimit": "ilimit",
    "servo.default_timeout_s": "default_timeout",
    "servopos.position_min": "position_min",
    "servopos.position_max": "position_max",
    "servo.max_current_A": "max_current",
    "motor_position.rotor_to_output_ratio": "rotor_to_output",
}
NAME, LONGEST_VALUE, MOST_OTHERS = re.compile(r"[a-z][a-z0-9_]*(\.[A-Za-z0-9_]+)+"), 64, 1024


class Console:
    """Takes what the client sends, and hands out the answer when it polls."""

    def __init__(self, device: Moteus) -> None:
        self.device = device
        self.others: dict[str, str] = {}  # settings that have no effect here: they are kept
        self.clear()

    def clear(self) -> None:
        self._line, self._answer = b"", b""
        self._as_text: set[str] = set()  # channels that are emitted as text
        self._rates: dict[str, float] = {}  # channel → period [s]
        self._due: dict[str, float] = {}

    def on_stream(self, part: RegisterStream, room: int) -> bytes:
        if part.channel != CHANNEL:
            return b""
        if part.data is not None:
            self._take(part.data)
            return b""
        self._emit_due()
        most = max(min(part.most, room - 3), 0)
        sent, self._answer = self._answer[:most], self._answer[most:]
        return bytes([multiplex.SERVER_DATA, CHANNEL]) + multiplex.whole(len(sent)) + sent

    def _take(self, data: bytes) -> None:
        *lines, self._line = (self._line + data).replace(b"\r", b"\n").split(b"\n")
        self._line = self._line[-LONGEST_LINE:]
        for line in lines:
            words = line[:LONGEST_LINE].decode("ascii", "replace").split()
            if words:
                self._say(self._run(words))

    def _say(self, answer: str | bytes) -> None:
        data = answer if isinstance(answer, bytes) else answer.encode("ascii", "replace")
        self._answer = (self._answer + data)[-LONGEST_ANSWER:]

    def _run(self, words: list[str]) -> str | bytes:
        if words[0] == "d" and len(words) > 1:
            return self._drive(words[1], words[2:])
        if words[0] == "tel" and len(words) > 1:
            return self._telemetry(words[1], words[2:])
        if words[0] == "conf" and len(words) > 1:
            return self._configure(words[1], words[2:])
        return UNKNOWN

    # --- d: the servo -------------------------------------------------------------------------------------------

    def _drive(self, verb: str, words: list[str]) -> str:
        servo = self.device.servo
        if verb in ("stop", "brake", "zero"):
            servo.clear_command()
            servo.set_mode({"stop": STOPPED, "brake": BRAKE, "zero": ZERO_VELOCITY}[verb])
            return OK
        if verb in ("index", "rezero", "nearest", "exact", "cfg-set-output"):
            value = _number(words[0]) if words else 0.0
            if not isfinite(value):
                return "ERR invalid value\r\n"
            servo.set_output(value, nearest=verb in ("rezero", "nearest"))
            return OK
        return self._position(words) if verb == "pos" else UNKNOWN

    def _position(self, words: list[str]) -> str:
        """`d pos POSITION VELOCITY MAX_TORQUE [options]`."""
        if len(words) < 3:
            return "ERR missing position, velocity or torque\r\n"
        servo = self.device.servo
        servo.clear_command()
        given = {"position": words[0], "velocity": words[1], "maximum_torque": words[2]}
        servo.command |= {f"command_{name}": _number(word) for name, word in given.items()}
        for word in words[3:]:
            if word[0] not in OPTIONS:
                return f"ERR unknown option {word[0]}\r\n"
            servo.command[OPTIONS[word[0]]] = _number(word[1:])
        servo.set_mode(POSITION)
        return OK

    # --- tel: telemetry -----------------------------------------------------------------------------------------

    def _telemetry(self, verb: str, words: list[str]) -> str | bytes:
        if verb == "stop" and not words:
            self._rates.clear()
            return OK
        if verb == "list" and not words:
            return "".join(f"{name}\r\n" for name in telemetry.CHANNELS) + OK
        if verb == "text" and not words:
            self._as_text = set(telemetry.CHANNELS)
            return OK
        if not words or words[0] not in telemetry.CHANNELS:
            return "ERR unknown name\r\n"
        channel, value = words[0], _number(words[1]) if len(words) > 1 else nan
        if verb == "schema":
            return _blob(f"schema {channel}", telemetry.schema(channel))
        if verb == "get":
            return self._emission(channel)
        if verb == "fmt" and value in (0, 1):
            (self._as_text.add if value else self._as_text.discard)(channel)
            return OK
        if verb == "rate" and 0.0 <= value < inf:
            self._rates.pop(channel, None)
            if value:
                self._rates[channel], self._due[channel] = max(value * 1e-3, FASTEST), self.device.servo.now
            return OK
        return UNKNOWN

    def _emission(self, channel: str) -> str | bytes:
        if channel in self._as_text:
            return telemetry.text(channel, self.device) + OK
        return _blob(f"emit {channel}", telemetry.binary(channel, self.device))

    def _emit_due(self) -> None:
        """Channels with a rate; one whose client does not fetch it waits."""
        now = self.device.servo.now
        for channel, period in self._rates.items():
            if now >= self._due[channel] and len(self._answer) < LONGEST_ANSWER // 2:
                self._due[channel] = now + period
                self._say(_blob(f"emit {channel}", telemetry.binary(channel, self.device)))

    # --- conf: settings -----------------------------------------------------------------------------------------

    def _configure(self, verb: str, words: list[str]) -> str:
        if verb in ("write", "load", "default") and not words:
            return OK
        if verb == "enumerate":
            return self._enumerate(words)
        setting = SETTINGS.get(words[0]) if words else None
        if setting is None and verb == "get":
            return f"{self.others[words[0]]}\r\n" if words and words[0] in self.others else "ERR error reading\r\n"
        if setting is None:
            kept = verb == "set" and len(words) == 2 and self.keep(*words)
            return OK if kept else "ERR error setting\r\n"
        if verb == "get":
            return f"{getattr(self._holder(setting), setting)}\r\n"
        return self._set(setting, words[1:]) if verb == "set" else UNKNOWN

    def keep(self, name: str, value: str) -> bool:
        """A setting that this servo does not have: it is remembered, as a client expects. False if it cannot be one."""
        known = name in self.others or len(self.others) < MOST_OTHERS
        if name in SETTINGS or not known or not NAME.fullmatch(name) or len(value) > LONGEST_VALUE:
            return False
        self.others[name] = value
        return True

    def _enumerate(self, words: list[str]) -> str:
        lines = {name: getattr(self._holder(setting), setting) for name, setting in SETTINGS.items()}
        lines |= {f"uuid.uuid.{n}": byte for n, byte in enumerate(self.device.uuid)} | self.others
        own = {name: value for name, value in lines.items() if not words or name.split(".")[0] == words[0]}
        return "".join(f"{name} {value}\r\n" for name, value in own.items()) + OK if own else "ERR unknown group\r\n"

    def _holder(self, setting: str) -> Moteus | MoteusServo:
        return self.device if setting == "node" else self.device.servo

    def _set(self, setting: str, words: list[str]) -> str:
        try:
            value = float(words[0])
        except (IndexError, ValueError):
            return "ERR error setting\r\n"
        bounds = setting.startswith("position_")
        if setting == "node":
            if not 0 < value < 127 or value != int(value):
                return "ERR error setting\r\n"
            value = int(value)
        elif (not bounds and not (isfinite(value) and value >= 0.0)) or (setting == "rotor_to_output" and value == 0.0):
            return "ERR error setting\r\n"
        elif bounds and not isfinite(value):
            value = float("-inf") if setting == "position_min" else float("inf")
        setattr(self._holder(setting), setting, value)
        return OK


def _blob(announcement: str, data: bytes) -> bytes:
    return announcement.encode("ascii") + b"\r\n" + len(data).to_bytes(4, "little") + data


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return nan
