"""A parallel ankle beside its serial stand-in: the same controller, and the error that the stand-in hides.

Robots with rods at the ankle are often simulated as if motors sat on pitch and roll, at the ratios of the upright pose.
A controller that is tuned there converts its torques to the motors by these ratios. On the real ankle the ratios change
with the pose, so the resulting torques differ from the intended ones. `robot.actuation_jacobian` at the pose corrects
this.
"""

from dataclasses import replace

import numpy as np
from canvas import BLUE, GREEN, GREY, RED, named, poses_of, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DT, DURATION, PERIOD = 1e-3, 2.4, 1.2  # [s]
MOTORS, JOINTS = ("left_motor", "right_motor"), ("pitch", "roll")
STIFFNESS, DAMPING = np.array([160.0, 120.0]), np.array([4.0, 3.0])  # [N·m/rad], [N·m·s/rad]
LOAD = {"pitch": 45.0}  # of the ground at the toes [N·m]


def main() -> None:
    robot = gw.load("ankle")
    upright = robot.actuation_jacobian()
    stand_in = serial(robot, upright)
    moments = []
    runs = {
        "stand-in": controlled(stand_in, lambda q: upright),
        "real, ratios of the stand-in": controlled(robot, lambda q: upright, moments),
        "real, ratios at the pose": controlled(
            robot, lambda q: robot.actuation_jacobian({"pitch": q[0], "roll": q[1]})
        ),
    }
    colours = dict(zip(runs, (GREY, RED, BLUE), strict=True))
    figure, panels = plt.subplot_mosaic(
        [["strip", "strip"], ["path", "polygon"], ["error", "ratio"]],
        figsize=(10, 9.2), height_ratios=(0.95, 1.25, 0.8), layout="constrained",
    )  # fmt: skip
    strip(panels["strip"], robot, moments, Camera(azimuth=118.0, elevation=14.0), apart=255)
    wanted = np.degrees([target(t) for t in runs["stand-in"].time])
    late = runs["stand-in"].time > DURATION - PERIOD
    panels["path"].plot(*wanted[late].T, color=GREEN, linewidth=5, alpha=0.3, label="commanded")
    moved = {name: np.degrees(np.column_stack([run.position[j] for j in JOINTS])) for name, run in runs.items()}
    for name, q in moved.items():
        panels["path"].plot(*q[late].T, color=colours[name], linewidth=1.5, label=name)
        apart = np.linalg.norm(q - moved["stand-in"], axis=1)
        panels["error"].plot(runs[name].time, apart, color=colours[name], linewidth=1.3)
    panels["path"].set_ylim(-19, 24)
    panels["path"].legend(frameon=False, fontsize=8, ncols=2, loc="upper center")
    far = {"pitch": -0.36, "roll": 0.24}
    there = robot.actuation_jacobian(far)
    for J, colour, words in ((upright, GREY, "stand-in, everywhere"), (there, BLUE, "real, foot down and outwards")):
        corners = np.vstack([J.effort_polygon(), J.effort_polygon()[:1]])
        panels["polygon"].fill(*corners.T, color=colour, alpha=0.15, linewidth=0)
        panels["polygon"].plot(*corners.T, color=colour, label=words)
    panels["polygon"].margins(y=0.2)
    panels["polygon"].legend(frameon=False, fontsize=8, ncols=2, loc="upper center")
    tilt = np.linspace(-0.38, 0.48, 30)
    for roll, style in ((-0.25, ":"), (0.0, "-"), (0.25, "--")):
        ratio = [robot.actuation_jacobian({"pitch": p, "roll": roll}).actuator_per_joint[0, 0] for p in tilt]
        panels["ratio"].plot(
            np.degrees(tilt),
            ratio,
            color=BLUE,
            linestyle=style,
            label=f"roll {np.degrees(roll):.0f}°".replace("-", "−"),
        )
    panels["ratio"].axhline(upright.actuator_per_joint[0, 0], color=GREY, linewidth=1.2)
    panels["ratio"].legend(frameon=False, fontsize=8)
    named(panels["path"], "The foot's way, last turn", x="pitch [°]", y="roll [°]")
    named(panels["polygon"], "Torques that the motors reach", x="pitch [N·m]", y="roll [N·m]")
    named(panels["error"], "Apart from the stand-in", y="angle [°]")
    named(panels["ratio"], "Turns of the left motor per turn of pitch", x="pitch [°]", y="ratio")
    save(figure, __file__)


def serial(robot, upright):
    """The foot on pitch and roll, and the motors on both of them at constant ratios; cranks count as rotors."""
    reduced = robot.with_rods_reduced()
    cranks = {name: link for name, link in reduced.links.items() if name.endswith("crank")}
    shafts = [name for name in reduced.joints if name.endswith("shaft")]
    turning = {"left_motor": cranks["left_crank"], "right_motor": cranks["right_crank"]}
    bare = replace(
        reduced, couplings=type(reduced.couplings)(), transmissions={}, initial={},
        links={name: link for name, link in reduced.links.items() if name not in cranks},
        joints={name: joint for name, joint in reduced.joints.items() if name not in shafts},
        actuators={
            name: replace(a, rotor_inertia=a.rotor_inertia + about_y(turning[name].inertia) / 20**2)
            for name, a in robot.actuators.items()
        },
    )  # fmt: skip
    gears = gw.LinearMap(matrix=tuple(map(tuple, upright.actuator_per_joint.T)))
    return bare.with_transmission("gears", gears, actuators=MOTORS, joints=JOINTS)


def about_y(inertia):
    """About the shaft, which is the link's y axis [kg·m²]."""
    x, _, z = inertia.center
    return inertia.tensor[1, 1] + inertia.mass * (x * x + z * z)


def target(t):
    """A loop that grows in half a second."""
    grown = min(1.0, t / 0.5) ** 2 * (3 - 2 * min(1.0, t / 0.5))
    phi = 2 * np.pi * t / PERIOD
    return grown * np.array([0.05 + 0.36 * np.cos(phi), 0.24 * np.sin(phi)])


def controlled(robot, ratios, moments=None):
    """Springs and dampers on the joints; the motors get what these ratios make of their torques."""
    sim = gw.compile(robot, dt=DT)
    held = {}

    def control(sim):
        q, v = (np.array([x[j] for j in JOINTS]) for x in (sim.position, sim.velocity))
        k = round(sim.time / DT)
        if k % 20 == 0:
            held["ratios"] = ratios(q)
        if moments is not None and sim.time > DURATION - PERIOD and k % 150 == 0:
            moments.append((f"{1e3 * sim.time:.0f} ms", poses_of(sim)))
        torque = STIFFNESS * (target(sim.time) - q) - DAMPING * v - np.array([LOAD["pitch"], 0.0])
        return dict(zip(MOTORS, held["ratios"].joint_to_actuator_effort(torque), strict=True))

    return sim.run(DURATION, controller=control, effort=LOAD)


if __name__ == "__main__":
    main()
