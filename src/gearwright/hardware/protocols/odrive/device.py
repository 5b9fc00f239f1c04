"""ODrive's CANSimple, as its firmware 0.6 speaks it: id = node·32 + command, little-endian numbers.

Turns and turns a second of the actuator's shaft on the wire. A remote frame or an empty one asks for a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isfinite, tau
from struct import Struct

from gearwright.hardware.device import CanDevice
from gearwright.hardware.drive import Drive
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.profile import ROUNDING, Profile, default_gains, elapsed, ramp
from gearwright.hardware.setpoints import COAST, Cascade, Torque

TICK = 1e-3  # [s] between two steps of trajectories and checks
HEARTBEAT, ENCODER = 0.1, 0.01  # [s] as delivered
CALIBRATION = 0.5  # [s] that a calibration sequence shows

IDLE, CLOSED_LOOP, HOMING = 1, 8, 11
CALIBRATIONS = frozenset({3, 4, 6, 7, 10, 12, 13, 14})
STATES = {1: "IDLE", 3: "FULL_CALIBRATION_SEQUENCE", 4: "MOTOR_CALIBRATION", 6: "ENCODER_INDEX_SEARCH",
          7: "ENCODER_OFFSET_CALIBRATION", 8: "CLOSED_LOOP_CONTROL", 10: "ENCODER_DIR_FIND",
          12: "ENCODER_HALL_POLARITY_CALIBRATION", 13: "ENCODER_HALL_PHASE_CALIBRATION",
          14: "ANTICOGGING_CALIBRATION"}  # fmt: skip
TORQUE, VELOCITY, POSITION = 1, 2, 3
CONTROL_MODES = {1: "torque", 2: "velocity", 3: "position"}
INACTIVE, PASSTHROUGH, VEL_RAMP, POS_FILTER, TRAP_TRAJ, TORQUE_RAMP = 0, 1, 2, 3, 5, 6
INPUT_MODES = {0: "inactive", 1: "passthrough", 2: "vel_ramp", 3: "pos_filter", 5: "trap_traj", 6: "torque_ramp"}

SUCCESS, BUSY, CANCELLED, DISARMED, NO_ENDSTOP, INVALID_STATE = 0, 1, 2, 3, 12, 13
ERRORS = {
    0x00000200: "DC_BUS_UNDER_VOLTAGE",
    0x00002000: "MOTOR_OVER_TEMP",
    0x00008000: "VELOCITY_LIMIT_VIOLATION",
    0x01000000: "WATCHDOG_TIMER_EXPIRED",
    0x02000000: "ESTOP_REQUESTED",
}
UNDER_VOLTAGE, OVER_TEMPERATURE, OVER_SPEED, WATCHDOG, ESTOP = ERRORS
LATCHED = WATCHDOG | ESTOP | OVER_SPEED  # active until they are cleared; the others as long as their cause lasts
OVER_SPEED_FACTOR = 1.2  # of the velocity limit
VERSION = bytes([2, 4, 4, 58, 0, 6, 10, 0])  # protocol, hardware 4.4 variant 58, firmware 0.6.10, released
SERIAL = 0x6765617277


@dataclass
class Config:
    """Settings of the controller; those of a delivered ODrive, gains by the load's inertia."""

    pos_gain: float  # [(turn/s)/turn]
    vel_gain: float  # [N·m/(turn/s)]
    vel_integrator_gain: float  # [N·m/turn]
    vel_limit: float = inf  # [turn/s]
    current_limit: float = inf  # [A]
    traj_vel_limit: float = 2.0  # [turn/s]
    traj_accel_limit: float = 5.0  # [turn/s²]
    traj_decel_limit: float = 5.0  # [turn/s²]
    traj_inertia: float = 0.0  # [N·m/(turn/s²)]
    vel_ramp_rate: float = 10.0  # [turn/s²]
    torque_ramp_rate: float = 0.1  # [N·m/s]
    filter_bandwidth: float = 20.0  # [rad/s] of the position filter


class ODrive(CanDevice):
    """One axis."""

    def __init__(self, drive: Drive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self.turn = 1.0 if drive.length else tau  # [rad] of one turn on the wire
        self.watchdog = float(self.options.get("watchdog", 0.0))  # [s]; 0: off
        self._commands = self._command_table()
        self._queries = self._query_table()
        self._delivered()
        self.power_on(0.0)

    def _delivered(self) -> None:
        gains = default_gains(self.drive)
        self.config = Config(gains.position, gains.velocity * self.turn, gains.integral * self.turn)
        self.zero = 0.0  # [rad] of the shaft where the wire says 0

    def power_on(self, t: float) -> None:
        self.axis, self.result = IDLE, SUCCESS
        self.active = self.disarm_reason = 0
        self.control_mode, self.input_mode = POSITION, PASSTHROUGH
        self.input_pos = self.input_vel = self.input_torque = 0.0  # in turns
        self.profile, self.torque_setpoint = Profile(), 0.0
        self.trajectory_done = True
        self._procedure_end = inf
        self._heartbeat_due, self._encoder_due, self._tick_due = t, t, t
        self._last = t
        self._fed = t
        self.drive.write(COAST)

    # --- shown ------------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return STATES.get(self.axis, str(self.axis))

    @property
    def mode(self) -> str:
        return f"{CONTROL_MODES[self.control_mode]}, {INPUT_MODES[self.input_mode]}"

    @property
    def errors(self) -> tuple[str, ...]:
        raised = self.active | self.disarm_reason
        return tuple(name for bit, name in ERRORS.items() if raised & bit)

    @property
    def memory(self) -> dict[str, int | float | str]:
        return {"node": self.node, "zero": self.zero, **{k: v for k, v in vars(self.config).items() if isfinite(v)}}

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        self.node = int(values.get("node", self.node))
        self.zero = float(values.get("zero", self.zero))
        for name in vars(self.config):
            setattr(self.config, name, float(values.get(name, getattr(self.config, name))))

    # --- the bus ----------------------------------------------------------------------------------------------

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        if frame.extended or frame.fd or frame.id >> 5 != self.node:
            return []
        command = frame.id & 0x1F
        self._fed = t
        if command in self._queries and not frame.data:
            return [self._answer(command)]
        row = self._commands.get(command)
        if row is None or frame.remote or len(frame.data) < row[0].size:
            self.malformed += 1
            return []
        values = row[0].unpack_from(frame.data)
        if not all(isfinite(value) for value in values):
            self.malformed += 1
            return []
        self.commanded = True
        row[1](*values)
        return []

    def on_time(self, t: float) -> list[Frame]:
        frames = []
        now = t + ROUNDING
        if now >= self._tick_due:
            self._tick(t)
            self._tick_due = t + TICK
        if now >= self._heartbeat_due:
            frames.append(self._answer(0x01))
            self._heartbeat_due = t + HEARTBEAT
        if now >= self._encoder_due:
            frames.append(self._answer(0x09))
            self._encoder_due = t + ENCODER
        return frames

    def next_time(self) -> float:
        return min(self._tick_due, self._heartbeat_due, self._encoder_due)

    def _answer(self, command: int) -> Frame:
        return Frame(self.node << 5 | command, self._queries[command]())

    def _query_table(self) -> dict[int, Callable[[], bytes]]:
        pair, drive = Struct("<ff").pack, self.drive
        return {
            0x00: lambda: VERSION,
            0x01: lambda: Struct("<IBBBB").pack(
                self.active | self.disarm_reason, self.axis, self.result, self.trajectory_done, 0
            ),
            0x03: lambda: Struct("<II").pack(self.active, self.disarm_reason),
            0x06: lambda: bytes([self.node]) + (SERIAL + self.node).to_bytes(6, "little") + b"\0",
            0x09: lambda: pair(self.position, drive.sample.velocity / self.turn),
            0x14: lambda: pair(drive.torque / drive.motor.torque_constant, drive.sample.current),
            0x15: lambda: pair(drive.sample.temperature, drive.sample.temperature),
            0x17: lambda: pair(
                drive.sample.voltage, drive.power() / drive.sample.voltage if drive.sample.voltage else 0
            ),
            0x1C: lambda: pair(drive.torque, drive.sample.torque),
            0x1D: lambda: pair(drive.power(), drive.sample.torque * drive.sample.velocity),
        }

    def _command_table(self) -> dict[int, tuple[Struct, Callable[..., None]]]:
        return {
            0x02: (Struct(""), lambda: self._disarm(ESTOP)),
            0x06: (Struct("<BIH"), self._set_address),
            0x07: (Struct("<I"), self._request_state),
            0x0B: (Struct("<II"), self._set_mode),
            0x0C: (Struct("<fhh"), self._set_position),
            0x0D: (Struct("<ff"), self._set_velocity),
            0x0E: (Struct("<f"), self._set_torque),
            0x0F: (Struct("<ff"), lambda v, i: self._configure(vel_limit=v, current_limit=i)),
            0x11: (Struct("<f"), lambda v: self._configure(traj_vel_limit=v)),
            0x12: (Struct("<ff"), lambda a, d: self._configure(traj_accel_limit=a, traj_decel_limit=d)),
            0x13: (Struct("<f"), lambda j: self._configure(traj_inertia=j)),
            0x16: (Struct("<B"), self._reboot),
            0x18: (Struct(""), self._clear),
            0x19: (Struct("<f"), self._set_absolute),
            0x1A: (Struct("<f"), lambda k: self._configure(pos_gain=k)),
            0x1B: (Struct("<ff"), lambda k, i: self._configure(vel_gain=k, vel_integrator_gain=i)),
        }

    # --- commands ---------------------------------------------------------------------------------------------

    @property
    def position(self) -> float:
        """[turn]"""
        return (self.drive.sample.position - self.zero) / self.turn

    def _set_address(self, node: int, low: int, high: int) -> None:
        if low | high << 32 == SERIAL + self.node and node < 0x3F:
            self.node = node

    def _request_state(self, state: int) -> None:
        if state == IDLE:
            self._idle(SUCCESS if self.axis in (IDLE, CLOSED_LOOP) else CANCELLED)
        elif state == CLOSED_LOOP:
            self._arm()
        elif state in CALIBRATIONS and self.axis == IDLE:
            self.axis, self.result = state, BUSY
            self._procedure_end = self._last + CALIBRATION
        else:
            self.result = NO_ENDSTOP if state == HOMING else INVALID_STATE

    def _arm(self) -> None:
        if self.active or self.axis not in (IDLE, CLOSED_LOOP):
            self.result = DISARMED
            return
        if self.axis == IDLE:
            self.input_pos, self.input_vel, self.input_torque = self.position, 0.0, 0.0
            self.profile, self.torque_setpoint = Profile(self.position), 0.0
            self.trajectory_done = True
        self.axis, self.result, self.disarm_reason = CLOSED_LOOP, BUSY, 0
        self._follow()

    def _idle(self, result: int) -> None:
        self.axis, self.result, self._procedure_end = IDLE, result, inf
        self.drive.write(COAST)

    def _disarm(self, reason: int) -> None:
        self.active |= reason
        if self.axis != IDLE:
            self.disarm_reason |= reason
            self._idle(DISARMED)

    def _set_mode(self, control: int, input_mode: int) -> None:
        if control not in CONTROL_MODES or input_mode not in INPUT_MODES:
            self.malformed += 1
            return
        if control != self.control_mode:  # a new loop starts from where the shaft is
            self.input_pos, self.input_vel, self.input_torque = self.position, 0.0, 0.0
            self.torque_setpoint = 0.0
        self.profile = Profile(self.position, self.drive.sample.velocity / self.turn)
        self.control_mode, self.input_mode = control, input_mode
        self._follow()

    def _set_position(self, position: float, velocity: int, torque: int) -> None:
        self.input_pos, self.input_vel, self.input_torque = position, velocity * 1e-3, torque * 1e-3
        self.trajectory_done = self.input_mode != TRAP_TRAJ
        self._follow()

    def _set_velocity(self, velocity: float, torque: float) -> None:
        self.input_vel, self.input_torque = velocity, torque
        self._follow()

    def _set_torque(self, torque: float) -> None:
        self.input_torque = torque
        self._follow()

    def _set_absolute(self, position: float) -> None:
        moved = self.position - position
        self.zero += moved * self.turn
        self.input_pos -= moved
        self.profile.position -= moved
        self._follow()

    def _configure(self, **values: float) -> None:
        if any(value < 0.0 for value in values.values()):
            self.malformed += 1
            return
        for name, value in values.items():
            setattr(self.config, name, value)
        self.drive.current_limit = self.config.current_limit
        self._follow()

    def _reboot(self, action: int) -> None:
        if action == 2:
            self._delivered()
        if action in (0, 2):
            self.power_on(self._last)

    def _clear(self) -> None:
        self.active &= ~LATCHED
        self.disarm_reason = 0

    # --- time -------------------------------------------------------------------------------------------------

    def _tick(self, t: float) -> None:
        dt, self._last = elapsed(self._last, t), t
        self._check(t)
        if t >= self._procedure_end:
            self._idle(SUCCESS)
        if self.axis == CLOSED_LOOP and self.input_mode not in (INACTIVE, PASSTHROUGH):
            self._shape(dt)
            self._follow()

    def _check(self, t: float) -> None:
        causes = UNDER_VOLTAGE * self.drive.starved | OVER_TEMPERATURE * self.drive.hot
        self.active = self.active & LATCHED | causes
        if self.watchdog and self.axis == CLOSED_LOOP and t - self._fed > self.watchdog:
            causes |= WATCHDOG
        if abs(self.drive.sample.velocity) / self.turn > OVER_SPEED_FACTOR * self.config.vel_limit:
            causes |= OVER_SPEED * (self.axis == CLOSED_LOOP)
        if causes:
            self._disarm(causes)

    def _shape(self, dt: float) -> None:
        """Input filters: what reaches the loops moves towards the input."""
        config, profile = self.config, self.profile
        if self.input_mode == TRAP_TRAJ:
            profile.towards(self.input_pos, config.traj_vel_limit, config.traj_accel_limit, config.traj_decel_limit, dt)
            self.trajectory_done = profile.resting and profile.position == self.input_pos
        elif self.input_mode == POS_FILTER:  # critically damped, second order
            w = config.filter_bandwidth
            profile.velocity += dt * (w * w * (self.input_pos - profile.position) - 2.0 * w * profile.velocity)
            profile.position += dt * profile.velocity
        elif self.input_mode == VEL_RAMP:
            profile.accelerate(self.input_vel, config.vel_ramp_rate, config.vel_ramp_rate, dt)
        elif self.input_mode == TORQUE_RAMP:
            self.torque_setpoint = ramp(self.torque_setpoint, self.input_torque, config.torque_ramp_rate * dt)

    def _follow(self) -> None:
        """Hands the setpoint of the mode to the drive."""
        if self.axis != CLOSED_LOOP or self.input_mode == INACTIVE:
            return
        shaped = self.input_mode != PASSTHROUGH
        torque = self.torque_setpoint if self.input_mode == TORQUE_RAMP else self.input_torque
        if self.control_mode == TORQUE:
            self.drive.write(Torque(torque))
            return
        position = None
        velocity = self.profile.velocity if shaped else self.input_vel
        if self.control_mode == POSITION:
            position = (self.profile.position if shaped else self.input_pos) * self.turn + self.zero
        config, turn = self.config, self.turn
        self.drive.write(
            Cascade(
                position=position,
                velocity=velocity * turn,
                feedforward=torque,
                position_gain=config.pos_gain,
                velocity_gain=config.vel_gain / turn,
                integral_gain=config.vel_integrator_gain / turn,
                velocity_limit=config.vel_limit * turn,
            )
        )
