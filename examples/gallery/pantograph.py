"""A pantograph: a loop that makes a drawing twice as large.

Two driven joints lead the tracer round a flower. The pen is at the end of a bar that nothing drives. It draws the same
flower at twice the size, as accurately as the ten digits in the file allow.
"""

import numpy as np
from drawing import BLUE, ORANGE, RED, TOP, draw, poses, robot, save, scene, titled
from matplotlib import pyplot as plt

import gearwright as gw

DT, TURN, BAR = 1e-3, 2.0, 0.09  # [s], [s], [m]
ARM, FOREARM = 1.9, 0.35  # directions of the bars, as the file draws them [rad]
MIDDLE = BAR * np.array([np.cos(ARM) + np.cos(FOREARM), np.sin(ARM) + np.sin(FOREARM)])  # of the flower [m]


def main() -> None:
    drives = {name: gw.Drive(kinematic=True) for name in ("pivot", "middle")}
    sim = gw.compile(robot("pantograph"), dt=DT, drives=drives)
    time, tracer, pen, shots = one_turn(sim)
    figure, panels = plt.subplot_mosaic(
        [["picture", "error"]], figsize=(9.4, 4.6), width_ratios=(1.35, 1), layout="constrained"
    )
    ax = panels["picture"]
    for k, at in enumerate(shots):
        draw(ax, sim.robot, at, TOP, alpha=1.0 if k == len(shots) - 1 else 0.13)
    ax.plot(*(1e3 * tracer.T), color=RED, linewidth=1.5, zorder=3)
    ax.plot(*(1e3 * pen.T), color="#1d2129", linewidth=1.5, zorder=3)
    scene(ax, "traced, and drawn")
    ax.set_ylabel("y [mm]")
    off = np.linalg.norm(pen - 2 * tracer, axis=1)
    panels["error"].semilogy(time, np.maximum(off, 1e-18), color=BLUE, label="pen − 2·tracer")
    wrong = np.linalg.norm(tracer - [flower(t) for t in time], axis=1)
    panels["error"].semilogy(time, np.maximum(wrong, 1e-18), color=ORANGE, label="tracer − flower")
    panels["error"].set_ylim(1e-17, 1e-7)
    panels["error"].legend(frameon=False, fontsize=8)
    titled(panels["error"], "how far apart", y="distance [m]")
    save(figure, __file__)


def flower(t):
    """Five petals that grow out of the start in the first half second [m]."""
    phi, s = 2 * np.pi * t / TURN, min(1.0, t / 0.5)
    r = 0.028 * (1 + 0.35 * np.cos(5 * phi)) * s**2 * (3 - 2 * s)
    return MIDDLE + r * np.array([np.cos(phi), np.sin(phi)])


def bars(p):
    """Directions of the two bars of 90 mm that reach from the pivot to a point."""
    half = np.arccos(np.linalg.norm(p) / (2 * BAR))
    towards = np.arctan2(p[1], p[0])
    return towards + half, towards - half


def one_turn(sim):
    rows, shots = [], []
    for k in range(round((TURN + 0.5) / DT)):
        arm, forearm = bars(flower((k + 1) * DT))
        sim.drive(position={"pivot": arm - ARM, "middle": (forearm - arm) - (FOREARM - ARM)})
        sim.step()
        tracer = sim.pose["short_forearm"] @ [BAR, 0, 0, 1]
        pen = sim.pose["forearm"] @ [2 * BAR, 0, 0, 1]
        rows.append([sim.time, *tracer[:2], *pen[:2]])
        if (k + 1) % 500 == 0:
            shots.append(poses(sim))
    table = np.array(rows)
    return table[:, 0], table[:, 1:3], table[:, 3:5], shots


if __name__ == "__main__":
    main()
