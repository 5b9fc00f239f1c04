"""canopen's BaseNode402 sees the faults of a CiA 402 drive, and resets them."""

import sys
import time

import canopen
from asking import ask, tell, wait

TURN = 4096
channel, eds = sys.argv[1:]
network = canopen.Network()
network.connect(interface="gearwright", channel=channel)
node = canopen.BaseNode402(1, eds)
network.add_node(node)
node.nmt.state = "RESET"
node.nmt.wait_for_bootup(5)
node.setup_402_state_machine()
node.tpdo[1].event_timer = 10  # [ms]: the client waits for the next statusword
node.tpdo[1].save()
node.nmt.state = "OPERATIONAL"
codes = []
node.emcy.add_callback(lambda error: codes.append(error.code))


def enable(mode):
    node.op_mode = mode
    node.state = "OPERATION ENABLED"


def provoked(name, request, mode="CYCLIC SYNCHRONOUS VELOCITY", push=lambda: None):
    """Enables, injects, waits for the fault, clears and resets: the code, and the state after the reset."""
    codes.clear()
    enable(mode)
    ask(request)
    push()
    found = wait(lambda: node.state == "FAULT")
    code = node.sdo[0x603F].raw
    ask("clear")
    time.sleep(0.02)
    if name == "over_temperature":
        node.reset_from_fault()  # takes the client 0.4 s
    else:
        node.state = "SWITCH ON DISABLED"
    tell(**{name: [bool(found), code, list(codes), node.state]})
    node.sdo[0x60FF].raw = 0
    node.state = "SWITCH ON DISABLED"


def move():
    node.sdo[0x6081].raw, node.sdo[0x6083].raw = 20 * TURN, 200 * TURN
    here = node.sdo[0x6064].raw  # a frozen encoder lets it run to its stop: back from there
    node.sdo[0x607A].raw = here + (-20 if here > 0 else 20) * TURN
    node.controlword = 0x1F


def spin():
    node.sdo[0x60FF].raw = 5 * TURN


provoked("over_temperature", "inject over-temperature turn_motor")
provoked("under_voltage", "inject under-voltage")
provoked("encoder_freeze", "inject encoder-freeze turn_motor", "PROFILED POSITION", move)
provoked("open_winding", "inject open-winding turn_motor", push=spin)
provoked("stall", "inject stall turn_motor", "PROFILED POSITION", move)

# heartbeat of the master lost
node.sdo[0x1016][1].raw = 0x7F << 16 | 100
task = network.send_periodic(0x77F, b"\x05", 0.03)
enable("CYCLIC SYNCHRONOUS VELOCITY")
time.sleep(0.3)
before = node.state
task.stop()
tell(heartbeat=[before, bool(wait(lambda: 0x8130 in codes)), node.sdo[0x6041].raw & 0x4F, node.sdo[0x1001].raw])
node.sdo[0x1016][1].raw = 0
node.nmt.state = "OPERATIONAL"
codes.clear()
node.state = "SWITCH ON DISABLED"

# node guarding lost
node.sdo[0x100C].raw, node.sdo[0x100D].raw = 50, 3
node.nmt.start_node_guarding(0.03)
guards = []
node.nmt.add_heartbeat_callback(guards.append)
enable("CYCLIC SYNCHRONOUS VELOCITY")
time.sleep(0.3)
before = node.state
node.nmt.stop_node_guarding()
tell(guarding=[before, len(guards) > 5, bool(wait(lambda: 0x8130 in codes)), node.sdo[0x6041].raw & 0x4F])
node.sdo[0x100C].raw = 0

# a power cycle: silence, then a boot-up message
ask("inject brown-out")
node.nmt.wait_for_bootup(5)
tell(brown_out=node.sdo[0x6041].raw & 0x4F)

# bus-off, a lost connector: SDO times out; afterwards it works
for fault in ("bus-off", "unplug turn_motor", "drop", "corrupt"):
    ask(f"inject {fault}")
    time.sleep(0.02)
    try:
        node.sdo.RESPONSE_TIMEOUT = 0.1
        _ = node.sdo[0x6041].raw
        silent = False
    except canopen.SdoCommunicationError:
        silent = True
    ask("clear")
    time.sleep(0.2)
    tell(**{fault.split()[0].replace("-", "_"): [silent, node.sdo[0x1000].raw]})

# late frames are late, doubled ones change nothing
node.sdo.RESPONSE_TIMEOUT = 1.0
start = time.monotonic()
ask("inject delay - 0.05")
late = node.sdo[0x1000].raw
tell(delay=[late, time.monotonic() - start > 0.09])
ask("clear")
ask("inject duplicate")
tell(duplicate=[node.sdo[0x1000].raw for _ in range(3)])
ask("clear")
network.disconnect()
