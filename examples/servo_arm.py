"""A desk arm with six identified servos follows a trajectory: what is commanded, and what the arm will do.

    python examples/servo_arm.py [FOLDER [ROBOT]]     ROBOT: a file with the same joints, such as so101_new_calib.urdf

The arm has the joints of an SO-101. Its STS3215 have the numbers that Better Actuator Models identified; their goals
arrive 12 ms late, 50 times a second, and one weak supply feeds them all. The arm lags while it moves and droops where
it carries weight. Both can be read off before any servo turns.
"""

import sys
from itertools import pairwise

import numpy as np
from canvas import BLUE, GREY, ORANGE, named, save
from matplotlib import pyplot as plt

import gearwright as gw

SERVO, DELAY, SAMPLE, DT = "sts3215-bam-m1", 0.012, 0.02, 1e-3  # model, [s], [s], [s]
SUPPLY = gw.Supply(name="supply", voltage=7.4, resistance=0.15)
MOVE, REST = 0.9, 0.5  # [s] from pose to pose, and in each
JOINTS = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
POSES = (
    (0.0, -0.6, 0.9, 0.3, 0.0, 0.2),
    (0.8, 0.5, 0.2, 0.9, 0.6, 1.2),
    (0.8, 0.9, 0.1, 0.6, 0.6, 0.1),
    (-0.8, 0.0, 0.8, 0.5, -0.6, 0.1),
    (-0.8, 0.6, 0.4, 0.6, -0.6, 1.2),
    (0.0, -0.6, 0.9, 0.3, 0.0, 0.2),
)  # [rad]


def arm(robot="desk_arm"):
    """With its servos in the place of what the file moves it by."""
    found = gw.load(robot)
    for joint in JOINTS:
        found = found.with_servo(joint, SERVO, supply=SUPPLY, delay=DELAY)
    return found


def goals():
    """(T, 6) every 20 ms: from pose to pose with the least jerk."""
    s = np.linspace(0.0, 1.0, round(MOVE / SAMPLE), endpoint=False)[:, None]
    way = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
    poses = np.array(POSES)
    rest = np.ones((round(REST / SAMPLE), 1))
    parts = [np.concatenate([a + way * (b - a), rest * b]) for a, b in pairwise(poses)]
    return np.concatenate([rest * poses[0], *parts])


def tracked(robot):
    """A recording, with a row for each goal."""
    sim = gw.compile(robot, dt=DT)
    commanded, every = goals(), round(SAMPLE / DT)
    sim.reset(position=dict(zip(JOINTS, POSES[0], strict=True)))
    held = np.repeat(commanded, every, axis=0)
    motors = {str(t.joints[0]): a for a, t in robot.acting.items()} | {
        str(a.joint): n for n, a in robot.actuators.items()
    }
    command = {motors[joint]: goal for joint, goal in zip(JOINTS, held.T, strict=True)}
    return sim.run(len(held) * DT, command=command, every=every)


def errors(run):
    """What is commanded less where the arm is, (T, 6) [rad]."""
    commanded = goals()
    where = np.column_stack([run.position[j] for j in JOINTS])[: len(commanded)]
    return commanded - where


def main() -> None:
    robot = arm(*sys.argv[2:3])
    run, commanded = tracked(robot), goals()
    time, off = SAMPLE * np.arange(len(commanded)), errors(run)
    figure, panels = plt.subplots(4, 2, figsize=(11.4, 8.6), layout="constrained", sharex=True)
    for k, joint in enumerate(JOINTS):
        axes = panels.flat[k]
        axes.plot(time, commanded[:, k], color=GREY, linewidth=0.9, linestyle="--", label="commanded")
        axes.plot(time, run.position[joint][: len(time)], color=BLUE, label="predicted")
        named(axes, f"{joint}: {np.rad2deg(np.sqrt(np.mean(off[:, k] ** 2))):.1f}° RMS off", x="", y="[rad]")
    panels.flat[0].legend(frameon=False, fontsize=8)
    for k, joint in enumerate(JOINTS):
        panels.flat[6].plot(time, np.rad2deg(off[:, k]), linewidth=0.9, label=joint)
    named(panels.flat[6], "commanded − predicted", y="[°]")
    panels.flat[6].legend(frameon=False, fontsize=7, ncols=3)
    servo = next(iter(run.actuator))
    panels.flat[7].plot(run.time, run.actuator[servo].supply, color=ORANGE)
    named(panels.flat[7], "the supply that all share", y="[V]")
    save(figure, "servo_arm")
    for k, joint in enumerate(JOINTS):
        print(f"{joint:14} {np.rad2deg(off[:, k]).min():6.1f}° … {np.rad2deg(off[:, k]).max():4.1f}° off")


if __name__ == "__main__":
    main()
