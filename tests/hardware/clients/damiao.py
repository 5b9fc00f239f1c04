"""damiao-motor drives joints of the Damiao arm in its four modes."""

import sys
import time

from asking import ask, tell, wait
from damiao_motor import DaMiaoController

controller = DaMiaoController(sys.argv[1], "gearwright")
turn = controller.add_motor(1, 0x11, motor_type="8009")
gripper = controller.add_motor(8, 0x18, motor_type="4310")


def commanded(send, condition, seconds=15.0):
    """Sends until a condition holds."""
    return wait(lambda: send() or time.sleep(0.001) or condition(), seconds)


def at(motor, position, tolerance):
    return abs(motor.get_states()["pos"] - position) < tolerance


def change_mode(number, name):
    """The client keeps what it has read, so that it would compare with the old mode."""
    turn.set_control_mode(number)
    time.sleep(0.02)
    turn.registers.clear()
    turn.ensure_control_mode(name)


turn.ensure_control_mode("MIT")
registers = turn.read_all_registers()
tell(registers=len(registers), unread=[k for k, v in registers.items() if isinstance(v, str)], ranges=registers[23])
turn.request_motor_feedback()
tell(disabled=bool(wait(lambda: turn.get_states().get("status") == "DISABLED")))
turn.enable()
gripper.enable()
wait(lambda: gripper.get_states().get("status") == "ENABLED")


def both():
    turn.send_cmd_mit(0.5, stiffness=80.0, damping=4.0)
    gripper.send_cmd_mit(-0.5, stiffness=8.0, damping=0.2)


mit = commanded(both, lambda: at(turn, 0.5, 0.01) and at(gripper, -0.5, 0.05) and abs(turn.get_states()["vel"]) < 0.1)
tell(mit=bool(mit), status=turn.get_states()["status"])

change_mode(2, "POS_VEL")
tell(pos_vel=bool(commanded(lambda: turn.send_cmd_pos_vel(0.0, 4.0), lambda: at(turn, 0.0, 0.01))))
change_mode(3, "VEL")
tell(vel=bool(commanded(lambda: turn.send_cmd_vel(1.0), lambda: abs(turn.get_states()["vel"] - 1.0) < 0.1)))
change_mode(4, "FORCE_POS")
tell(force_pos=bool(commanded(lambda: turn.send_cmd_force_pos(0.2, 3.0, 0.5), lambda: at(turn, 0.2, 0.02))))
change_mode(1, "MIT")

turn.set_zero_position()
turn.request_motor_feedback()
tell(zero=bool(wait(lambda: at(turn, 0.0, 0.02))))


def status(name, seconds=15.0):
    return bool(
        wait(lambda: turn.request_motor_feedback() or time.sleep(0.002) or turn.get_states()["status"] == name, seconds)
    )


faults = {}
for request, name in (("over-temperature joint_1_drive", "ROTOR_OVER_TEMP"), ("under-voltage", "UNDER_VOLTAGE")):
    ask(f"inject {request}")
    faults[name] = status(name)
    ask("clear")
    time.sleep(0.02)
    turn.clear_error()
    faults[f"after {name}"] = status("DISABLED")
    turn.enable()
    faults[f"again {name}"] = status("ENABLED")
turn.set_can_timeout(50)
time.sleep(0.6)  # a busy machine simulates only a part of it
turn.request_motor_feedback()
faults["LOST_COMM"] = bool(wait(lambda: turn.get_states()["status"] == "LOST_COMM", 2.0))
turn.clear_error()
turn.set_can_timeout(0)
tell(faults=faults)
controller.shutdown()
