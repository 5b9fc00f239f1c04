"""A SCARA with both motors in the base: belts add up the joints' angles at the motors, and hold the tool's direction.

The tool goes round a rectangle. The motors get position commands, which the transmission computes from the
joint angles. The belt to the tool is a coupling over three joints. Exact, the tool keeps its direction; compliant, as a
real belt, it rings after every corner.
"""

from itertools import pairwise

import numpy as np
from canvas import BLUE, GREEN, GREY, ORANGE, PINK, draw, named, poses_of, save
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DT, SIDE, PAUSE = 5e-4, 0.38, 0.10  # [s]; a side of the rectangle, and the time at its end
UPPER, FORE = 0.25, 0.20  # lengths of the arms [m]
LAG = 0.03 / 2.4  # of the drives: damping gain over stiffness [s]
CORNERS = np.array([[0.20, -0.16], [0.34, -0.16], [0.34, 0.14], [0.20, 0.14], [0.20, -0.16]])  # [m]
BELT = {"mode": "compliant", "natural_frequency": 160.0, "damping_ratio": 0.04}
CAMERA = Camera(azimuth=90.0, elevation=58.0)


def main() -> None:
    robot = gw.load("scara")
    time, path = rectangle()
    joints = inverse_kinematics(path)
    angles = robot.transmissions["arm_drive"].map.joint_to_actuator_position(joints)
    angles = angles + LAG * np.gradient(angles, DT, axis=0)  # ahead by what a drive with damping lags behind
    command = dict(zip(("shoulder_motor", "elbow_motor"), angles.T, strict=True))
    start = {"shoulder": joints[0, 0], "elbow": joints[0, 1]}

    figure, panels = plt.subplot_mosaic(
        [["arm", "motors"], ["arm", "path"], ["arm", "tool"]],
        figsize=(10.4, 7.0), width_ratios=(0.92, 1), layout="constrained",
    )  # fmt: skip
    for name, model in {"exact": robot, "a belt": robot.with_coupling("tool", **BELT)}.items():
        sim = gw.compile(model, dt=DT)
        sim.reset(position=start)
        run = sim.run(time[-1], command=command)
        direction = sum(run.position[j] for j in ("shoulder", "elbow", "tool"))
        colour = BLUE if name == "exact" else PINK
        panels["tool"].plot(run.time, 1e3 * direction, color=colour, label=name, linewidth=1.3)
        if name == "exact":
            show(panels, robot, run, path)
    panels["tool"].legend(frameon=False, ncols=2)
    named(panels["tool"], "The tool's direction in the room", y="error [mrad]")
    save(figure, __file__)


def show(panels, robot, run, path) -> None:
    for name, colour in {"shoulder": BLUE, "elbow": ORANGE}.items():
        panels["motors"].plot(run.time, run.position[name], color=colour, label=name)
        shaft = run.actuator[f"{name}_motor"].position / 50
        panels["motors"].plot(run.time, shaft, color=colour, linestyle=(0, (3, 2)), label=f"{name} motor / 50")
    panels["motors"].legend(frameon=False, ncols=2, fontsize=7.5, loc="lower right")
    panels["motors"].set_ylim(-3.3, 2.6)
    named(panels["motors"], "The elbow's motor turns with the sum", y="angle [rad]")
    reached = forward_kinematics(run.position["shoulder"], run.position["elbow"])
    panels["path"].plot(run.time[1:], 1e3 * np.linalg.norm(reached[1:] - path, axis=1), color=GREEN)
    named(panels["path"], "Distance from the path", y="[mm]")

    sim = gw.compile(robot, dt=DT)
    rows = np.linspace(0, len(run) - 1, 5).round().astype(int)[:-1]
    for k in (*rows[1:], rows[0]):
        sim.reset(position={j: run.position[j][k] for j in ("shoulder", "elbow")})
        draw(panels["arm"], robot, poses_of(sim), CAMERA, alpha=1.0 if k == rows[0] else 0.12)
    ground = np.column_stack([reached, np.full(len(run), 0.168)])
    x, y = 1e3 * CAMERA.seen(ground).T
    panels["arm"].plot(x, y, color=GREY, linewidth=1.2, linestyle="--", zorder=4)
    panels["arm"].set_aspect("equal")
    panels["arm"].axis("off")
    panels["arm"].set_title("Round 140 by 300 mm; the tool keeps its direction")


def rectangle():
    """Times [s] and points [m] along the corners, at rest in each."""
    points = []
    for a, b in pairwise(CORNERS):
        u = np.minimum(np.arange(1, round((SIDE + PAUSE) / DT) + 1) * DT / SIDE, 1.0)[:, None]
        points.append(a + (b - a) * u**3 * (10 - 15 * u + 6 * u**2))
    path = np.concatenate(points)
    return DT * np.arange(1, len(path) + 1), path


def inverse_kinematics(path):
    """Shoulder and elbow angles, elbow to the right [rad]."""
    x, y = path.T
    elbow = np.arccos((x**2 + y**2 - UPPER**2 - FORE**2) / (2 * UPPER * FORE))
    shoulder = np.arctan2(y, x) - np.arctan2(FORE * np.sin(elbow), UPPER + FORE * np.cos(elbow))
    return np.column_stack([shoulder, elbow])


def forward_kinematics(shoulder, elbow):
    return np.column_stack(
        [
            UPPER * np.cos(shoulder) + FORE * np.cos(shoulder + elbow),
            UPPER * np.sin(shoulder) + FORE * np.sin(shoulder + elbow),
        ]
    )


if __name__ == "__main__":
    main()
