"""DynamixelSDK's easy SDK as it is, and the conversation of ROBOTIS' ros2_control component."""

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.protocols.dynamixel_packets import Finder, crc16
from gearwright.hardware.rig import Rig

from .vendors import output, running, wheels

EASY = """
import time
from dynamixel_easy_sdk import Connector, OperatingMode
connector = Connector("/dev/ttyUSB0", 57600)

class Patient:  # on a loaded machine an answer may be later than the SDK waits
    def __init__(self, theirs):
        self.theirs = theirs

    def __getattr__(self, name):
        def call(*given):
            for _ in range(30):
                try:
                    return getattr(self.theirs, name)(*given)
                except Exception as error:
                    late = error
                    time.sleep(0.1)
                    connector._port_handler.ser.reset_input_buffer()
            raise late
        return call

motor, second = (Patient(Patient(connector).createMotor(i)) for i in (1, 2))
motor.disableTorque()
motor.setOperatingMode(OperatingMode.POSITION)
motor.enableTorque()
motor.setGoalPosition(2300)
while abs(motor.getPresentPosition() - 2300) > 8 or motor.getPresentVelocity():
    time.sleep(0.02)
print(motor.getPresentPosition(), motor.getMaxPositionLimit(), motor.getVelocityLimit())
second.enableTorque()
group = Patient(connector).createGroupExecutor()
group.addCmd(motor.stageSetGoalPosition(2100))
group.addCmd(second.stageSetGoalPosition(1900))
Patient(group).executeWrite()
time.sleep(1.0)
group.clearStagedReadCommands()
group.addCmd(motor.stageGetPresentPosition())
group.addCmd(second.stageGetPresentPosition())
print(*Patient(group).executeRead())
"""


@pytest.mark.parametrize(("model", "limit"), [("xm430-w350", 200), ("xl430-w250", 265), ("xl330-m288", 445)])
def test_easy_sdk(model, limit):
    pytest.importorskip("dynamixel_easy_sdk")
    with (
        gw.serve(gw.loads(wheels(2)), protocol="dynamixel", model=model) as bench,
        running(EASY, ports={"/dev/ttyUSB0": bench.port}) as client,
    ):
        position, highest, speed, first, second = map(int, output(client).split())
    assert position == approx(2300, abs=8) and highest == 4095 and speed == limit
    assert (first, second) == approx((2100, 1900), abs=12)


# What dynamixel_hardware_interface (Apache-2.0) writes for two XM430-W350 whose positions and velocities it reads and
# whose goals it writes: ping, firmware, torque off, indirect addresses from 578 for reading and from 168 for writing,
# torque on, fast sync read of 634, sync write of 224. `i` is the servo.
PER_SERVO = ["01", "02 0600 0100", "02 4000 0100"]
READS = ["03 4202 8400", "03 4402 8500", "03 4602 8600", "03 4802 8700",
         "03 4A02 8000", "03 4C02 8100", "03 4E02 8200", "03 5002 8300"]  # fmt: skip
WRITES = ["03 A800 7400", "03 AA00 7500", "03 AC00 7600", "03 AE00 7700", "03 4000 01"]
CYCLE = "83 E000 0400 01 C3080000 02 C3080000"
FAST_READ = "8A 7A02 0800 01 02"


def written(servo, text):
    body = bytes.fromhex(text)
    data = b"\xff\xff\xfd\0" + bytes((servo,)) + (len(body) + 2).to_bytes(2, "little") + body
    return data + crc16(data).to_bytes(2, "little")


def test_the_conversation_of_dynamixel_hardware_interface():
    rig = Rig.of(gw.loads(wheels(2, 0.01)), "dynamixel", model="xm430-w350")
    for servo in (1, 2):
        for text in (*PER_SERVO, *READS, *WRITES):
            (answer,) = Finder().feed(rig.receive(written(servo, text)))
            assert (answer.servo, answer.parameters[0]) == (servo, 0), text
    assert rig.receive(written(0xFE, CYCLE)) == b""
    rig.step(1500)
    answer = rig.receive(written(0xFE, FAST_READ))
    (found,) = Finder().feed(answer)
    assert found.intact and found.servo == 0xFE and len(found.parameters) == 2 * 10 + 2
    for first, servo in ((0, 1), (12, 2)):
        error, node, *data = found.parameters[first : first + 10]
        position, velocity = (int.from_bytes(data[k : k + 4], "little", signed=True) for k in (0, 4))
        assert (error, node) == (0, servo)
        assert position == approx(0x8C3, abs=2) and velocity == 0
