"""Users' functions of an environment, traced: what a policy observes, its reward, and when an episode ends.

A function of two arguments gets the observations (1, n) and the actions (1, m), as if one robot were the batch. A
function of one argument gets `Seen`: what a compiled controller reads of the robot, and

    action, last_action   (m,) the action that was held up to now, and the one before it
    goal["speed"]         numbers that are drawn for each episode
    observation           (n,) before delay and noise
    signal("energy")      any quantity of a recording, by name
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import casadi
from casadi import SX

from gearwright.compiler import Stage, stage
from gearwright.compiler.tape import Address, Store, Tape
from gearwright.dynamics.algebra.scalar import Scalar, scalars, without_simplification
from gearwright.dynamics.control.reading import Formulas, UnreadableError
from gearwright.errors import ModelError
from gearwright.sim.recordings.signal_names import find
from gearwright.sim.signals import TIME, Derived, Signal, SlotElement
from gearwright.tracing import Traced, called

if TYPE_CHECKING:
    from gearwright.sim import Simulation


class Symbols:
    """The slots that stages read, as symbols, and the kernels that compute quantities which no slot holds."""

    def __init__(self, sim: Simulation) -> None:
        self.sim, self.equations = sim, sim.kernels.equations
        known, self.read = self.equations.readable(sim.dt, 1)
        self.slots: dict[str, SX] = {name: symbol for name, symbol in known.items() if symbol.numel()}
        self.kernels: dict[str, None] = {}  # in the order in which they run

    def slot(self, name: str, size: int) -> list[Scalar]:
        """A slot's numbers."""
        return scalars(self.slots.setdefault(name, SX.sym(name, size)))

    def signal(self, signal: Signal, time: Scalar) -> list[Scalar]:
        """A quantity by its row in the table of signals."""
        count = prod(signal.shape)
        if signal == TIME:
            return [time]
        if isinstance(signal.source, SlotElement):
            slot, first = signal.source
            size = self.sim.batch_state.program.slot(slot).size
            return self.slot(slot, size)[first : first + count]
        if signal.source is None:
            raise ModelError(f"{signal.name!r} is a number of a file, not of a robot that moves")
        each = [self._derived(term, count) for term in signal.source.terms]
        return [sum(terms[1:], terms[0]) for terms in zip(*each, strict=True)]

    def _derived(self, term: Derived, count: int) -> list[Scalar]:
        function = self.equations.observer(term.kernel)
        if any(name.startswith("tree_") for name in function.name_in()):
            self.kernels.setdefault("tree")
        self.kernels.setdefault(term.kernel)
        found = self.slot(scratch(term.kernel, term.output), function.numel_out(term.output))
        return found[term.element : term.element + count] if count == 1 else found

    def stage(self, name: str, outputs: Mapping[str, Sequence[Scalar]]) -> Stage:
        """A stage that computes slots from those that its formulas contain."""
        with without_simplification():
            columns = casadi.cse([casadi.vertcat(*(SX(getattr(x, "sx", x)) for x in v)) for v in outputs.values()])
        used = {s.element_hash() for s in casadi.symvar(casadi.vertcat(*columns))}
        read = {n: s for n, s in self.slots.items() if used & {x.element_hash() for x in casadi.symvar(s)}}
        twice = {"allow_duplicate_io_names": True}
        return stage(casadi.Function(name, [*read.values()], columns, [*read], [*outputs], twice))

    def observers(self) -> tuple[Stage, ...]:
        """The kernels' stages, which leave their outputs in scratch."""
        return tuple(self._observer(kernel) for kernel in self.kernels)

    def _observer(self, kernel: str) -> Stage:
        traced = stage(self.equations.observer(kernel)).tape.loading(
            lambda a: Address(scratch("tree", a.slot), a.element) if a.slot.startswith("tree_") else a
        )
        stores = (Store(Address(scratch(kernel, a.slot), a.element), value) for a, value in traced.stores)
        return Stage(kernel, Tape(traced.instructions, tuple(sorted(stores))))


def scratch(kernel: str, output: str) -> str:
    """The slot of one of a kernel's outputs."""
    return f"{kernel}.{output}"


@dataclass(frozen=True)
class Episode:
    """The numbers of an episode that functions read beside the robot's."""

    age: Scalar  # actions since its beginning
    action: Sequence[Scalar]
    last_action: Sequence[Scalar]
    goal: Mapping[str, Scalar]


class Seen:
    """The argument of a function of one argument: attributes of `reading`, and those of the episode."""

    def __init__(self, symbols: Symbols, episode: Episode, period: float) -> None:
        self._symbols, self._time = symbols, episode.age * period
        self.__dict__.update(symbols.read(casadi.SX.zeros(2)).__dict__)
        self.time, self.dt = array([self._time], ()), period
        self.action, self.last_action = (array(x, (len(x),)) for x in (episode.action, episode.last_action))
        self.goal = Formulas("goal", episode.goal)
        self.observation: Any = None

    def signal(self, name: str) -> Traced:
        """A quantity of recordings by name; several of them one after the other."""
        found = find(self._symbols.sim.schema, name)
        values = [x for s in found for x in self._symbols.signal(s, self._time)]
        return array(values, found[0].shape if len(found) == 1 else (len(values),))

    def __getattr__(self, name: str) -> Any:
        has = ", ".join(n for n in self.__dict__ if not n.startswith("_"))
        raise UnreadableError(f"there is no {name!r} to read; there is {has}")


def array(values: Sequence[Scalar], shape: tuple[int, ...]) -> Traced:
    return Traced([getattr(x, "sx", x) for x in values], shape)


def takes_one(function: Callable[..., Any]) -> bool:
    """Whether a function is to be called with `Seen` alone."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [p for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(needed) == 1 and not any(p.kind is p.VAR_POSITIONAL for p in given)


def traced(what: str, function: Callable[..., Any], seen: Seen, action: Sequence[Scalar]) -> Scalar:
    """The one number that a function gives."""
    row = seen.observation[None, :]
    arguments = [seen] if takes_one(function) else [row, array(action, (1, len(action)))]
    (values,) = called(function, arguments, what)
    if len(values) != 1:
        raise ModelError(
            f"{what} must return a number per robot, not {len(values)}: in {what}(obs, act), obs is (B, n), act (B, m)"
        )
    return scalars(values)[0]
