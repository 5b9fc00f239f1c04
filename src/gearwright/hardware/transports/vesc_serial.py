"""The USB port of a VESC: packets with its own commands, which it passes on to the other drives of its bus."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.hardware.frames import Frame
from gearwright.hardware.networks import CanNetwork
from gearwright.hardware.protocols.vesc_commands import ANSWER, FORWARD, SCAN, Pieces, commands, packet, pieces

HOST = 0  # the port's id on the bus, which no drive here has


class VescSerial:
    """The port of the first drive. Its commands go over the bus to it, too: its registers are in the drive."""

    client = 'pyvesc.VESC("{port}")'

    def __init__(self, network: CanNetwork) -> None:
        self._network, self._buffer, self._pieces = network, bytearray(), Pieces()
        self.send: Callable[[bytes], None] = lambda data: None  # to the host; set by the transport
        network.attach(self)

    def clear(self) -> None:
        """The host has gone: a packet that it began is forgotten."""
        self._buffer.clear()

    def close(self) -> None:
        self._network.detach(self)

    def receive(self, data: bytes) -> None:
        """Bytes of the host, in any pieces."""
        self._buffer += data
        for command in commands(self._buffer):
            if command[:1] == bytes((FORWARD,)) and len(command) > 2:
                self._pass_on(command[2:], command[1])
                continue
            own, *others = [b.node for b in self._network.rig.bound]
            if command[:1] == bytes((SCAN,)):
                self.send(packet(bytes((SCAN, *others))))
            elif command:
                self._pass_on(command, own)

    def _pass_on(self, command: bytes, node: int) -> None:
        for frame in pieces(command, HOST, node, ANSWER):
            self._network.transmit(frame, self)

    def deliver(self, frame: Frame, t: float) -> None:
        if frame.extended and frame.id & 0xFF == HOST and frame.data:
            found = self._pieces.whole(frame.id >> 8, frame.data)
            if found is not None:
                self.send(packet(found[2]))
