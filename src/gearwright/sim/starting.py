"""The whole state after a reset: what actuators, sensors and controllers begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.sim import controlled
from gearwright.sim.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def set_start(sim: Simulation, q: Array, v: Array) -> None:
    """The state at independent positions and velocities, (B, n) or (1, n) each, with everything else as at rest."""
    start = {"position": q, "velocity": v, "impulse": np.zeros((1, sim._parts.get("impulse", 0)))}
    start["actuator"] = sim._devices.start[None, :]
    if sim._control is not None:
        start |= {"phase": np.zeros((1, 1)), "clock": np.zeros((1, 2)), "control": np.array([sim._control.start])}
    if "sensor" in sim._parts:
        start["sensor"] = start_readings(sim, *(np.broadcast_to(x, (sim.batch, x.shape[1])) for x in (q, v)))
    parts = [np.broadcast_to(start[name], (sim.batch, size)) for name, size in sim._parts.items()]
    sim._set_state(np.concatenate(parts, axis=1))
    hold_positions(sim)
    controlled.hold_inputs(sim)
    sim._remembered = None


def start_readings(sim: Simulation, q: Array, v: Array) -> Array:
    """`sensor` of robots that start at q and v, (B, n) each: the first readings."""
    sensing = sim._devices.sensing
    given = np.zeros((sim.batch, sim._parts["sensor"]))
    places = [len(sensing.readings) + i for i in sensing.generators]
    given[:, places] = sensing.seeds(sim.batch)
    values = {"position": q, "velocity": v, "sensor": given}
    if sim.options.inputs:
        values["parameter"] = sim._instance.get("parameter")
    readings: Array = sim._kernels["sense_start"].evaluate(values)["sensor_after"]
    return readings


def hold_positions(sim: Simulation) -> None:
    """Drives that follow a position hold where they are, until they are told where to go."""
    if not sim._commanded:
        return
    for i, (name, actuator) in enumerate(sim.robot.actuators.items()):
        if actuator.command == "position":
            sim._inputs["command"].fill(i, sim.actuator[name].position)
