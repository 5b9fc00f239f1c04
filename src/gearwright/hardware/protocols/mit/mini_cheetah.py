"""The mini-cheetah's frames, and CubeMars' AK drives, which add temperature and an error code to the answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from math import inf
from typing import ClassVar

from gearwright.hardware.device import CanDriveWithZero
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import STANDARD_IDS, Frame
from gearwright.hardware.protocols.mit import codec
from gearwright.hardware.protocols.mit.products import MitMotor
from gearwright.hardware.setpoints import COAST, Impedance

TICK = 1e-3  # [s] between two looks at temperature, supply and time-out while the motor is on

TEMPERATURE_OFFSET = 40.0  # [K] by which CubeMars' byte is more than the temperature in °C


class MitDrive(CanDriveWithZero):
    """Takes commands while it is enabled, answers every frame with its state."""

    over_temperature, under_voltage, lost = 1, 2, 3  # codes of the errors that this drive has
    names: ClassVar[Mapping[int, str]] = {1: "over-temperature", 2: "under-voltage", 3: "communication lost"}

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        motor = drive.motor
        self.ranges = motor if isinstance(motor, MitMotor) else MitMotor()
        self.timeout = self.number_option("timeout", 0.0)  # [s] without a frame; 0: off
        self.power_on(0.0)

    def power_on(self, t: float) -> None:
        self.enabled, self.error = False, 0
        self._heard = self._tick_due = t
        self.drive.write(COAST)

    @property
    def state(self) -> str:
        return "error" if self.error else "enabled" if self.enabled else "disabled"

    @property
    def mode(self) -> str:
        return "MIT"

    @property
    def errors(self) -> tuple[str, ...]:
        return (self.names[self.error],) if self.error else ()

    @property
    def position(self) -> float:
        return self.drive.sample.position - self.zero

    @abstractmethod
    def answer(self) -> Frame:
        """The state as this drive sends it."""

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        if frame.id != self.node or frame.extended or frame.remote or frame.fd:
            return []
        if len(frame.data) != 8:
            self.malformed += 1
            return []
        self._heard = t
        self._check(t)
        return self._handled(frame.data)

    def _handled(self, data: bytes) -> list[Frame]:
        """The answers to eight bytes."""
        if data[:7] == codec.SPECIAL and data[7] >= codec.CLEAR:
            self._special(data[7])
        else:
            self._command(data)
        return [self.answer()]

    def on_time(self, t: float) -> list[Frame]:
        self._tick_due = t + TICK
        self._check(t)
        return []

    def next_time(self) -> float:
        return self._tick_due if self.enabled else inf

    def _special(self, code: int) -> None:
        self.commanded = True
        if code == codec.ENABLE and not self.error and not self.enabled:
            self.enabled = True
            self.drive.write(Impedance())
        elif code == codec.DISABLE:
            self.disable()
        elif code == codec.ZERO:
            self.zero = self.drive.sample.position
        elif code == codec.CLEAR:
            self.error = self._cause()

    def _command(self, data: bytes) -> None:
        self.commanded = True
        if self.enabled:
            c = codec.unpack(data, self.ranges)
            self.drive.write(Impedance(c.position + self.zero, c.velocity, c.kp, c.kd, c.torque))

    def disable(self) -> None:
        self.enabled = False
        self.drive.write(COAST)

    def _cause(self) -> int:
        if self.drive.hot:
            return self.over_temperature
        return self.under_voltage if self.drive.starved else 0

    def _check(self, t: float) -> None:
        cause = self._cause()
        if not cause and self.enabled and self.timeout and t - self._heard > self.timeout:
            cause = self.lost
        if cause:
            self.error = cause
            if self.enabled:
                self.disable()


class MiniCheetah(MitDrive):
    """Answers to id 0 with six bytes: its id, and its state. It has no way to say an error."""

    def answer(self) -> Frame:
        now = self.drive.sample
        return Frame(0, bytes([self.node]) + codec.pack_state(self.position, now.velocity, now.torque, self.ranges))


class CubeMars(MitDrive):
    """Answers with eight bytes: the last two are the temperature and the error code.

    The temperature is counted from −40 °C; some firmware sends it as it is (option `temperature_offset=0`).
    """

    over_temperature, under_voltage, lost = 1, 4, 5
    names: ClassVar[Mapping[int, str]] = {1: "motor over-temperature", 4: "under-voltage", 5: "communication lost"}

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self._master = int(self.number_option("master", 0, high=STANDARD_IDS - 1))
        self._offset = self.number_option("temperature_offset", TEMPERATURE_OFFSET, -inf)  # [K]

    def answer(self) -> Frame:
        now = self.drive.sample
        state = codec.pack_state(self.position, now.velocity, now.torque, self.ranges)
        heat = round(min(max(now.temperature + self._offset, 0.0), 255.0))
        return Frame(self._master, bytes([self.node]) + state + bytes([heat, self.error]))
