"""A delta robot: two closed loops and three couplings carry a platform round a circle, level all the way.

The motion of the shoulders is prescribed, from the inverse kinematics of the circle. Nothing prescribes the motion of
the platform: rods, feet and wrists are passive, and move as the loops make them.
"""

import numpy as np
from drawing import BLUE, CORNER, GREEN, ORANGE, bare, draw, poses, robot, save, scene, seen, titled
from matplotlib import pyplot as plt

import gearwright as gw

DT, TURN = 1e-3, 1.5  # [s]
BASE, ARM, ROD, PLATE = 0.10, 0.13, 0.26, 0.045  # radii and lengths [m]
START = 0.35  # of the shoulders, as the file draws them [rad]
HOME = np.array([0.0, 0.0, -0.2349160270508923])  # of the platform [m]
SHOULDERS = ("shoulder_1", "shoulder_2", "shoulder_3")


def main() -> None:
    sim = gw.compile(robot("delta"), dt=DT, drives={name: gw.Drive(kinematic=True) for name in SHOULDERS})
    time, wanted, platform, angles, tilt, shots = one_turn(sim)
    figure, panels = plt.subplot_mosaic(
        [["picture", "angle"], ["picture", "error"]], figsize=(9.4, 5.6), width_ratios=(1.2, 1), layout="constrained"
    )
    ax = panels["picture"]
    for at in shots[:-1]:
        draw(ax, sim.robot, at, CORNER, alpha=0.16, links=[name for name in sim.robot.links if name != "base"])
    draw(ax, sim.robot, shots[-1], CORNER)
    ax.plot(*seen(platform - [0, 0, 0.04], CORNER).T, color="#1d2129", linewidth=1.4, zorder=3)
    scene(ax, "a circle of 120 mm, drawn by the tool")
    bare(ax)
    for name, colour, angle in zip(SHOULDERS, (BLUE, ORANGE, GREEN), angles.T, strict=True):
        panels["angle"].plot(time, angle, color=colour, label=name)
    panels["angle"].legend(frameon=False, fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.0))
    panels["angle"].set_ylim(-0.9, 0.9)
    titled(panels["angle"], "shoulders", y="angle [rad]")
    off = np.linalg.norm(platform - wanted, axis=1)
    panels["error"].semilogy(time, off, color=BLUE, label="off the circle [m]")
    panels["error"].semilogy(time, np.maximum(tilt, 1e-18), color=ORANGE, label="tilt of the platform [rad]")
    panels["error"].set_ylim(1e-17, 1e-6)
    panels["error"].legend(frameon=False, fontsize=8)
    titled(panels["error"], "the platform", y="[m], [rad]")
    save(figure, __file__)


def circle(t):
    """Grows out of home in half a second, and goes round."""
    r = 0.06 * min(1.0, t / 0.5) ** 2 * (3 - 2 * min(1.0, t / 0.5))
    phi = 2 * np.pi * t / TURN
    return HOME + np.array([r * np.cos(phi), r * np.sin(phi), 0.02 * r / 0.06])


def shoulders(p):
    """Inverse kinematics: each arm by itself, in the plane of its shoulder."""
    angles = []
    for psi in 2 * np.pi * np.arange(3) / 3:
        along, across = p[0] * np.cos(psi) + p[1] * np.sin(psi), -p[0] * np.sin(psi) + p[1] * np.cos(psi)
        x, z = along + PLATE - BASE, p[2]
        reach = (x**2 + z**2 + ARM**2 - (ROD**2 - across**2)) / (2 * ARM)
        angles.append(np.arctan2(-z, x) - np.arccos(reach / np.hypot(x, z)) - START)
    return angles


def one_turn(sim):
    rows, shots = [], []
    for k in range(round((TURN + 0.5) / DT)):
        goal = circle((k + 1) * DT)
        sim.drive(position=dict(zip(SHOULDERS, shoulders(goal), strict=True)))
        sim.step()
        X = sim.pose["platform"]
        tilt = np.linalg.norm(X[:3, :3] - np.eye(3))
        rows.append([sim.time, *goal, *X[:3, 3], *(sim.position[name] for name in SHOULDERS), tilt])
        if (k + 1) % 500 == 0:
            shots.append(poses(sim))
    table = np.array(rows)
    return table[:, 0], table[:, 1:4], table[:, 4:7], table[:, 7:10], table[:, 10], shots


if __name__ == "__main__":
    main()
