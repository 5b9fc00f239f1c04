"""RobStride's MIT dialect: standard ids, and the frames of the mini-cheetah with three run modes."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from struct import Struct
from typing import ClassVar

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import STANDARD_IDS, Frame
from gearwright.hardware.protocols.loop_gains import default_gains
from gearwright.hardware.protocols.mit import codec
from gearwright.hardware.protocols.mit.mini_cheetah import MitDrive
from gearwright.hardware.setpoints import Cascade, Impedance

MIT, POSITION, VELOCITY = 0, 1, 2
MODES = {0: "MIT", 1: "position", 2: "velocity"}
SPECIAL = b"\xff" * 6  # then a mode, or FF, and a code
NO_MODE = 0xFF
UNDER_VOLTAGE, OVER_TEMPERATURE, LOST = 1 << 2, 1 << 0, 1 << 30  # bits of a fault frame
_TWO = Struct("<ff")


class RobStrideMit(MitDrive):
    """Answers to the host's id (option `master`, 0xFD) with its own id in the first byte."""

    over_temperature, under_voltage, lost = OVER_TEMPERATURE, UNDER_VOLTAGE, LOST
    names: ClassVar[Mapping[int, str]] = {
        OVER_TEMPERATURE: "over-temperature", UNDER_VOLTAGE: "under-voltage", LOST: "communication lost",
    }  # fmt: skip

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        self.run_mode = MIT
        super().__init__(drive, node, options)
        self.master = int(self.number_option("master", 0xFD, high=STANDARD_IDS - 1))

    def power_on(self, t: float) -> None:
        super().power_on(t)
        self.run_mode = MIT
        self.drive.current_limit = float("inf")

    @property
    def mode(self) -> str:
        return MODES[self.run_mode]

    def answer(self) -> Frame:
        now = self.drive.sample
        state = codec.pack_state(self.position, now.velocity, now.torque, self.ranges)
        heat = round(min(max(now.temperature, 0.0), 6500.0) * 10.0)
        return Frame(self.master, bytes([self.node]) + state + heat.to_bytes(2, "big"))

    def _fault(self) -> Frame:
        return Frame(self.master, bytes([self.node]) + self.error.to_bytes(4, "little") + bytes(3))

    def _handled(self, data: bytes) -> list[Frame]:
        mode, code = data[6], data[7]
        if data[:6] != SPECIAL or code < codec.CLEAR or (mode != NO_MODE and mode not in MODES):
            self._command(data)
        elif mode != NO_MODE and code == codec.ENABLE:
            self._choose(mode)
        elif code == codec.CLEAR and self.error and mode == NO_MODE:
            before = self._fault()
            self._special(code)
            return [before]
        else:
            self._special(code)
        return [self.answer()]

    def _choose(self, mode: int) -> None:
        """Another mode, in which the motor pushes only once it is commanded."""
        self.run_mode = mode
        self.drive.current_limit = float("inf")
        if self.enabled:
            self.drive.write(Impedance())

    def _command(self, data: bytes) -> None:
        if self.run_mode == MIT:
            super()._command(data)
            return
        first, second = _TWO.unpack(data)
        if not isfinite(first) or not isfinite(second):
            self.malformed += 1
            return
        self.commanded = True
        if not self.enabled:
            return
        gains = default_gains(self.drive)
        if self.run_mode == VELOCITY:
            self.drive.current_limit = abs(second)
        self.drive.write(Cascade(
            position=first + self.zero if self.run_mode == POSITION else None,
            velocity=first if self.run_mode == VELOCITY else 0.0,
            position_gain=gains.position, velocity_gain=gains.velocity, integral_gain=gains.integral,
            velocity_limit=abs(second) if self.run_mode == POSITION else float("inf"),
        ))  # fmt: skip
