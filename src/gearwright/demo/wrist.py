"""The differential wrist: two motors, two joints, and neither motor has a joint of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gearwright import robots
from gearwright.demo.chapter import Chapter, Fact, Figure, film
from gearwright.display.charts import Area, Chart, ChartLine, Note, Traveller, stairs
from gearwright.display.solids import Array, Camera
from gearwright.formats import load
from gearwright.model import Mechanism, TransmissionMap
from gearwright.sim import Recording, compile

DT, DURATION = 5e-4, 1.8  # [s]
STIFFNESS, DAMPING = 0.6, 5e-3  # of the motors' position drives [N·m/rad], [N·m·s/rad]
PITCH, ROLL, TIME = -0.9, -1.25, 0.30  # of a move [rad], [rad], [s]
CAMERA = Camera(azimuth=34.0, elevation=28.0)
SIDES = {"left_motor": "blue", "right_motor": "orange"}


def story(quick: bool = False) -> Chapter:
    robot = _with_drives(load(robots.path("wrist")))
    sim = compile(robot, dt=DT)
    time = DT * np.arange(round(DURATION / DT) + 1)
    wanted = np.stack([_pitch(time), _roll(time)], axis=-1)
    recording = sim.run(DURATION, command=_commands(robot, wanted))
    frames = np.linspace(0, len(recording) - 1, 24 if quick else 48).round().astype(int)
    return Chapter(
        robot=robot,
        title="Differential wrist",
        lead="Two motors share one set of bevel gears. Turning together they pitch the hand, turning against each "
        "other they roll it; in the last move both joints come back at once, and the right motor hardly turns.",
        film=film(recording, CAMERA, frames, "the wrist pitches, rolls, and does both"),
        moments=[round(share * (len(frames) - 1)) for share in (0, 0.15, 0.3, 0.5, 0.64, 0.88)],
        strip_caption="Pitch, roll, and both back at once.",
        facts=_facts(recording, wanted),
        figures=[_motion(recording), _operating_points(robot, recording), _encoders(robot, recording)],
        seconds=5.0,
        command={"left_motor": 40.0, "right_motor": -10.0},
        simulated=DURATION,
    )


def _with_drives(robot: Mechanism) -> Mechanism:
    """The file's motors take efforts; here their drives take angles."""
    actuators = {
        name: replace(motor, command="position", stiffness=STIFFNESS, damping_gain=DAMPING)
        for name, motor in robot.actuators.items()
    }
    return replace(robot, actuators=actuators)


def _commands(robot: Mechanism, wanted: Array) -> dict[str, Array]:
    """Motor angles for joint angles, ahead by what a drive with damping lags behind."""
    angles = np.asarray(_differential(robot).joint_to_actuator_position(wanted))
    ahead = angles + DAMPING / STIFFNESS * np.gradient(angles, DT, axis=0)
    return {"left_motor": ahead[:, 0], "right_motor": ahead[:, 1]}


def _differential(robot: Mechanism) -> TransmissionMap:
    known = robot.transmissions["differential"].map
    assert known is not None
    return known


def _pitch(t: Array) -> Array:
    return PITCH * (_move(t, 0.08) - _move(t, 1.3))


def _roll(t: Array) -> Array:
    return ROLL * (_move(t, 0.6) - _move(t, 1.3))


def _move(t: Array, start: float) -> Array:
    """From 0 to 1, with rest at both ends and no jump of the acceleration."""
    u = np.clip((t - start) / TIME, 0.0, 1.0)
    moved: Array = u**3 * (10 - 15 * u + 6 * u**2)
    return moved


def _facts(recording: Recording, wanted: Array) -> list[Fact]:
    peak = {name: float(np.abs(recording.actuator[name].velocity[recording.time > 1.3]).max()) for name in SIDES}
    end = max(abs(float(recording.position[joint][-1])) for joint in ("pitch", "roll"))
    return [
        Fact(number="2 → 2", meaning="motors to joints, through one differential of ratio 40"),
        Fact(number=f"{peak['left_motor']:.0f} rad/s", meaning="of the left motor in the last move"),
        Fact(number=f"{peak['right_motor']:.0f} rad/s", meaning="of the right one, meanwhile"),
        Fact(
            number=f"{1e3 * end:.1f} mrad",
            meaning="from where it began, after all moves: what gravity and friction leave to the drives",
        ),
    ]


def _motion(recording: Recording) -> Figure:
    t = recording.time
    lines = [
        ChartLine(label="pitch", x=t, y=recording.position["pitch"], colour="green"),
        ChartLine(label="roll", x=t, y=recording.position["roll"], colour="violet"),
    ]
    for name, colour in SIDES.items():
        label = f"{name.replace('_', ' ')} / 40"
        lines.append(
            ChartLine(label=label, x=t, y=recording.actuator[name].position / 40, colour=colour, kind="thin dash")
        )
    return Figure(
        title="Two motors, two joints",
        chart=Chart(x_label="time [s]", y_label="angle [rad]", lines=lines),
        caption="The motors agree while the hand pitches and part while it rolls: each one's angle is 40 times the "
        "sum, or the difference, of the joints' angles.",
    )


def _operating_points(robot: Mechanism, recording: Recording) -> Figure:
    motor = robot.actuators["left_motor"]
    w = np.linspace(0, 560, 300)
    bound = 1e3 * np.maximum(np.asarray(replace(motor, command="effort").effort_at(1.0, w)), 0.0)
    lines = [ChartLine(label="", x=w, y=bound, colour="grey", kind="thin dash")]
    travellers, notes = [], []
    last = recording.time > 1.3
    for name, colour in SIDES.items():
        shaft = recording.actuator[name]
        sign = np.sign(shaft.velocity[last][np.argmax(np.abs(shaft.velocity[last]))])
        x, y = sign * shaft.velocity[last], 1e3 * sign * shaft.torque[last]
        lines.append(ChartLine(label=name.replace("_", " "), x=x, y=y, colour=colour))
        travellers.append(Traveller(x=x, y=y, colour=colour, seconds=4))
        if name == "left_motor":
            k = int(np.argmax(x))
            notes.append(Note(x=float(x[k]), y=float(y[k]), text=f"{x[k]:.0f} rad/s", anchor="end", dx=-10, dy=-8))
    return Figure(
        title="Operating points in the last move",
        chart=Chart(
            x_label="motor speed, along the move [rad/s]", y_label="motor torque, along the move [mN·m]",
            areas=[Area(label="what a motor can give", x=w, low=0 * w, high=bound, colour="grey", pale=True)],
            lines=lines, notes=notes, travellers=travellers, x_range=(-60.0, 580.0), y_range=(-90.0, 180.0),
        ),
        caption="The left motor does the work: it speeds up until the table of its file has no more torque to give, "
        "runs along that edge, and brakes (below zero). The right one only holds still against what the gears "
        "put on it.",
    )  # fmt: skip


def _encoders(robot: Mechanism, recording: Recording) -> Figure:
    shown = (recording.time > 0.08) & (recording.time < 0.107)
    t = recording.time[shown]
    sides = np.stack([recording.sensor["left_encoder"], recording.sensor["right_encoder"]], axis=-1)
    joints = np.asarray(_differential(robot).actuator_to_joint_position(sides))[shown]
    behind = recording.sensor["pitch_encoder"][shown]
    behind = np.where(behind > np.pi, behind - 2 * np.pi, behind)
    at_joint, on_motors = stairs(t, behind), stairs(t, joints[:, 0])
    joint, motor = robot.encoders["pitch_encoder"], robot.encoders["left_encoder"]
    count = float(np.asarray(_differential(robot).actuator_to_joint_position(np.full(2, motor.count())))[0])
    return Figure(
        title="Encoder against joint",
        chart=Chart(
            x_label="time [s]",
            y_label="pitch [mrad]",
            lines=[
                ChartLine(label="joint", x=t, y=1e3 * recording.position["pitch"][shown], colour="grey", kind="dash"),
                ChartLine(label="encoder at the joint", x=at_joint[0], y=1e3 * at_joint[1], colour="violet"),
                ChartLine(
                    label="both motors' encoders, through the gears", x=on_motors[0], y=1e3 * on_motors[1],
                    colour="green", kind="thin",
                ),
            ],
        ),
        caption="The first 27 ms of the first move, in steps of 0.5 ms. One of the joint's "
        f"{joint.resolution:.0f} counts per turn is {1e3 * joint.count():.3f} mrad. If both motors advance by one of "
        f"their {motor.resolution:.0f} counts, that is {1e3 * count:.3f} mrad after the gears.",
    )  # fmt: skip
