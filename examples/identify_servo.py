"""Identifies a position servo that lifts a pendulum, from recordings: BAM's of an STS3250, or simulated ones.

    python examples/identify_servo.py [LOG.json …]     writes identify_servo.json, .html and .png

It determines the motor's torque constant, resistance and rotor inertia, Coulomb and viscous friction, the highest speed
of the goal, and the delay of the command. The last recording is held back. Without arguments, four recordings are
simulated: two of sines, one that is dropped, and one to hold back.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import numpy as np

import gearwright as gw

MASS, LENGTH, GAIN = 1.13, 0.12, 5.312  # [kg], [m], [1/rad]: duty by error of the firmware
ROBOT = f"""
<robot name="servo_pendulum">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0 0 -{LENGTH}"/><mass value="{MASS}"/>
    <inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 -1 0"/>
    <dynamics damping="0.05" friction="0.05"/></joint>
</robot>
"""
BOUNDS = {
    "servo.torque_constant": (0.05, 4.0), "servo.resistance": (0.1, 20.0), "servo.rotor_inertia": (1e-5, 0.2),
    "shoulder.friction": (0.0, 1.0), "shoulder.damping": (0.0, 2.0), "servo.goal_speed": (0.5, 50.0),
    "servo.delay": (0.0, 0.06),
}  # fmt: skip
# columns of BAM's logs, as the robot calls them
COLUMNS = {
    "position": "shoulder.position", "goal_position": "servo.command", "input_volts": "servo.supply_voltage",
    "torque_enable": "servo.enabled",
}  # fmt: skip
TRUE = {
    "servo.torque_constant": 1.45, "servo.resistance": 1.8, "servo.rotor_inertia": 0.0095, "shoulder.friction": 0.03,
    "shoulder.damping": 0.07,
}  # fmt: skip
DELAY, SAMPLE, NOISE = 0.012, 0.02, 1e-3  # [s], [s], [rad]


def servo_pendulum():
    """A servo with numbers as a data sheet may give them."""
    servo = gw.PositionServo(
        name="servo", joint="shoulder", torque_constant=1.2, resistance=2.7, rotor_inertia=0.02, position_gain=GAIN,
        duty_limit=0.97, goal_speed=20.0,
    )  # fmt: skip
    return gw.loads(ROBOT).with_actuator(servo)


def goals():
    """Sines, a chirp, and a lift after which the torque is switched off; the last one is another sine."""
    t = SAMPLE * np.arange(200)
    on = np.ones_like(t)
    yield "sines", t, np.sin(2.0 * t) * np.minimum(1.0, t) + 0.3 * np.sin(7.0 * t) * np.minimum(1.0, t), on
    yield "chirp", t, np.sin(0.8 * t * t), on
    yield "lift and drop", t, -1.5 * np.minimum(1.0, t / 1.5) ** 2, 1.0 * (t < 2.0)
    yield "held back", t, 1.2 * np.sin(3.0 * t) * np.minimum(1.0, t), on


def simulated():
    """Recordings of a servo with other numbers, whose commands come late, read with noise."""
    dt, rng = 1e-3, np.random.default_rng(0)
    sim = gw.compile(servo_pendulum().with_parameters(TRUE), dt=dt)
    every, late = round(SAMPLE / dt), round(DELAY / dt)
    enabled = sim.robot.layout.actuator["servo"]["enabled"]
    for name, time, goal, on in goals():
        sim.reset()
        held = np.concatenate([np.full(late, goal[0]), np.repeat(goal, every)])
        position = []
        for k in range(len(time)):
            position.append(sim.position["shoulder"])
            sim.batch_state.fill("actuator", enabled, float(on[k]))
            sim.run(SAMPLE, command={"servo": held[k * every : (k + 1) * every]})
        measured = np.array(position) + NOISE * rng.normal(size=len(time))
        yield gw.Log(name=name, time=time, columns={
            "position": measured, "goal_position": goal, "torque_enable": on, "input_volts": np.full(len(time), 12.0),
        })  # fmt: skip


def identified(logs, dt):
    *fitted, held_back = logs
    return gw.identify(
        servo_pendulum(), fitted, tuple(BOUNDS), bounds=BOUNDS, signals=COLUMNS, outputs="shoulder.position",
        holdout=held_back, dt=dt, progress=True,
    )  # fmt: skip


def main(files):
    logs = [gw.read_log(file) for file in files] if files else list(simulated())
    fit = identified(logs, dt=2e-3 if files else 1e-3)
    print(fit.summary())
    fit.save("identify_servo.json")
    fit.report("identify_servo.html")
    drawn(fit).savefig("identify_servo.png", dpi=110)
    return fit


def drawn(fit):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 2.1 * len(fit.residuals)), layout="constrained")
    for axes, r in zip(figure.subplots(len(fit.residuals), 1, squeeze=False)[:, 0], fit.residuals, strict=True):
        axes.plot(r.time, r.measured, ".", markersize=3, color="#8a97a6", label="measured")
        axes.plot(r.time, r.fitted, color="#0b6aa2", linewidth=1.2, label="fitted" if not r.held_back else "predicted")
        axes.set_title(f"{r.log}: {1e3 * r.error:.1f} mrad", fontsize=9, loc="left")
        axes.set_ylabel("position [rad]", fontsize=8)
        axes.legend(frameon=False, fontsize=8, loc="upper right")
    return figure


if __name__ == "__main__":
    main(sys.argv[1:])
