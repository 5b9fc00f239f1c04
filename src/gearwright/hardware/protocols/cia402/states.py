"""The state machine of CiA 402: states by their statusword, commands by their controlword, and one table of both."""

from __future__ import annotations

from enum import Enum


class State(Enum):
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
    State.NOT_READY: "not ready to switch on",
    State.SWITCH_ON_DISABLED: "switch on disabled",
    State.READY: "ready to switch on",
    State.SWITCHED_ON: "switched on",
    State.ENABLED: "operation enabled",
    State.QUICK_STOP: "quick stop active",
    State.FAULT_REACTION: "fault reaction active",
    State.FAULT: "fault",
}


class Command(Enum):
    """The transition that bits 0 to 3 of a controlword ask for."""

    DISABLE_VOLTAGE = "disable voltage"
    STOP_QUICKLY = "quick stop"
    SHUTDOWN = "shutdown"
    SWITCH_ON = "switch on"
    ENABLE = "enable operation"


def command(controlword: int) -> Command:
    if not controlword & 0x2:
        return Command.DISABLE_VOLTAGE
    if not controlword & 0x4:
        return Command.STOP_QUICKLY
    if not controlword & 0x1:
        return Command.SHUTDOWN
    return Command.ENABLE if controlword & 0x8 else Command.SWITCH_ON


TRANSITIONS: dict[tuple[State, Command], State] = {
    (State.SWITCH_ON_DISABLED, Command.SHUTDOWN): State.READY,
    (State.READY, Command.DISABLE_VOLTAGE): State.SWITCH_ON_DISABLED,
    (State.READY, Command.STOP_QUICKLY): State.SWITCH_ON_DISABLED,
    (State.READY, Command.SWITCH_ON): State.SWITCHED_ON,
    (State.READY, Command.ENABLE): State.ENABLED,
    (State.SWITCHED_ON, Command.DISABLE_VOLTAGE): State.SWITCH_ON_DISABLED,
    (State.SWITCHED_ON, Command.STOP_QUICKLY): State.SWITCH_ON_DISABLED,
    (State.SWITCHED_ON, Command.SHUTDOWN): State.READY,
    (State.SWITCHED_ON, Command.ENABLE): State.ENABLED,
    (State.ENABLED, Command.DISABLE_VOLTAGE): State.SWITCH_ON_DISABLED,
    (State.ENABLED, Command.SHUTDOWN): State.READY,
    (State.ENABLED, Command.SWITCH_ON): State.SWITCHED_ON,
    (State.ENABLED, Command.STOP_QUICKLY): State.QUICK_STOP,
    (State.QUICK_STOP, Command.DISABLE_VOLTAGE): State.SWITCH_ON_DISABLED,
    (State.QUICK_STOP, Command.ENABLE): State.ENABLED,
}
