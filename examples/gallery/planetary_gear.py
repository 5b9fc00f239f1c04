"""A planetary gear that shifts: a brake on the ring decides where the sun's torque goes.

The motor turns the sun at constant speed, and a load resists at the carrier. While the ring is free, it spins backwards
and the load stands still. When the brake grips, the ring stops and the carrier turns, at 24/84 of the sun's speed.
"""

import numpy as np
from drawing import BLUE, GREEN, ORANGE, SKY, TOP, bare, draw, poses, robot, save, scene, titled
from matplotlib import pyplot as plt

import gearwright as gw

DT = 5e-4
MOTOR = {"sun_shaft": gw.Drive(damping=0.05)}  # [N·m·s/rad]
SPEED = 20.0  # of the sun [rad/s]
LOAD, DRAG = 0.02, 0.006  # on the carrier: what has to be overcome [N·m], and what grows with speed [N·m·s/rad]
BRAKE = (0.4, 1.4, 0.2)  # grips from, fully at [s]; then [N·m·s/rad]
SHAFTS = {"sun": BLUE, "ring": SKY, "carrier": GREEN}


def main() -> None:
    sim = gw.compile(robot("planetary_gear"), dt=DT, drives=MOTOR)
    figure, panels = plt.subplot_mosaic(
        [["strip"] * 2, ["speed", "effort"]], figsize=(9, 6.0), height_ratios=(1, 1.1), layout="constrained"
    )
    shots, time, speed, effort = shifted(sim)
    for k, (t, at) in enumerate(shots):
        draw(panels["strip"], sim.robot, at, TOP, shift=(100 * k, 0))
        panels["strip"].text(100 * k, 47, f"{t:.2f} s", ha="center", color="#6a7180")
    scene(panels["strip"], "sun 24 teeth, planets 18, ring 60; the marks show how far each has turned")
    bare(panels["strip"])
    panels["strip"].set(xlim=(-50, 550), ylim=(-45, 60))
    for n, (name, colour) in enumerate(SHAFTS.items()):
        panels["speed"].plot(time, speed[:, n], color=colour, label=name)
    willis = 24 * speed[:, 0] + 60 * speed[:, 1] - 84 * speed[:, 2]
    titled(panels["speed"], f"speeds; Willis' equation holds to {abs(willis).max():.0e} rad/s", y="[rad/s]")
    panels["effort"].plot(time, 1e3 * effort[:, 0], color=GREEN, label="by sun and ring on the carrier")
    panels["effort"].plot(time, 1e3 * effort[:, 1], color=ORANGE, label="by the brake on the ring")
    panels["effort"].plot(time, 60 / 84 * 1e3 * effort[:, 0], ":", color="#4d4d4d", label="60/84 of the carrier's")
    titled(panels["effort"], "what the teeth transmit, and what holds against it", y="torque [mN·m]")
    for ax in (panels["speed"], panels["effort"]):
        ax.axvspan(*BRAKE[:2], color="#f1f2f5", zorder=0)
        ax.text(0.42, 0.6, "brake grips", color="#6a7180", fontsize=8, transform=ax.get_xaxis_transform())
    panels["speed"].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, 0.9))
    panels["effort"].legend(frameon=False, fontsize=8, loc="lower right")
    save(figure, __file__)


def shifted(sim):
    """Six poses, and over time the speeds and the torques on carrier and ring."""
    sim.reset(velocity={"sun_shaft": SPEED, "ring_shaft": -24 / 60 * SPEED})
    sim.drive(velocity={"sun_shaft": SPEED})
    shots, times, speeds, efforts = [], [], [], []
    for k in range(3600):
        if k % 600 == 300:
            shots.append((sim.time, poses(sim)))
        sim.step(effort=torques(sim))
        if k % 10 == 0:
            times.append(sim.time)
            speeds.append([sim.velocity[f"{name}_shaft"] for name in SHAFTS])
            efforts.append([sim.coupling_effort["willis"], sim.effort["ring_shaft"]])
    return shots, np.array(times), np.array(speeds), np.array(efforts)


def torques(sim):
    ring, carrier = sim.velocity["ring_shaft"], sim.velocity["carrier_shaft"]
    grip = BRAKE[2] * np.interp(sim.time, BRAKE[:2], (0.0, 1.0)) ** 4
    load = LOAD * np.tanh(carrier / 0.05) + DRAG * carrier
    return {"ring_shaft": -grip * ring, "carrier_shaft": -load}


if __name__ == "__main__":
    main()
