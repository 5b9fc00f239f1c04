"""Hoecken's four-bar: a crank that turns evenly draws a straight line.

An ordinary joint closes the loop. Every step solves it together with everything else, and closes it to 1e-10 m. The
rocker follows Freudenstein's equation, and the pen keeps to its line within a few thousandths of the length that it
draws.
"""

import numpy as np
from drawing import BLUE, GREEN, ORANGE, draw, poses, robot, save, scene, titled
from matplotlib import pyplot as plt

import gearwright as gw

DT, SPEED = 5e-4, 2 * np.pi  # [s], [rad/s]
CRANK, GROUND, COUPLER, ROCKER = 0.03, 0.06, 0.075, 0.075  # [m]
START = np.pi / 2  # of the crank, as the file draws it [rad]
LINE = 4 * CRANK  # the height of the straight part [m]
PEN = [2 * COUPLER, 0, 0, 1]


def main() -> None:
    sim = gw.compile(robot("four_bar"), dt=DT, drives={"pin_a": gw.Drive(kinematic=True)})
    crank, rocker, pen, shots = one_turn(sim)
    figure, panels = plt.subplot_mosaic(
        [["picture", "line"], ["picture", "rocker"]], figsize=(9.4, 5.6), width_ratios=(1.25, 1), layout="constrained"
    )
    for at in shots[:-1]:
        draw(panels["picture"], sim.robot, at, alpha=0.13, links=["crank", "coupler", "rocker"])
    draw(panels["picture"], sim.robot, shots[-1])
    x, z = 1e3 * pen.T
    panels["picture"].plot(x, z, color="#4d4d4d", linewidth=1.2, zorder=3)
    straight = abs(z - 1e3 * LINE) < 0.5
    panels["picture"].plot(x[straight], z[straight], ".", color=ORANGE, markersize=3, zorder=4)
    scene(panels["picture"], "one turn of the crank; orange: within 0.5 mm of a straight line")
    order = np.argsort(x[straight])
    panels["line"].plot(x[straight][order], z[straight][order] - 1e3 * LINE, color=ORANGE)
    titled(panels["line"], "the pen along the straight part", "x [mm]", "height − 120 [mm]")
    wrong = (rocker - freudenstein(crank) + np.pi) % (2 * np.pi) - np.pi
    panels["rocker"].plot(crank, abs(wrong) + 1e-18, color=GREEN)
    panels["rocker"].set_yscale("log")
    panels["rocker"].set_ylim(1e-17, 1e-8)
    panels["rocker"].axhline(1e-9, color=BLUE, linewidth=1, linestyle="--")
    titled(panels["rocker"], "the rocker against Freudenstein's equation", "crank [rad]", "difference [rad]")
    save(figure, __file__)


def one_turn(sim):
    """Crank and rocker angles [rad], the pen's path [m], and a few poses."""
    crank, rocker, pen, shots = [], [], [], []
    steps = round(2 * np.pi / SPEED / DT)
    for k in range(steps):
        sim.drive(position={"pin_a": SPEED * (k + 1) * DT})
        sim.step()
        crank.append(START + sim.position["pin_a"])
        rocker.append(np.pi / 2 + sim.position["pin_d"])
        pen.append((sim.pose["coupler"] @ PEN)[[0, 2]])
        if (k + 1) % (steps // 16) == 0:
            shots.append(poses(sim))
    return np.array(crank), np.array(rocker), np.array(pen), shots


def freudenstein(crank):
    """The rocker's angle by triangles, on the branch that the file draws."""
    x, z = CRANK * np.cos(crank) - GROUND, CRANK * np.sin(crank)
    diagonal = np.hypot(x, z)
    return np.arctan2(z, x) - np.arccos((ROCKER**2 + diagonal**2 - COUPLER**2) / (2 * ROCKER * diagonal))


if __name__ == "__main__":
    main()
