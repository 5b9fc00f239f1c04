"""The diagnostic console of a moteus controller: text lines in a byte stream, as `moteus_tool` and users type them."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from gearwright.hardware.protocols.moteus import multiplex
from gearwright.hardware.protocols.moteus.multiplex import Stream

if TYPE_CHECKING:
    from gearwright.hardware.protocols.moteus.device import Moteus
    from gearwright.hardware.protocols.moteus.servo import Servo

CHANNEL = 1
LONGEST_LINE, LONGEST_ANSWER = 256, 4096  # [bytes]
SETTINGS = {
    "id.id": "node",
    "servo.pid_position.kp": "kp",
    "servo.pid_position.kd": "kd",
    "servo.default_timeout_s": "default_timeout",
    "servopos.position_min": "position_min",
    "servopos.position_max": "position_max",
}


class Console:
    """Takes what the client sends, and hands out the answer when it polls."""

    def __init__(self, device: Moteus) -> None:
        self.device = device
        self.clear()

    def clear(self) -> None:
        self._line, self._answer = b"", b""

    def on_stream(self, part: Stream, room: int) -> bytes:
        if part.channel != CHANNEL:
            return b""
        if part.data is not None:
            self._take(part.data)
            return b""
        most = max(min(part.most, room - 3), 0)
        sent, self._answer = self._answer[:most], self._answer[most:]
        return bytes([multiplex.SERVER_DATA, CHANNEL]) + multiplex.whole(len(sent)) + sent

    def _take(self, data: bytes) -> None:
        *lines, self._line = (self._line + data).replace(b"\r", b"\n").split(b"\n")
        self._line = self._line[-LONGEST_LINE:]
        for line in lines:
            words = line[:LONGEST_LINE].decode("ascii", "replace").split()
            if words:
                self._answer = (self._answer + self._run(words).encode("ascii", "replace"))[-LONGEST_ANSWER:]

    def _run(self, words: list[str]) -> str:
        if words == ["d", "stop"]:
            self.device.servo.set_mode(0)
            return "OK\r\n"
        if words[0] == "tel" and words[1:] in (["stop"], ["text"]):
            return "OK\r\n"
        if words[0] == "conf" and len(words) > 1:
            return self._configure(words[1], words[2:])
        return "ERR unknown command\r\n"

    def _configure(self, verb: str, words: list[str]) -> str:
        if verb in ("write", "load", "default") and not words:
            return "OK\r\n"
        if verb == "enumerate":
            lines = [f"{name} {getattr(self._holder(setting), setting)}" for name, setting in SETTINGS.items()]
            return "\r\n".join([*lines, "OK\r\n"])
        setting = SETTINGS.get(words[0]) if words else None
        if setting is None:
            return "ERR error reading\r\n" if verb == "get" else "ERR error setting\r\n"
        if verb == "get":
            return f"{getattr(self._holder(setting), setting)}\r\n"
        return self._set(setting, words[1:]) if verb == "set" else "ERR unknown command\r\n"

    def _holder(self, setting: str) -> Moteus | Servo:
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
        elif not bounds and not (isfinite(value) and value >= 0.0):
            return "ERR error setting\r\n"
        elif bounds and not isfinite(value):
            value = float("-inf") if setting == "position_min" else float("inf")
        setattr(self._holder(setting), setting, value)
        return "OK\r\n"
