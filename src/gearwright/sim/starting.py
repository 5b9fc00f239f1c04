"""The whole state after a reset: what actuators, sensors and controllers begin with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError, SimulationError
from gearwright.model.leading import led, start_of
from gearwright.sim import assembly, controlled, loops
from gearwright.sim.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def reset(sim: Simulation, position: Mapping[str, Any], velocity: Mapping[str, Any], *, reach: bool = True) -> None:
    """See `Simulation.reset`."""
    q, v = _assembled(sim, position, velocity)
    names = sim._names
    memory = sim._instance.memory
    before, clock = memory.copy(), (sim._start, sim._steps, sim._remembered)
    try:
        for held in sim._inputs.values():
            held.assign(0.0)
        set_start(sim, q[:, names.free_positions], v[:, names.free_velocities])
        for i, name in enumerate(sim.options.drives):  # drives hold where the robot starts
            sim._instance.slot("target").fill(2 * i, sim.position[name])
            sim._instance.slot("target").fill(2 * i + 1, 0.0)
        sim.time = 0.0
        check_start(sim, reach)
    except BaseException:
        memory.copy_from(before)
        sim._start, sim._steps, sim._remembered = clock
        sim._version += 1
        raise


def _assembled(sim: Simulation, position: Mapping[str, Any], velocity: Mapping[str, Any]) -> tuple[Array, Array]:
    """Positions and velocities of the tree, with followers aligned and loops closed."""
    robot, names, kernels = sim.robot, sim._names, sim._kernels
    parameter = sim._instance.get("parameter")
    q, given_q = assembly.tree_positions(sim._usual, names, position, sim.batch)
    v, given_v = assembly.tree_velocities(names, velocity, sim.batch)
    q, v = assembly.with_loose_rotors(robot, names, (q, v), (given_q, given_v))
    q, v = assembly.with_leading_rotors(robot, names, sim._numbers(parameter), (q, v), (given_q, given_v))
    q, v = assembly.aligned(robot, names, sim._numbers(parameter), (q, v), (given_q, given_v))
    _check_reach(sim, position, q)
    if not given_q <= set(names.free_positions) or not given_v <= set(names.free_velocities):
        assembly.check_followers(kernels["tree"], names, parameter, q, v, (given_q, given_v))
    if robot.tree.cuts:
        q, v = loops.assembled(kernels["closure"], robot, names, parameter, (q, v), (given_q, given_v))
    return q, v


def set_start(sim: Simulation, q: Array, v: Array) -> None:
    """The state at independent positions and velocities, (B, n) or (1, n) each, with everything else as at rest."""
    start = {"position": q, "velocity": v, "mean_velocity": v, "impulse": np.zeros((1, sim._parts.get("impulse", 0)))}
    start |= {n: np.zeros((1, sim._parts.get(n, 0))) for n in ("piece", "piece_end", "unsettled")}
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


def check_start(sim: Simulation, reach: bool = True) -> None:
    """A start at which something has no finite value raises, and says which transmission cannot reach it.

    Without `reach`, one that a transmission cannot reach passes: steps from there raise.
    """
    finite = {name: np.isfinite(held.numbers()[0]) for name, held in {"state": sim._states, **sim._inputs}.items()}
    if all(each.all() for each in finite.values()):
        return
    bad = next(name for name, each in finite.items() if not each.all())
    robot = int(np.flatnonzero(~finite[bad].all(axis=1))[0])
    which = "" if sim.batch == 1 else f" of robot {robot}"
    far = _out_of_reach(sim, robot)
    if far and not reach:
        return
    why = far or _bad_entry(sim, bad, robot)
    raise SimulationError(f"the start{which} is not finite: {why}; let it start elsewhere, by reset(position=…)")


def _check_reach(sim: Simulation, position: Mapping[str, Any], q: Array) -> None:
    """Joints that are given where the transmission which leads them cannot go."""
    robot, names = sim.robot, sim._names
    for name in sorted(led(robot)):
        t = robot.transmissions[name]
        rotor = names.positions.index[f"{t.actuators[0]}.rotor"]
        joints = [robot.joint(ref.joint).positions[ref.index] for ref in t.joints]
        lost = np.flatnonzero(np.isnan(q[:, rotor]))
        if len(lost) and any(joint in position for joint in joints):
            pose = ", ".join(f"{j!r} at {q[lost[0], names.positions.index[j]]:.6g}" for j in joints)
            which = "" if sim.batch == 1 else f" of robot {lost[0]}"
            raise SimulationError(
                f"the start{which} is not finite: transmission {t.name!r} ({t.type}) cannot reach {pose}; "
                "let it start elsewhere, by reset(position=…)"
            )


def _out_of_reach(sim: Simulation, robot: int) -> str:
    """The transmission that has no actuator position where its joints start."""
    for transmission in sim.robot.transmissions.values():
        if transmission.map is None:
            continue
        names = [sim.robot.joint(ref.joint).coordinates[ref.index] for ref in transmission.joints]
        q = [float(np.atleast_1d(sim.position[name])[robot]) for name in names]
        if np.isnan(q).any():  # it has no place for its rotors at the file's start
            q = start_of(sim.robot, transmission)
        try:
            transmission.map.joint_to_actuator_position(q)
        except ModelError:
            pose = ", ".join(f"{n!r} at {x:.6g}" for n, x in zip(names, q, strict=True))
            return f"transmission {transmission.name!r} ({transmission.type}) cannot reach {pose}"
    return ""


def _bad_entry(sim: Simulation, slot: str, robot: int) -> str:
    """The first number that is not finite, by name."""
    from gearwright.sim.failing import described_entry

    held = sim._states if slot == "state" else sim._inputs[slot]
    i = int(np.flatnonzero(~np.isfinite(held.numbers()[0, robot]))[0])
    states = sim._instance.executable.program
    return described_entry(sim, *states.state_address(i)) if slot == "state" else f"{slot} number {i}"


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
