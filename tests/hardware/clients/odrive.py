"""odrive-can drives a joint of the CiA 402 arm, whose actuators speak CANSimple here."""

import asyncio
import sys

import can
from asking import ask, tell
from odrive_can.odrive import DriveError, HeartbeatError, ODriveCAN


async def until(condition, seconds=15.0, send=lambda: None):
    """Waits; what is sent meanwhile feeds the drive's watchdog."""
    for _ in range(int(seconds / 0.01)):
        if condition():
            return
        send()
        await asyncio.sleep(0.01)


async def main(channel: str, axis: int) -> None:
    drive = ODriveCAN(axis, can_bus=can.Bus(interface="gearwright", channel=channel))
    seen = []
    drive.feedback_callback = lambda message, _: seen.append(message.data)
    await drive.start()
    drive.check_alive()
    drive.check_errors()

    await drive.set_axis_state("CLOSED_LOOP_CONTROL")
    drive.set_controller_mode("POSITION_CONTROL", "TRAP_TRAJ")
    drive.set_traj_vel_limit(10.0)
    drive.set_traj_accel_limits(100.0, 100.0)
    await until(
        lambda: len(seen) > 30 and abs(seen[-1]["Pos_Estimate"] - 2.0) < 0.01, send=lambda: drive.set_input_pos(2.0)
    )
    tell(position=seen[-1]["Pos_Estimate"], cyclic=len(seen))  # the client mixes its answers up with cyclic ones
    tell(bus=await drive.get_bus_voltage_current(), iq=await drive.get_iq())

    drive.set_controller_mode("VELOCITY_CONTROL", "PASSTHROUGH")
    await until(lambda: abs(seen[-1]["Vel_Estimate"] - 3.0) < 0.1, send=lambda: drive.set_input_vel(3.0))
    tell(velocity=seen[-1]["Vel_Estimate"])
    drive.set_input_vel(0.0)

    # a fault disarms; it is cleared once its cause is gone
    ask("inject over-temperature right_jaw_motor")
    await until(lambda: drive.axis_state == "IDLE")
    try:
        drive.check_errors()
        sys.exit("no hot")
    except DriveError as error:
        tell(hot=str(error))
    ask("clear")
    drive.clear_errors()
    await drive.wait_for_heartbeat()
    await drive.wait_for_heartbeat()
    drive.check_errors()

    # silence: the client misses the heartbeat, the drive its watchdog
    await drive.set_axis_state("CLOSED_LOOP_CONTROL")
    await until(lambda: drive.axis_state == "IDLE")
    try:
        drive.check_errors()
        sys.exit("no watchdog")
    except DriveError as error:
        tell(watchdog=str(error), idle=drive.axis_state)
    drive.clear_errors()
    ask("inject bus-off")
    await asyncio.sleep(0.7)
    try:
        drive.check_alive()
        sys.exit("no silence")
    except HeartbeatError as error:
        tell(silence=str(error))
    ask("clear")
    await drive.wait_for_heartbeat()
    drive.stop()


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
