"""A gripper closes on a part: motor, screw, two coupled fingers, and something to hold.

The part is a soft stop at 9 mm for each finger. The motor runs along its torque-speed curve until the pads touch. Then
the rotor, forty times as heavy as a finger when seen through the screw, presses them in further than the motor's torque
alone would. The screw loses more than half of the power, so it gives only part of that back, and the grip stays
stronger than the torque alone would make it.
"""

from dataclasses import replace

import numpy as np
from canvas import BLUE, GREEN, GREY, ORANGE, PINK, named, poses_of, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DT, DURATION, OPEN = 2e-4, 0.45, 0.04  # [s], [s], [m]
PART, STIFFNESS = 0.009, 4e4  # half its width [m], and what it takes to dent it, each side [N/m]
COMMANDS = {-0.012: BLUE, -0.008: GREEN, -0.005: PINK}  # [N·m]
EFFICIENCY = 0.45  # of the screw, greased
RATIO = 2 * np.pi / 0.002  # of the screw [rad/m]
CAMERA = Camera(azimuth=24.0, elevation=20.0)


def main() -> None:
    robot = with_part(gw.load("gripper"))
    figure, panels = plt.subplot_mosaic(
        [["strip", "strip", "strip"], ["plane", "fingers", "grip"]],
        figsize=(11.4, 6.2), height_ratios=(0.9, 1), layout="constrained",
    )  # fmt: skip
    speed = np.linspace(0, 780, 300)
    for command, colour in COMMANDS.items():
        sim = gw.compile(robot, dt=DT)
        sim.reset(position={"right_finger": OPEN})
        run = sim.run(DURATION, command={"motor": command})
        shaft, label = run.actuator["motor"], f"{-1e3 * command:.0f} mN·m"
        edge = 1e3 * np.array(robot.actuators["motor"].effort_at(-command, speed))
        panels["plane"].plot(speed, edge, color=GREY, linewidth=0.9, linestyle="--")
        panels["plane"].plot(-shaft.velocity[::5], -1e3 * shaft.torque[::5], ".", color=colour, markersize=4)
        panels["fingers"].plot(run.time, 1e3 * run.position["right_finger"], color=colour, label=label)
        grip = STIFFNESS * np.maximum(0.0, PART - run.position["right_finger"])
        panels["grip"].plot(run.time, grip, color=colour, label=label)
        panels["grip"].axhline(-command * RATIO * EFFICIENCY / 2, color=colour, linewidth=0.9, linestyle="--")
    panels["fingers"].axhline(1e3 * PART, color=ORANGE, linewidth=1)
    panels["fingers"].annotate(
        "the part", (DURATION, 1e3 * PART), (0, -11), textcoords="offset points", ha="right", color=ORANGE
    )
    panels["plane"].set_xlim(-60, 800)
    named(panels["plane"], "Closing, on the torque-speed curve", "motor speed [rad/s]", "torque [mN·m]")
    named(panels["fingers"], "Each finger, from the middle", y="[mm]")
    named(panels["grip"], "Grip of each finger; dashed: of the torque alone", y="[N]")
    panels["grip"].legend(frameon=False, fontsize=8, loc="upper left", title="command", title_fontsize=8)
    strip(panels["strip"], robot, moments(robot), CAMERA, apart=190)
    save(figure, __file__)


def with_part(robot):
    """The fingers' inner stops are where the part is, and as soft as it; and the screw has its losses."""
    joints = dict(robot.joints)
    for name in ("right_finger", "left_finger"):
        (axis,) = joints[name].axes
        limits = replace(axis.limits, lower=PART, stiffness=STIFFNESS, dissipation=60.0)
        joints[name] = replace(joints[name], axes=(replace(axis, limits=limits),))
    spindle = replace(
        robot.transmissions["spindle"], losses=gw.Losses(efficiency=EFFICIENCY, backward_efficiency=EFFICIENCY)
    )
    return replace(robot, joints=joints, transmissions={"spindle": spindle})


def moments(robot):
    sim = gw.compile(robot, dt=DT)
    sim.reset(position={"right_finger": OPEN})
    sim.step(command={"motor": -0.012}, n=0)
    for _ in range(6):
        yield f"{1e3 * sim.time:.0f} ms", poses_of(sim)
        sim.step(n=round(0.032 / DT))


if __name__ == "__main__":
    main()
