"""A gripper lifts a cube, and drops it when its motor gets too little torque.

Motor, screw, fingers and friction are one problem. In the air the motor's torque falls slowly. The cube slides as soon
as twice the friction of a pad is less than its weight; friction of motor and rails helps to hold it.
"""

from dataclasses import replace

import numpy as np
from canvas import BLUE, GREY, ORANGE, named, poses_of, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DT, LIFTED, DURATION = 1e-3, 0.9, 2.4  # [s]
SLID = 2e-5  # [m] by which a cube that slides has moved
MASS, FRICTION = 0.5, 0.8  # of the cube [kg], between it and the pads
STRONG, LEAST = 8e-3, 0.2e-3  # torque of the motor at first and at last [N·m]
RATIO, RAILS, ROTOR = 2 * np.pi / 0.002, 1.2, 4e-4  # of the screw [rad/m]; friction of rails [N] and motor [N·m]
CAMERA = Camera(azimuth=24.0, elevation=12.0)


def scene():
    """The gripper upside down on a hoist, above a cube on a table."""
    robot = gw.load("gripper")
    rail = robot.joints["right_finger"].axes[0]
    limits = replace(rail.limits, lower=-np.inf, upper=np.inf, effort=np.inf, velocity=np.inf)
    down = replace(rail, xyz=(0.0, 0.0, -1.0), limits=limits, dynamics=replace(rail.dynamics, damping=0, friction=0))
    hoist = replace(robot.joints["mount"], name="hoist", kind="prismatic", axes=(down,))
    joints = {"hoist": hoist, **{n: j for n, j in robot.joints.items() if n != "mount"}}
    lift = gw.Actuator(name="lift", joint="hoist", command="position", stiffness=2e4, damping_gain=600.0)
    world = gw.World()
    world.add(replace(robot, joints=joints).with_actuator(lift), pose=(0, 0, 0.15, np.pi, 0, 0))
    world.box("cube", size=(0.03,) * 3, mass=MASS, pose=(0, 0, 0.015), friction=FRICTION)
    world.box("table", size=(0.16, 0.08, 0.01), pose=(0, 0, -0.005))
    return world.finish()


def torque(t):
    """Full until the cube is up, then falling."""
    return STRONG if t < LIFTED else STRONG + (LEAST - STRONG) * (t - LIFTED) / (DURATION - LIFTED)


def height(t):
    """Of the hoist, half a second after the grip."""
    return 0.08 * np.clip((t - 0.3) / 0.5, 0, 1) ** 2 * (3 - 2 * np.clip((t - 0.3) / 0.5, 0, 1))


def commanded(sim):
    return {"motor": -torque(sim.time), "lift": height(sim.time)}


def least_torque():
    """At which the cube slides: friction of motor and rails keeps part of the grip while the torque falls."""
    return (MASS * 9.8 / FRICTION - RAILS) / RATIO - ROTOR


def lifted(robot):
    sim = gw.compile(robot, dt=DT)
    sim.reset(position={"right_finger": 0.018})
    return sim


def drop(run):
    """When the cube has begun to slide out of the gripper."""
    apart = run.position["cube.z"] - run.position["hoist"]
    up = np.searchsorted(run.time, LIFTED)
    slid = np.flatnonzero(apart[up:] < apart[up] - SLID)
    return float(run.time[up + slid[0]]) if len(slid) else np.inf


def main() -> None:
    robot = scene()
    run = lifted(robot).run(DURATION, controller=commanded)
    figure, panels = plt.subplot_mosaic(
        [["strip", "strip"], ["height", "torque"]], figsize=(9.6, 6.0), height_ratios=(1.2, 1), layout="constrained"
    )
    panels["height"].plot(run.time, 1e3 * (run.position["cube.z"] - 0.015), color=ORANGE, label="cube")
    panels["height"].plot(run.time, 1e3 * run.position["hoist"], color=BLUE, linestyle="--", label="gripper")
    panels["height"].legend(frameon=False)
    panels["torque"].plot(run.time, -1e3 * run.actuator["motor"].torque, color=BLUE)
    panels["torque"].axhline(1e3 * least_torque(), color=GREY, linewidth=0.9, linestyle="--")
    panels["torque"].axvline(drop(run), color=ORANGE, linewidth=1)
    panels["torque"].annotate("it slides", (drop(run), 6), (-5, 0), textcoords="offset points", ha="right")
    named(panels["height"], "Lifted, then dropped", y="[mm]")
    named(panels["torque"], "Torque of the motor; dashed: the least that holds", y="[mN·m]")
    strip(panels["strip"], robot, moments(robot, drop(run)), CAMERA, apart=170)
    save(figure, __file__)


def moments(robot, slides):
    sim = lifted(robot)
    for t in (0.0, 0.3, LIFTED, slides + 0.12, slides + 0.3):
        if t > sim.time:
            sim.run(t - sim.time, controller=commanded)
        yield f"{t:.2f} s", poses_of(sim)


if __name__ == "__main__":
    main()
