"""The power stage: the state machine with what the drive does in each state, and the faults that it watches for."""

from __future__ import annotations

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.protocols.cia402 import aborts, errors
from gearwright.hardware.protocols.cia402.aborts import SdoAbortError
from gearwright.hardware.protocols.cia402.axis import UNLIMITED, Cia402Axis
from gearwright.hardware.protocols.cia402.dictionary import Dictionary
from gearwright.hardware.protocols.cia402.errors import Emergencies
from gearwright.hardware.protocols.cia402.homing import Homing
from gearwright.hardware.protocols.cia402.modes import (
    DEVIATION,
    HALT,
    CyclicPosition,
    CyclicTorque,
    CyclicVelocity,
    Mode,
    NoMode,
    ProfilePosition,
    ProfileTorque,
    ProfileVelocity,
)  # fmt: skip
from gearwright.hardware.protocols.cia402.states import TRANSITIONS, Controlword, PowerState, command

MODES: dict[int, type[Mode]] = {
    mode.code: mode
    for mode in (
        NoMode, ProfilePosition, ProfileVelocity, ProfileTorque, Homing, CyclicPosition, CyclicVelocity, CyclicTorque,
    )
}  # fmt: skip
FAULT_RESET = 1 << 7
VOLTAGE, WARNING, REMOTE, LIMITED = 1 << 4, 1 << 7, 1 << 9, 1 << 11
DISABLE, SLOW, QUICK = 0, 1, 2  # reactions of the option codes
STAYS = 4  # added to a quick stop's reaction: the drive stays in quick stop active
NO_CURRENT = 0.1  # of what is asked for, after SETTLED: the winding is open
SETTLED, BLOCKED = 0.2, 1.0  # [s]; the former is longer than a following error takes
OVERLOAD = 3.0  # [s] of (i/i_rated)² − 1: twice the rated current for a second


class PowerStage:
    """State machine, mode and faults of one drive."""

    def __init__(self, drive: MotorDrive, dictionary: Dictionary, emergencies: Emergencies) -> None:
        self.drive, self.objects, self.emergencies = drive, dictionary, emergencies
        self.axis = Cia402Axis(drive, dictionary)
        self.modes = {code: kind(self.axis) for code, kind in MODES.items()}
        self.restart()

    def restart(self) -> None:
        self.state = PowerState.SWITCH_ON_DISABLED
        self.controlword = 0
        self.mode = self.modes[0]
        self._leaving: PowerState | None = None  # after a slow-down
        self._late = self._open = self._blocked = self._overload = 0.0  # [s] that a symptom has lasted
        self.axis.release()
        self.axis.limit_torque()

    # --- what the bus writes ------------------------------------------------------------------------------------

    def write_controlword(self, word: int) -> None:
        rising = word & ~self.controlword
        self.controlword = word
        if self.state is PowerState.FAULT:
            if rising & FAULT_RESET:
                self._reset_fault()
            return
        wanted = command(word)
        following = TRANSITIONS.get((self.state, wanted))
        if following is not None:
            self._go(following, wanted)
        if self.state is PowerState.ENABLED:
            self.mode.on_controlword(word, rising)

    def write_mode(self, code: int) -> None:
        if code not in self.modes:
            raise SdoAbortError(aborts.RANGE)
        if code and self.modes[code] is not self.mode:
            self.mode = self.modes[code]
            if self.state is PowerState.ENABLED:
                self.mode.enter()

    # --- transitions --------------------------------------------------------------------------------------------

    def _go(self, following: PowerState, wanted: Controlword) -> None:
        o = self.objects
        if self.state is PowerState.ENABLED and following in (PowerState.READY, PowerState.SWITCHED_ON):
            option = o[0x605B, 0] if following is PowerState.READY else o[0x605C, 0]
            if option == SLOW and not self._standing:
                self._leaving = following
                return
        if self.state is PowerState.QUICK_STOP and following is PowerState.ENABLED and o[0x605A, 0] <= STAYS:
            return
        if following is PowerState.QUICK_STOP and o[0x605A, 0] == DISABLE:
            following = PowerState.SWITCH_ON_DISABLED
        self._enter(following)

    def _enter(self, state: PowerState) -> None:
        before, self.state, self._leaving = self.state, state, None
        if state is PowerState.ENABLED:
            if before is not PowerState.ENABLED:
                self.mode.enter()
        elif state in (PowerState.QUICK_STOP, PowerState.FAULT_REACTION):
            if self.mode.code in (ProfileTorque.code, CyclicTorque.code):
                self.axis.start()
        else:
            self.axis.release()

    @property
    def _standing(self) -> bool:
        return abs(self.axis.velocity) <= self.objects[0x606F, 0]

    def quick_stop(self) -> None:
        if self.state is PowerState.ENABLED:
            self._go(PowerState.QUICK_STOP, Controlword.STOP_QUICKLY)

    def disable_voltage(self) -> None:
        if self.state in (PowerState.READY, PowerState.SWITCHED_ON, PowerState.ENABLED, PowerState.QUICK_STOP):
            self._enter(PowerState.SWITCH_ON_DISABLED)

    def fault(self, code: int) -> None:
        self.emergencies.report(code)
        self.objects[0x603F, 0] = code
        if self.state in (PowerState.FAULT, PowerState.FAULT_REACTION):
            return
        running = self.state in (PowerState.ENABLED, PowerState.QUICK_STOP)
        option = self.objects[0x605E, 0]
        self._enter(PowerState.FAULT_REACTION if running and option != DISABLE else PowerState.FAULT)

    def _reset_fault(self) -> None:
        if not self._lasting():
            self.emergencies.clear()
            self.objects[0x603F, 0] = 0
            self._late = self._open = self._blocked = self._overload = 0.0
            self._enter(PowerState.SWITCH_ON_DISABLED)

    # --- time ---------------------------------------------------------------------------------------------------

    def tick(self, dt: float) -> None:
        self._watch(dt)
        o = self.objects
        if self._leaving is not None:
            if self.mode.decelerate(o[0x6084, 0], dt):
                self._enter(self._leaving)
        elif self.state is PowerState.ENABLED:
            if self.controlword & HALT and self.mode.code in (1, 3, 4):
                self.mode.decelerate(o[0x6084, 0] if o[0x605D, 0] == SLOW else o[0x6085, 0], dt)
            else:
                self.mode.tick(dt)
        elif self.state is PowerState.QUICK_STOP:
            option = o[0x605A, 0]
            slow = option in (SLOW, SLOW + STAYS)
            stopped = self.mode.decelerate(o[0x6084, 0] if slow else o[0x6085, 0], dt)
            if stopped and option < STAYS:
                self._enter(PowerState.SWITCH_ON_DISABLED)
        elif self.state is PowerState.FAULT_REACTION:
            stopped = self.mode.decelerate(o[0x6084, 0] if o[0x605E, 0] == SLOW else o[0x6085, 0], dt)
            if stopped:
                self._enter(PowerState.FAULT)

    def _lasting(self) -> int:
        """The code of a cause that a reset does not take away."""
        if self.drive.hot:
            return errors.OVER_TEMPERATURE
        return errors.UNDER_VOLTAGE if self.drive.starved else 0

    def _watch(self, dt: float) -> None:
        lasting = self._lasting()
        if lasting:
            self.fault(lasting)
        if self.state is not PowerState.ENABLED:
            return
        drive, rating = self.drive, self.drive.motor.current_rating
        asked, flows = abs(drive.torque), abs(drive.sample.torque)
        demanding = asked > NO_CURRENT * drive.motor.rated_torque
        self._open = self._open + dt if demanding and flows < NO_CURRENT * asked else 0.0
        speeds = self.mode.code in (ProfileVelocity.code, CyclicVelocity.code)
        self._blocked = self._blocked + dt if speeds and drive.saturated and self._standing else 0.0
        self._overload = max(self._overload + ((drive.sample.current / rating) ** 2 - 1.0) * dt, 0.0)
        window = self.objects[0x6065, 0]
        late = self.mode.positions and window != UNLIMITED and abs(self.axis.following_error) > window
        self._late = self._late + dt if late else 0.0
        if self._open > SETTLED:
            self.fault(errors.NO_COMMUTATION)
        elif self._late * 1e3 > self.objects[0x6066, 0]:
            self.fault(errors.FOLLOWING)
        elif self._blocked > BLOCKED:
            self.fault(errors.BLOCKED)
        elif self._overload > OVERLOAD:
            self.fault(errors.OVER_CURRENT)

    # --- what the bus reads -------------------------------------------------------------------------------------

    def statusword(self) -> int:
        word = self.state.value | REMOTE
        if not self.drive.starved:
            word |= VOLTAGE
        if self.state is PowerState.ENABLED:
            word |= self.mode.status() | LIMITED * (self.axis.clipped or self.drive.saturated)
            word |= DEVIATION * (self.mode.positions and self._late > 0.0)
            if self.controlword & HALT and self.mode.code in (1, 3, 4):
                word = word & ~(1 << 10) | self.axis.profile.resting << 10
        return word
