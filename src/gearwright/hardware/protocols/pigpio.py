"""Hobby servos on the pins of a Raspberry Pi, behind the socket of the pigpio daemon.

A request is four words `command, p1, p2, length` and `length` bytes; its answer repeats the first three words, and the
fourth is the result, negative for an error (the daemon's `command.h` and `pigpio.h`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import pi
from struct import Struct

from gearwright.hardware.device import SerialDevice, SerialLine
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.servo_loops import ServoSetpoint
from gearwright.hardware.setpoints import COAST
from gearwright.model.servos.data_sheet import KGF_CM, RPM, DataSheet

PORT = 8888  # of the daemon
PINS, USER_PINS = 54, 32  # GPIO 0 … 53; pulses come from the first 32
MIDDLE, SHORTEST, LONGEST = 1500, 500, 2500  # [µs] of a pulse
DEAD_BAND = 5e-6  # [s] of the pulse's length
DUTY_PER_RAD = 8.0  # of the position loop: nobody has measured it
LOOP_RATE = 300.0  # [Hz] of a digital servo
LONGEST_EXTENSION = 4096  # bytes behind a request
REVISION, VERSION = 0xA02082, 79  # of a Raspberry Pi 3B, and of the daemon
SAMPLE = 5e-6  # [s]: the daemon's clock
FREQUENCIES = (8000, 4000, 2000, 1600, 1000, 800, 500, 400, 320, 250, 200, 160, 100, 80, 50, 40, 20, 10)  # [Hz]
SERVO_RATES = range(40, 401)  # [Hz] at which a servo takes pulses of PWM for its own
HARDWARE_PWM, MILLION = (12, 13, 18, 19), 1_000_000
BAD_USER_PIN, BAD_PIN, BAD_MODE, BAD_LEVEL, BAD_PULL, BAD_PULSE, BAD_DUTY = -2, -3, -4, -5, -6, -7, -8
BAD_RANGE, UNKNOWN, NO_PWM, NO_SERVO, NO_HARDWARE_PWM, BAD_HARDWARE_DUTY = -21, -88, -92, -93, -95, -97
_REQUEST, _ANSWER, _WORD = Struct("<4I"), Struct("<3Ii"), Struct("<I")

# TowerPro's data sheets: MG996R at 6 V, 11 kg·cm, 0.14 s for 60°, 2.5 A; SG90 at 4.8 V, 1.8 kg·cm, 0.1 s for 60°.
# Nobody has published their rotors: those of related servos, by the stall torque
MODELS = {
    "mg996r": Motor.of_data_sheet(
        DataSheet(voltage=6.0, stall_torque=11 * KGF_CM, no_load_speed=60 / (6 * 0.14) * RPM, stall_current=2.5),
        loop_rate=LOOP_RATE, rotor_inertia=0.0087,
    ),
    "sg90": Motor.of_data_sheet(
        DataSheet(voltage=4.8, stall_torque=1.8 * KGF_CM, no_load_speed=60 / (6 * 0.1) * RPM),
        loop_rate=LOOP_RATE, rotor_inertia=0.0007,
    ),
}  # fmt: skip


class HobbyServo(SerialDevice):
    """Turns to the angle of its pulses: 500 to 2500 µs are 180° (option `travel`). Without pulses it coasts."""

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self.turn = self.number_option("travel", 180.0, low=1.0, high=3600.0) * pi / 180  # [rad]
        self.width = 0.0  # [µs] of a pulse; 0: none come

    def power_on(self, t: float) -> None:
        self.pulses(self.width)

    @property
    def state(self) -> str:
        return f"pulses of {self.width:.0f} µs" if self.width else "no pulses"

    def pulses(self, width: float) -> None:
        """From now on, of this length [µs]."""
        self.width, self.commanded = width, True
        if not width:
            self.drive.write(COAST)
            return
        per_microsecond = self.turn / (LONGEST - SHORTEST)
        goal = (min(max(width, SHORTEST), LONGEST) - MIDDLE) * per_microsecond
        dead = 0.5e6 * DEAD_BAND * per_microsecond
        self.drive.write(ServoSetpoint(goal=goal, kp=DUTY_PER_RAD, dead_zone=dead))


@dataclass
class Pin:
    """What the daemon keeps of a pin."""

    mode: int = 0
    level: int = 0
    servo: int | None = None  # [µs]
    duty: int | None = None  # of `range`
    range: int = 255
    frequency: int = 800  # [Hz]
    hardware: tuple[int, int] | None = field(default=None)  # [Hz], millionths

    @property
    def width(self) -> float:
        """[µs] of the pulses that a servo would follow; 0 where there are none."""
        if self.servo is not None:
            return self.servo
        rate, share = self.hardware or (self.frequency, (self.duty or 0) / self.range * MILLION)
        return share / rate if rate in SERVO_RATES else 0.0

    def drives(
        self, *, servo: int | None = None, duty: int | None = None, hardware: tuple[int, int] | None = None
    ) -> None:
        """One source of pulses at a time."""
        self.servo, self.duty, self.hardware = servo, duty, hardware


class PigpioLine(SerialLine):
    """The daemon: pins, and servos at those that are their nodes."""

    def __init__(self, devices: list[SerialDevice]) -> None:
        super().__init__(devices)
        self.servos = {d.node: d for d in devices if isinstance(d, HobbyServo)}
        self.pins = [Pin() for _ in range(PINS)]
        self._handles, self._time = 0, 0.0
        pin, user = self._pin, self._user_pin
        self._commands: dict[int, Callable[[int, int, bytes], int]] = {
            0: pin(self._mode), 1: pin(lambda g, p, _: g.mode), 2: pin(lambda g, p, _: 0 if p <= 2 else BAD_PULL),
            3: pin(lambda g, p, _: g.level), 4: pin(self._write), 5: user(self._pwm), 6: user(self._range),
            7: user(self._frequency), 8: user(self._servo), 9: user(lambda g, p, _: 0),
            10: lambda a, b, _: self._bank(0), 11: lambda a, b, _: self._bank(32),
            12: lambda a, b, _: self._set_bank(0, a, 0), 13: lambda a, b, _: self._set_bank(32, a, 0),
            14: lambda a, b, _: self._set_bank(0, a, 1), 15: lambda a, b, _: self._set_bank(32, a, 1),
            16: lambda a, b, _: round(1e6 * self._time), 17: lambda a, b, _: REVISION, 18: self._handle,
            19: lambda a, b, _: 0, 20: lambda a, b, _: 0, 21: lambda a, b, _: 0,
            22: user(lambda g, p, _: g.range), 23: user(lambda g, p, _: g.frequency), 24: user(self._real_range),
            26: lambda a, b, _: VERSION, 83: user(self._duty), 84: user(self._width), 86: pin(self._hardware_pwm),
            97: user(lambda g, p, _: 0), 98: user(lambda g, p, _: 0), 99: self._handle,
        }  # fmt: skip

    @staticmethod
    def packet_length(buffer: bytes) -> int:
        """Length of the request that begins here; 0 if its head is incomplete, −1 if no request begins here."""
        if len(buffer) < _REQUEST.size:
            return 0
        extension: int = _REQUEST.unpack_from(buffer)[3]
        return _REQUEST.size + extension if extension <= LONGEST_EXTENSION else -1

    def on_bytes(self, data: bytes, t: float) -> bytes:
        buffer, answers = self._buffer + data, []
        while 0 < (length := self.packet_length(buffer)) <= len(buffer):
            self._time = t
            answers.append(self._serve(buffer[:length]))
            buffer = buffer[length:]
            t = self.served(t)
        if length < 0:
            self.malformed += 1
            buffer = b""
        self._buffer = buffer
        return b"".join(answers)

    def _serve(self, request: bytes) -> bytes:
        command, first, second, _ = _REQUEST.unpack_from(request)
        known = self._commands.get(command)
        result = known(first, second, request[_REQUEST.size :]) if known is not None else UNKNOWN
        self.malformed += known is None
        return _ANSWER.pack(command, first, second, (result + 2**31) % 2**32 - 2**31)

    # --- pins -------------------------------------------------------------------------------------------------

    def _pin(
        self, act: Callable[[Pin, int, bytes], int], count: int = PINS, error: int = BAD_PIN
    ) -> Callable[[int, int, bytes], int]:
        """A command to a pin; afterwards, its servo gets the pulses of the pin."""

        def command(number: int, value: int, extension: bytes) -> int:
            if number >= count:
                return error
            pin = self.pins[number]
            before = pin.width
            result = act(pin, value, extension)
            servo = self.servos.get(number)
            if servo is not None:
                servo.answered += 1
                if pin.width != before:
                    servo.pulses(pin.width)
            return result

        return command

    def _user_pin(self, act: Callable[[Pin, int, bytes], int]) -> Callable[[int, int, bytes], int]:
        return self._pin(act, USER_PINS, BAD_USER_PIN)

    def _mode(self, pin: Pin, mode: int, _: bytes) -> int:
        if mode > 7:
            return BAD_MODE
        pin.mode = mode
        return 0

    def _write(self, pin: Pin, level: int, _: bytes) -> int:
        if level > 1:
            return BAD_LEVEL
        pin.mode, pin.level = 1, level
        pin.drives()
        return 0

    def _servo(self, pin: Pin, width: int, _: bytes) -> int:
        if width and not SHORTEST <= width <= LONGEST:
            return BAD_PULSE
        pin.mode = 1
        pin.drives(servo=width)
        return 0

    def _pwm(self, pin: Pin, duty: int, _: bytes) -> int:
        if duty > pin.range:
            return BAD_DUTY
        pin.mode = 1
        pin.drives(duty=duty)
        return 0

    def _range(self, pin: Pin, most: int, _: bytes) -> int:
        if not 25 <= most <= 40000:
            return BAD_RANGE
        pin.duty = None if pin.duty is None else round(pin.duty * most / pin.range)
        pin.range = most
        return self._real_range(pin, 0, b"")

    def _real_range(self, pin: Pin, *_: object) -> int:
        return round(1.0 / (SAMPLE * pin.frequency))

    def _frequency(self, pin: Pin, wanted: int, _: bytes) -> int:
        pin.frequency = min(FREQUENCIES, key=lambda f: abs(f - wanted))
        return pin.frequency

    def _duty(self, pin: Pin, *_: object) -> int:
        if pin.hardware is not None:
            return pin.hardware[1]
        return NO_PWM if pin.duty is None else pin.duty

    def _width(self, pin: Pin, *_: object) -> int:
        return NO_SERVO if pin.servo is None else pin.servo

    def _hardware_pwm(self, pin: Pin, frequency: int, extension: bytes) -> int:
        share = _WORD.unpack_from(extension)[0] if len(extension) >= _WORD.size else MILLION + 1
        if not any(pin is self.pins[k] for k in HARDWARE_PWM):
            return NO_HARDWARE_PWM
        if share > MILLION:
            return BAD_HARDWARE_DUTY
        pin.drives(hardware=(frequency, share))
        return 0

    def _bank(self, first: int) -> int:
        return sum(pin.level << k for k, pin in enumerate(self.pins[first : first + 32]))

    def _set_bank(self, first: int, bits: int, level: int) -> int:
        for k in range(first, min(first + 32, PINS)):
            if bits >> (k - first) & 1:
                self._commands[4](k, level, b"")
        return 0

    def _handle(self, *_: object) -> int:
        """Of notifications, which are never sent: nothing changes the level of a pin from outside."""
        self._handles = (self._handles + 1) % 32
        return self._handles


PROTOCOL = Protocol(
    name="pigpio",
    title="hobby servos behind pigpio",
    device=HobbyServo,
    line=PigpioLine,
    models=MODELS,
    nodes=range(USER_PINS),
    first=17,
    tcp=PORT,
    geared=True,
    turn=pi,
    client='PIGPIO_PORT={port} python driver.py, or pigpio.pi("127.0.0.1", {port})',
)
