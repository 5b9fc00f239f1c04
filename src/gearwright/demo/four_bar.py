"""The four-bar: a crank that goes round makes a rocker swing. Four pins close a loop, and the loop is solved."""

from __future__ import annotations

import numpy as np

from gearwright import robots
from gearwright.demo.balance import balance
from gearwright.demo.chapter import Chapter, Fact, Figure, energy_chart, film, poses
from gearwright.demo.pictures import Trace
from gearwright.display.charts import Area, Chart, ChartLine, Note, Traveller, power_of_ten
from gearwright.display.solids import Array, Camera
from gearwright.formats import load
from gearwright.model import ElectricMotor, FourBarLinkage, Mechanism
from gearwright.sim import Recording, compile

DT, DURATION = 1e-4, 1.2  # [s]
COMMAND = 0.01  # [N·m]
CRANK, ROCKER = np.pi / 3, 1.7027819233538584  # the angles that the file is drawn at [rad]
LINKAGE = FourBarLinkage(ground=0.12, input=0.04, coupler=0.10, output=0.08)
CAMERA = Camera(azimuth=9.0, elevation=13.0)
PEN = np.array([0.05, -0.008, 0.0, 1.0])  # a point of the coupler, in its frame [m]


def story(quick: bool = False) -> Chapter:
    robot = load(robots.path("four_bar"))
    sim = compile(robot, dt=DT)
    start = sim.energy
    recording = sim.run(DURATION, command={"crank_motor": COMMAND})
    turn = _last_turn(recording)
    frames = np.linspace(turn[0], turn[1], 17 if quick else 41).round().astype(int)[:-1]
    path = np.array(
        [at["coupler"] @ PEN for at in poses(recording, np.linspace(*turn, 61).round().astype(int).tolist())]
    )
    v = recording.velocity
    closing = v["pin_d"] - v["pin_a"] - v["pin_b"]
    found = balance(recording, start, cut={"pin_c": closing})
    return Chapter(
        robot=robot,
        title="Four-bar",
        lead="Ground, crank, coupler and rocker: four pins close a loop. The crank's motor is commanded 10 mN·m; it "
        "speeds up to its no-load speed, and from there the swinging rocker loads and unloads it in every turn.",
        film=film(
            recording, CAMERA, frames, "one turn of the four-bar's crank", Trace(points=path[:, :3], colour="red")
        ),
        moments=[round(k * len(frames) / 6) for k in range(6)],
        strip_caption="One turn of the crank, and the path of the coupler's middle.",
        facts=_facts(recording, turn),
        figures=[
            _linkage(recording, turn),
            _closure(recording),
            _operating_point(robot, recording, turn),
            Figure(
                title="Where the motor's work goes",
                chart=energy_chart(recording.time, found),
                caption="At first nearly everything is stored in what moves, most of it in the rotor; at full speed "
                f"the motor only feeds friction. {100 * found.rest[-1] / found.work[-1]:.1f} % of the work is lost by "
                "the integration with steps of 0.1 ms; half the step halves it.",
            ),
            _encoder(robot, recording, turn),
        ],
        seconds=2.4,
        command={"crank_motor": COMMAND},
        simulated=DURATION,
    )


def _last_turn(recording: Recording) -> tuple[int, int]:
    """Rows at which the last whole turn of the crank begins and ends."""
    crank = recording.position["pin_a"]
    end = len(crank) - 1
    return int(np.searchsorted(crank, crank[end] - 2 * np.pi)), end


def _closed_form(recording: Recording) -> tuple[Array, Array]:
    """The rocker's angle in the simulation and by the closed form, from the ground line [rad]."""
    crank, rocker = CRANK + recording.position["pin_a"], ROCKER + recording.position["pin_d"]
    expected = np.asarray(LINKAGE.actuator_to_joint_position(crank[:, None]))[:, 0]
    return rocker, rocker + (expected - rocker + np.pi) % (2 * np.pi) - np.pi


def _facts(recording: Recording, turn: tuple[int, int]) -> list[Fact]:
    rocker, expected = _closed_form(recording)
    swing = np.degrees(np.ptp(rocker[turn[0] : turn[1]]))
    speed = recording.actuator["crank_motor"].velocity[turn[0] : turn[1]]
    seconds = float(recording.time[turn[1]] - recording.time[turn[0]])
    return [
        Fact(number=f"{swing:.1f}°", meaning="that the rocker swings, for every turn of the crank"),
        Fact(number=f"{1 / seconds:.1f} /s", meaning="turns of the crank at the end"),
        Fact(number=f"{speed.min():.0f}–{speed.max():.0f} rad/s", meaning="motor speed within one turn"),
        Fact(
            number=power_of_ten(float(np.abs(rocker - expected).max()), "rad"),
            meaning="largest distance from the closed form",
        ),
    ]


def _linkage(recording: Recording, turn: tuple[int, int]) -> Figure:
    rocker, _ = _closed_form(recording)
    own = slice(*turn)
    x = np.degrees(recording.position["pin_a"][own] - recording.position["pin_a"][turn[0]])
    turned = np.linspace(0, 360, 25)  # [°]
    theta = CRANK + recording.position["pin_a"][turn[0]] + np.radians(turned)
    phi = np.degrees(np.asarray(LINKAGE.actuator_to_joint_position(theta[:, None]))[:, 0])
    return Figure(
        title="Rocker against crank",
        chart=Chart(
            x_label="crank, since the turn began [°]",
            y_label="rocker [°]",
            lines=[
                ChartLine(label="simulated mechanism", x=x, y=np.degrees(rocker[own]), colour="blue"),
                ChartLine(label="closed form of the linkage", x=turned, y=phi, colour="orange", kind="points"),
            ],
        ),
        caption="The line is the mechanism of four bodies and four pins; the points are the same linkage as a "
        "transmission, FourBarLinkage, whose angles are known in closed form.",
    )


def _closure(recording: Recording) -> Figure:
    rocker, expected = _closed_form(recording)
    each = 120  # steps of which the worst is drawn
    error = np.maximum(np.abs(rocker - expected)[1:].reshape(-1, each).max(axis=1), 1e-18)
    return Figure(
        title="The loop stays closed",
        chart=Chart(
            x_label="time [s]", y_label="|rocker − closed form| [rad]", logarithmic=True, y_range=(1e-17, 1e-5),
            lines=[ChartLine(label="the largest of 120 steps", x=recording.time[1::each], y=error, colour="green")],
        ),
        caption=f"{len(recording) - 1:,} steps at up to {np.abs(recording.velocity['pin_a']).max():.0f} rad/s. What "
        "opens in a step is projected away at its end, so it does not accumulate.".replace(",", " "),
    )  # fmt: skip


def _operating_point(robot: Mechanism, recording: Recording, turn: tuple[int, int]) -> Figure:
    motor, shaft = robot.actuators["crank_motor"], recording.actuator["crank_motor"]
    assert isinstance(motor, ElectricMotor)
    w = np.linspace(0, 720, 300)
    bound = 1e3 * np.asarray(motor.effort_at(COMMAND, w))
    every, own = slice(0, None, 4), slice(*turn)
    x, y = shaft.velocity[every], 1e3 * shaft.torque[every]
    return Figure(
        title="The operating point on the torque-speed curve",
        chart=Chart(
            x_label="motor speed [rad/s]",
            y_label="motor torque [mN·m]",
            areas=[Area(label="between command and curve", x=w, low=0 * w, high=bound, colour="grey", pale=True)],
            lines=[
                ChartLine(label="", x=w, y=bound, colour="grey", kind="thin dash"),
                ChartLine(label="while it speeds up, and after", x=x, y=y, colour="red"),
            ],
            notes=[
                Note(x=float(x[0]), y=float(y[0]), text="start", dx=4, dy=-12, dot="red"),
                Note(x=620.0, y=0.0, text="no load: 620 rad/s", anchor="end", dx=-10, dy=16, dot="grey"),
            ],
            travellers=[Traveller(x=shaft.velocity[own], y=1e3 * shaft.torque[own], colour="red", seconds=2.4)],
            x_range=(0.0, 720.0),
            y_range=(-12.0, 14.0),
        ),
        caption="At full speed the point never rests: it rides up and down the curve once or twice a turn. Beyond the "
        "no-load speed the motor brakes, as a real one does.",
    )  # fmt: skip


def _encoder(robot: Mechanism, recording: Recording, turn: tuple[int, int]) -> Figure:
    rows = slice(turn[0], turn[0] + 160)
    t = 1e3 * (recording.time[rows] - recording.time[turn[0]])
    encoder = robot.encoders["rocker_encoder"]
    count = encoder.count()
    half = f"half a count: {1e3 * count / 2:.2f} mrad"
    difference = (recording.sensor["rocker_encoder"][rows] - recording.position["pin_d"][rows]) / count
    return Figure(
        title="Encoder against joint",
        chart=Chart(
            x_label="time within the last turn [ms]",
            y_label="encoder − rocker [counts]",
            lines=[
                ChartLine(label="difference", x=t, y=difference, colour="violet", kind="thin"),
                ChartLine(label=half, x=t, y=0 * t + 0.5, colour="grey", kind="dash thin"),
                ChartLine(label="", x=t, y=0 * t - 0.5, colour="grey", kind="dash thin"),
            ],
            y_range=(-0.9, 0.9),
        ),
        caption=f"{encoder.resolution:.0f} counts per turn, read in the same instant as the joint: never more than "
        "half a count apart. The teeth are wide where the rocker turns back.",
    )  # fmt: skip
