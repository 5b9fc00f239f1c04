"""The state machine of CiA 402: states by their statusword, commands by their controlword, and one table of both."""

from __future__ import annotations

from enum import Enum


class PowerState(Enum):
    """A state, with the bits of the statusword that name it."""

    NOT_READY = 0x00
    SWITCH_ON_DISABLED = 0x40
    READY = 0x21
    SWITCHED_ON = 0x23
    ENABLED = 0x27
    QUICK_STOP = 0x07
    FAULT_REACTION = 0x0F
    FAULT = 0x08

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    PowerState.NOT_READY: "not ready to switch on",
    PowerState.SWITCH_ON_DISABLED: "switch on disabled",
    PowerState.READY: "ready to switch on",
    PowerState.SWITCHED_ON: "switched on",
    PowerState.ENABLED: "operation enabled",
    PowerState.QUICK_STOP: "quick stop active",
    PowerState.FAULT_REACTION: "fault reaction active",
    PowerState.FAULT: "fault",
}


class Controlword(Enum):
    """The transition that bits 0 to 3 of a controlword ask for."""

    DISABLE_VOLTAGE = "disable voltage"
    STOP_QUICKLY = "quick stop"
    SHUTDOWN = "shutdown"
    SWITCH_ON = "switch on"
    ENABLE = "enable operation"


def command(controlword: int) -> Controlword:
    if not controlword & 0x2:
        return Controlword.DISABLE_VOLTAGE
    if not controlword & 0x4:
        return Controlword.STOP_QUICKLY
    if not controlword & 0x1:
        return Controlword.SHUTDOWN
    return Controlword.ENABLE if controlword & 0x8 else Controlword.SWITCH_ON


TRANSITIONS: dict[tuple[PowerState, Controlword], PowerState] = {
    (PowerState.SWITCH_ON_DISABLED, Controlword.SHUTDOWN): PowerState.READY,
    (PowerState.READY, Controlword.DISABLE_VOLTAGE): PowerState.SWITCH_ON_DISABLED,
    (PowerState.READY, Controlword.STOP_QUICKLY): PowerState.SWITCH_ON_DISABLED,
    (PowerState.READY, Controlword.SWITCH_ON): PowerState.SWITCHED_ON,
    (PowerState.READY, Controlword.ENABLE): PowerState.ENABLED,
    (PowerState.SWITCHED_ON, Controlword.DISABLE_VOLTAGE): PowerState.SWITCH_ON_DISABLED,
    (PowerState.SWITCHED_ON, Controlword.STOP_QUICKLY): PowerState.SWITCH_ON_DISABLED,
    (PowerState.SWITCHED_ON, Controlword.SHUTDOWN): PowerState.READY,
    (PowerState.SWITCHED_ON, Controlword.ENABLE): PowerState.ENABLED,
    (PowerState.ENABLED, Controlword.DISABLE_VOLTAGE): PowerState.SWITCH_ON_DISABLED,
    (PowerState.ENABLED, Controlword.SHUTDOWN): PowerState.READY,
    (PowerState.ENABLED, Controlword.SWITCH_ON): PowerState.SWITCHED_ON,
    (PowerState.ENABLED, Controlword.STOP_QUICKLY): PowerState.QUICK_STOP,
    (PowerState.QUICK_STOP, Controlword.DISABLE_VOLTAGE): PowerState.SWITCH_ON_DISABLED,
    (PowerState.QUICK_STOP, Controlword.ENABLE): PowerState.ENABLED,
}
