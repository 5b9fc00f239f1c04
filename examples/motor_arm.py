"""A motor, a gearbox and an arm: the operating point on the torque-speed curve.

At full command the motor lifts the arm, over the top and round. Its torque is what the curve allows at the
speed that this very torque leads to, so that the point lies on the edge, whatever the ratio and the step. Gravity
moves it along: towards stall on the way up, and beyond the no-load speed on the way down, where the motor brakes.
"""

import numpy as np
from canvas import BLUE, GREY, HERE, ORANGE, RED, named, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import FRONT

DT, DURATION, COMMAND = 2e-4, 1.6, 0.3  # [s], [s], [N·m]


def main() -> None:
    robot = gw.load(HERE / "motor_arm.sdf")
    sim = gw.compile(robot, dt=DT)
    run = sim.run(DURATION, command={"motor": COMMAND})
    motor, shaft = robot.actuators["motor"], run.actuator["motor"]

    figure, panels = plt.subplot_mosaic(
        [["plane", "angle"], ["plane", "torque"], ["strip", "strip"]],
        figsize=(10, 7.4), height_ratios=(1, 1, 0.95), width_ratios=(1.25, 1), layout="constrained",
    )  # fmt: skip
    plane = panels["plane"]
    speed = np.linspace(0, 640, 400)
    edge = np.array(motor.effort_at(COMMAND, speed))
    plane.fill_between(speed, edge, 0, color=GREY, alpha=0.14, linewidth=0, label="between command and curve")
    plane.plot(speed, edge, color=GREY, linewidth=1, linestyle="--")
    dots = plane.scatter(shaft.velocity[::25], shaft.torque[::25], c=run.time[::25], s=14, cmap="viridis", zorder=4)
    plane.axhline(0, color=GREY, linewidth=0.8)
    figure.colorbar(dots, ax=plane, label="time [s]", pad=0.02, aspect=34)
    named(
        plane, "The operating point stays on the edge of what the motor can give", "motor speed [rad/s]", "torque [N·m]"
    )
    plane.legend(frameon=False, loc="upper right")

    turns = run.position["elbow"] / (2 * np.pi)
    panels["angle"].plot(run.time, turns, color=BLUE)
    named(panels["angle"], "The arm", y="turns")
    panels["torque"].plot(run.time, shaft.torque, color=RED, label="motor [N·m]")
    load = 2.4 * 9.8 * 0.32 * np.sin(run.position["elbow"]) / 60
    panels["torque"].plot(run.time, load, color=ORANGE, linestyle="--", label="gravity, seen from the motor [N·m]")
    panels["torque"].legend(frameon=False, fontsize=8)
    named(panels["torque"], "Motor and load")

    strip(panels["strip"], robot, moments(robot, run), FRONT, apart=950)
    save(figure, __file__)


def moments(robot, run):
    """The arm on its first way round, at equal times."""
    last = int(np.searchsorted(run.position["elbow"], 2 * np.pi))
    for k in np.linspace(0, last, 8).round().astype(int):
        at = robot.forward_kinematics({"elbow": run.position["elbow"][k]})
        yield f"{1e3 * run.time[k]:.0f} ms", {name: np.array(X) for name, X in at.items()}


if __name__ == "__main__":
    main()
