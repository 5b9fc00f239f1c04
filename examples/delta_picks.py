"""A delta robot picks and places: three motors lift the platform, move it across and set it down.

The motors follow the inverse kinematics of the path. `robot.actuation_jacobian` gives the torques that the weight takes
at each pose, and the inertia that the motors feel there; the drives have little left to correct.
"""

import numpy as np
from canvas import BLUE, GREEN, GREY, HERE, ORANGE, PINK, named, poses_of, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DT, DURATION, EVERY = 1e-3, 1.0, 25  # [s], [s], steps
BASE, PLATE, ARM, ROD, START = 0.1, 0.045, 0.13, 0.26, 0.35  # [m], [rad]: as the file has them
HOME, PICK, LIFT = np.array([0.0, 0.0, -0.2349160271]), np.array([0.09, 0.05, -0.04]), 0.07  # [m]
ARMS = {1: BLUE, 2: ORANGE, 3: GREEN}
STIFFNESS, DAMPING = 60.0, 0.6  # of the drives [N·m/rad], [N·m·s/rad]


def main() -> None:
    robot = gw.load(HERE / "gallery" / "delta.sdf")
    for n in ARMS:
        robot = robot.with_actuator(gw.ElectricMotor(
            name=f"motor_{n}", joint=f"shoulder_{n}", stall_torque=4.0, no_load_speed=30.0, effort_limit=2.5,
            rotor_inertia=8e-4,
        ))  # fmt: skip
    times = DT * np.arange(round(DURATION / DT) + 1)
    path = np.array([pick(t) for t in times])
    angles = np.array([shoulders(p) for p in path])
    loads, pushes = along(robot, angles)
    sim = gw.compile(robot, dt=DT)
    sim.reset(position={f"shoulder_{n}": angles[0, n - 1] for n in ARMS})
    moments, tool = [], []

    def control(sim):
        k = min(round(sim.time / DT), len(angles) - 2)
        tool.append(np.array(sim.pose["platform"][:3, 3]))
        if k % 180 == 50:
            moments.append((f"{1e3 * sim.time:.0f} ms", poses_of(sim)))
        q, v = (np.array([x[f"shoulder_{n}"] for n in ARMS]) for x in (sim.position, sim.velocity))
        torque = loads[k] + STIFFNESS * (angles[k + 1] - q) + DAMPING * ((angles[k + 1] - angles[k]) / DT - v)
        return {f"motor_{n}": torque[n - 1] for n in ARMS}

    run = sim.run(DURATION, controller=control)
    tool = np.array(tool)
    figure, panels = plt.subplot_mosaic(
        [["strip", "strip"], ["path", "error"], ["torque", "reach"]],
        figsize=(10, 8.4), height_ratios=(1.1, 1, 1), layout="constrained",
    )  # fmt: skip
    strip(panels["strip"], robot, moments, Camera(azimuth=38.0, elevation=14.0), apart=470)
    across = path[:, :2] @ PICK[:2] / np.linalg.norm(PICK[:2])
    panels["path"].plot(1e3 * across, 1e3 * path[:, 2], color=GREY, linestyle="--", linewidth=1, label="commanded")
    moved = tool[:, :2] @ PICK[:2] / np.linalg.norm(PICK[:2])
    panels["path"].plot(1e3 * moved, 1e3 * tool[:, 2], color=PINK, label="platform")
    panels["path"].set_aspect("equal", adjustable="datalim")
    panels["error"].plot(times[:-1], 1e3 * np.linalg.norm(tool - path[:-1], axis=1), color=PINK)
    for n, colour in ARMS.items():
        panels["torque"].plot(run.time, run.actuator[f"motor_{n}"].torque, color=colour, label=f"motor {n}")
    for k, (part, colour) in enumerate({"x": BLUE, "y": ORANGE, "z": GREEN}.items()):
        panels["reach"].plot(times[::EVERY], pushes[:, k], color=colour, label=f"along {part}")
    panels["reach"].set_ylim(0, None)
    named(panels["path"], "Up, across and down", x="along the way [mm]", y="height [mm]")
    named(panels["error"], "Off the path", y="distance [mm]")
    named(panels["torque"], "What the motors give, of 2.5 N·m", y="torque [N·m]")
    named(panels["reach"], "Largest force of the platform there", y="force [N]")
    for name in ("path", "torque", "reach"):
        panels[name].legend(frameon=False, ncols=3, fontsize=8)
    panels["torque"].margins(y=0.2)
    save(figure, __file__)


def pick(t):
    """Lifts, crosses and sets down; velocities and accelerations are zero at both ends."""
    s = np.clip((t - 0.05) / (DURATION - 0.15), 0.0, 1.0)
    way = 10 * s**3 - 15 * s**4 + 6 * s**5
    a, b = HOME + PICK * [-1, -1, 1], HOME + PICK
    return a + (b - a) * way + [0.0, 0.0, LIFT * (1 - (2 * way - 1) ** 4)]


def shoulders(p):
    """Inverse kinematics: each arm by itself, in the plane of its shoulder."""
    angles = []
    for psi in 2 * np.pi * np.arange(3) / 3:
        out, side = p[0] * np.cos(psi) + p[1] * np.sin(psi), -p[0] * np.sin(psi) + p[1] * np.cos(psi)
        x, z = out + PLATE - BASE, p[2]
        reach = (x**2 + z**2 + ARM**2 - (ROD**2 - side**2)) / (2 * ARM)
        angles.append(np.arctan2(-z, x) - np.arccos(reach / np.hypot(x, z)) - START)
    return angles


def along(robot, angles):
    """Motor torques for the platform's weight and for all inertia, and the largest forces of the platform."""
    acceleration = np.gradient(np.gradient(angles, DT, axis=0), DT, axis=0)
    mass = robot.links["platform"].inertia.mass + 0.12  # and half of the rods
    loads, pushes = [], []
    for q, faster in zip(angles[::EVERY], acceleration[::EVERY], strict=True):
        J = robot.actuation_jacobian({f"shoulder_{n}": q[n - 1] for n in ARMS})
        loads.append(J.joint_to_actuator_effort([0.0, 0.0, 9.81 * mass]) + J.actuator_inertia @ faster)
        pushes.append(J.effort_range()[:, 1])
    steps = np.arange(len(angles))
    return np.stack([np.interp(steps, steps[::EVERY], load) for load in np.transpose(loads)], axis=1), np.array(pushes)


if __name__ == "__main__":
    main()
