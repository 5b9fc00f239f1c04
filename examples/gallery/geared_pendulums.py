"""Geared pendulums: one coupling in its three modes.

Two pendulums on gears of 80 and 30 teeth are released. `exact` has one degree of freedom and no error. `hard` is a
constraint that is solved in every step. `compliant` is a soft belt instead of teeth, which oscillates at its own
frequency.
"""

import numpy as np
from drawing import MODES, draw, poses, robot, save, scene, titled
from matplotlib import pyplot as plt

import gearwright as gw

START = {"large_gear": 1.9}
BELT = {"natural_frequency": 40.0, "damping_ratio": 0.03}  # [rad/s], 1
NAMES = {"exact": "exact", "hard": "hard", "compliant": "compliant, 40 rad/s"}
SHOTS, BETWEEN = 8, 0.15  # and the seconds from one to the next
STYLES = {"exact": {"linewidth": 4, "alpha": 0.35}, "hard": {}, "compliant": {}}


def main() -> None:
    pair = robot("geared_pendulums")
    figure, panels = plt.subplot_mosaic(
        [[*MODES], ["angle"] * 3, ["error"] * 3], figsize=(9, 7.4), height_ratios=(1.9, 1, 1), layout="constrained"
    )
    for mode in MODES:
        sim = gw.compile(pair.with_coupling("small_gear", mode=mode, **BELT), dt=5e-4)
        stroboscope(panels[mode], sim, NAMES[mode])
        sim.reset(position=START)
        rec = sim.run(4.0, every=10)
        large, small = rec.position["large_gear"], rec.position["small_gear"]
        line = {"color": MODES[mode], "label": NAMES[mode], **STYLES[mode]}
        panels["angle"].plot(rec.time, large, **line)
        panels["error"].semilogy(rec.time, np.maximum(abs(small + 8 / 3 * large), 1e-17), **line)
    titled(panels["angle"], "the large gear", y="angle [rad]")
    panels["angle"].legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.22))
    titled(panels["error"], "how far the teeth are from where they belong: exact couplings cannot err", y="error [rad]")
    panels["error"].set_ylim(1e-17, 10)
    save(figure, __file__)


def stroboscope(ax, sim, title):
    sim.reset(position=START)
    for shot in range(SHOTS):
        last = shot == SHOTS - 1
        draw(ax, sim.robot, poses(sim), alpha=1.0 if last else 0.08 + 0.05 * shot)
        sim.step(n=round(BETWEEN / sim.dt))
    scene(ax, title)
    ax.set(xlim=(-215, 315), ylim=(-310, 215))


if __name__ == "__main__":
    main()
