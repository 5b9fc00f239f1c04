"""Boxes on a belt: friction takes them along.

A box gains the speed μ·g·t until it moves with the belt. The belt itself stands still; its surface moves.
"""

import numpy as np
from canvas import BLUE, GREY, ORANGE, named, poses_of, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DT, DURATION, G = 1e-3, 1.2, 9.81  # [s], [s], [m/s²]
SPEED, LENGTH = 0.6, 1.2  # of the belt [m/s], [m]
FRICTION = {"parcel": 0.15, "crate": 0.5}
CAMERA = Camera(azimuth=30.0, elevation=24.0)


def scene():
    world = gw.World("conveyor", gravity=(0, 0, -G))
    world.box("belt", size=(LENGTH, 0.3, 0.06), pose=(0, 0, -0.03), velocity=(SPEED, 0, 0), color=(0.35, 0.37, 0.4))
    world.box("parcel", size=(0.1, 0.1, 0.06), mass=0.5, pose=(-0.45, 0.08, 0.03), friction=FRICTION["parcel"])
    world.box("crate", size=(0.12, 0.1, 0.1), mass=2.0, pose=(-0.45, -0.08, 0.05), friction=FRICTION["crate"])
    return world.finish()


def main() -> None:
    robot = scene()
    run = gw.compile(robot, dt=DT, contacts=[("parcel", "belt"), ("crate", "belt")]).run(DURATION)
    figure, panels = plt.subplot_mosaic(
        [["strip", "strip"], ["speed", "place"]], figsize=(9.6, 5.6), height_ratios=(1.1, 1), layout="constrained"
    )
    for name, colour in (("parcel", ORANGE), ("crate", BLUE)):
        panels["speed"].plot(run.time, run.velocity[f"{name}.x"], color=colour, label=f"{name}, μ = {FRICTION[name]}")
        panels["place"].plot(run.time, run.position[f"{name}.x"], color=colour)
        panels["speed"].plot(
            run.time, np.minimum(FRICTION[name] * G * run.time, SPEED), color=GREY, linewidth=0.9, linestyle="--"
        )
    panels["speed"].legend(frameon=False, fontsize=8)
    named(panels["speed"], "Speed; dashed: μ·g·t, up to that of the belt", y="[m/s]")
    named(panels["place"], "Place", y="[m]")
    strip(panels["strip"], robot, moments(robot), CAMERA, apart=1350)
    save(figure, __file__)


def moments(robot):
    sim = gw.compile(robot, dt=DT, contacts=[("parcel", "belt"), ("crate", "belt")])
    for t in (0.0, 0.4, 1.2):
        sim.step(n=round((t - sim.time) / DT))
        yield f"{t:.1f} s", poses_of(sim)


if __name__ == "__main__":
    main()
