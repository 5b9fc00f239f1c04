"""Rack and pinion: a weight spins a flywheel, and a stop on the one stops the other.

The rack falls at m·g/(m + I/r²), a tenth of free fall, because of the flywheel's reflected inertia. At 0.63 s it
reaches its stop. The flywheel has no stop; the teeth stop it.
"""

from drawing import BLUE, GREEN, ORANGE, draw, poses, robot, save, scene, titled
from matplotlib import pyplot as plt

import gearwright as gw

DT = 1e-3
SHOTS = (0.0, 0.3, 0.5, 0.6, 0.9)  # [s]


def main() -> None:
    sim = gw.compile(robot("rack_and_pinion"), dt=DT)
    figure, panels = plt.subplot_mosaic(
        [["strip"] * 2, ["position", "speed"]], figsize=(9, 6.8), height_ratios=(1.25, 1), layout="constrained"
    )
    strip(panels["strip"], sim)
    sim.reset()
    rec = sim.run(0.9)
    rack, expected = 1e3 * rec.position["slide"], 1e3 * fall(sim, rec.time)
    before = rec.time < 0.63
    panels["position"].plot(rec.time, rack, color=BLUE, label="simulated")
    panels["position"].plot(rec.time[before], expected[before], "--", color=ORANGE, label="½·m·g/(m + I/r²)·t²")
    panels["position"].axhline(-200, color="#9aa1ad", linewidth=1)
    panels["position"].text(0.02, -197, "stop", color="#6a7180", fontsize=8)
    panels["position"].legend(frameon=False)
    titled(panels["position"], "the rack", y="position [mm]")
    panels["speed"].plot(rec.time, rec.velocity["pinion"], color=GREEN)
    titled(panels["speed"], "the flywheel, which has no stop of its own", y="speed [rad/s]")
    save(figure, __file__)


def fall(sim, t):
    """Without the little damping."""
    inertia, m, r, g = sim.mass_matrix()[0, 0], sim.mass_matrix()[1, 1], 0.02, 9.8
    return -0.5 * m * g / (m + inertia / r**2) * t**2


def strip(ax, sim):
    for k, time in enumerate(SHOTS):
        sim.step(n=round((time - sim.time) / DT))
        draw(ax, sim.robot, poses(sim), shift=(255 * k, 0))
        ax.text(255 * k + 20, 285, f"{time:.1f} s", ha="center", color="#6a7180")
    scene(ax, "a rack of 0.9 kg on a flywheel that feels like 7.9 kg")
    ax.set(xlim=(-90, 255 * len(SHOTS) - 115), ylim=(-310, 320), xlabel="", xticks=[])


if __name__ == "__main__":
    main()
