"""What a host writes on a servo line, for tests without a client."""

from gearwright.hardware.protocols import feetech


class Host:
    """A host on a rig's Feetech line."""

    def __init__(self, rig):
        self.rig = rig

    def send(self, servo, instruction, parameters=b""):
        return self.rig.receive(feetech.packet(servo, instruction, bytes(parameters)))

    def write(self, servo, address, value, size=1):
        return self.send(servo, feetech.WRITE, bytes((address,)) + value.to_bytes(size, "little"))

    def read(self, servo, address, size=2):
        answer = self.send(servo, feetech.READ, (address, size))
        assert len(answer) == 6 + size, answer.hex()
        return int.from_bytes(answer[5:-1], "little")

    def error(self, servo):
        return self.send(servo, feetech.PING)[4]
