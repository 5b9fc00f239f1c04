"""Boxes on two belts: friction takes them along, and brakes them on the slower second belt.

On the first belt a box gains the speed μ·g·t until it moves with the belt. The belts stand still themselves; their
surfaces move.
"""

import numpy as np
from canvas import BLUE, GREY, ORANGE, named, poses_of, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DT, DURATION, G = 1e-3, 2.6, 9.81  # [s], [s], [m/s²]
FAST, SLOW = 0.6, 0.2  # speeds of the belts [m/s]
FRICTION = {"parcel": 0.15, "crate": 0.5}
LENGTH = 0.8  # of a belt [m]
CAMERA = Camera(azimuth=30.0, elevation=24.0)


def scene():
    world = gw.World("conveyor", gravity=(0, 0, -G))
    for k, (name, speed) in enumerate((("fast_belt", FAST), ("slow_belt", SLOW))):
        world.box(
            name, size=(LENGTH, 0.3, 0.06), pose=(LENGTH * k, 0, -0.03), velocity=(speed, 0, 0), color=(0.35, 0.37, 0.4)
        )
    world.box("parcel", size=(0.1, 0.1, 0.06), mass=0.5, pose=(-0.3, 0.08, 0.03), friction=FRICTION["parcel"])
    world.box("crate", size=(0.12, 0.1, 0.1), mass=2.0, pose=(-0.3, -0.08, 0.05), friction=FRICTION["crate"])
    return world.finish()


def main() -> None:
    robot = scene()
    run = gw.compile(robot, dt=DT, contacts=[("parcel", "*_belt"), ("crate", "*_belt")]).run(DURATION)
    figure, panels = plt.subplot_mosaic(
        [["strip", "strip"], ["speed", "place"]], figsize=(9.6, 5.6), height_ratios=(1.1, 1), layout="constrained"
    )
    for name, colour in (("parcel", ORANGE), ("crate", BLUE)):
        panels["speed"].plot(run.time, run.velocity[f"{name}.x"], color=colour, label=f"{name}, μ = {FRICTION[name]}")
        panels["place"].plot(run.time, run.position[f"{name}.x"], color=colour)
        panels["speed"].plot(
            run.time, np.minimum(FRICTION[name] * G * run.time, FAST), color=GREY, linewidth=0.9, linestyle="--"
        )
    panels["place"].axhline(LENGTH / 2, color=GREY, linewidth=0.9, linestyle="--")
    panels["speed"].legend(frameon=False, fontsize=8)
    named(panels["speed"], "Speed; dashed: μ·g·t, up to the first belt's", y="[m/s]")
    named(panels["place"], "Place; dashed: where the second belt begins", y="[m]")
    strip(panels["strip"], robot, moments(robot), CAMERA, apart=1900)
    save(figure, __file__)


def moments(robot):
    sim = gw.compile(robot, dt=DT, contacts=[("parcel", "*_belt"), ("crate", "*_belt")])
    for t in (0.0, 0.8, 2.4):
        sim.step(n=round((t - sim.time) / DT))
        yield f"{t:.1f} s", poses_of(sim)


if __name__ == "__main__":
    main()
