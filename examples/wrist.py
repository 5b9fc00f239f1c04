"""A differential wrist under control: joint torques are shared by both motors, whichever joint they are for.

A controller reads the motors' encoders, works out the joints' angles and torques, and gives each motor its part:
`joint_to_actuator_effort`. A torque for one joint is half a torque for each motor, so that both carry every load.
"""

import numpy as np
from canvas import BLUE, GREEN, ORANGE, PINK, named, poses_of, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DT, DURATION = 1e-3, 2.4  # [s]
STIFFNESS, DAMPING = np.array([30.0, 12.0]), np.array([1.6, 0.6])  # of pitch and roll [N·m/rad], [N·m·s/rad]
TARGETS = {0.0: (0.0, 0.0), 0.2: (-0.7, 0.0), 0.9: (-0.7, 1.4), 1.6: (0.3, -0.6)}  # [s]: pitch, roll [rad]
CAMERA = Camera(azimuth=34.0, elevation=28.0)


def main() -> None:
    robot = gw.load("wrist")
    gears = robot.transmissions["differential"].map
    sim = gw.compile(robot, dt=DT)
    moments = []

    def control(sim):
        """Springs and dampers on the joints, of what the encoders on the motors say."""
        q = gears.actuator_to_joint_position(np.array([sim.sensor["left_encoder"], sim.sensor["right_encoder"]]))
        v = np.array([sim.velocity["pitch"], sim.velocity["roll"]])
        torque = STIFFNESS * (target(sim.time) - q) - DAMPING * v
        left, right = gears.joint_to_actuator_effort(torque)
        if round(sim.time / DT) % 300 == 0:
            moments.append((f"{1e3 * sim.time:.0f} ms", poses_of(sim)))
        return {"left_motor": left, "right_motor": right}

    run = sim.run(DURATION, controller=control)
    figure, panels = plt.subplot_mosaic(
        [["strip", "strip"], ["joints", "motors"], ["torques", "shares"]],
        figsize=(10, 7.4), height_ratios=(0.75, 1, 1), layout="constrained",
    )  # fmt: skip
    strip(panels["strip"], robot, moments, CAMERA, apart=330)
    wanted = np.array([target(t) for t in run.time])
    for k, (joint, colour) in enumerate({"pitch": GREEN, "roll": PINK}.items()):
        panels["joints"].plot(run.time, wanted[:, k], color=colour, linewidth=1, linestyle="--")
        panels["joints"].plot(run.time, run.position[joint], color=colour, label=joint)
    for name, colour in {"left": BLUE, "right": ORANGE}.items():
        shaft = run.actuator[f"{name}_motor"]
        panels["motors"].plot(run.time, shaft.velocity, color=colour, label=name)
        panels["torques"].plot(run.time, 1e3 * shaft.torque, color=colour, label=name)
    both = np.stack([run.actuator[f"{name}_motor"].torque for name in ("left", "right")], axis=-1)
    for k, (joint, colour) in enumerate({"pitch": GREEN, "roll": PINK}.items()):
        panels["shares"].plot(run.time, gears.actuator_to_joint_effort(both)[:, k], color=colour, label=joint)
    named(panels["joints"], "Joints and their commands (dashed)", y="angle [rad]")
    named(panels["motors"], "Motors: together for pitch, against each other for roll", y="speed [rad/s]")
    named(panels["torques"], "What each motor gives", y="torque [mN·m]")
    named(panels["shares"], "What arrives at the joints", y="torque [N·m]")
    for name in ("joints", "motors", "torques", "shares"):
        panels[name].legend(frameon=False, ncols=2, fontsize=8)
    save(figure, __file__)


def target(time):
    return np.array(next(q for start, q in reversed(TARGETS.items()) if time >= start))


if __name__ == "__main__":
    main()
