"""The whole state after a reset, actuators, sensors and controllers included."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.compiler import SlotKind
from gearwright.errors import ModelError, SimulationError
from gearwright.model.layout.layout import coordinate_of
from gearwright.model.layout.slots import SLOTS, SlotName, StepSlot
from gearwright.model.transmissions.leading import led, start_of
from gearwright.sim.reset import followers, loop_assembly, rotor_starts
from gearwright.sim.running.reporting import warn_another_branch, warn_beyond_limits
from gearwright.sim.state.current_maps import map_of, parameters_now
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

Near = tuple[Collection[str], Collection[str]]
EXACT: Near = ((), ())

ELSEWHERE = "let it start elsewhere, by reset(position=…) or `gearwright run --set`"


def reset(
    sim: Simulation, position: Mapping[str, Any], velocity: Mapping[str, Any], *, reach: bool = True,
    near: Near = EXACT,
) -> None:  # fmt: skip
    """See `Simulation.reset`. `near`: names of positions and velocities that closing a loop may change."""
    with sim.batch_state.exclusive():
        _reset(sim, position, velocity, reach, near)


def _reset(
    sim: Simulation, position: Mapping[str, Any], velocity: Mapping[str, Any], reach: bool, near: Near
) -> None:  # fmt: skip
    q, v = _assembled(sim, position, velocity, near)
    state, names = sim.batch_state, sim.layout.names
    memory, called = state.instance.memory, sim.controller_state
    before, clock, last = memory.copy(), (sim.clock.start, sim.clock.steps), (called.function, called.memory)
    try:
        sim.inputs.clear()
        set_start(sim, q[:, names.free_positions], v[:, names.free_velocities])
        for i, name in enumerate(sim.options.drives):  # drives hold where the robot starts
            state.fill(StepSlot.TARGET, 2 * i, sim.position[name])
            state.fill(StepSlot.TARGET, 2 * i + 1, 0.0)
        sim.clock.restart(0.0)
        check_start(sim, reach)
        if reach:  # compile itself does not choose a pose
            warn_beyond_limits(sim, followers.with_exact_followers(sim.robot, parameters_now(sim), q))
    except BaseException:
        memory.copy_from(before)
        sim.clock.set(*clock)
        called.assign(*last)
        state.touch()
        raise


def _assembled(
    sim: Simulation, position: Mapping[str, Any], velocity: Mapping[str, Any], near: Near
) -> tuple[Array, Array]:
    """Positions and velocities of the tree, with followers aligned and loops closed."""
    robot, names, kernels = sim.robot, sim.layout.names, sim.kernels
    parameter = sim.batch_state.get(StepSlot.PARAMETER)
    q, given_q = followers.tree_positions(sim.start_position, names, position, sim.batch)
    v, given_v = followers.tree_velocities(names, velocity, sim.batch)
    numbers = parameters_now(sim)
    q, v = rotor_starts.with_leading_rotors(robot, numbers, (q, v), (given_q, given_v))
    q, v = followers.aligned(robot, names, numbers, (q, v), (given_q, given_v))
    _check_reach(sim, position, q)
    if not given_q <= set(names.free_positions) or not given_v <= set(names.free_velocities):
        followers.check_followers(kernels["tree"], names, parameter, q, v, (given_q, given_v))
    if robot.tree.cuts:
        held = [i for i, _ in names.positions.columns(_without(position, near[0]))]
        kept = {k for k, _ in names.coordinates.columns(_without(velocity, near[1]))}
        q, v, astray = loop_assembly.assembled(
            kernels["closure"], robot, names, parameter, (q, v), (held, kept), sim.start_position
        )
        warn_another_branch(sim, astray)
    if rotor_starts.loose_transmissions(robot):
        follows = len(names.free_velocities) < v.shape[1]
        tree = followers.with_followers(kernels["tree"], names, parameter, q, v) if follows else (q, v)
        q, v = rotor_starts.with_loose_rotors(robot, numbers, (q, v), tree, (given_q, given_v))
    return q, v


def _without(values: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: x for name, x in values.items() if name not in names}


def set_start(sim: Simulation, q: Array, v: Array) -> None:
    """The state at independent positions and velocities, (B, n) or (1, n) each, with everything else as at rest."""
    start = _Start(sim, q, v)
    if StepSlot.SENSOR in sim.batch_state.parts:
        start.owned[StepSlot.SENSOR] = start_readings(sim, start)
    full = [start.of(name, size) for name, size in sim.batch_state.parts.items()]
    sim.set_batch(np.concatenate(full, axis=1))
    hold_positions(sim)
    sim.inputs.start_control()
    sim.controller_state.assign(None, None)


def check_start(sim: Simulation, reach: bool = True) -> None:
    """Raises for a start at which something is not finite, and names the transmission that cannot reach it.

    Without `reach`, one that a transmission cannot reach passes: steps from there raise.
    """
    held = {"state": sim.batch_state.states, **sim.inputs.slots}
    finite = {name: np.isfinite(buffer.numbers()[0]) for name, buffer in held.items()}
    if all(each.all() for each in finite.values()):
        return
    bad = next(name for name, each in finite.items() if not each.all())
    robot = int(np.flatnonzero(~finite[bad].all(axis=1))[0])
    which = "" if sim.batch == 1 else f" of robot {robot}"
    far = _out_of_reach(sim, robot)
    if far and not reach:
        return
    why = far or _bad_entry(sim, bad, robot)
    raise SimulationError(f"the start{which} is not finite: {why}; {ELSEWHERE}")


def _check_reach(sim: Simulation, position: Mapping[str, Any], q: Array) -> None:
    """Raises for given joints that the transmission leading them cannot reach."""
    robot, names = sim.robot, sim.layout.names
    for name in sorted(led(robot)):
        t = robot.transmissions[name]
        rotor = names.positions.index[f"{t.actuators[0]}.rotor"]
        joints = [coordinate_of(robot.joint(ref.joint), ref) for ref in t.joints]
        lost = np.flatnonzero(np.isnan(q[:, rotor]))
        if len(lost) and any(joint in position for joint in joints):
            pose = ", ".join(f"{j!r} at {q[lost[0], names.positions.index[j]]:.6g}" for j in joints)
            which = "" if sim.batch == 1 else f" of robot {lost[0]}"
            raise SimulationError(
                f"the start{which} is not finite: transmission {t.name!r} ({t.type}) cannot reach {pose}; {ELSEWHERE}"
            )


def _out_of_reach(sim: Simulation, robot: int) -> str:
    """The transmission that has no actuator position where its joints start."""
    for transmission in sim.robot.transmissions.values():
        if transmission.map is None:
            continue
        names = [coordinate_of(sim.robot.joint(ref.joint), ref) for ref in transmission.joints]
        q = [float(np.atleast_1d(sim.position[name])[robot]) for name in names]
        if np.isnan(q).any():  # it has no place for its rotors at the file's start
            q = start_of(sim.robot, transmission)
        try:
            map_of(sim, transmission, robot).joint_to_actuator_position(q)
        except ModelError:
            pose = ", ".join(f"{n!r} at {x:.6g}" for n, x in zip(names, q, strict=True))
            return f"transmission {transmission.name!r} ({transmission.type}) cannot reach {pose}"
    return ""


def _bad_entry(sim: Simulation, slot: str, robot: int) -> str:
    """The first number that is not finite, by name."""
    from gearwright.sim.running.failing import described_entry

    held = sim.batch_state.states if slot == "state" else sim.inputs.slots[slot]
    i = int(np.flatnonzero(~np.isfinite(held.numbers()[0, robot]))[0])
    program = sim.batch_state.program
    return described_entry(sim, *program.state_address(i)) if slot == "state" else f"{slot} number {i}"


class _Start:
    """The numbers of states after a reset, by slot."""

    def __init__(self, sim: Simulation, q: Array, v: Array) -> None:
        control, self._batch = sim.kernels.facts.control, sim.batch
        actuator, friction = sim.layout.actuator_start, sim.layout.friction_start
        # slots whose start their table does not say
        self.owned: dict[str, Array] = {
            StepSlot.POSITION: q,
            StepSlot.VELOCITY: v,
            StepSlot.ACTUATOR: actuator,
            StepSlot.FRICTION: friction,
        }
        if control is not None:
            self.owned[StepSlot.CONTROL] = np.array(control.start)

    def knows(self, slot: str) -> bool:
        return slot in self.owned or bool(slot in SLOTS and SLOTS[SlotName(slot)].start)

    def of(self, slot: str, size: int) -> Array:
        """(B, size)."""
        start = SLOTS[SlotName(slot)].start
        given = np.zeros(size) if start == "0" else self.owned[start or slot]
        return np.broadcast_to(given, (self._batch, size))


def start_readings(sim: Simulation, start: _Start) -> Array:
    """`sensor` of robots that start so: the first readings, (B, n)."""
    sensing = sim.layout.sensing
    given = np.zeros((sim.batch, sim.batch_state.parts[StepSlot.SENSOR]))
    places = [len(sensing.readings) + i for i in sensing.generators]
    given[:, places] = sensing.seeds(sim.batch)
    start.owned[StepSlot.SENSOR] = given
    kernel = sim.kernels["sense_start"]
    needed = kernel.program.of_kind(SlotKind.INPUT, SlotKind.PARAMETER)
    values = {s.name: start.of(s.name, s.size) if start.knows(s.name) else sim.batch_state.get(s.name) for s in needed}
    readings: Array = kernel.evaluate(values)["sensor_after"]
    return readings


def hold_positions(sim: Simulation) -> None:
    """Actuators that follow a position hold theirs until the first command."""
    if not sim.layout.commanded:
        return
    for i, (name, actuator) in enumerate(sim.robot.actuators.items()):
        if actuator.command == "position":
            sim.batch_state.fill(StepSlot.COMMAND, i, sim.actuator[name].position)
