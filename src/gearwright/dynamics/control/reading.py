"""The reading side of a simulation for a controller in the compiled step, with formulas for numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from casadi import SX

from gearwright.dynamics.algebra.scalar import Expression, Scalar, scalars
from gearwright.dynamics.algebra.sparse import identity
from gearwright.dynamics.motion import Model
from gearwright.dynamics.sensing.sensors import Sensing
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.kinematics import link_poses
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.errors import CompileError, UnknownNameError
from gearwright.model import Mechanism
from gearwright.model.layout.slots import SlotName, StepSlot
from gearwright.tracing import Traced


def traced(values: Sequence[Scalar], shape: tuple[int, ...]) -> Traced:
    """Scalars as an array that the user's code computes with."""
    return Traced([x.sx if isinstance(x, Expression) else x for x in values], shape)


class Formulas(Mapping[str, Traced]):
    """Formulas by name; `groups` are further names for several of them."""

    def __init__(self, kind: str, values: Mapping[str, Scalar], groups: Mapping[str, Sequence[str]] | None = None):
        self._kind, self._values, self._groups = kind, dict(values), dict(groups or {})

    def __getitem__(self, name: str) -> Traced:
        if name in self._values:
            return traced([self._values[name]], ())
        if name in self._groups:
            own = self._groups[name]
            return traced([self._values[n] for n in own], (len(own),))
        raise UnknownNameError(self._kind, name, [*self._values, *self._groups])

    def __contains__(self, name: object) -> bool:
        return name in self._values or name in self._groups

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class ActuatorFormulas:
    """`torque`, `position`, `velocity`, `command` and the states of its kind."""

    def __init__(self, name: str, values: Mapping[str, Scalar]) -> None:
        self._name = name
        self.__dict__.update({what: traced([x], ()) for what, x in values.items()})

    def __getattr__(self, what: str) -> Any:
        has = ", ".join(n for n in self.__dict__ if not n.startswith("_"))
        raise UnreadableError(f"actuator {self.__dict__.get('_name')!r} has no {what!r}; it has {has}")


class UnreadableError(CompileError, AttributeError):
    """A controller asks for what it cannot have in the compiled step."""


class TracedReadings:
    """A traced controller's argument: every attribute is a mapping of formulas, a formula or a number."""

    def __init__(self, attributes: Mapping[str, Any]) -> None:
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        has = ", ".join(n for n in self.__dict__ if not n.startswith("_"))
        raise UnreadableError(
            f"a controller that is part of the compiled step cannot use {name!r}; it reads {has}. "
            "sim.run(controller=…) calls it from Python, where it has the whole simulation"
        )


def reading(
    mechanism: Mechanism, model: Model, sensing: Sensing, symbols: Mapping[SlotName, SX],
    parameters: Mapping[str, Scalar], *, dt: float, period: int,
) -> Callable[[SX], TracedReadings]:  # fmt: skip
    """From the slots of the step, and the clock, to what the controller is given."""
    given = {name: scalars(s) for name, s in symbols.items()}
    tree = model.tree(State(given[StepSlot.POSITION], given[StepSlot.VELOCITY]))
    joints = mechanism.tree.joints
    positions = {j.name: j.positions for j in joints if j.positions != (j.name,)}
    velocities = several(mechanism)
    bodies = model.bodies
    attributes: dict[str, Any] = {
        "position": Formulas("joint", dict(zip(bodies.positions, tree.q, strict=True)), positions),
        "velocity": Formulas("joint", dict(zip(bodies.velocities, tree.v, strict=True)), velocities),
        "effort": Formulas("joint", dict(zip(bodies.velocities, given[StepSlot.EFFORT], strict=True)), velocities),
        "parameters": Formulas("parameter", parameters),
        "dt": dt,
        "control_dt": dt * period,
        "batch": 1,
        "robot": mechanism,
        "coordinates": tuple(bodies.velocities),
    }
    read = dict(zip(sensing.readings, given.get(StepSlot.SENSOR, ()), strict=False))
    attributes["sensor"] = Formulas("sensor", read, {n: own for n, own in sensing.shown.items() if own != (n,)})
    n = len(bodies.velocities)

    def mass_matrix() -> Traced:
        M = model.tree_mass_matrix(model.configuration_at(tree.q), tree.q)
        return traced([M.get((i, j), M.get((j, i), 0.0)) for i in range(n) for j in range(n)], (n, n))

    def bias() -> Traced:
        still: list[Scalar] = [0.0] * n
        along = TreeState(tree.q, tree.v, identity(n), still)
        return traced(model.inverse_dynamics(model.configuration_at(tree.q), along, still), (n,))

    attributes |= {"mass_matrix": mass_matrix, "bias": bias}
    attributes["actuator"] = _actuators(mechanism, model, given, tree)
    attributes["pose"] = Poses(lambda: link_poses(model.configuration(tree)), tuple(mechanism.links))

    def read_at(clock: SX) -> TracedReadings:
        steps, start = scalars(clock)
        return TracedReadings({**attributes, "time": traced([start + steps * dt], ())})

    return read_at


def several(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """Joints that have several velocity coordinates, or none."""
    return {j.name: j.coordinates for j in mechanism.tree.joints if j.coordinates != (j.name,)}


def _actuators(
    mechanism: Mechanism, model: Model, given: Mapping[SlotName, list[Scalar]], tree: TreeState
) -> ActuatorReadings:
    if StepSlot.COMMAND not in given:
        return ActuatorReadings({})
    seen, found = model.actuation.seen(tree), {}
    for i, (name, places) in enumerate(mechanism.layout.actuator.items()):
        own = {quantity: given[StepSlot.ACTUATOR][k] for quantity, k in places.items()}
        values = {"torque": own["torque"], "command": given[StepSlot.COMMAND][i], "position": 0.0, "velocity": 0.0}
        if name in seen:
            values |= {"position": seen[name].position, "velocity": seen[name].speed}
        found[name] = ActuatorFormulas(name, values | own)
    return ActuatorReadings(found)


class ActuatorReadings(Mapping[str, ActuatorFormulas]):
    """By name."""

    def __init__(self, each: Mapping[str, ActuatorFormulas]) -> None:
        self._each = dict(each)

    def __getitem__(self, name: str) -> ActuatorFormulas:
        if name not in self._each:
            raise UnknownNameError("actuator", name, self._each)
        return self._each[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._each)

    def __len__(self) -> int:
        return len(self._each)


class Poses(Mapping[str, Traced]):
    """Poses of links in the world, (4, 4); written down when first asked for."""

    def __init__(self, poses: Callable[[], Mapping[str, Any]], links: Sequence[str]) -> None:
        self._poses, self._links = poses, links

    def __getitem__(self, name: str) -> Traced:
        if name not in self._links:
            raise UnknownNameError("link", name, self._links)
        R, p = self._poses()[name]
        rows = [[*R[i], p[i]] for i in range(3)]
        return traced([x for row in rows for x in row] + [0.0, 0.0, 0.0, 1.0], (4, 4))

    def __iter__(self) -> Iterator[str]:
        return iter(self._links)

    def __len__(self) -> int:
        return len(self._links)
