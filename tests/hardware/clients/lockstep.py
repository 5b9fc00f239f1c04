"""A closed loop over SYNC, by python-can alone: positions in, targets out; tells its rate and a digest of the bus."""

import hashlib
import struct
import sys
import time

import can
from asking import tell

channel, count, cycles = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
nodes = range(1, count + 1)
bus = can.Bus(interface="gearwright", channel=channel)


def send(id: int, data: bytes = b"") -> None:
    bus.send(can.Message(arbitration_id=id, data=data, is_extended_id=False))


def sdo(node: int, data: bytes) -> bytes:
    send(0x600 + node, data.ljust(8, b"\0"))
    while True:
        message = bus.recv(2.0)
        assert message is not None
        if message.arbitration_id == 0x580 + node:
            assert message.data[0] != 0x80, message
            return bytes(message.data)


for node in nodes:
    sdo(node, struct.pack("<BHBI", 0x23, 0x1401, 1, 0x80000300 + node))
    sdo(node, struct.pack("<BHBB", 0x2F, 0x1401, 2, 1))  # taken at SYNC
    sdo(node, struct.pack("<BHBI", 0x23, 0x1401, 1, 0x300 + node))
    sdo(node, struct.pack("<BHBI", 0x23, 0x1802, 1, 0x80000380 + node))  # no third TPDO
    sdo(
        node, struct.pack("<BHBB", 0x2F, 0x1800, 2, 253)
    )  # the state only when it is asked for: its timer is wall-clock's
    sdo(node, struct.pack("<BHBB", 0x2F, 0x6060, 0, 8))
send(0, b"\x01\0")
for node in nodes:
    for word in (6, 7, 15):
        sdo(node, struct.pack("<BHBH", 0x2B, 0x6040, 0, word))
while bus.recv(0.05) is not None:
    pass

digest = hashlib.sha256()
ids = {0x280 + node for node in nodes}
begin = {}
start, busy = time.perf_counter(), time.process_time()
for k in range(cycles):
    send(0x80)
    waiting = set(ids)
    while waiting:
        message = bus.recv(2.0)
        assert message is not None, (k, waiting)
        if k:
            digest.update(message.arbitration_id.to_bytes(2, "little") + message.data)
        waiting.discard(message.arbitration_id)
        position, velocity = struct.unpack("<ii", message.data)
        node = message.arbitration_id - 0x280
        start_at = begin.setdefault(node, position)
        target = start_at + k + (position - start_at) // 16  # a loop that depends on what it measures
        send(0x300 + node, struct.pack("<ii", min(max(target, -(2**31)), 2**31 - 1), 0))
elapsed = time.perf_counter() - start
tell(
    rate=cycles / elapsed,
    busy=(time.process_time() - busy) / cycles,
    digest=digest.hexdigest(),
    last=position - start_at,
)
bus.shutdown()
