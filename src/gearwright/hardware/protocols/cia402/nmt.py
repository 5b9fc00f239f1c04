"""Network management of a CANopen slave: state, boot-up, heartbeat, heartbeat consumer, node guarding."""

from __future__ import annotations

import math

from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.cia402.dictionary import Dictionary
from gearwright.hardware.protocols.loop_gains import ROUNDING

BOOT, STOPPED, OPERATIONAL, PRE_OPERATIONAL = 0x00, 0x04, 0x05, 0x7F
RESET_NODE, RESET_COMMUNICATION = 0x81, 0x82
COMMANDS = {0x01: OPERATIONAL, 0x02: STOPPED, 0x80: PRE_OPERATIONAL}
NEVER = math.inf
BOOT_TIME = 0.02  # [s] between power-up, or a reset, and the boot-up message


class Nmt:
    """The network side of one node. Times are simulated seconds."""

    def __init__(self, node: int, dictionary: Dictionary) -> None:
        self.node = node
        self.dictionary = dictionary
        self.state = BOOT
        dictionary.written[0x1017, 0] = self._heartbeat_changed
        self.now = 0.0
        self.restart(0.0)

    def restart(self, t: float) -> None:
        """Power-up and reset: nothing is heard until the boot-up message has been sent."""
        self.state = BOOT
        self._boot_due = t + BOOT_TIME
        self._heartbeat_due = NEVER
        self._guard_toggle = 0
        self._guard_deadline = NEVER
        self._consumed: dict[int, float] = {}  # node → when its next heartbeat is overdue

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        """Node guarding requests and the heartbeats of other nodes."""
        self.now = t
        if frame.remote:
            return self._guarded(t) if frame.id == 0x700 + self.node and self.state != BOOT else []
        if 0x701 <= frame.id <= 0x77F and len(frame.data) == 1:
            period = self._consumer_times().get(frame.id - 0x700)
            if period is not None:
                self._consumed[frame.id - 0x700] = t + period
        return []

    def command(self, data: bytes) -> int | None:
        """Applies an NMT command for this node; returns a reset's code, which the device carries out."""
        if len(data) != 2 or data[1] not in (0, self.node) or self.state == BOOT:
            return None
        if data[0] in (RESET_NODE, RESET_COMMUNICATION):
            return data[0]
        self.state = COMMANDS.get(data[0], self.state)
        return None

    def on_time(self, t: float) -> tuple[list[Frame], bool]:
        """Frames that are due, and whether a partner was lost."""
        self.now = t
        t += ROUNDING
        frames: list[Frame] = []
        if t >= self._boot_due:
            frames += self.boot(t)
        if t >= self._heartbeat_due:
            frames.append(Frame(0x700 + self.node, bytes([self.state])))
            self._heartbeat_due = max(self._heartbeat_due + self.dictionary[0x1017, 0] * 1e-3, self.now)
        return frames, self._lost(t)

    def boot(self, t: float) -> list[Frame]:
        """The boot-up message, if it has not been sent."""
        if self.state != BOOT:
            return []
        self.state = PRE_OPERATIONAL
        self._schedule(t, self.dictionary[0x1017, 0])
        return [Frame(0x700 + self.node, b"\0")]

    def next_time(self) -> float:
        if self.state == BOOT:
            return self._boot_due
        return min(self._heartbeat_due, self._guard_deadline, *self._consumed.values(), NEVER)

    def _guarded(self, t: float) -> list[Frame]:
        """CiA 301: a node that produces heartbeats answers no guarding."""
        if self.dictionary[0x1017, 0]:
            return []
        life = self.dictionary[0x100C, 0] * self.dictionary[0x100D, 0] * 1e-3
        self._guard_deadline = t + life if life else NEVER
        answer = Frame(0x700 + self.node, bytes([self._guard_toggle | self.state]))
        self._guard_toggle ^= 0x80
        return [answer]

    def _lost(self, t: float) -> bool:
        overdue = [node for node, deadline in self._consumed.items() if t >= deadline]
        for node in overdue:
            del self._consumed[node]  # monitored again from its next heartbeat
        guard = t >= self._guard_deadline
        if guard:
            self._guard_deadline = NEVER
        return bool(overdue) or guard

    @property
    def consumed_nodes(self) -> list[int]:
        """Nodes whose heartbeats are expected."""
        return list(self._consumer_times())

    def _consumer_times(self) -> dict[int, float]:
        rows = (self.dictionary[0x1016, sub] for sub in (1, 2))
        return {row >> 16 & 0x7F: (row & 0xFFFF) * 1e-3 for row in rows if row & 0xFFFF and row >> 16 & 0x7F}

    def _heartbeat_changed(self, period: int) -> None:
        self._schedule(self.now, period)

    def _schedule(self, t: float, period: int) -> None:
        self._heartbeat_due = t + period * 1e-3 if period else NEVER
