"""canopen's BaseNode402 drives the turntable (node 1) and the gripper (node 5) of the CiA 402 arm in every mode."""

import sys

import canopen
from asking import tell, wait

TURN = 4096
channel, eds = sys.argv[1:]
network = canopen.Network()
network.connect(interface="gearwright", channel=channel)
nodes = {}
for number in (1, 5):
    nodes[number] = node = canopen.BaseNode402(number, eds)
    network.add_node(node)
    node.nmt.state = "RESET"
    node.nmt.wait_for_bootup(5)
    node.setup_402_state_machine()
    node.tpdo[1].event_timer = 10  # [ms]: the client waits for the next statusword
    node.tpdo[1].save()
    node.nmt.state = "OPERATIONAL"
turn, jaw = nodes[1], nodes[5]
emergencies = []
turn.emcy.add_callback(lambda error: emergencies.append(error.code))


def reached(node):
    return wait(lambda: node.statusword & 0x400)


def enable(node, mode):
    node.op_mode = mode
    node.state = "OPERATION ENABLED"
    assert node.op_mode == mode and node.state == "OPERATION ENABLED"


# block transfers both ways, and the limits of the jaw's joint
text = "a catalogue number of more than seven bytes, in a block " * 17  # more than 127 segments
with jaw.sdo.open(0x6403, mode="wb", size=len(text), block_transfer=True) as stream:
    stream.write(text.encode())
with jaw.sdo.open(0x6403, mode="rb", block_transfer=True) as stream:
    tell(block=stream.read().decode() == text)
tell(limits=[jaw.sdo[0x607D][n].raw for n in (1, 2)])

# profile position, through gears and through the screw that the other finger follows
for node in (turn, jaw):
    node.sdo[0x6081].raw, node.sdo[0x6083].raw, node.sdo[0x6084].raw = 20 * TURN, 200 * TURN, 200 * TURN
    enable(node, "PROFILED POSITION")
for node, target in ((turn, 3 * TURN), (jaw, 5 * TURN)):
    node.sdo[0x607A].raw = target
    node.controlword = 0x1F
    wait(lambda node=node: not node.statusword & 0x400, 0.2)
tell(pp_reached=[bool(reached(node)) for node in (turn, jaw)])
tell(pp=[node.sdo[0x6064].raw for node in (turn, jaw)])
for node in (turn, jaw):
    node.controlword = 0x0F

# profile velocity
turn.sdo[0x60FF].raw = 0
enable(turn, "PROFILED VELOCITY")
turn.sdo[0x60FF].raw = 10 * TURN
wait(lambda: not turn.statusword & 0x400, 0.2)
tell(pv_reached=bool(reached(turn)), pv=turn.sdo[0x606C].raw)

# quick stop: with option 6 the drive stays in it, with 2 it switches off
turn.sdo[0x605A].raw = 6
turn.state = "QUICK STOP ACTIVE"
tell(quick_stop=turn.state, stopped=bool(wait(lambda: abs(turn.sdo[0x606C].raw) < TURN / 50)))
turn.state = "OPERATION ENABLED"
turn.sdo[0x605A].raw = 2
turn.controlword = 0x02
tell(quick_stop_off=bool(wait(lambda: turn.state == "SWITCH ON DISABLED")))

# profile torque: a push of 20 ‰ turns it
turn.sdo[0x6071].raw = 0
enable(turn, "PROFILED TORQUE")
turn.sdo[0x6071].raw = 20
tell(pt=bool(wait(lambda: turn.sdo[0x6077].raw == 20)), pt_moves=bool(wait(lambda: turn.sdo[0x606C].raw > TURN)))
turn.sdo[0x6071].raw = 0
turn.state = "SWITCH ON DISABLED"
wait(lambda: abs(turn.sdo[0x606C].raw) < TURN / 50, 5.0)

# homing where it stands, and the gripper at its stop
turn.sdo[0x6098].raw, turn.sdo[0x607C].raw = 37, 1000
tell(homed_before=turn.is_homed())
tell(homing=turn.homing(timeout=2), homed=turn.sdo[0x6064].raw)
jaw.sdo[0x6099][1].raw, jaw.sdo[0x6099][2].raw, jaw.sdo[0x609A].raw = 5 * TURN, TURN // 2, 100 * TURN
jaw.sdo[0x6098].raw = 17
tell(switch_homing=jaw.homing(timeout=20), switch_homed=jaw.sdo[0x6064].raw, switch=jaw.sdo[0x607D][1].raw)
jaw.sdo[0x6098].raw = -3
enable(jaw, "HOMING")
jaw.controlword = 0x1F  # by hand: `homing` may see the statusword of the home before
wait(lambda: not jaw.statusword & 0x1000)
tell(jaw_homing=bool(wait(lambda: jaw.statusword & 0x1400 == 0x1400)), jaw_homed=jaw.sdo[0x6064].raw)
jaw.state = "SWITCH ON DISABLED"

# cyclic modes, by PDO and SYNC, after a remap
turn.nmt.state = "PRE-OPERATIONAL"
turn.rpdo[2].clear()
turn.rpdo[2].add_variable(0x607A)
turn.rpdo[2].add_variable(0x60FF)
turn.rpdo[2].trans_type = 1
turn.tpdo[3].clear()
for index in (0x6064, 0x60F4):
    turn.tpdo[3].add_variable(index)
turn.tpdo[3].trans_type = 1
turn.rpdo[2].save()
turn.tpdo[3].save()
turn.nmt.state = "OPERATIONAL"
enable(turn, "CYCLIC SYNCHRONOUS POSITION")
begin = turn.sdo[0x6064].raw
received = []  # counted: `wait_for_reception` misses a frame that is there before it waits
turn.tpdo[3].add_callback(received.append)
for k in range(1, 101):
    before = len(received)
    turn.rpdo[2][0x607A].raw = begin + k * TURN // 50
    turn.rpdo[2].transmit()
    network.sync.transmit()
    assert wait(lambda before=before: len(received) > before)
wait(lambda: abs(turn.sdo[0x6064].raw - begin - 2 * TURN) < 20)
tell(csp=turn.sdo[0x6064].raw - begin, csp_pdo=len(turn.tpdo[3].map))
enable(turn, "CYCLIC SYNCHRONOUS VELOCITY")
turn.sdo[0x60FF].raw = 5 * TURN
tell(csv=bool(wait(lambda: abs(turn.sdo[0x606C].raw - 5 * TURN) < TURN / 50)))
turn.sdo[0x60FF].raw = 0
wait(lambda: abs(turn.sdo[0x606C].raw) < TURN / 50)
enable(turn, "CYCLIC SYNCHRONOUS TORQUE")
turn.sdo[0x6071].raw = -30
tell(cst=bool(wait(lambda: turn.sdo[0x6077].raw == -30)), emergencies=emergencies)
turn.state = "SWITCH ON DISABLED"
network.disconnect()
