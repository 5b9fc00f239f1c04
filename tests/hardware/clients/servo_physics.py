"""feetech-servo-sdk on the desk arm: droop under gravity, a gripper at its stop, torque off. Time is the test's."""

import sys

import scservo_sdk as scs
from asking import ask, tell

LIFT, GRIPPER = 2, 6
port, handler = scs.PortHandler(sys.argv[1]), scs.PacketHandler(0)
assert port.openPort() and port.setBaudRate(1_000_000)


def write(servo, address, value, size=1):
    call = handler.write1ByteTxRx if size == 1 else handler.write2ByteTxRx
    for _ in range(50):
        if call(port, servo, address, value)[0] == scs.COMM_SUCCESS:
            return
    sys.exit(f"no answer of {servo}")


def read(servo, address):
    for _ in range(50):
        value, result, _ = handler.read2ByteTxRx(port, servo, address)
        if result == scs.COMM_SUCCESS:
            return value
    sys.exit(f"no answer of {servo}")


for servo in range(1, 7):
    write(servo, 21, 16)  # P
    write(servo, 26, 0)  # no dead zone
    write(servo, 27, 0)
    write(servo, 40, 1)
write(LIFT, 42, 2048 + 512, 2)
ask("run 4")
tell(droop=read(LIFT, 56) - 2560)

write(GRIPPER, 48, 500, 2)
write(GRIPPER, 42, 1000, 2)  # the stop is at 1937
ask("run 1")
tell(current=read(GRIPPER, 69) & 0x7FFF, load=read(GRIPPER, 60) & 0x3FF)

held = read(LIFT, 56)
for servo in range(1, 7):
    write(servo, 40, 0)
ask("run 2")
tell(fallen=read(LIFT, 56) - held)
port.closePort()
