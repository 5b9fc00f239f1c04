"""A two-finger gripper: one motor, six joints, and a load on one finger that both of them carry.

A stiff drive closes it to 40 mm. Then a force pushes the right finger outwards. If mimics passed on motion but no
force, the right finger alone would yield. Here the couplings transmit the force to the motor.
"""

import numpy as np
from drawing import BLUE, GREEN, ORANGE, draw, poses, robot, save, scene, titled
from matplotlib import pyplot as plt

import gearwright as gw

DT, CLOSED = 1e-3, 0.42  # [s], [rad]
MOTOR = gw.Drive(stiffness=60.0, damping=1.5, effort=12.0)
PUSH = 1.2  # on the right knuckle [N·m], some 22 N at the pad
FOLLOWERS = {"right_outer_knuckle": BLUE, "left_inner_knuckle": GREEN}
FROM, TO = 0.6, 0.95  # [s]


def main() -> None:
    gripper = robot("parallel_gripper")
    figure, panels = plt.subplot_mosaic(
        [["strip"] * 2, ["opening", "effort"]], figsize=(9, 6.2), height_ratios=(1, 1.1), layout="constrained"
    )
    strip(panels["strip"], gw.compile(gripper, dt=DT, drives={"left_outer_knuckle": gw.Drive(kinematic=True)}))
    for mode, style in (("exact", "-"), ("hard", ":")):
        sim = gw.compile(gripper, dt=DT, coupling=mode, drives={"left_outer_knuckle": MOTOR})
        time, pads, effort = squeezed(sim)
        wide = {"linewidth": 5, "alpha": 0.35} if mode == "exact" else {"linewidth": 3}
        panels["opening"].plot(time, pads[:, 0], style, color=BLUE, label=f"left pad, {mode}", **wide)
        panels["opening"].plot(time, -pads[:, 1], style, color=ORANGE, label=f"right pad, {mode}")
        for name, colour in FOLLOWERS.items():
            label = name if mode == "exact" else None
            panels["effort"].plot(time, [e[name] for e in effort], style, color=colour, label=label)
    titled(panels["opening"], "from the middle to each pad", y="distance [mm]")
    titled(panels["effort"], "what the couplings transmit (dotted: hard)", y="effort on the follower [N·m]")
    panels["effort"].set_ylim(-0.3, 1.5)
    for ax in (panels["opening"], panels["effort"]):
        ax.axvspan(FROM, TO, color="#f1f2f5", zorder=0)
        ax.text(0.775, 0.95, "pushed", color="#6a7180", fontsize=8, ha="center", transform=ax.get_xaxis_transform())
        ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0.06, 0.95))
    save(figure, __file__)


def squeezed(sim):
    """Close, push the right finger for a while, let go: pads [mm] and efforts."""
    pads, efforts, times = [], [], []
    sim.drive(position={"left_outer_knuckle": CLOSED})
    for k in range(1200):
        sim.step(effort={"right_outer_knuckle": -PUSH if FROM <= k * DT < TO else 0.0})
        if k % 4 == 0:
            times.append(sim.time)
            pads.append([1e3 * pad(sim, side) for side in ("left", "right")])
            efforts.append({name: sim.coupling_effort[name] for name in FOLLOWERS})
    return np.array(times), np.array(pads), efforts


def pad(sim, side):
    """Where the inner face of a pad is, along x [m]."""
    return (sim.pose[f"{side}_finger"] @ [-0.016, 0, 0.03, 1])[0]


def strip(ax, sim):
    for k, angle in enumerate((0.0, 0.2, 0.4, 0.6, 0.8)):
        sim.reset(position={"left_outer_knuckle": angle})
        draw(ax, sim.robot, poses(sim), shift=(200 * k, 0))
        ax.text(200 * k, 178, f"{angle:.1f} rad", ha="center", color="#6a7180")
    scene(ax, "six joints that move as one")
    ax.set(xlim=(-95, 895), ylim=(-8, 198), xlabel="", xticks=[])


if __name__ == "__main__":
    main()
