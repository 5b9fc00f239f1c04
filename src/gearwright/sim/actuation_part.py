"""`gw.compile(robot, part="actuation")`: motors, gears and encoders alone, on joints that another program moves.

The mechanism of `model.actuation_part` is stepped with every joint's velocity prescribed. What it takes to prescribe it
is the effort of the actuation on the joint, at the end of an implicit step.

    made     the state: one lane per robot, stepped once per step
    asked    a copy for questions about the coming step. In its first lanes joints have the velocities asked for, in
             each of the others some joints are a little faster: the differences are the slopes
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gearwright.diagnostics import Diagnostic
from gearwright.errors import CompileError, ModelError, SimulationError
from gearwright.model import Mechanism
from gearwright.model.actuation_part import ARMATURE, ActuationMechanism, PartFriction, actuation_mechanism
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.simulation import Simulation
from gearwright.sim.state import given_values
from gearwright.sim.state.names import Group
from gearwright.sim.state.values import Array, Value, Values

NUDGE = 1e-5  # [rad/s, m/s], or the same share of a faster joint's speed: the change that a slope is taken over


class ActuationLine(NamedTuple):
    """Efforts on the joints as a linear function of their velocities at the end of a step.

    Exact at `velocity`, and around it until an actuator changes its segment: reaches a limit, or a tooth flank. Arrays
    are in the order of `names`, (n,) and (n, n), with the batch as first axis if there is one.
    """

    names: tuple[str, ...]
    velocity: Array  # [rad/s, m/s] that it was asked for
    efforts: Array  # there [N·m, N]
    matrix: Array  # by how much efforts fall with velocities [N·m·s/rad, N·s/m]

    @property
    def effort(self) -> dict[str, Any]:
        """By joint [N·m, N]."""
        return {name: self.efforts[..., i] for i, name in enumerate(self.names)}

    @property
    def slope(self) -> dict[str, Any]:
        """By joint, ∂effort/∂velocity of its own [N·m·s/rad, N·s/m]."""
        return {name: -self.matrix[..., i, i] for i, name in enumerate(self.names)}

    @property
    def constant(self) -> Array:
        """The efforts that the line has where nothing moves: `effort = constant − matrix·velocity`."""
        return self.efforts + _along(self.matrix, self.velocity)

    def at(self, velocity: Array) -> Array:
        """Efforts at other velocities."""
        return self.constant - _along(self.matrix, velocity)


def _along(matrix: Array, velocity: Array) -> Array:
    product: Array = np.einsum("...ij,...j->...i", matrix, velocity)
    return product


class ActuationPart:
    """Made by `gw.compile(robot, part="actuation")`.

    `line` predicts, any number of times, what the actuation does in the coming step; `step` makes that step with the
    resulting velocities of the joints. Efforts include the inertia of rotors. They do not include `friction`, which can
    hold a joint and is for the program that moves it.

    >>> import gearwright as gw
    >>> act = gw.compile("gripper", part="actuation", dt=1e-3)
    >>> line = act.line(velocity={"right_finger": 0.0}, command={"motor": 0.012})
    >>> act.step(velocity={"right_finger": 0.01})
    """

    def __init__(self, part: ActuationMechanism, made: Simulation, simulated: Callable[[int], Simulation]) -> None:
        """`simulated`: the same as `made` with another batch."""
        self.part, self.names, self.batch = part, part.names, made.batch
        self._group = Group("joint", self.names, {}, hint="no actuator moves another")
        self._answers = np.array([[part.coupled(a, b) or a == b for b in part.axes] for a in part.axes], bool)
        self._nudges = nudged_together(self._answers)
        self._lane = np.argmax(self._nudges, axis=0)  # by joint, the group that it is nudged with
        self._lanes = 1 + len(self._nudges)
        self._made, self._asked = made, simulated(self._lanes * made.batch)
        self._position, self._velocity, self._impulse = (_columns(made, slot, self.names) for slot in _READ)
        self._effort = np.zeros((self.batch, len(self.names)))

    # --- names and readings ----------------------------------------------------------------------------------------

    @property
    def robot(self) -> Mechanism:
        """The mechanism that is stepped: joints side by side on a base, and their actuation."""
        return self.part.mechanism

    @property
    def dt(self) -> float:
        """Length of a step [s]."""
        return self._made.dt

    @property
    def time(self) -> float:
        """Time since the last reset [s]."""
        return self._made.time

    @property
    def friction(self) -> Mapping[str, PartFriction]:
        """Coulomb friction by actuator, which efforts do not include: its level, and the ratios to the joints."""
        return self.part.friction

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is not simulated: sensors that read more than the actuation, and what a simulation names."""
        left_out = [f"sensor {name!r} reads more than the actuation: it is left out" for name in self.part.left_out]
        own = tuple(Diagnostic(severity="info", code="not-simulated", message=m) for m in left_out)
        return own + self._made.diagnostics

    @property
    def position(self) -> Values:
        """Joint positions at the end of the last step [rad, m]."""
        return self._made.position

    @property
    def velocity(self) -> Values:
        """Joint velocities at the end of the last step [rad/s, m/s]."""
        return self._made.velocity

    @property
    def effort(self) -> dict[str, Value]:
        """Efforts on the joints in the last step, without `friction` [N·m, N]."""
        each = self._effort[0] if self.batch == 1 else self._effort.T
        return dict(zip(self.names, each.tolist() if self.batch == 1 else each, strict=True))

    @property
    def efforts(self) -> Array:
        """The same as an array (B, n) in the order of `names`."""
        return self._effort

    @property
    def actuator(self) -> Values:
        """By actuator, `.torque`, `.velocity`, `.position` and its states, as of a simulation."""
        return self._made.actuator

    @property
    def sensor(self) -> Values:
        """Readings at the end of the last step."""
        return self._made.sensor

    @property
    def unsettled(self) -> Value:
        """Number of steps since the last reset that did not converge."""
        return self._made.unsettled

    @property
    def state(self) -> Array:
        """Everything that the next step depends on besides commands: (nx,) or (B, nx). Assign it to restore it."""
        return self._made.state

    @state.setter
    def state(self, value: Any) -> None:
        self._made.state = value

    def reset(self, position: Mapping[str, Any] | None = None, velocity: Mapping[str, Any] | None = None) -> None:
        """Resets to time 0, with these positions and velocities of joints, and rotors that turn with them."""
        self._made.reset(position=position, velocity=velocity)
        self._effort = np.zeros_like(self._effort)

    def reset_to(self, q: Array, v: Array) -> None:
        """`reset` with arrays (B, n) in the order of `names`."""
        q, v = (x[0] if len(x) == 1 else x.T for x in (q, v))
        self.reset(dict(zip(self.names, q, strict=True)), dict(zip(self.names, v, strict=True)))

    def placed(self, q: Array, v: Array) -> Array:
        """Puts joints where another program has them, arrays (B, n), and returns the state then."""
        batch = self._made.batch_state
        state = batch.state()
        state[:, self._position], state[:, self._velocity] = q, v
        batch.set_state(state)
        return self.state

    # --- for exported code -------------------------------------------------------------------------------------------

    @property
    def simulation(self) -> Simulation:
        """Of the state: what `step` steps."""
        return self._made

    @property
    def places(self) -> tuple[Array, ...]:
        """By joint, its indices in the slots of positions, velocities and impulses."""
        return tuple(_within(self._made, slot, self.names) for slot in _READ)

    @property
    def nudges(self) -> tuple[list[Array], Array, Array]:
        """Groups of joints that are nudged together, which joints answer to which, and the group of each joint."""
        return self._nudges, self._answers, self._lane

    # --- asking ----------------------------------------------------------------------------------------------------

    def line(
        self, position: Mapping[str, Any] | None = None, velocity: Mapping[str, Any] | None = None,
        command: Mapping[str, Any] | None = None,
    ) -> ActuationLine:  # fmt: skip
        """Efforts in the coming step as a function of the joints' velocities at its end. The state does not change.

        position   of joints where the step begins; default: where the last one ended
        velocity   of joints at its end, around which the line is exact; default: as at the end of the last one
        command    by actuator, held until changed
        """
        self.command(command)
        q, v = self._given(position, self._position), self._given(velocity, self._velocity)
        found = self.line_at(v, q)
        if self.batch > 1:
            return found
        return ActuationLine(self.names, found.velocity[0], found.efforts[0], found.matrix[0])

    def line_at(self, v: Array, q: Array | None = None) -> ActuationLine:
        """`line` with arrays (B, n) in the order of `names`."""
        h = NUDGE * np.maximum(1.0, np.abs(v))
        state = self._made.batch_state.state()
        if q is not None:
            state[:, self._position] = q
        asked = np.concatenate([v, *(v + h * group for group in self._nudges)])
        efforts = self._stepped(self._asked, np.tile(state, (self._lanes, 1)), asked)
        first, *others = efforts.reshape(self._lanes, self.batch, len(self.names))
        falls = (first - np.array(others))[self._lane]  # (n, B, n): of all efforts, by the joint that was nudged
        matrix = self._answers * falls.transpose(1, 2, 0) / h[:, None, :]
        return ActuationLine(self.names, v, first, matrix)

    def command(self, command: Mapping[str, Any] | None) -> None:
        """Sets commands by actuator, which hold until changed."""
        for i, value in given_values.held(self._made.layout.commands, command or {}, self.batch):
            self._made.batch_state.fill(StepSlot.COMMAND, i, value)
            own = value if isinstance(value, float) else np.tile(value, self._lanes)
            self._asked.batch_state.fill(StepSlot.COMMAND, i, own)

    # --- stepping --------------------------------------------------------------------------------------------------

    def step(
        self, velocity: Mapping[str, Any] | None = None, command: Mapping[str, Any] | None = None,
        position: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Makes the step.

        velocity   of joints at its end; default: as at its start
        command    by actuator, held until changed
        position   of joints at its end; default: where the velocities lead, `q + dt·v`
        """
        self.command(command)
        v = self._given(velocity, self._velocity)
        self.step_to(v, None if position is None else self._given(position, self._position))

    def step_to(self, v: Array, q: Array | None = None) -> None:
        """`step` with arrays (B, n) in the order of `names`."""
        batch = self._made.batch_state
        self._effort = self._stepped(self._made, batch.state(), v)
        if q is not None:
            state = batch.state()
            state[:, self._position] = q
            batch.set_state(state)

    def _stepped(self, sim: Simulation, state: Array, v: Array) -> Array:
        """Efforts (L, n) of a step from `state` with velocities v at its end, (L, n)."""
        q = state[:, self._position]
        target = np.empty((len(v), 2 * len(self.names)))
        target[:, ::2], target[:, 1::2] = q + self.dt * v, v
        if sim is not self._made:
            sim.batch_state.set_state(state)
        sim.batch_state.set(StepSlot.TARGET, target)
        if not sim.clock.one_step():
            raise SimulationError(f"the actuation of {self.robot.name!r} diverged at {self.time:g} s")
        held = sim.batch_state.state()[:, self._impulse]
        gained = ARMATURE * (v - state[:, self._velocity])
        efforts: Array = (gained - held) / self.dt
        return efforts

    def _given(self, values: Mapping[str, Any] | None, columns: Array) -> Array:
        """(B, n): what is given, the others as they are."""
        full: Array = self._made.batch_state.state()[:, columns]
        for i, value in given_values.held(self._group, values or {}, self.batch):
            full[:, i] = value
        return full

    def __repr__(self) -> str:
        robots = "" if self.batch == 1 else f"{self.batch} × "
        return f"<Actuation of {robots}{self.robot.name!r}: {len(self.names)} joints, dt {self.dt:g} s>"


_READ = (StepSlot.POSITION, StepSlot.VELOCITY, StepSlot.IMPULSE)


def _columns(sim: Simulation, slot: str, names: Sequence[str]) -> Array:
    """Columns of the state that have these joints' numbers in a slot; drives come first among impulses."""
    before = 0
    for part, size in sim.batch_state.parts.items():
        if part == slot:
            break
        before += size
    return before + _within(sim, slot, names)


def _within(sim: Simulation, slot: str, names: Sequence[str]) -> Array:
    owners = [e.owner for e in sim.layout.elements(slot)]
    return np.array([owners.index(name) for name in names])


def nudged_together(answers: Array) -> list[Array]:
    """Groups of joints, as masks (n,), in which no joint answers to two: as few as a first fit gives.

    `answers`: which joints' efforts depend on which joints' motion, (n, n).
    """
    common = answers.astype(int) @ answers > 0
    groups: list[Array] = []
    for j in range(len(answers)):
        free = [group for group in groups if not (common[j] & group).any()]
        if free:
            free[0][j] = True
        else:
            groups.append(np.arange(len(answers)) == j)
    return groups


def compiled_part(
    robot: Mechanism, part: object, *, dt: float, batch: int, device: str, precision: str, threads: int | None
) -> ActuationPart:
    from gearwright.model.hardware.drives import Drive
    from gearwright.sim.compiling import compile

    if not isinstance(part, str) or part != "actuation":
        raise CompileError(f"part must be 'actuation', or left out, not {part!r:.60}")
    try:
        found = actuation_mechanism(robot)
    except ModelError as error:
        raise CompileError(str(error)) from None

    def simulated(batch: int) -> Simulation:
        return compile(
            found.mechanism, dt=dt, batch=batch, device=device, precision=precision, threads=threads,
            integrator="euler", drives=dict.fromkeys(found.names, Drive(kinematic=True)),
        )  # fmt: skip

    return ActuationPart(found, simulated(batch), simulated)
