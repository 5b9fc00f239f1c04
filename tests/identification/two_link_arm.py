"""An arm of two links with motors, gears, Stribeck friction and a command delay, and recordings of it with noise."""

import numpy as np

import gearwright as gw
from gearwright.identification.log import Log

DELAY, NOISE, SAMPLE = 0.007, 1e-3, 0.01  # [s], [rad], [s]


def joint(name, parent, child, z):
    friction = (
        "<friction_model type='stribeck'><static>0.5</static><coulomb>0.35</coulomb>"
        "<stribeck_velocity>0.3</stribeck_velocity></friction_model>"
    )
    return (
        f"<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/>"
        f"<origin xyz='0 0 {z}'/><axis xyz='0 1 0'/><dynamics damping='0.08'>{friction}</dynamics></joint>"
    )


def link(name, mass):
    inertia = "<inertia ixx='0.004' iyy='0.004' izz='0.0005' ixy='0' ixz='0' iyz='0'/>"
    return f"<link name='{name}'><inertial><origin xyz='0 0 -0.15'/><mass value='{mass}'/>{inertia}</inertial></link>"


def gear(joint, motor):
    return (
        f"<transmission name='{joint}_gear'><type>transmission_interface/SimpleTransmission</type>"
        f"<joint name='{joint}'><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>"
        f"<actuator name='{motor}'><mechanicalReduction>40</mechanicalReduction></actuator></transmission>"
    )


TEXT = (
    "<robot name='two_links'><link name='base'/>"
    + link("upper", 1.0) + link("lower", 0.6)
    + joint("shoulder", "base", "upper", 0) + joint("elbow", "upper", "lower", -0.3)
    + gear("shoulder", "first") + gear("elbow", "second") + "</robot>"
)  # fmt: skip


def arm():
    robot = gw.loads(TEXT)
    for name in ("first", "second"):
        robot = robot.with_actuator(
            gw.DCMotor(
                name=name, command="voltage", supply_voltage=24.0, resistance=1.2, torque_constant=0.04,
                rotor_inertia=8e-6,
            )
        )  # fmt: skip
    return robot


def voltages(rng, duration):
    """Held for `SAMPLE`, as a computer gives them: sums of sines, from rest."""
    time = SAMPLE * np.arange(round(duration / SAMPLE))
    fade = np.minimum(1.0, time / 0.5)
    found = {}
    for name, largest in (("first", 11.0), ("second", 7.0)):
        waves = [rng.uniform(0.3, 1.0) * np.sin(2 * np.pi * f * time + rng.uniform(0, 6.28)) for f in (0.4, 0.9, 1.7)]
        found[name] = largest * fade * sum(waves) / 1.8
    return time, found


def recorded(robot, rng, duration=4.0, delay=DELAY, noise=NOISE, dt=5e-4):
    """A log of positions and commands, simulated with half the step of the fit."""
    time, command = voltages(rng, duration)
    every, late = round(SAMPLE / dt), round(delay / dt)
    sim = gw.compile(robot, dt=dt)
    held = {n: np.concatenate([np.full(late, v[0]), np.repeat(v, every)])[: len(v) * every] for n, v in command.items()}
    rec = sim.run(
        len(time) * SAMPLE - dt * every, command={n: v[: len(v) - every] for n, v in held.items()}, every=every
    )
    columns = {f"{n}.position": rec.position[n] + noise * rng.normal(size=len(rec.time)) for n in ("shoulder", "elbow")}
    columns |= {f"{n}.command": v for n, v in command.items()}
    return Log(name="arm", time=rec.time, columns=columns)
