"""A moteus controller: multiplex registers in CAN FD frames.

The id is source·256 + destination; bit 15 asks for an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite, isnan, tau
from typing import ClassVar

from gearwright.hardware.device import CanDevice
from gearwright.hardware.drive import Drive
from gearwright.hardware.frames import Frame, padded
from gearwright.hardware.protocols.moteus import multiplex
from gearwright.hardware.protocols.moteus.console import Console
from gearwright.hardware.protocols.moteus.multiplex import Asked, Stream, Written
from gearwright.hardware.protocols.moteus.registers import COMMANDS, REGISTERS, WHOLE
from gearwright.hardware.protocols.profile import Profile, elapsed
from gearwright.hardware.setpoints import COAST, Brake, Current, Impedance, Setpoint, Torque

TICK = 1e-3  # [s] of trajectories, watchdog and faults
BROADCAST = 0x7F
STOPPED, FAULT, CURRENT, POSITION, TIMEOUT, ZERO_VELOCITY, STAY_WITHIN, BRAKE = 0, 1, 9, 10, 11, 12, 13, 15
MODES = {0: "stopped", 1: "fault", 9: "current", 10: "position", 11: "timeout", 12: "zero velocity",
         13: "stay within", 15: "brake"}  # fmt: skip
COMMANDED = frozenset({STOPPED, CURRENT, POSITION, ZERO_VELOCITY, STAY_WITHIN, BRAKE})
OVER_TEMPERATURE, UNDER_VOLTAGE, START_OUTSIDE = 38, 40, 39
FAULTS = {38: "over-temperature", 39: "outside limits", 40: "under-voltage"}
FREQUENCY = 100.0  # [rad/s] of the position loop as delivered, for the inertia at the shaft
FIRMWARE, MAP_VERSION = 0x010A, 5


class Moteus(CanDevice):
    """One controller."""

    settings: ClassVar[tuple[str, ...]] = ("kp", "kd", "default_timeout", "position_min", "position_max", "zero")

    def __init__(self, drive: Drive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self.turn = 1.0 if drive.length else tau  # [rad]
        self.kp = drive.inertia * FREQUENCY**2 * self.turn  # [N·m/turn]
        self.kd = 2.0 * drive.inertia * FREQUENCY * self.turn  # [N·m·s/turn]
        self.default_timeout = 0.1  # [s]
        self.position_min, self.position_max = -inf, inf  # [turn]
        self.zero = 0.0  # [rad]
        self.uuid = b"gearwright".ljust(15, b"\0") + bytes([node])
        self.console = Console(self)
        self._live = self._live_table()
        self.power_on(0.0)

    def power_on(self, t: float) -> None:
        self.number, self.fault = STOPPED, 0  # the mode's
        self.command = {row.name: row.default for row in COMMANDS}
        self.profile = Profile()
        self.complete = False
        self._deadline = inf
        self._now = self._last = self._due = t
        self.console.clear()
        self.drive.write(COAST)

    # --- shown and kept -----------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return MODES[self.number]

    @property
    def mode(self) -> str:
        return MODES[self.number]

    @property
    def errors(self) -> tuple[str, ...]:
        return (FAULTS[self.fault],) if self.fault else ()

    @property
    def memory(self) -> dict[str, int | float | str]:
        return {"node": self.node} | {n: getattr(self, n) for n in self.settings if isfinite(getattr(self, n))}

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        self.node = int(values.get("node", self.node))
        for name in self.settings:
            setattr(self, name, float(values.get(name, getattr(self, name))))

    # --- the bus ------------------------------------------------------------------------------------------------

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        if frame.remote or frame.id & 0x7F not in (self.node, BROADCAST) or frame.id >> 16:
            return []
        self._now = t
        source, answers = frame.id >> 8 & 0x7F, frame.id & 0x8000
        written: dict[int, float] = {}
        asked: list[Asked | Stream] = []
        try:
            for part in multiplex.parse(frame.data):
                if isinstance(part, Written):
                    row = REGISTERS.get(part.register)
                    if row is not None and row.writable:
                        written[part.register] = multiplex.scaled(part.raw, part.type, row.scale)
                else:
                    asked.append(part)
        except multiplex.MalformedError:
            self.malformed += 1
            return []
        if not self._addressed(written):
            return []
        if written:
            self.commanded = True
            self._write(written)
        reply = self._reply(asked)
        if not answers or not (reply or asked or written):
            return []
        id = self.node << 8 | source
        data = padded(reply, multiplex.NOP)
        return [Frame(id, data, extended=id > 0x7FF, fd=True, bitrate_switch=frame.bitrate_switch)]

    def _addressed(self, written: dict[int, float]) -> bool:
        """Frames may be meant for the controllers whose UUID begins as they say."""
        for n in range(4):
            if 0x154 + n in written:
                raw = written.pop(0x154 + n)
                own = int.from_bytes(self.uuid[4 * n : 4 * n + 4], "little", signed=True)
                if not isfinite(raw) or int(raw) != own:
                    return False
        return True

    def _reply(self, asked: list[Asked | Stream]) -> bytes:
        out = b""
        for part in asked:
            if isinstance(part, Stream):
                answer = self.console.on_stream(part, multiplex.LONGEST - len(out))
            else:
                answer = self._values(part)
            if len(out) + len(answer) > multiplex.LONGEST:
                break
            out += answer
        return out

    def _values(self, part: Asked) -> bytes:
        out, size = b"", multiplex.TYPES[part.type].size
        for n in range(min(part.number, multiplex.LONGEST)):
            row = REGISTERS.get(part.register + n)
            if row is None:
                return bytes([multiplex.READ_ERROR]) + multiplex.whole(part.register + n) + b"\x01"
            out += multiplex.packed(self._read(row.name), part.type, row.scale)
        count = len(out) // size
        head = [multiplex.REPLY | part.type << 2 | count] if count < 4 else [multiplex.REPLY | part.type << 2, count]
        return bytes(head) + multiplex.whole(part.register) + out

    # --- registers ----------------------------------------------------------------------------------------------

    @property
    def position(self) -> float:
        """[turn]"""
        return (self.drive.sample.position - self.zero) / self.turn

    def _read(self, name: str) -> float:
        live = self._live.get(name)
        if live is not None:
            return live()
        return self.command.get(name, 0.0)

    def _live_table(self) -> dict[str, Callable[[], float]]:
        drive, turn = self.drive, self.turn

        def velocity() -> float:
            return drive.sample.velocity / turn

        table: dict[str, Callable[[], float]] = {
            "mode": lambda: self.number,
            "position": lambda: self.position,
            "velocity": velocity,
            "torque": lambda: drive.sample.torque,
            "q_current": lambda: drive.sample.current,
            "abs_position": lambda: drive.sample.position / turn,
            "power": drive.power,
            "motor_temperature": lambda: drive.sample.temperature,
            "trajectory_complete": lambda: self.complete,
            "home_state": lambda: 1,
            "voltage": lambda: drive.sample.voltage,
            "temperature": lambda: drive.sample.temperature,
            "fault": lambda: self.fault,
            "control_position": lambda: self.profile.position,
            "control_velocity": lambda: self.profile.velocity,
            "control_torque": lambda: drive.torque,
            "position_error": lambda: self.position - self.profile.position,
            "velocity_error": lambda: velocity() - self.profile.velocity,
            "torque_error": lambda: drive.sample.torque - drive.torque,
            "encoder_0_position": lambda: self.position,
            "encoder_0_velocity": velocity,
            "encoder_validity": lambda: 1,
            "millisecond_counter": lambda: round(self._now * 1e3),
            "model_number": lambda: 1,
            "firmware_version": lambda: FIRMWARE,
            "register_map_version": lambda: MAP_VERSION,
            "multiplex_id": lambda: self.node,
            "uuid_mask_capable": lambda: 1,
        }
        for n in range(4):
            table[f"uuid_{n}"] = lambda n=n: int.from_bytes(self.uuid[4 * n : 4 * n + 4], "little")  # type: ignore[misc]
        for n in range(3):
            table[f"serial_{n}"] = lambda n=n: int.from_bytes(self.uuid[4 * n : 4 * n + 4], "little")  # type: ignore[misc]
        return table

    def _write(self, written: dict[int, float]) -> None:
        """All registers of a frame count together. A mode begins with every command register as it is by default."""
        mode = written.pop(0x000, None)
        if mode is not None:
            if not isfinite(mode) or int(mode) not in COMMANDED:
                self.malformed += 1
                return
            self.command = {row.name: row.default for row in COMMANDS}
        for number, value in written.items():
            row = REGISTERS[number]
            if row.name in self.command:
                self.command[row.name] = value
            elif isfinite(value) and row.scale is not WHOLE:
                self._set_output(row.name, value)
            elif isfinite(value) and row.name == "multiplex_id" and 0 < value < BROADCAST:
                self.node = int(value)
        if mode is not None:
            self.set_mode(int(mode))
        elif any(REGISTERS[number].name in self.command for number in written):
            self._begin()

    def _set_output(self, name: str, value: float) -> None:
        """Where the shaft stands is `value` from now on; `nearest` keeps the place within a turn."""
        moved = self.position - value
        self.zero += (round(moved) if name == "set_output_nearest" else moved) * self.turn
        self.profile = Profile(self.position)

    def set_mode(self, mode: int) -> None:
        if mode == STOPPED:
            self.fault = 0
            self._enter(STOPPED)
        elif self.number in (FAULT, TIMEOUT):
            return  # until it is stopped
        else:
            if mode == POSITION and self.number != POSITION:
                self.profile = Profile(self.position, self.drive.sample.velocity / self.turn)
                if not self.command["command_ignore_position_bounds"] and not self._inside():
                    self._raise(START_OUTSIDE)
                    return
            self._enter(mode)
            self._begin()

    def _inside(self) -> bool:
        return self.position_min <= self.position <= self.position_max

    def _enter(self, mode: int) -> None:
        self.number, self._deadline, self.complete = mode, inf, False
        self.drive.current_limit = inf
        if mode in (STOPPED, FAULT):
            self.drive.write(COAST)

    def _raise(self, fault: int) -> None:
        self.fault = fault
        self._enter(FAULT)

    # --- control ------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """A new command of the mode in force."""
        c, within = self.command, self.number == STAY_WITHIN
        timeout = c["within_timeout"] if within else c["command_timeout"]
        if self.number in (CURRENT, POSITION, ZERO_VELOCITY, STAY_WITHIN):
            lasts = self.default_timeout if timeout == 0.0 else timeout
            self._deadline = inf if isnan(lasts) or lasts < 0.0 else self._now + lasts
        most = c["within_maximum_torque"] if within else c["command_maximum_torque"]
        self.drive.current_limit = inf if isnan(most) else abs(most) / self.drive.motor.torque_constant
        self.complete = False
        if self.number == POSITION and not self._limited():
            if not isnan(c["command_position"]):
                self.profile.position = self._bounded(c["command_position"])
            self.profile.velocity = 0.0 if isnan(c["command_velocity"]) else c["command_velocity"]
        self._follow()

    def _limited(self) -> bool:
        return not (isnan(self.command["command_velocity_limit"]) and isnan(self.command["command_accel_limit"]))

    def _bounded(self, position: float) -> float:
        if self.command["command_ignore_position_bounds"]:
            return position
        return min(max(position, self.position_min), self.position_max)

    def _advance(self, dt: float) -> None:
        """The control position moves on with the velocity, as far as the stop position."""
        c, profile = self.command, self.profile
        target, velocity = c["command_position"], c["command_velocity"]
        if self._limited():
            most, accel = c["command_velocity_limit"], c["command_accel_limit"]
            most, accel = (inf if isnan(x) else abs(x) for x in (most, accel))
            if isnan(target):
                profile.accelerate(0.0 if isnan(velocity) else max(-most, min(most, velocity)), accel, accel, dt)
            else:
                profile.towards(self._bounded(target), most, accel, accel, dt)
                self.complete = profile.resting and profile.position == self._bounded(target)
            return
        profile.position = self._bounded(profile.position + profile.velocity * dt)
        stop = c["command_stop_position"]
        if not isnan(stop) and (profile.position - stop) * profile.velocity > 0.0:
            profile.position, profile.velocity = stop, 0.0
        self.complete = profile.velocity == 0.0

    def _follow(self) -> None:
        self.drive.write(self._setpoint())

    def _setpoint(self) -> Setpoint:
        c, turn = self.command, self.turn
        if self.number == POSITION:
            return Impedance(
                self.profile.position * turn + self.zero, self.profile.velocity * turn,
                self.kp / turn * _finite(c["command_kp_scale"], 1.0),
                self.kd / turn * _finite(c["command_kd_scale"], 1.0),
                _finite(c["command_feedforward_torque"], 0.0),
            )  # fmt: skip
        if self.number == CURRENT:
            return Current(_finite(c["command_q_current"], 0.0))
        if self.number in (ZERO_VELOCITY, TIMEOUT):
            return Impedance(kd=self.kd / turn)
        if self.number == STAY_WITHIN:
            return self._within()
        return Brake() if self.number == BRAKE else COAST

    def _within(self) -> Setpoint:
        c, turn = self.command, self.turn
        low, high = _finite(c["within_lower_bound"], -inf), _finite(c["within_upper_bound"], inf)
        torque = _finite(c["within_feedforward_torque"], 0.0)
        kept = min(max(self.position, low), high)
        if kept == self.position:
            return Torque(torque)
        kp = self.kp / turn * _finite(c["within_kp_scale"], 1.0)
        return Impedance(kept * turn + self.zero, 0.0, kp, self.kd / turn * _finite(c["within_kd_scale"], 1.0), torque)

    # --- time ---------------------------------------------------------------------------------------------------

    def on_time(self, t: float) -> list[Frame]:
        dt, self._last, self._now, self._due = elapsed(self._last, t), t, t, t + TICK
        cause = OVER_TEMPERATURE if self.drive.hot else UNDER_VOLTAGE if self.drive.starved else 0
        if cause and self.number not in (STOPPED, FAULT):
            self._raise(cause)
        if t > self._deadline:
            self._enter(TIMEOUT)
            self._follow()
        if self.number == POSITION and dt > 0.0:
            self._advance(dt)
            self._follow()
        elif self.number == STAY_WITHIN:
            self._follow()
        return []

    def next_time(self) -> float:
        return inf if self.number in (STOPPED, FAULT) else self._due


def _finite(value: float, otherwise: float) -> float:
    return value if isfinite(value) else otherwise
