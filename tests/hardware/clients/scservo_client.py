"""feetech-servo-sdk as it is on PyPI: ping, configure, move, read. Arguments: the port."""

import json
import sys
import time

import scservo_sdk as scs


def again(call, *arguments):
    """On a loaded machine an answer may be later than the SDK waits: drivers try again, and so does this one."""
    for _ in range(50):
        result = call(*arguments)
        if (result if isinstance(result, int) else result[-2]) == scs.COMM_SUCCESS:
            return result
        time.sleep(0.1)
        port.ser.reset_input_buffer()  # the late answer is not that to the next question
    raise TimeoutError(f"{call.__name__}{arguments[1:]}: {result}")


port, handler = scs.PortHandler(sys.argv[1]), scs.PacketHandler(0)
assert port.openPort() and port.setBaudRate(1_000_000)
found = [i for i in range(1, 7) if again(handler.ping, port, i)]
assert handler.ping(port, 7)[1] == scs.COMM_RX_TIMEOUT
for servo in found:
    assert again(handler.write1ByteTxRx, port, servo, 40, 1) == (0, 0)
write = scs.GroupSyncWrite(port, handler, 42, 2)
goals = {1: 2300, 2: 2048, 3: 2048, 4: 2048, 5: 1800, 6: 2500}
for servo, goal in goals.items():
    write.addParam(servo, [goal & 255, goal >> 8])
assert write.txPacket() == scs.COMM_SUCCESS
read, times = scs.GroupSyncRead(port, handler, 56, 15), []
for servo in found:
    assert read.addParam(servo)
end = time.monotonic() + 20.0
while time.monotonic() < end:
    again(read.txRxPacket)
    if all(abs(read.getData(servo, 56, 2) - goals[servo]) <= 6 for servo in (1, 5, 6)):
        break
    time.sleep(0.05)
time.sleep(0.3)
for _ in range(int(sys.argv[2])):
    begun = time.perf_counter()
    again(read.txRxPacket)
    times.append(time.perf_counter() - begun)
positions = {servo: read.getData(servo, 56, 2) for servo in found}
voltage, _, error = again(handler.read1ByteTxRx, port, 2, 62)
port.closePort()
print(json.dumps({"found": found, "positions": positions, "voltage": voltage, "error": error, "times": times}))
