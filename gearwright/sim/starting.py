"""What actuators and sensors begin with after a reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.sim.values import Array, fill, rows

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def start_readings(sim: Simulation, q: Array, v: Array) -> Array:
    """`sensor` of robots that start at q and v, (B, n) each: the first readings."""
    sensing = sim._devices.sensing
    given = np.zeros((sim.batch, sim._parts["sensor"]))
    places = [len(sensing.readings) + i for i in sensing.generators]
    given[:, places] = sensing.seeds(sim.batch)
    values = {"position": q, "velocity": v, "sensor": given}
    if sim.options.inputs:
        values["parameter"] = rows(sim._instance.view("parameter"), sim.batch)
    readings: Array = sim._kernels["sense_start"].evaluate(values)["sensor_after"]
    return readings


def hold_positions(sim: Simulation) -> None:
    """Drives that follow a position hold where they are, until they are told where to go."""
    if not sim._commanded:
        return
    for i, (name, actuator) in enumerate(sim.robot.actuators.items()):
        if actuator.command == "position":
            fill(sim._inputs["command"], i, sim.actuator[name].position)
