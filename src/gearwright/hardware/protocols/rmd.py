"""MyActuator's RMD drives: one byte says what a frame of id 0x140 + node asks for; answers have id 0x240 + node.

From the manual of the motion protocol, version 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, pi
from struct import Struct

from gearwright.hardware.device import CanDriveWithZero
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols.loop_gains import default_gains
from gearwright.hardware.protocols.mit import codec
from gearwright.hardware.protocols.mit.products import MitMotor
from gearwright.hardware.setpoints import COAST, Cascade, Current, Impedance

COMMAND, ANSWER, ALL, MOTION, MOTION_ANSWER = 0x140, 0x240, 0x280, 0x400, 0x500
DEGREE = pi / 180
TICK = 5e-3  # [s] between two looks at temperature, supply and time-out
UNDER_VOLTAGE, OVER_HEAT, LOST = 0x0004, 0x1000, 0x0400  # bits of the error word
ERRORS = {UNDER_VOLTAGE: "under-voltage", OVER_HEAT: "over-temperature", LOST: "communication lost"}
CURRENT_MODE, SPEED_MODE, POSITION_MODE = 1, 2, 3
MODES = {0: "", CURRENT_MODE: "current", SPEED_MODE: "speed", POSITION_MODE: "position"}
VERSION, MODEL = 20230203, b"RMD-X8 "
_STATE, _LONG = Struct("<Bbhhh"), Struct("<B3xi")

RMD = MitMotor(
    position_range=12.5, velocity_range=45.0, torque_range=24.0, kp_range=500.0, kd_range=5.0, supply_voltage=48.0,
    counts=65536.0, over_temperature=85.0,
)  # fmt: skip


@dataclass
class RmdSettings:
    """What a client sets: gains and accelerations by their index, and the time-out of the bus [ms]."""

    gains: dict[int, float]
    accelerations: dict[int, int]
    timeout: int = 0


class RmdDrive(CanDriveWithZero):
    """One drive."""

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self.ranges = drive.motor if isinstance(drive.motor, MitMotor) else RMD
        own = default_gains(drive)
        self.settings = RmdSettings(
            {1: 100.0, 2: 100.0, 4: own.velocity, 5: own.integral, 7: own.position, 8: 0.0, 9: 0.0},
            dict.fromkeys(range(4), 10000),
        )
        self._each: dict[int, Callable[[bytes, float], Frame | None]] = {
            0x80: self._off, 0x81: self._stop, 0x77: self._echo, 0x78: self._echo, 0xA1: self._torque,
            0xA2: self._speed, 0xA4: self._position, 0xA6: self._single_turn, 0xA8: self._increment, 0x9A: self._status,
            0x9C: self._state, 0x9D: self._phases, 0x92: self._angle, 0x94: self._angle_of_a_turn,
            0x60: self._encoder, 0x61: self._encoder, 0x62: self._zero_offset, 0x64: self._set_zero,
            0x30: self._read_gain, 0x31: self._write_gain, 0x32: self._write_gain, 0x42: self._read_acceleration,
            0x43: self._write_acceleration, 0x70: self._read_mode, 0x71: self._power, 0x76: self._reset,
            0xB1: self._run_time, 0xB2: self._version, 0xB3: self._timeout, 0xB5: self._model,
        }  # fmt: skip
        self.power_on(0.0)

    def power_on(self, t: float) -> None:
        self.error, self._mode, self._born = 0, 0, t
        self._heard = self._due = t
        self.drive.write(COAST)

    @property
    def state(self) -> str:
        return "error" if self.error else "off" if self.drive.setpoint is COAST else "on"

    @property
    def mode(self) -> str:
        return MODES[self._mode]

    @property
    def errors(self) -> tuple[str, ...]:
        return tuple(name for bit, name in ERRORS.items() if self.error & bit)

    @property
    def degrees(self) -> float:
        return (self.drive.sample.position - self.zero) / DEGREE

    # --- the bus ----------------------------------------------------------------------------------------------

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        if frame.extended or frame.remote or frame.fd:
            return []
        if frame.id == MOTION + self.node:
            return self._motion(frame.data, t)
        if frame.id not in (COMMAND + self.node, ALL):
            return []
        handle = self._each.get(frame.data[0]) if len(frame.data) == 8 else None
        if handle is None:
            self.malformed += 1
            return []
        self._heard = t
        self.error &= ~LOST
        answer = handle(frame.data, t)
        return [answer] if answer is not None else []

    def _answer(self, data: bytes) -> Frame:
        return Frame(ANSWER + self.node, data)

    def _long(self, command: int, value: float) -> Frame:
        return self._answer(_LONG.pack(command, max(-(1 << 31), min((1 << 31) - 1, round(value)))))

    def _echo(self, data: bytes, t: float) -> Frame:
        return self._answer(data)

    # --- setpoints --------------------------------------------------------------------------------------------

    def _off(self, data: bytes, t: float) -> Frame:
        self._mode = 0
        self.drive.write(COAST)
        return self._answer(data)

    def _stop(self, data: bytes, t: float) -> Frame:
        if self.drive.setpoint is not COAST:
            self._drive(SPEED_MODE, velocity=0.0)
        return self._answer(data)

    def _torque(self, data: bytes, t: float) -> Frame:
        self.commanded, self._mode = True, CURRENT_MODE
        if not self.error:
            self.drive.write(Current(int.from_bytes(data[4:6], "little", signed=True) * 0.01))
        return self._state(data, t)

    def _speed(self, data: bytes, t: float) -> Frame:
        self._drive(SPEED_MODE, velocity=_signed(data) * 0.01 * DEGREE)
        return self._state(data, t)

    def _position(self, data: bytes, t: float) -> Frame:
        self._go(_signed(data) * 0.01, data)
        return self._state(data, t)

    def _single_turn(self, data: bytes, t: float) -> Frame:
        """The angle of a turn, and by byte 1 the way round: 0 clockwise."""
        wanted = int.from_bytes(data[4:6], "little") * 0.01 % 360.0
        way = (wanted - self.degrees) % 360.0
        self._go(self.degrees + (way if data[1] else way - 360.0), data)
        return self._state(data, t)

    def _increment(self, data: bytes, t: float) -> Frame:
        self._go(self.degrees + _signed(data) * 0.01, data)
        return self._state(data, t)

    def _go(self, degrees: float, data: bytes) -> None:
        fastest = int.from_bytes(data[2:4], "little") * DEGREE
        self._drive(POSITION_MODE, position=degrees * DEGREE + self.zero, velocity_limit=fastest or inf)

    def _drive(
        self, mode: int, position: float | None = None, velocity: float = 0.0, velocity_limit: float = inf
    ) -> None:
        self.commanded, self._mode = True, mode
        gains = self.settings.gains
        if not self.error:
            self.drive.write(
                Cascade(
                    position=position, velocity=velocity, position_gain=gains[7], velocity_gain=gains[4],
                    integral_gain=gains[5], velocity_limit=velocity_limit,
                )
            )  # fmt: skip

    def _motion(self, data: bytes, t: float) -> list[Frame]:
        """The mini-cheetah's frame."""
        if len(data) != 8:
            self.malformed += 1
            return []
        self._heard, self.commanded = t, True
        self.error &= ~LOST
        c, now = codec.unpack(data, self.ranges), self.drive.sample
        if not self.error:
            self.drive.write(Impedance(c.position + self.zero, c.velocity, c.kp, c.kd, c.torque))
        state = codec.pack_state(now.position - self.zero, now.velocity, now.torque, self.ranges)
        return [Frame(MOTION_ANSWER + self.node, bytes((self.node,)) + state + bytes(2))]

    # --- readings ---------------------------------------------------------------------------------------------

    def _state(self, data: bytes, t: float) -> Frame:
        """Temperature, current 0.01 A, speed 1 °/s, angle 1°."""
        now = self.drive.sample
        return self._answer(_STATE.pack(
            data[0], _whole(now.temperature, 8), _whole(100 * now.current), _whole(now.velocity / DEGREE),
            _whole(self.degrees),
        ))  # fmt: skip

    def _status(self, data: bytes, t: float) -> Frame:
        self._check(t)
        now = self.drive.sample
        volts = max(0, round(10 * now.voltage))
        return self._answer(Struct("<BbxBHH").pack(data[0], _whole(now.temperature, 8), 1, volts, self.error))

    def _phases(self, data: bytes, t: float) -> Frame:
        now = self.drive.sample
        amps = _whole(100 * now.current)
        return self._answer(_STATE.pack(data[0], _whole(now.temperature, 8), amps, -amps // 2, -amps // 2))

    def _angle(self, data: bytes, t: float) -> Frame:
        return self._long(data[0], 100 * self.degrees)

    def _angle_of_a_turn(self, data: bytes, t: float) -> Frame:
        return self._answer(bytes((data[0],)) + bytes(5) + round(100 * (self.degrees % 360.0)).to_bytes(2, "little"))

    def _encoder(self, data: bytes, t: float) -> Frame:
        zero = self.zero if data[0] == 0x60 else 0.0
        return self._long(data[0], (self.drive.sample.position - zero) * self.drive.counts_per_unit)

    def _zero_offset(self, data: bytes, t: float) -> Frame:
        return self._long(data[0], self.zero * self.drive.counts_per_unit)

    def _set_zero(self, data: bytes, t: float) -> Frame:
        self.zero = self.drive.sample.position
        return self._zero_offset(data, t)

    def _read_mode(self, data: bytes, t: float) -> Frame:
        return self._answer(bytes((data[0],)) + bytes(6) + bytes((self._mode,)))

    def _power(self, data: bytes, t: float) -> Frame:
        return self._answer(Struct("<B5xh").pack(data[0], _whole(10 * self.drive.sample.power)))

    def _run_time(self, data: bytes, t: float) -> Frame:
        return self._long(data[0], 1000 * (t - self._born))

    def _version(self, data: bytes, t: float) -> Frame:
        return self._long(data[0], VERSION)

    def _model(self, data: bytes, t: float) -> Frame:
        return self._answer(bytes((data[0],)) + MODEL)

    # --- settings ---------------------------------------------------------------------------------------------

    def _read_gain(self, data: bytes, t: float) -> Frame:
        return self._answer(bytes((data[0], data[1])) + bytes(2) + _float(self.settings.gains.get(data[1], 0.0)))

    def _write_gain(self, data: bytes, t: float) -> Frame:
        (value,) = Struct("<f").unpack(data[4:])
        if data[1] in self.settings.gains and 0.0 <= value < 1e9:
            self.settings.gains[data[1]] = value
        else:
            self.malformed += 1
        return self._answer(data)

    def _read_acceleration(self, data: bytes, t: float) -> Frame:
        return self._answer(data[:4] + self.settings.accelerations.get(data[1], 0).to_bytes(4, "little"))

    def _write_acceleration(self, data: bytes, t: float) -> Frame:
        """Kept without effect: goals are steps."""
        if data[1] in self.settings.accelerations:
            self.settings.accelerations[data[1]] = int.from_bytes(data[4:], "little")
        else:
            self.malformed += 1
        return self._answer(data)

    def _timeout(self, data: bytes, t: float) -> Frame:
        self.settings.timeout = int.from_bytes(data[4:], "little")
        return self._answer(data)

    def _reset(self, data: bytes, t: float) -> None:
        self.power_on(t)

    # --- time -------------------------------------------------------------------------------------------------

    def next_time(self) -> float:
        return self._due

    def on_time(self, t: float) -> list[Frame]:
        self._due = t + TICK
        self._check(t)
        return []

    def _check(self, t: float) -> None:
        on, timeout = self.drive.setpoint is not COAST, self.settings.timeout * 1e-3
        lost = LOST * (on and 0.0 < timeout < t - self._heard) | (self.error & LOST)
        self.error = UNDER_VOLTAGE * self.drive.starved | OVER_HEAT * self.drive.hot | lost
        if self.error and on:
            self.drive.write(COAST)


def _signed(data: bytes) -> int:
    return int.from_bytes(data[4:8], "little", signed=True)


def _whole(value: float, bits: int = 16) -> int:
    most = (1 << bits - 1) - 1
    return max(-most - 1, min(most, round(value)))


def _float(value: float) -> bytes:
    return Struct("<f").pack(min(max(value, -3.4e38), 3.4e38))


MODELS: Mapping[str, Motor] = {"rmd": RMD}
PROTOCOL = Protocol(
    name="rmd",
    title="MyActuator RMD",
    device=RmdDrive,
    models=MODELS,
    nodes=range(1, 33),
    geared=True,
    client='can.Bus(interface="gearwright", channel="{channel}"), ids 0x140 + {node}',
)
