"""LewanSoul's LX-16A bus servos: packets `55 55 id length command parameters checksum`, little-endian."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import pi
from struct import Struct

from gearwright.hardware.device import SerialDevice, SerialLine
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols.feetech_packets import BROADCAST, PATIENCE, checksum
from gearwright.hardware.servo_loops import ServoSetpoint
from gearwright.hardware.setpoints import COAST, Duty, Setpoint
from gearwright.model.servos.data_sheet import KGF_CM, RPM, DataSheet

HEAD = b"\x55\x55"
COUNT = 240 * pi / 180 / 1000  # [rad]: 1000 counts are 240°
CENTRE = 500
DUTY_PER_RAD = 8.0  # of the position loop: nobody has measured it
OVER_TEMPERATURE, OVER_VOLTAGE, LOCKED = 1, 2, 4
ERRORS = {OVER_TEMPERATURE: "over-temperature", OVER_VOLTAGE: "voltage", LOCKED: "locked rotor"}
GUARD_PERIOD, LOCKED_TIME = 0.02, 1.0  # [s]
_TWO, _MODE = Struct("<HH"), Struct("<BBh")

# Hiwonder's product page: 17 kg·cm and 0.19 s for 60° at 6 V, 19.5 kg·cm and 0.16 s at 7.4 V; no current
MODELS = {
    "lx-16a": Motor.of_data_sheet(
        DataSheet(voltage=7.4, stall_torque=19.5 * KGF_CM, no_load_speed=62.5 * RPM, counts=1500.0),
        loop_rate=500.0, over_temperature=85.0, rotor_inertia=0.0284,  # that of an STS3215, which is as large
    ),
}  # fmt: skip


def packet(servo: int, command: int, parameters: bytes = b"") -> bytes:
    """A whole packet; its length counts itself, the command, the parameters and the checksum."""
    body = bytes((servo, len(parameters) + 3, command)) + parameters
    return HEAD + body + bytes((checksum(body),))


class Lx16a(SerialDevice):
    """One servo. Commands to write have odd numbers for the most part; those to read follow them."""

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self._kept: dict[str, int | float | str] = {
            "id": node, "offset": 0, "low": 0, "high": 1000, "min_voltage": 4500, "max_voltage": 12000,
            "max_temperature": 85, "led_errors": 7,
        }  # fmt: skip
        self._writes: dict[int, tuple[int, Callable[[bytes], None]]] = {
            1: (4, self._move), 7: (4, self._keep_move), 11: (0, self._start), 12: (0, self._stop), 13: (1, self._id),
            17: (1, self._offset), 18: (0, self._save_offset), 20: (4, self._limits), 22: (4, self._voltages),
            24: (1, self._temperature), 29: (4, self._mode_of), 31: (1, self._load), 33: (1, self._led),
            35: (1, self._led_errors),
        }  # fmt: skip
        self.power_on(0.0)

    def power_on(self, t: float) -> None:
        self.node = int(self._kept["id"])
        self.offset, self.motor, self.speed, self.led = int(self._kept["offset"]), False, 0, 0
        self.loaded, self._waiting, self._last = False, None, (CENTRE, 0)
        self._guard, self._locked, self._errors = t + GUARD_PERIOD, 0.0, 0
        self._loop: Setpoint = COAST
        self.drive.write(COAST)

    _waiting: tuple[int, int] | None

    @property
    def state(self) -> str:
        return "loaded" if self.loaded else "unloaded"

    @property
    def mode(self) -> str:
        return "motor" if self.motor else "servo"

    @property
    def errors(self) -> tuple[str, ...]:
        return tuple(name for bit, name in ERRORS.items() if self._errors & bit)

    @property
    def memory(self) -> dict[str, int | float | str]:
        return dict(self._kept)

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        known = {k: int(v) for k, v in values.items() if k in self._kept and isinstance(v, int)}
        self._kept |= known
        self.node = int(self._kept["id"])

    @property
    def position(self) -> int:
        counts = round(self.drive.sample.position / COUNT) + CENTRE - self.offset
        return max(-32768, min(32767, counts))

    # --- packets ----------------------------------------------------------------------------------------------

    def write(self, command: int, parameters: bytes) -> bool:
        """Whether it is a command to write; one of another length is counted."""
        if command not in self._writes:
            return False
        length, handle = self._writes[command]
        if len(parameters) != length:
            self.malformed += 1
        else:
            handle(parameters)
        return True

    def read(self, command: int) -> bytes | None:
        """The answer's parameters; None for what nobody answers."""
        now, kept = self.drive.sample, self._kept
        volts = max(0, min(65535, round(1000 * now.voltage)))
        heat = max(0, min(255, round(now.temperature)))
        answers = {
            2: lambda: _TWO.pack(*self._last), 8: lambda: _TWO.pack(*(self._waiting or (0, 0))),
            14: lambda: bytes((self.node,)), 19: lambda: bytes((self.offset & 0xFF,)),
            21: lambda: _TWO.pack(int(kept["low"]), int(kept["high"])),
            23: lambda: _TWO.pack(int(kept["min_voltage"]), int(kept["max_voltage"])),
            25: lambda: bytes((int(kept["max_temperature"]),)), 26: lambda: bytes((heat,)),
            27: lambda: volts.to_bytes(2, "little"), 28: lambda: self.position.to_bytes(2, "little", signed=True),
            30: lambda: _MODE.pack(self.motor, 0, self.speed), 32: lambda: bytes((self.loaded,)),
            34: lambda: bytes((self.led,)), 36: lambda: bytes((int(kept["led_errors"]),)),
        }  # fmt: skip
        return answers[command]() if command in answers else None

    def _move(self, parameters: bytes) -> None:
        """A goal, and the time [ms] of the way. It switches the motor on."""
        self.commanded, self._last = True, _within(*_TWO.unpack(parameters))
        if self.motor:
            return
        self.loaded = True
        if not isinstance(self._loop, ServoSetpoint):
            self._loop = ServoSetpoint(goal=0.0, kp=DUTY_PER_RAD)
            self._loop.profile.restart(self.drive.sample.position)
        goal, time = self._last
        low, high = int(self._kept["low"]), int(self._kept["high"])
        self._loop.goal = (max(low, min(high, goal)) + self.offset - CENTRE) * COUNT
        way = abs(self._loop.goal - self._loop.profile.position)
        self._loop.velocity = way * 1000 / time if time else 0.0
        self.drive.write(self._loop)

    def _keep_move(self, parameters: bytes) -> None:
        self._waiting = _within(*_TWO.unpack(parameters))

    def _start(self, parameters: bytes) -> None:
        if self._waiting is not None:
            self._move(_TWO.pack(*self._waiting))
            self._waiting = None

    def _stop(self, parameters: bytes) -> None:
        if isinstance(self._loop, ServoSetpoint):
            self._loop.goal = self.drive.sample.position
            self._loop.profile.restart(self._loop.goal)

    def _id(self, parameters: bytes) -> None:
        if parameters[0] < BROADCAST:
            self.node = self._kept["id"] = parameters[0]

    def _offset(self, parameters: bytes) -> None:
        """Counts, −125 … 125, until it is saved."""
        value = int.from_bytes(parameters, "little", signed=True)
        self.offset = max(-125, min(125, value))

    def _save_offset(self, parameters: bytes) -> None:
        self._kept["offset"] = self.offset

    def _limits(self, parameters: bytes) -> None:
        self._range("low", "high", parameters, 0, 1000)

    def _voltages(self, parameters: bytes) -> None:
        self._range("min_voltage", "max_voltage", parameters, 4500, 12000)

    def _range(self, first: str, second: str, parameters: bytes, least: int, most: int) -> None:
        low, high = _TWO.unpack(parameters)
        if least <= low < high <= most:
            self._kept |= {first: low, second: high}
        else:
            self.malformed += 1

    def _temperature(self, parameters: bytes) -> None:
        if 50 <= parameters[0] <= 100:
            self._kept["max_temperature"] = parameters[0]
        else:
            self.malformed += 1

    def _mode_of(self, parameters: bytes) -> None:
        """0 turns to positions, 1 goes round with a share of the voltage, −1000 … 1000."""
        motor, _, speed = _MODE.unpack(parameters)
        self.motor, self.speed, self.commanded = bool(motor), max(-1000, min(1000, speed)) if motor else 0, True
        self.loaded = self.loaded or self.motor
        self._loop = Duty(self.speed / 1000) if self.motor else COAST
        if not self.motor and self.loaded:
            self._load(b"\1")
        else:
            self.drive.write(self._loop)

    def _load(self, parameters: bytes) -> None:
        """1 holds where the shaft is, 0 lets it go."""
        self.loaded, self._errors = bool(parameters[0]), 0
        if self.loaded and not self.motor:
            self._loop = ServoSetpoint(goal=self.drive.sample.position, kp=DUTY_PER_RAD)
            self._loop.profile.restart(self._loop.goal)
        self.drive.write(self._loop if self.loaded else COAST)

    def _led(self, parameters: bytes) -> None:
        self.led = min(parameters[0], 1)

    def _led_errors(self, parameters: bytes) -> None:
        self._kept["led_errors"] = parameters[0] & 7

    # --- protections ------------------------------------------------------------------------------------------

    def next_time(self) -> float:
        return self._guard

    def on_time(self, t: float) -> list[Frame]:
        """Heat, and a rotor that is locked for a second, unload the motor."""
        self._guard = t + GUARD_PERIOD
        now, kept = self.drive.sample, self._kept
        duty = abs(getattr(self._loop, "duty", getattr(self._loop, "value", 0.0)))
        locked = self.loaded and duty > 0.9 and abs(now.velocity) < 10 * COUNT
        self._locked = self._locked + GUARD_PERIOD if locked else 0.0
        if self.loaded and (self._locked > LOCKED_TIME or now.temperature > float(kept["max_temperature"])):
            self._load(b"\0")
            self._errors = LOCKED if self._locked > LOCKED_TIME else OVER_TEMPERATURE
        volts = 1000 * now.voltage
        outside = not float(kept["min_voltage"]) <= volts <= float(kept["max_voltage"])
        self._errors = self._errors & ~OVER_VOLTAGE | OVER_VOLTAGE * outside
        return []


class Lx16aLine(SerialLine):
    """Finds packets, and gives them to the servos by id."""

    def __init__(self, devices: list[SerialDevice]) -> None:
        super().__init__(devices)
        self.servos = [d for d in devices if isinstance(d, Lx16a)]

    def on_bytes(self, data: bytes, t: float) -> bytes:
        buffer, at, answers = self._joined(data, t, PATIENCE), 0, []
        while (head := buffer.find(HEAD, at)) >= 0:
            at = head
            if len(buffer) - head < 4:
                break
            length = buffer[head + 3]
            if not 3 <= length <= 7:
                self.malformed += 1
                at = head + 1
                continue
            end = head + 3 + length
            if len(buffer) < end:
                break
            body, at = buffer[head + 2 : end - 1], end
            if checksum(body) != buffer[end - 1]:
                self.malformed += 1
                at = head + 2
                continue
            answers.append(self._serve(body[0], body[2], body[3:]))
            t = self.served(t)
        else:
            at = max(at, len(buffer) - (buffer[-1:] == HEAD[:1]))
        self._buffer, self._begun = buffer[at:], t
        return b"".join(answers)

    def _serve(self, servo: int, command: int, parameters: bytes) -> bytes:
        answers = []
        for s in self.servos:
            if not s.drive.powered or servo not in (BROADCAST, s.node) or s.write(command, parameters):
                continue
            answer = s.read(command) if not parameters else None
            if answer is None:
                s.malformed += 1
            else:
                s.answered += 1
                answers.append(packet(s.node, command, answer))
        return b"".join(answers)


def _within(goal: int, time: int) -> tuple[int, int]:
    return min(goal, 1000), min(time, 30000)


PROTOCOL = Protocol(
    name="lx16a",
    title="LewanSoul LX-16A",
    device=Lx16a,
    line=Lx16aLine,
    models=MODELS,
    nodes=range(254),
    baud=115200,
    geared=True,
    turn=1000 * COUNT,
    in_counts=True,
    client='pylx16a.lx16a.LX16A.initialize("{port}")',
)
