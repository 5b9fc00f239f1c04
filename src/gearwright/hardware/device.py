"""Devices: drives as their bus sees them, pure state machines on simulated time.

A device owns no thread, no socket and no wall clock. It is asked with the time `t` [s] of the simulation and answers
with frames or bytes, so that it runs in real time, in lockstep and in tests alike. It never raises for what a bus
brings: it counts, ignores or answers with its protocol's own error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import inf, isfinite

from gearwright.errors import ModelError
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame


class Device:
    """One actuator under one id of a bus."""

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        self.drive, self.node = drive, node
        self.options: Mapping[str, str] = options or {}
        self.commanded = False  # since the simulation last advanced: lockstep waits for it
        self.malformed = 0  # frames or packets that were ignored
        self.answered = 0  # frames or packets that it sent

    def number_option(self, name: str, default: float, low: float = 0.0, high: float = inf) -> float:
        """A number among its options; raises if it is not a number or out of range."""
        text = self.options.get(name, str(default))
        try:
            value = float(int(text, 0)) if text[:2].lower() == "0x" else float(text)
        except ValueError:
            value = -inf
        if not isfinite(value) or not low <= value <= high:
            ends = f" from {low:g} to {high:g}" if high < inf else f" of at least {low:g}" if low > -inf else ""
            raise ModelError(f"{self.drive.name}: the option {name} must be a number{ends}, not {text!r:.60}")
        return value

    # --- shown in the live table -------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """State of the protocol's state machine, by its own name."""
        return "on" if self.drive.powered else "off"

    @property
    def shown_state(self) -> str:
        """For display: that it has no power takes precedence."""
        if self.drive.faults.unplugged:
            return "unplugged"
        return self.state if self.drive.powered else "no power"

    @property
    def mode(self) -> str:
        """Mode of operation."""
        return ""

    @property
    def errors(self) -> tuple[str, ...]:
        """Errors that the device reports."""
        return ()

    # --- power and memory --------------------------------------------------------------------------------------

    def power_on(self, t: float) -> None:
        """Resets everything except `memory` to its factory state, as after a power cycle."""
        return None

    @property
    def memory(self) -> dict[str, int | float | str]:
        """Registers that are kept across power cycles, by name: ids, calibration, gains."""
        return {}

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        """Unknown names are ignored: a file may come from an older version."""
        return None

    def next_time(self) -> float:
        """[s]: when `on_time` is next due; inf if never."""
        return inf

    def on_time(self, t: float) -> list[Frame]:
        """Timers that ran out; frames that are sent at this time, e.g. heartbeats."""
        return []

    def on_power(self, t: float) -> list[Frame]:
        """Frames that are sent after power-up: boot-up messages."""
        return []

    def boot(self, t: float) -> list[Frame]:
        """Ends its start-up at once: it was switched on before the clock began. Frames that it sent meanwhile."""
        return self.on_power(t)


class CanDevice(Device, ABC):
    """A device on a CAN bus."""

    def meet(self, others: Sequence[Device]) -> None:
        """All devices of its protocol, before any frame: for those that one controller speaks for."""
        return None

    @abstractmethod
    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        """Answers to a frame of the bus; every frame is seen by every device."""


class CanDriveWithZero(CanDevice):
    """A drive that keeps where its shaft is at zero: positions on the wire count from there."""

    zero = 0.0  # [rad, m] of the shaft

    @property
    def memory(self) -> dict[str, int | float | str]:
        return {"zero": self.zero}

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        self.zero = float(values.get("zero", self.zero))


class SerialDevice(Device):
    """A servo on a serial line: registers behind the line's packets. It never sends unasked."""


class SerialLine(ABC):
    """A line that several servos share: finds the packets in its bytes, and lets the servos answer."""

    def __init__(self, devices: list[SerialDevice]) -> None:
        self.devices = devices
        self.malformed = 0
        self._buffer, self._begun = b"", 0.0  # a packet that has begun, and when
        # called after each packet; lockstep advances in it. Returns the time: packets may come several at once
        self.served: Callable[[float], float] = lambda t: t

    @staticmethod
    def packet_length(buffer: bytes) -> int:
        """Length of the packet that begins here, 0 if unknown yet, −1 if none does: for lines behind a TCP port."""
        return 0

    @abstractmethod
    def on_bytes(self, data: bytes, t: float) -> bytes:
        """Answers to bytes from the host, in any pieces."""

    def clear(self) -> None:
        """Discards a packet that has begun: the host was unplugged."""
        self._buffer = b""

    def _joined(self, data: bytes, t: float, patience: float) -> bytes:
        """New bytes behind those of a packet that has begun, unless that was too long ago."""
        return data if t - self._begun > patience else self._buffer + data
