"""dynamixel-sdk as it is on PyPI, protocol 2.0. Arguments: the port."""

import json
import sys
import time

import dynamixel_sdk as dxl


def again(call, *arguments):
    """On a loaded machine an answer may be later than the SDK waits: drivers try again, and so does this one."""
    for _ in range(50):
        result = call(*arguments)
        if (result if isinstance(result, int) else result[-2]) == dxl.COMM_SUCCESS:
            return result
        time.sleep(0.1)
        port.ser.reset_input_buffer()  # the late answer is not that to the next question
    raise TimeoutError(f"{call.__name__}{arguments[1:]}: {result}")


port, handler = dxl.PortHandler(sys.argv[1]), dxl.PacketHandler(2.0)
assert port.openPort() and port.setBaudRate(57600)
found = {}
while len(found) < 6:
    found, _ = handler.broadcastPing(port)
ids = sorted(found)
refused = again(handler.write4ByteTxRx, port, 1, 116, 5000)  # beyond the limit
for servo in ids:
    assert again(handler.write1ByteTxRx, port, servo, 64, 1) == (0, 0)
locked = again(handler.write1ByteTxRx, port, 1, 11, 1)  # EEPROM with the torque on
write = dxl.GroupSyncWrite(port, handler, 116, 4)
for servo in ids:
    write.addParam(servo, list((2300 if servo in (1, 5) else 2048).to_bytes(4, "little")))
assert write.txPacket() == 0
end = time.monotonic() + 20.0
while time.monotonic() < end and abs(again(handler.read4ByteTxRx, port, 5, 132)[0] - 2300) > 6:
    time.sleep(0.05)
time.sleep(0.3)
read = dxl.GroupSyncRead(port, handler, 126, 10)
for servo in ids:
    read.addParam(servo)
again(read.txRxPacket)
bulk = dxl.GroupBulkRead(port, handler)
bulk.addParam(1, 132, 4)
bulk.addParam(2, 146, 1)
again(bulk.txRxPacket)
print(
    json.dumps(
        {
            "models": {str(k): v for k, v in found.items()},
            "refused": refused,
            "locked": locked,
            "positions": {servo: read.getData(servo, 132, 4) for servo in ids},
            "bulk": [bulk.getData(1, 132, 4), bulk.getData(2, 146, 1)],
            "stuffed": again(handler.write4ByteTxRx, port, 2, 20, 0x00FDFFFF)
            if again(handler.write1ByteTxRx, port, 2, 64, 0)
            else 0,
            "read back": again(handler.read4ByteTxRx, port, 2, 20)[0],
        }
    )
)
port.closePort()
