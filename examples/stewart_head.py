"""A head on six servos nods, shakes and tilts: six loops, and a closed form from the head's pose to the servos' angles.

`gw.RodLinkage` takes the head as a chain of three slides and three hinges. Where the head can go, and how hard it can
push, is `robot.actuation_jacobian`: the six servos together lift 300 N, and turn the head about z with 5 N·m.
"""

import numpy as np
from canvas import COLOURS, GREEN, GREY, HERE, ORANGE, PINK, named, poses_of, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DT, DURATION = 1e-3, 3.6  # [s]
SERVOS = range(1, 7)
SHOTS = (10, 590, 840, 1780, 2040, 3020)  # steps that are drawn
PARTS = {"pitch": (4, "ry", GREEN), "yaw": (3, "rz", PINK), "roll": (5, "rx", ORANGE)}  # place in a pose, output


def main() -> None:
    robot = gw.load(HERE / "stewart_head.sdf")
    rods = linkage(robot)
    times = DT * np.arange(1, round(DURATION / DT) + 1)
    wanted = np.array([gesture(t) for t in times])
    angles = rods.joint_to_actuator_position(wanted)
    sim = gw.compile(robot, dt=DT)
    turned, moments = [], []

    def watch(sim):
        k = round(sim.time / DT)
        if k in SHOTS:
            moments.append((f"{1e3 * sim.time:.0f} ms", poses_of(sim)))
        turned.append(orientation(sim.pose["head"][:3, :3]))
        return {f"motor_{n}": angles[min(k, len(angles) - 1), n - 1] for n in SERVOS}

    run = sim.run(DURATION, controller=watch)
    figure, panels = plt.subplot_mosaic(
        [["strip", "strip"], ["head", "servos"], ["torque", "reach"]],
        figsize=(10, 8.2), height_ratios=(1.05, 1, 1), layout="constrained",
    )  # fmt: skip
    strip(panels["strip"], robot, moments, Camera(azimuth=-52.0, elevation=14.0), apart=300)
    for k, (name, (place, _, colour)) in enumerate(PARTS.items()):
        panels["head"].plot(times, np.degrees(wanted[:, place]), color=GREY, linewidth=1, linestyle="--")
        panels["head"].plot(times, np.degrees(turned)[:, k], color=colour, label=name)
    for n, colour in zip(SERVOS, COLOURS, strict=False):
        panels["servos"].plot(run.time, np.degrees(run.position[f"servo_{n}"]), color=colour, label=str(n), lw=1.2)
        panels["torque"].plot(run.time, run.actuator[f"motor_{n}"].torque, color=colour, linewidth=1.2)
    reach(panels["reach"], robot, rods)
    named(panels["head"], "The head: yes, no, and a tilt (dashed: as commanded)", y="angle [°]")
    named(panels["servos"], "Six servos, by the closed form of the rods", y="angle [°]")
    named(panels["torque"], "What the servos give", y="torque [N·m]")
    for name, columns in {"head": 3, "servos": 6}.items():
        panels[name].legend(frameon=False, ncols=columns, fontsize=8, loc="upper center")
        low, high = panels[name].get_ylim()
        panels[name].set_ylim(low, high + 0.22 * (high - low))
    save(figure, __file__)


def linkage(robot):
    """Of the file's geometry: cranks and rods, and the head as slides x, y, z and hinges about z, y, x at its plate."""
    at = robot.forward_kinematics()
    plate = at["head"][:3, 3]
    slides = [(0.0, 0.0, 0.0, *axis) for axis in np.eye(3)]
    hinges = [(*axis, *np.cross(plate, axis)) for axis in np.eye(3)[::-1]]
    cranks, crank_ends, rod_ends = [], [], []
    for n in SERVOS:
        pivot, axis = at[f"crank_{n}"][:3, 3], at[f"crank_{n}"][:3, :3] @ robot.joints[f"servo_{n}"].axes[0].xyz
        cranks.append((*axis, *np.cross(pivot, axis)))
        crank_ends.append(tuple(at[f"rod_{n}"][:3, 3]))
        rod_ends.append(tuple((at["head"] @ robot.joints[f"neck_{n}"].X_CJ.matrix)[:3, 3]))
    return gw.RodLinkage(
        joint_screws=(*slides, *hinges), crank_screws=tuple(cranks), crank_ends=tuple(crank_ends),
        rod_ends=tuple(rod_ends), joint_references=(0.0,) * 6, actuator_references=(0.0,) * 6,
    )  # fmt: skip


def gesture(t):
    """x, y, z [m]; yaw, pitch, roll [rad]."""
    yes = window(t, 0.1, 1.3) * 0.3 * np.sin(2 * np.pi * 1.7 * (t - 0.1))
    no = window(t, 1.3, 2.5) * 0.3 * np.sin(2 * np.pi * 1.7 * (t - 1.3))
    tilt = window(t, 2.5, 3.5)
    return [0.0, 0.004 * tilt, 0.0, no, yes, 0.25 * tilt]


def window(t, start, end):
    return np.sin(np.pi * (t - start) / (end - start)) ** 2 if start < t < end else 0.0


def orientation(R):
    """Pitch, yaw, roll of R = Rz(yaw)·Ry(pitch)·Rx(roll)."""
    return np.arcsin(-R[2, 0]), np.arctan2(R[1, 0], R[0, 0]), np.arctan2(R[2, 1], R[2, 2])


def reach(ax, robot, rods) -> None:
    """Torques on the head that the servos hold, over one angle at a time."""
    tilts = np.radians(np.linspace(-20, 20, 11))
    for name, (place, part, colour) in PARTS.items():
        held = []
        for tilt in tilts:
            pose = np.where(np.arange(6) == place, tilt, 0.0)
            servos = dict(zip((f"servo_{n}" for n in SERVOS), rods.joint_to_actuator_position(pose), strict=True))
            J = robot.actuation_jacobian(servos)
            held.append(J.effort_range()[J.joints.index(f"head.{part}"), 1])
        ax.plot(np.degrees(tilts), held, color=colour, label=f"about {part[1]}, over {name}")
    ax.set_ylim(0, None)
    ax.legend(frameon=False, fontsize=8)
    named(ax, "Largest torque on the head", x="angle [°]", y="torque [N·m]")


if __name__ == "__main__":
    main()
