"""The servo of a moteus controller: modes, trajectories, watchdog and faults, in turns of the actuator's shaft."""

from __future__ import annotations

from math import inf, isfinite, isnan, tau

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.profiles import Profile
from gearwright.hardware.protocols.loop_gains import LOSSES, elapsed
from gearwright.hardware.protocols.moteus.registers import COMMANDS
from gearwright.hardware.setpoints import COAST, Brake, Current, Impedance, Setpoint, Torque

STOPPED, FAULT, CURRENT, POSITION, TIMEOUT, ZERO_VELOCITY, STAY_WITHIN, BRAKE = 0, 1, 9, 10, 11, 12, 13, 15
MODES = {0: "stopped", 1: "fault", 9: "current", 10: "position", 11: "timeout", 12: "zero velocity",
         13: "stay within", 15: "brake"}  # fmt: skip
COMMANDED = frozenset({STOPPED, CURRENT, POSITION, ZERO_VELOCITY, STAY_WITHIN, BRAKE})
OVER_TEMPERATURE, UNDER_VOLTAGE, START_OUTSIDE = 38, 40, 39
FAULTS = {38: "over-temperature", 39: "outside limits", 40: "under-voltage"}
FREQUENCY = 100.0  # [rad/s] of the position loop as delivered, for the inertia at the shaft
LARGEST_CURRENT = 1000.0  # [A]: where nothing else limits it
DROOP = 5e-4  # [rad, m] of the joint under its weight and friction: as delivered, there is no integral


class MoteusServo:
    """One servo: `command` holds the command registers by name; a mode in force reads them."""

    def __init__(self, drive: MotorDrive) -> None:
        self.drive = drive
        self.rotor_to_output = 1.0  # turns of the output in one of the shaft
        self.max_current = min(drive.motor.current_limit, LARGEST_CURRENT)  # [A]
        load = drive.load
        stiffness = max(load.inertia * FREQUENCY**2, load.holding / (DROOP * load.travel))  # [N·m/rad]
        damping = max(2.0 * (load.inertia * stiffness) ** 0.5, LOSSES * load.damping)
        self.kp, self.kd = stiffness * self.turn, damping * self.turn  # [N·m/turn], [N·m·s/turn]
        self.ki = self.ilimit = 0.0  # [N·m/(turn·s)], [N·m]
        self.default_timeout = 0.1  # [s]
        self.position_min, self.position_max = -inf, inf  # [turn]
        self.zero = 0.0  # [rad]
        self.power_on(0.0)

    @property
    def turn(self) -> float:
        """[rad, m] of the shaft in a turn of the output."""
        return (1.0 if self.drive.length else tau) / self.rotor_to_output

    def output_torque(self, torque: float) -> float:
        """Of the output, for that of the shaft [N·m]."""
        return torque / self.rotor_to_output

    def power_on(self, t: float) -> None:
        self.mode, self.fault = STOPPED, 0
        self.clear_command()
        self.profile = Profile()
        self.complete = False
        self._deadline = inf
        self.now = self._last = t
        self.drive.write(COAST)

    def clear_command(self) -> None:
        """A mode begins with every command register as it is by default."""
        self.command = {row.name: row.default for row in COMMANDS}

    @property
    def position(self) -> float:
        """[turn]"""
        return (self.drive.sample.position - self.zero) / self.turn

    @property
    def velocity(self) -> float:
        """[turn/s]"""
        return self.drive.sample.velocity / self.turn

    def set_output(self, value: float, *, nearest: bool) -> None:
        """Where the shaft stands is `value` from now on; `nearest` keeps the place within a turn."""
        moved = self.position - value
        self.zero += (round(moved) if nearest else moved) * self.turn
        self.profile = Profile(self.position)

    def set_mode(self, mode: int) -> None:
        if mode == STOPPED:
            self.fault = 0
            self._enter(STOPPED)
        elif self.mode in (FAULT, TIMEOUT):
            return  # until it is stopped
        else:
            if mode == POSITION and self.mode != POSITION:
                self.profile = Profile(self.position, self.velocity)
                if not self.command["command_ignore_position_bounds"] and not self._inside():
                    self._raise(START_OUTSIDE)
                    return
            self._enter(mode)
            self.begin()

    def _inside(self) -> bool:
        return self.position_min <= self.position <= self.position_max

    def _enter(self, mode: int) -> None:
        self.mode, self._deadline, self.complete = mode, inf, False
        self.drive.current_limit = self.max_current
        if mode in (STOPPED, FAULT):
            self.drive.write(COAST)

    def _raise(self, fault: int) -> None:
        self.fault = fault
        self._enter(FAULT)

    # --- control ------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A new command of the mode in force."""
        c, within = self.command, self.mode == STAY_WITHIN
        timeout = c["within_timeout"] if within else c["command_timeout"]
        if self.mode in (CURRENT, POSITION, ZERO_VELOCITY, STAY_WITHIN):
            lasts = self.default_timeout if timeout == 0.0 else timeout
            self._deadline = inf if isnan(lasts) or lasts < 0.0 else self.now + lasts
        most = c["within_maximum_torque"] if within else c["command_maximum_torque"]
        allowed = inf if isnan(most) else abs(most) * self.rotor_to_output / self.drive.motor.torque_constant
        self.drive.current_limit = min(allowed, self.max_current)
        self.complete = False
        if self.mode == POSITION and not self._limited():
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
        c, turn, n = self.command, self.turn, self.rotor_to_output
        if self.mode == POSITION:
            return Impedance(
                self.profile.position * turn + self.zero, self.profile.velocity * turn,
                n * self.kp / turn * _finite(c["command_kp_scale"], 1.0),
                n * self.kd / turn * _finite(c["command_kd_scale"], 1.0),
                n * _finite(c["command_feedforward_torque"], 0.0),
                n * self.ki / turn, n * self.ilimit * _finite(c["command_ilimit_scale"], 1.0),
            )  # fmt: skip
        if self.mode == CURRENT:
            return Current(_finite(c["command_q_current"], 0.0))
        if self.mode in (ZERO_VELOCITY, TIMEOUT):
            return Impedance(kd=n * self.kd / turn)
        if self.mode == STAY_WITHIN:
            return self._within()
        return Brake() if self.mode == BRAKE else COAST

    def _within(self) -> Setpoint:
        c, turn, n = self.command, self.turn, self.rotor_to_output
        low, high = _finite(c["within_lower_bound"], -inf), _finite(c["within_upper_bound"], inf)
        torque = n * _finite(c["within_feedforward_torque"], 0.0)
        kept = min(max(self.position, low), high)
        if kept == self.position:
            return Torque(torque)
        kp, kd = (n * gain / turn for gain in (self.kp, self.kd))
        kp, kd = kp * _finite(c["within_kp_scale"], 1.0), kd * _finite(c["within_kd_scale"], 1.0)
        return Impedance(kept * turn + self.zero, 0.0, kp, kd, torque)

    def tick(self, t: float) -> None:
        dt, self._last, self.now = elapsed(self._last, t), t, t
        cause = OVER_TEMPERATURE if self.drive.hot else UNDER_VOLTAGE if self.drive.starved else 0
        if cause and self.mode not in (STOPPED, FAULT):
            self._raise(cause)
        if t > self._deadline:
            self._enter(TIMEOUT)
            self._follow()
        if self.mode == POSITION and dt > 0.0:
            self._advance(dt)
            self._follow()
        elif self.mode == STAY_WITHIN:
            self._follow()


def _finite(value: float, otherwise: float) -> float:
    return value if isfinite(value) else otherwise
