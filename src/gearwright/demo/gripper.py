"""The gripper: a motor, a screw and two coupled fingers. It opens onto its stop, then closes onto the other."""

from __future__ import annotations

import numpy as np

from gearwright import robots
from gearwright.demo.balance import balance
from gearwright.demo.chapter import Chapter, Fact, Figure, TextTable, energy_chart, film
from gearwright.demo.speed import step_time
from gearwright.display.charts import Area, Chart, ChartLine, Note, Traveller, power_of_ten, stairs
from gearwright.display.solids import Array, Camera
from gearwright.formats import load
from gearwright.model import ElectricMotor, Mechanism
from gearwright.sim import Recording, compile

DT, HALF = 5e-4, 0.3  # [s]; of opening, and of closing
COMMAND = 0.012  # [N·m]
RATIO = 2 * np.pi / 0.002  # of the screw [rad/m]
APART = 2e-3  # [m]; the left finger's error at the start, where the coupling lets it have one
SETTLED = 0.1  # [s]
CAMERA = Camera(azimuth=24.0, elevation=20.0)
# mode → how it is drawn, and the natural frequency [rad/s]
MODES = {
    "compliant, 100 rad/s": ("compliant", "pink", 100.0),
    "compliant, 1000 rad/s": ("compliant", "orange", 1000.0),
    "hard": ("hard", "green", None),
    "exact": ("exact", "blue", None),
}


def story(quick: bool = False) -> Chapter:
    robot = load(robots.path("gripper"))
    steps = round(HALF / DT)
    command = np.repeat([COMMAND, -COMMAND], steps)
    sim = compile(robot, dt=DT)
    start = sim.energy
    recording = sim.run(2 * HALF, command={"motor": command})
    frames = np.linspace(0, len(recording) - 1, 18 if quick else 36).round().astype(int)
    modes, table = _modes(robot, command, quick)
    return Chapter(
        robot=robot,
        title="Gripper",
        lead="One small motor turns a screw of 2 mm lead; the screw pulls the right finger and a pinion makes the left "
        "one do the same. The motor gets its full command: the fingers open onto their stops, then close.",
        film=film(recording, CAMERA, frames, "the gripper opens and closes"),
        moments=[round(share * (len(frames) - 1)) for share in (0, 0.12, 0.24, 0.5, 0.68, 1)],
        strip_caption="Opening and closing, as simulated.",
        facts=_facts(robot, recording),
        figures=[
            _operating_point(robot, recording, steps),
            modes,
            Figure(
                title="Where the motor's work goes",
                chart=energy_chart(recording.time, balance(recording, start)),
                caption="Blue drops to zero where a stop absorbs the energy of fingers and rotor: the two steps of "
                "pink. The line on top is the integral of torque times speed; the areas below add up to it.",
            ),
            _encoder(robot, recording),
        ],
        tables=[table],
        command={"motor": COMMAND},
        simulated=2 * HALF,
    )


def _facts(robot: Mechanism, recording: Recording) -> list[Fact]:
    felt = robot.reflected_inertia()[robot.axis("right_finger")]
    finger = robot.links["right_finger_link"].inertia.mass
    x = recording.position["right_finger"]
    opened = float(recording.time[int(np.argmax(x >= 0.9999 * x.max()))])
    impact = float(np.abs(recording.velocity["right_finger"]).max())
    return [
        Fact(
            number=f"{felt:.2f} kg", meaning=f"the rotor's inertia at the finger, {felt / finger:.0f} times the finger"
        ),
        Fact(number=f"{1e3 * opened:.0f} ms", meaning="to open by 40 mm on each side"),
        Fact(number=f"{impact:.2f} m/s", meaning="at the stop: the motor's no-load speed sets it"),
        Fact(number=f"{COMMAND * RATIO:.1f} N", meaning="the motor's 12 mN·m, through the screw"),
    ]


def _operating_point(robot: Mechanism, recording: Recording, steps: int) -> Figure:
    motor, shaft = robot.actuators["motor"], recording.actuator["motor"]
    assert isinstance(motor, ElectricMotor) and motor.no_load_speed and motor.stall_torque
    speed, torque = shaft.velocity[1 : steps + 1], 1e3 * shaft.torque[1 : steps + 1]
    stopped = int(np.argmin(np.diff(speed))) + 1  # the step that meets the stop
    w = np.linspace(0, motor.no_load_speed, 200)
    bound = 1e3 * np.asarray(motor.effort_at(1.0, w))
    k = int(np.argmax(torque < 0.999 * torque[0]))
    corner = motor.no_load_speed * (1 - COMMAND / motor.stall_torque)
    return Figure(
        title="The operating point on the torque-speed curve",
        chart=Chart(
            x_label="motor speed [rad/s]",
            y_label="motor torque [mN·m]",
            areas=[Area(label="what the motor can give", x=w, low=0 * w, high=bound, colour="grey", pale=True)],
            lines=[
                ChartLine(label="", x=w, y=bound, colour="grey", kind="thin dash"),
                ChartLine(label="what it gives while opening", x=speed[:stopped], y=torque[:stopped], colour="red"),
            ],
            notes=[
                Note(x=0.0, y=float(torque[0]), text="start; later stalled at the stop", dx=4, dy=-12, dot="red"),
                Note(
                    x=float(speed[k]), y=float(torque[k]), anchor="end", dx=-4, dy=20, dot="red",
                    text=f"{_ms(recording, k)}: the curve begins",
                ),
                Note(
                    x=float(speed[stopped - 1]), y=float(torque[stopped - 1]), anchor="end", dx=-10, dy=4, dot="red",
                    text=f"{_ms(recording, stopped)}: only friction left",
                ),
            ],
            travellers=[Traveller(x=speed, y=torque, colour="red", seconds=4)],
            x_range=(0.0, 820.0),
            y_range=(0.0, 14.0),
        ),
        caption=f"The drive limits the motor to {1e3 * COMMAND:g} mN·m; from {corner:.0f} rad/s on the curve allows "
        "less. The point stays on the "
        "edge throughout, since the torque is solved with the motion at the end of each step, and jumps back to stall "
        "in the step that meets the stop.",
    )  # fmt: skip


def _modes(robot: Mechanism, command: Array, quick: bool) -> tuple[Figure, TextTable]:
    lines, rows = [], []
    for label, (mode, colour, frequency) in MODES.items():
        changes = {} if frequency is None else {"natural_frequency": frequency, "damping_ratio": 1.0}
        sim = compile(robot.with_coupling("left_finger", mode=mode, **changes), dt=DT)
        sim.reset(position={} if mode == "exact" else {"left_finger": APART})
        recording = sim.run(2 * HALF, command={"motor": command})
        error = np.abs(recording.coupling_error["left_finger"])
        lines.append(ChartLine(label=label, x=recording.time, y=np.maximum(error, 1e-19), colour=colour))
        after = float(error[recording.time > SETTLED].max())
        rows.append([label, power_of_ten(after, "m"), f"{step_time(sim, {'motor': COMMAND}, quick):.0f} ns"])
    figure = Figure(
        title="Coupling error by mode",
        chart=Chart(
            x_label="time [s]", y_label="|left − right| [m]", lines=lines, logarithmic=True, y_range=(1e-19, 1e-1),
        ),
        caption="The left finger starts 2 mm off, where a mode lets it. Hard takes back a fifth of the error per step, "
        "down to rounding. Compliant is a spring, as a belt is: it gives under load, least at rest. Exact has no "
        "error to correct: the follower is no variable of its own (a zero is drawn at the lower edge).",
    )  # fmt: skip
    title = f"Coupling modes: error after {1e3 * SETTLED:.0f} ms, and CPU time of a step"
    return figure, TextTable(title=title, columns=["mode", "largest error", "a step"], rows=rows[::-1])


def _encoder(robot: Mechanism, recording: Recording) -> Figure:
    shown = (recording.time > 0.1755) & (recording.time < 0.1925)
    t = 1e3 * recording.time[shown]
    x, y = stairs(t, 1e3 * recording.sensor["motor_encoder"][shown] / RATIO)
    encoder = robot.encoders["motor_encoder"]
    assert encoder.update_rate is not None
    behind = encoder.latency * float(np.abs(recording.velocity["right_finger"]).max())
    return Figure(
        title="Encoder against joint",
        chart=Chart(
            x_label="time [ms]",
            y_label="finger [mm]",
            lines=[
                ChartLine(label="joint", x=t, y=1e3 * recording.position["right_finger"][shown], colour="blue"),
                ChartLine(label="motor's encoder, divided by the screw's ratio", x=x, y=y, colour="violet"),
            ],
        ),
        caption="The last millimetres before the stop. The encoder is on the motor: one of its "
        f"{encoder.resolution:.0f} counts per turn is {1e6 * encoder.count() / RATIO:.2f} µm at the finger. It is read "
        f"{encoder.update_rate:.0f} times per second and {1e3 * encoder.latency:g} ms late, so during the motion it "
        f"lags by at least {1e3 * behind:.2f} mm. Once the finger stands, both agree.",
    )


def _ms(recording: Recording, k: int) -> str:
    return f"{1e3 * float(recording.time[k]):.0f} ms"
