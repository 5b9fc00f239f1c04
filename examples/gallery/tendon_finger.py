"""A tendon-driven finger: couplings with a frequency and a damping ratio instead of none or infinite stiffness.

The knuckle is driven, and tendons move the other two joints. If the last bone is pressed, the tendons stretch and the
finger yields, as a real one does. When it is released, it oscillates. With exact couplings it would be a rigid hook.
(The file's frequencies are those of a finger that hangs freely. With its knuckle held, it oscillates more slowly,
because less of it moves.)
"""

import numpy as np
from drawing import BLUE, GREEN, MODES, ORANGE, draw, poses, robot, save, scene, titled
from matplotlib import pyplot as plt

import gearwright as gw

DT, CURL = 2e-4, 0.7  # [s], [rad]
PRESS = -3.0e-3  # on the last bone, from 0.6 to 1.0 s [N·m], some 0.14 N at the tip
JOINTS = {"knuckle": BLUE, "middle_joint": ORANGE, "last_joint": GREEN}


def main() -> None:
    finger = robot("tendon_finger")
    figure, panels = plt.subplot_mosaic(
        [["strip"] * 2, ["angle", "error"]], figsize=(9, 6.2), height_ratios=(1, 1.15), layout="constrained"
    )
    drive = {"knuckle": gw.Drive(kinematic=True)}
    sims = {mode: gw.compile(finger, dt=DT, coupling=mode, drives=drive) for mode in ("exact", "compliant")}
    strip(panels["strip"], sims)
    for mode, style in (("exact", ":"), ("compliant", "-")):
        time, angles, stretch = pressed(sims[mode])
        for n, (name, colour) in enumerate(JOINTS.items()):
            label = name if mode == "compliant" else None
            panels["angle"].plot(time, angles[:, n], style, color=colour, label=label)
        panels["error"].plot(time, stretch, color=MODES[mode], label=mode)
    titled(panels["angle"], "bent, pressed and let go (dotted: exact)", y="angle [rad]")
    titled(panels["error"], "how far the last joint is from where its tendon wants it", y="error [rad]")
    for ax in (panels["angle"], panels["error"]):
        ax.axvspan(0.6, 1.0, color="#f1f2f5", zorder=0)
        ax.text(0.8, 0.95, "pressed", color="#6a7180", fontsize=8, ha="center", transform=ax.get_xaxis_transform())
        ax.legend(frameon=False, fontsize=8)
    save(figure, __file__)


def bend(t):
    s = np.clip(t / 0.3, 0.0, 1.0)
    return CURL * s**2 * (3 - 2 * s)


def pressed(sim):
    times, angles, stretch = [], [], []
    sim.reset()
    for k in range(round(1.4 / DT)):
        sim.drive(position={"knuckle": bend((k + 1) * DT)})
        sim.step(effort={"last_joint": PRESS if 0.6 <= k * DT < 1.0 else 0.0})
        if k % 10 == 0:
            times.append(sim.time)
            angles.append([sim.position[name] for name in JOINTS])
            stretch.append(sim.coupling_error["last_joint"])
    return np.array(times), np.array(angles), np.array(stretch)


def strip(ax, sims):
    """The finger as it bends, then pressed: in colour with tendons, in grey what exact couplings would do."""
    for mode, alpha in (("exact", 0.25), ("compliant", 1.0)):
        sim = sims[mode]
        sim.reset()
        for k, until in enumerate((0.0, 0.1, 0.18, 0.5, 0.95)):
            while sim.time < until - DT / 2:
                sim.drive(position={"knuckle": bend(sim.time + DT)})
                sim.step(effort={"last_joint": PRESS if sim.time >= 0.6 else 0.0})
            draw(ax, sim.robot, poses(sim), shift=(170 * k, 0), alpha=alpha)
            ax.text(170 * k + 20, 30, "pressed" if until > 0.6 else f"{until:.2f} s", ha="center", color="#6a7180")
    scene(ax, "a finger of 95 mm; pale: the same with exact couplings")
    ax.set(xlim=(-65, 800), ylim=(-85, 48), xlabel="", xticks=[])


if __name__ == "__main__":
    main()
