"""One axis of an ODrive: states, control and input modes, limits and errors, in turns of the actuator's shaft."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, tau

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.profiles import Profile, ramp
from gearwright.hardware.protocols.loop_gains import default_gains, elapsed
from gearwright.hardware.setpoints import COAST, Cascade, Torque

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


class OdriveAxis:
    """Takes what the messages ask for; `tick` moves its trajectories on and looks for errors."""

    def __init__(self, drive: MotorDrive, watchdog: float) -> None:
        self.drive, self.watchdog = drive, watchdog  # [s]; 0: off
        self.turn = 1.0 if drive.length else tau  # [rad] of one turn on the wire
        self.deliver()
        self.power_on(0.0)

    def deliver(self) -> None:
        """Settings as delivered."""
        gains = default_gains(self.drive)
        self.config = Config(gains.position, gains.velocity * self.turn, gains.integral * self.turn)
        self.zero = 0.0  # [rad] of the shaft where the wire says 0

    def power_on(self, t: float) -> None:
        self.state, self.result = IDLE, SUCCESS
        self.active = self.disarm_reason = 0
        self.control_mode, self.input_mode = POSITION, PASSTHROUGH
        self.input_pos = self.input_vel = self.input_torque = 0.0  # in turns
        self.profile, self.torque_setpoint = Profile(), 0.0
        self.trajectory_done = True
        self._procedure_end = inf
        self._last = self.fed = t
        self.drive.write(COAST)

    # --- commands ---------------------------------------------------------------------------------------------

    @property
    def position(self) -> float:
        """[turn]"""
        return (self.drive.sample.position - self.zero) / self.turn

    def request_state(self, state: int) -> None:
        if state == IDLE:
            self._idle(SUCCESS if self.state in (IDLE, CLOSED_LOOP) else CANCELLED)
        elif state == CLOSED_LOOP:
            self._arm()
        elif state in CALIBRATIONS and self.state == IDLE:
            self.state, self.result = state, BUSY
            self._procedure_end = self._last + CALIBRATION
        else:
            self.result = NO_ENDSTOP if state == HOMING else INVALID_STATE

    def _arm(self) -> None:
        if self.active or self.state not in (IDLE, CLOSED_LOOP):
            self.result = DISARMED
            return
        if self.state == IDLE:
            self.input_pos, self.input_vel, self.input_torque = self.position, 0.0, 0.0
            self.profile, self.torque_setpoint = Profile(self.position), 0.0
            self.trajectory_done = True
        self.state, self.result, self.disarm_reason = CLOSED_LOOP, BUSY, 0
        self._follow()

    def _idle(self, result: int) -> None:
        self.state, self.result, self._procedure_end = IDLE, result, inf
        self.drive.write(COAST)

    def disarm(self, reason: int) -> None:
        self.active |= reason
        if self.state != IDLE:
            self.disarm_reason |= reason
            self._idle(DISARMED)

    def set_mode(self, control: int, input_mode: int) -> bool:
        if control not in CONTROL_MODES or input_mode not in INPUT_MODES:
            return False
        if control != self.control_mode:  # a new loop starts from where the shaft is
            self.input_pos, self.input_vel, self.input_torque = self.position, 0.0, 0.0
            self.torque_setpoint = 0.0
        self.profile = Profile(self.position, self.drive.sample.velocity / self.turn)
        self.control_mode, self.input_mode = control, input_mode
        self._follow()
        return True

    def set_position(self, position: float, velocity: int, torque: int) -> None:
        self.input_pos, self.input_vel, self.input_torque = position, velocity * 1e-3, torque * 1e-3
        self.trajectory_done = self.input_mode != TRAP_TRAJ
        self._follow()

    def set_velocity(self, velocity: float, torque: float) -> None:
        self.input_vel, self.input_torque = velocity, torque
        self._follow()

    def set_torque(self, torque: float) -> None:
        self.input_torque = torque
        self._follow()

    def set_absolute(self, position: float) -> None:
        moved = self.position - position
        self.zero += moved * self.turn
        self.input_pos -= moved
        self.profile.position -= moved
        self._follow()

    def configure(self, **values: float) -> bool:
        """False where a value is refused."""
        if any(value < 0.0 for value in values.values()):
            return False
        for name, value in values.items():
            setattr(self.config, name, value)
        self.drive.current_limit = self.config.current_limit
        self._follow()
        return True

    def clear(self) -> None:
        self.active &= ~LATCHED
        self.disarm_reason = 0

    # --- time -------------------------------------------------------------------------------------------------

    def tick(self, t: float) -> None:
        dt, self._last = elapsed(self._last, t), t
        self._check(t)
        if t >= self._procedure_end:
            self._idle(SUCCESS)
        if self.state == CLOSED_LOOP and self.input_mode not in (INACTIVE, PASSTHROUGH):
            self._shape(dt)
            self._follow()

    def _check(self, t: float) -> None:
        causes = UNDER_VOLTAGE * self.drive.starved | OVER_TEMPERATURE * self.drive.hot
        self.active = self.active & LATCHED | causes
        if self.watchdog and self.state == CLOSED_LOOP and t - self.fed > self.watchdog:
            causes |= WATCHDOG
        if abs(self.drive.sample.velocity) / self.turn > OVER_SPEED_FACTOR * self.config.vel_limit:
            causes |= OVER_SPEED * (self.state == CLOSED_LOOP)
        if causes:
            self.disarm(causes)

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
        if self.state != CLOSED_LOOP or self.input_mode == INACTIVE:
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
