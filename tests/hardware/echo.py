"""A CAN device for tests of buses: answers id 0x100 + node with its data turned round, and beats every 10 ms."""

from gearwright.hardware.device import CanDevice
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.setpoints import Torque


class Echo(CanDevice):
    beat = 0.01

    def power_on(self, t):
        self._next = t + self.beat

    def on_power(self, t):
        return [Frame(0x700 + self.node, b"\0")]

    def on_frame(self, frame, t):
        if frame.id == 0x100 + self.node and not frame.extended:
            return [Frame(0x180 + self.node, frame.data[::-1], fd=frame.fd, bitrate_switch=frame.bitrate_switch)]
        if frame.id == 0x200 + self.node and len(frame.data) == 2:
            self.drive.write(Torque(int.from_bytes(frame.data, "little", signed=True) * 1e-3))
            self.commanded = True
        if frame.id == 0x80:
            return [
                Frame(0x280 + self.node, round(self.drive.sample.position * 1e6).to_bytes(4, "little", signed=True))
            ]
        return []

    def next_time(self):
        return self._next

    def on_time(self, t):
        self._next = t + self.beat
        return [Frame(0x700 + self.node, b"\5")]


class EchoProtocol(Protocol):
    def is_sync(self, frame):
        return frame.id == 0x80


ECHO = EchoProtocol(name="echo", title="Echo", device=Echo)
