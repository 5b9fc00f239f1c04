"""A four-bar twice: as bodies with a closed loop, and as a transmission whose ratio depends on the position.

The linkage hangs tilted, so that the rocker swings like a pendulum and drives a flywheel on the crank back and forth.
One model has four bodies and four pins, the other one joint and the closed form of the linkage; the flywheel, felt
through a ratio that changes from 2.0 to 2.6, must slow the rocker in the same way. The two models differ only by the
error of the time step: halving the step halves the difference.
"""

import numpy as np
from canvas import BLUE, GREEN, GREY, HERE, ORANGE, PINK, named, poses_of, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DURATION, START = 2.0, 1.8  # [s]; the rocker's angle from the ground line [rad]
DRAWN = 1.7027819233538584  # the rocker's angle at which the file draws the closed loop [rad]
GRAVITY = 9.8 * np.array([np.cos(2.15), 0.0, np.sin(2.15)])  # the rocker's middle position is down [m/s²]
STEPS = {1e-3: PINK, 5e-4: ORANGE, 2.5e-4: GREEN, 1.25e-4: BLUE}  # [s]


def main() -> None:
    closed, reduced = (gw.load(HERE / f"four_bar_{name}.sdf") for name in ("closed", "transmission"))
    figure, panels = plt.subplot_mosaic(
        [["strip", "strip"], ["rocker", "ratio"], ["flywheel", "difference"]],
        figsize=(10, 7.6), height_ratios=(0.85, 1, 1), layout="constrained",
    )  # fmt: skip
    for dt, colour in STEPS.items():
        bodies, transmission = simulated(closed, dt, START - DRAWN), simulated(reduced, dt, START)
        angle = bodies.position["pin_d"] + DRAWN
        difference = np.abs(angle - transmission.position["pin_d"])
        panels["difference"].plot(bodies.time, difference, color=colour, label=f"{1e3 * dt:g} ms", linewidth=1.2)
    panels["difference"].set_yscale("log")
    panels["difference"].set_ylim(1e-7, 5e-2)
    panels["difference"].legend(frameon=False, ncols=2, fontsize=8, loc="upper left")
    named(panels["difference"], "Between the two models, by the length of the step", y="rocker [rad]")
    show(panels, bodies, transmission)
    strip(panels["strip"], closed, moments(closed), Camera(azimuth=9.0, elevation=13.0), apart=185)
    save(figure, __file__)


def simulated(robot, dt, start):
    sim = gw.compile(robot, dt=dt, gravity=GRAVITY)
    sim.reset(position={"pin_d": start})
    return sim.run(DURATION)


def show(panels, bodies, transmission) -> None:
    t, rocker = transmission.time, transmission.position["pin_d"]
    panels["rocker"].plot(t, np.degrees(bodies.position["pin_d"] + DRAWN), color=BLUE, label="bodies and pins")
    panels["rocker"].plot(t, np.degrees(rocker), color=ORANGE, linestyle=(0, (4, 4)), label="transmission")
    panels["rocker"].legend(frameon=False, ncols=2, fontsize=8, loc="upper right")
    panels["rocker"].set_ylim(100, 152)
    named(panels["rocker"], "The rocker", y="angle [°]")
    panels["flywheel"].plot(t, bodies.actuator["flywheel"].velocity, color=BLUE)
    panels["flywheel"].plot(t, transmission.actuator["flywheel"].velocity, color=ORANGE, linestyle=(0, (4, 4)))
    named(panels["flywheel"], "The flywheel", y="speed [rad/s]")
    linkage = transmission.robot.transmissions["linkage"].map
    phi = np.linspace(rocker.min(), rocker.max(), 200)[:, None]
    panels["ratio"].plot(np.degrees(phi[:, 0]), linkage.actuator_per_joint_at(phi)[:, 0, 0], color=GREY)
    named(panels["ratio"], "Turns of the crank per turn of the rocker", "rocker [°]", "ratio")


def moments(robot):
    """From one end of the swing to the other."""
    sim = gw.compile(robot, dt=5e-4, gravity=GRAVITY)
    sim.reset(position={"pin_d": START - DRAWN})
    for _ in range(6):
        yield f"{1e3 * sim.time:.0f} ms", poses_of(sim)
        sim.step(n=150)


if __name__ == "__main__":
    main()
