"""VESC's frames: extended ids of packet and node. CubeMars' AK drives speak them in their servo mode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, pi
from struct import Struct
from typing import ClassVar

from gearwright.hardware.device import CanDriveWithZero
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols.loop_gains import default_gains
from gearwright.hardware.protocols.vesc_commands import (
    ANSWER,
    FILL,
    FIRMWARE,
    PROCESS,
    SET_DUTY,
    SET_POSITION,
    SHORT,
    VALUES,
    VERSION,
    Pieces,
    pieces,
)
from gearwright.hardware.setpoints import COAST, Brake, Cascade, Current, Setpoint

DUTY, CURRENT, BRAKE, RPM, POSITION, ORIGIN, POSITION_SPEED = range(7)  # packets to a drive
STATUS, STATUS_4, STATUS_5 = 9, 16, 27  # packets of a VESC
PING, PONG = 17, 18  # the asker's id; the drive's and the kind of its hardware
UPLOAD = 0x29  # packet of a CubeMars drive
MODES = {0: "duty", 1: "current", 2: "current brake", 3: "speed", 4: "position", 6: "position and speed"}
DEGREE, RPM_UNIT = pi / 180, 2 * pi / 60
UNDER_VOLTAGE, OVER_TEMPERATURE = 2, 5  # fault codes of a VESC
MOTOR_CONTROLLER = 0  # kind of hardware
FAULTS = {UNDER_VOLTAGE: "under-voltage", OVER_TEMPERATURE: "over-temperature"}
_WORD, _GOAL = Struct(">i"), Struct(">ihh")


@dataclass(frozen=True, kw_only=True)
class GearedMotor(Motor):
    """A drive that counts electrical turns of its rotor."""

    pole_pairs: int = 7
    gear: float = 1.0  # turns of the rotor for one of the shaft


class VescDrive(CanDriveWithZero):
    """Setpoints act until the next one, or until nothing has been heard for `timeout` (1 s as delivered).

    Positions are degrees of the rotor's turns that its gear makes, speeds are electrical.
    """

    period: ClassVar[float] = 0.02  # [s] between two status frames, as delivered (option `rate`, Hz)
    position_unit: ClassVar[float] = 1e-6  # [°] of a position goal
    timeout: ClassVar[float] = 1.0  # [s]

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        motor = drive.motor
        self.poles, self.gear = (motor.pole_pairs, motor.gear) if isinstance(motor, GearedMotor) else (7, 1.0)
        rate = self.number_option("rate", 1.0 / self.period)
        self._period = 1.0 / rate if rate > 0.0 else inf
        self._patience = self.number_option("timeout", self.timeout) or inf
        self.position_unit_of_goals = self.number_option("position_unit", self.position_unit, -inf)
        self._pieces = Pieces()
        self.power_on(0.0)

    def power_on(self, t: float) -> None:
        self._packet, self.fault = CURRENT, 0
        self._due, self._heard = t + self._period, t
        self.drive.write(COAST)

    @property
    def state(self) -> str:
        return "fault" if self.fault else "off" if self.drive.setpoint is COAST else "on"

    @property
    def mode(self) -> str:
        return MODES[self._packet]

    @property
    def errors(self) -> tuple[str, ...]:
        return (FAULTS[self.fault],) if self.fault else ()

    # --- the bus ----------------------------------------------------------------------------------------------

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        if not frame.extended or frame.remote or frame.fd or frame.id & 0xFF != self.node:
            return []
        packet, data = frame.id >> 8, frame.data
        if packet in (STATUS, STATUS_4, STATUS_5, PONG, UPLOAD):  # of another drive with this id
            return []
        self._heard = t
        if packet == ORIGIN and len(data) == 1:
            self.zero = self.drive.sample.position
        elif packet == POSITION_SPEED and len(data) == 8:
            self._go(*_GOAL.unpack(data))
        elif packet in MODES and len(data) == 4:
            self._set(packet, _WORD.unpack(data)[0])
        else:
            return self._other(packet, data)
        return []

    def _other(self, packet: int, data: bytes) -> list[Frame]:
        if packet == PING and len(data) == 1:
            return [Frame(PONG << 8 | data[0], bytes((self.node, MOTOR_CONTROLLER)), extended=True)]
        if packet not in (FILL, PROCESS, SHORT) or not data:
            self.malformed += 1
            return []
        found = self._pieces.whole(packet, data)
        if found is None:
            return []
        sender, mode, command = found
        answer = self._answer(command)
        return pieces(answer, self.node, sender, 1) if answer and mode == ANSWER else []

    def _answer(self, command: bytes) -> bytes:
        """To a command of its serial port; most have none."""
        name, data = command[0], command[1:]
        if name == FIRMWARE:
            return bytes((FIRMWARE,)) + VERSION
        if name == VALUES:
            return bytes((VALUES,)) + self._values()
        if SET_DUTY <= name <= SET_POSITION and len(data) >= 4:
            self._set(name - SET_DUTY, _WORD.unpack_from(data)[0])
        return b""

    def _set(self, packet: int, value: int) -> None:
        if packet == POSITION_SPEED:
            self.malformed += 1
            return
        self.commanded, self._packet = True, packet
        if not self.fault:
            self.drive.write(self._setpoint(packet, value))

    def _setpoint(self, packet: int, value: int) -> Setpoint:
        if packet == CURRENT:
            return Current(value * 1e-3)
        if packet == BRAKE:
            return Brake() if value else COAST
        if packet == POSITION:
            return self._loops(position=value * self.position_unit_of_goals * DEGREE / self.gear + self.zero)
        if packet == RPM:
            return self._loops(velocity=value * RPM_UNIT / (self.poles * self.gear))
        free = self.drive.supply.voltage / self.drive.motor.torque_constant  # what a winding without losses turns at
        return self._loops(velocity=value * 1e-5 * free)

    def _go(self, position: int, speed: int, acceleration: int) -> None:
        """A goal and the speed of the way, in tens of electrical turns a minute; its acceleration is not emulated."""
        self.commanded, self._packet = True, POSITION_SPEED
        fastest = abs(speed) * 10 * RPM_UNIT / (self.poles * self.gear)
        if not self.fault:
            goal = position * 1e-4 * DEGREE / self.gear + self.zero
            self.drive.write(self._loops(position=goal, velocity_limit=fastest))

    def _loops(self, position: float | None = None, velocity: float = 0.0, velocity_limit: float = inf) -> Cascade:
        gains = default_gains(self.drive)
        return Cascade(
            position=position, velocity=velocity, position_gain=gains.position, velocity_gain=gains.velocity,
            integral_gain=gains.integral, velocity_limit=velocity_limit,
        )  # fmt: skip

    # --- time -------------------------------------------------------------------------------------------------

    def next_time(self) -> float:
        return self._due

    def on_time(self, t: float) -> list[Frame]:
        self._due = t + self._period
        self.fault = UNDER_VOLTAGE * self.drive.starved or OVER_TEMPERATURE * self.drive.hot
        if self.fault or t - self._heard > self._patience:
            self.drive.write(COAST)
        return self._status()

    def _electrical_rpm(self) -> float:
        return self.drive.sample.velocity * self.poles * self.gear / RPM_UNIT

    def _degrees(self) -> float:
        return (self.drive.sample.position - self.zero) * self.gear / DEGREE

    def _duty(self) -> float:
        free = self.drive.supply.voltage / self.drive.motor.torque_constant
        return self.drive.sample.velocity / free if free else 0.0

    def _sixths(self) -> float:
        """Of electrical turns: what it calls the tachometer."""
        return self._degrees() / 60 * self.poles

    def _values(self) -> bytes:
        """Heat, currents, duty, speed, voltage, charge (0 here), way, fault, position, id, heat, voltages."""
        now = self.drive.sample
        heat, way = 10 * now.temperature, self._sixths()
        amps, amps_in = 100 * now.current, 100 * now.power / max(now.voltage, 1e-9)
        return _fitted(
            ">hhiiiihih16xiiBiBhhhiix", heat, heat, amps, amps_in, 0.0, amps, 1000 * self._duty(),
            self._electrical_rpm(), 10 * now.voltage, way, abs(way), self.fault, 1e6 * (self._degrees() % 360),
            self.node, heat, heat, heat, 0.0, 1000 * now.winding,
        )  # fmt: skip

    def _status(self) -> list[Frame]:
        """Of a VESC: speed, current and duty; temperatures and position; turns and voltage."""
        now = self.drive.sample
        heat = round(10 * now.temperature)
        amps_in = 10 * now.power / max(now.voltage, 1e-9)
        rows = {
            STATUS: _fitted(">ihh", self._electrical_rpm(), 10 * now.current, 1000 * self._duty()),
            STATUS_4: _fitted(">hhhh", heat, heat, amps_in, 50 * (self._degrees() % 360)),
            STATUS_5: _fitted(">ih2x", self._sixths(), 10 * now.voltage),
        }
        return [Frame(packet << 8 | self.node, data, extended=True) for packet, data in rows.items()]


class CubeMarsServo(VescDrive):
    """An AK drive in servo mode: one status frame 50 times a second, tenths of degrees, tens of electrical rpm."""

    timeout: ClassVar[float] = 0.0

    def _other(self, packet: int, data: bytes) -> list[Frame]:
        """FF … FC and FF … FD of the MIT mode, which clients send out of habit."""
        if packet == DUTY and len(data) == 8 and data[:7] == b"\xff" * 7:
            return []
        self.malformed += 1
        return []

    def _status(self) -> list[Frame]:
        now = self.drive.sample
        values = (10 * self._degrees(), self._electrical_rpm() / 10, 100 * now.current, now.temperature)
        error = {0: 0, OVER_TEMPERATURE: 1, UNDER_VOLTAGE: 4}[self.fault]
        return [Frame(UPLOAD << 8 | self.node, _fitted(">hhhb", *values) + bytes((error,)), extended=True)]


def _fitted(form: str, *values: float) -> bytes:
    """Whole numbers, each within what its field holds."""
    bits = {"b": 8, "B": 9, "h": 16, "i": 32}
    fields = [bits[c] for c in form if c in bits]
    most = [(1 << n - 1) - 1 for n in fields]
    return Struct(form).pack(*(max(-m - 1, min(m, round(v))) for v, m in zip(values, most, strict=True)))


def _ak(name: str, pole_pairs: int, gear: float, constant: float) -> GearedMotor:
    """A product of `gw.servos`; the torque constant [N·m/A] is that of its rotor, as its maker lists it."""
    found = Motor.of_servo(name).supply_voltage
    return GearedMotor(
        pole_pairs=pole_pairs, gear=gear, torque_constant=constant * gear, supply_voltage=found,
        over_temperature=100.0, counts=65536.0,
    )  # fmt: skip


_BUS = 'can.Bus(interface="gearwright", channel="{channel}"), extended ids, node {node}'
CUBEMARS_SERVO = Protocol(
    name="cubemars_servo",
    title="CubeMars AK, servo mode",
    geared=True,
    device=CubeMarsServo,
    models={
        "AK80-9": _ak("ak80-9", 21, 9.0, 0.091),
        "AK10-9": _ak("ak10-9", 21, 9.0, 0.16),
        "AK60-6": _ak("ak60-6", 14, 6.0, 0.068),
        "AK70-10": _ak("ak70-10", 21, 10.0, 0.095),
        "AK80-64": _ak("ak80-64", 21, 64.0, 0.119),
    },
    nodes=range(1, 255),
    client=_BUS,
)
VESC = Protocol(
    name="vesc", title="VESC", device=VescDrive, models={"vesc": GearedMotor(supply_voltage=48.0)},
    adapter="vesc_serial", nodes=range(1, 255), client=_BUS,
)  # fmt: skip
