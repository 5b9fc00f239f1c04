"""A controller in the equations: a function of what the robot shows, traced into a stage before the step.

    phase    ()      0 in a step that begins with the controller being asked; it counts up to the control period
    clock    (2,)    steps since the clock was set, and what it was set to [s]
    control  (nc,)   what the controller commands, held until it is asked again; then what it remembers

The function is called once, on a `Reading`: the reading side of a simulation with formulas for numbers. The names that
it returns are the commands; in the step, the places of these among `command` and `effort` are those of `control`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import casadi
from casadi import SX, Function

from gearwright.dynamics.scalar import Scalar, as_written, where
from gearwright.errors import CompileError, GearwrightError, TracingError, UnknownNameError
from gearwright.tracing import Traced, called, elements

PACKAGE = str(Path(__file__).parents[1])


class Declared(Protocol):
    """A user's controller and what it says of itself."""

    @property
    def name(self) -> str: ...
    @property
    def function(self) -> Callable[..., Any]: ...
    @property
    def memory(self) -> Mapping[str, float]: ...
    @property
    def parameters(self) -> Mapping[str, float]: ...


class Formulas(Mapping[str, Traced]):
    """Formulas by name; `groups` are further names for several of them."""

    def __init__(self, kind: str, values: Mapping[str, Scalar], groups: Mapping[str, Sequence[str]] | None = None):
        self._kind, self._values, self._groups = kind, dict(values), dict(groups or {})

    def __getitem__(self, name: str) -> Traced:
        if name in self._values:
            return Traced([self._values[name]], ())
        if name in self._groups:
            own = self._groups[name]
            return Traced([self._values[n] for n in own], (len(own),))
        raise UnknownNameError(self._kind, name, [*self._values, *self._groups])

    def __contains__(self, name: object) -> bool:
        return name in self._values or name in self._groups

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class ActuatorFormulas:
    """`torque`, `position`, `velocity`, `command` and what its kind remembers."""

    def __init__(self, name: str, values: Mapping[str, Scalar]) -> None:
        self._name = name
        self.__dict__.update({what: Traced([x], ()) for what, x in values.items()})

    def __getattr__(self, what: str) -> Any:
        has = ", ".join(n for n in self.__dict__ if not n.startswith("_"))
        raise UnreadableError(f"actuator {self.__dict__.get('_name')!r} has no {what!r}; it has {has}")


class UnreadableError(CompileError, AttributeError):
    """A controller asks for what it cannot have in the compiled step."""


class Reading:
    """What a traced controller is given: every attribute is a mapping of formulas, a formula or a number."""

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self.__dict__.update(parts)

    def __getattr__(self, name: str) -> Any:
        has = ", ".join(n for n in self.__dict__ if not n.startswith("_"))
        raise UnreadableError(
            f"a controller that is part of the compiled step cannot use {name!r}; it reads {has}. "
            "sim.run(controller=…) calls it from Python, where it has the whole simulation"
        )


@dataclass(frozen=True)
class Places:
    """Where the numbers of `control` stand."""

    command: Mapping[int, int]  # index of an actuator → place
    effort: Mapping[int, int]  # index of a coordinate → place
    memory: Mapping[str, int]
    size: int

    def of(self, slot: str, i: int) -> tuple[str, int]:
        """Where the number stands that acts as entry i of `command` or `effort`."""
        controlled = {"command": self.command, "effort": self.effort}.get(slot, {})
        return ("control", controlled[i]) if i in controlled else (slot, i)


@dataclass(frozen=True)
class Targets:
    """What can be commanded: names, and of joints with several coordinates those of each."""

    actuators: Sequence[str]
    coordinates: Sequence[str]
    joints: Mapping[str, Sequence[str]]
    acting: bool = True  # whether actuators act at all

    def indices(self, name: object) -> tuple[str, list[int]]:
        """The slot, and the entries of it that a name stands for."""
        if name in self.actuators:
            if not self.acting:
                raise CompileError(f"actuator {name!r} is commanded, and actuators act with the integrator 'euler' only")
            return "command", [list(self.actuators).index(str(name))]
        if name in self.coordinates:
            return "effort", [list(self.coordinates).index(str(name))]
        if name in self.joints:
            return "effort", [list(self.coordinates).index(n) for n in self.joints[str(name)]]
        raise UnknownNameError("actuator or joint", name, [*self.actuators, *self.coordinates, *self.joints])


class Control:
    """A controller as two Functions: `stage`, run where the phase is 0, and `tick`, which moves the clock on."""

    def __init__(
        self, declared: Declared, targets: Targets, period: int, symbols: Mapping[str, SX], read: Callable[[SX], Reading]
    ) -> None:
        self._declared, self._targets = declared, targets
        self._clock, self._phase = SX.sym("clock", 2), SX.sym("phase")
        remembered = {n: SX.sym(n) for n in declared.memory}
        outputs, after = self._called(read(self._clock), remembered)
        held = SX.sym("held", len(outputs))
        self.places = self._placed(list(outputs), list(remembered))
        before = casadi.vertcat(held, *remembered.values())
        new = [*outputs.values(), *after.values()]
        if not new:
            raise CompileError(f"controller {declared.name!r} commands nothing, and remembers nothing")
        control = [where(self._phase == 0, x, old) for x, old in zip(new, casadi.vertsplit(before), strict=True)]
        inputs = {**symbols, "clock": self._clock, "phase": self._phase, "control": before}
        self.stage = _function("control", inputs, {"control": control})
        steps = self._clock[0] + 1.0
        phase = where(self._phase + 1.0 >= period, 0.0, self._phase + 1.0)
        ticked = {"clock": [steps, self._clock[1]], "phase": [phase]}
        self.tick = _function("tick", {"clock": self._clock, "phase": self._phase}, ticked)

    @property
    def start(self) -> list[float]:
        """`control` after a reset: no commands yet."""
        return [0.0] * (self.places.size - len(self.places.memory)) + [*self._declared.memory.values()]

    def _called(self, sim: Reading, remembered: Mapping[str, SX]) -> tuple[dict[tuple[str, int], Scalar], dict[str, Any]]:
        """(slot, entry) → command, and what is remembered after; all are formulas."""
        declared, found = self._declared, _Returned()

        def flat() -> list[Any]:
            arguments = [sim, {n: Traced([x], ()) for n, x in remembered.items()}] if declared.memory else [sim]
            try:
                found.take(declared.function(*arguments), self._targets, declared)
            except (TracingError, RecursionError):
                raise
            except GearwrightError as error:
                raise type(error).__new__(type(error)) if False else _Told(error) from error
            return found.values

        try:
            (values,) = called(flat, [], name=f"controller {declared.name}")
        except TracingError as error:
            if isinstance(error.__cause__, _Told):
                told = error.__cause__.told
                where_ = user_line(told.__traceback__)
                raise CompileError(f"controller {declared.name}{where_}: {told}") from told
            raise
        keeps = [n for n, x in _attributes(declared.function).items() if isinstance(x, Traced)]
        if keeps:
            raise CompileError(
                f"controller {declared.name} leaves something for its next call in its attribute {keeps[0]!r}: it is "
                f"called once, to be compiled. Declare memory = {{{keeps[0]!r}: 0.0}} and return it, changed, with the "
                "commands"
            )
        n = len(found.commands)
        return dict(zip(found.commands, values, strict=False)), dict(zip(declared.memory, values[n:], strict=True))

    def _placed(self, outputs: Sequence[tuple[str, int]], memory: Sequence[str]) -> Places:
        places: dict[str, dict[int, int]] = {"command": {}, "effort": {}}
        for place, (slot, i) in enumerate(outputs):
            places[slot][i] = place
        own = {name: len(outputs) + n for n, name in enumerate(memory)}
        return Places(places["command"], places["effort"], own, len(outputs) + len(memory))


class _Told(Exception):
    """Carries an error of ours through `called`, whole."""

    def __init__(self, told: GearwrightError) -> None:
        self.told = told
        super().__init__(str(told))
