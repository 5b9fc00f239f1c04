"""A step's derivatives: A over the state, B over efforts and commands, by CasADi's differentiation of its Functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi
from casadi import SX, Function

from gearwright.dynamics.steps.builder import Node, Repeat, Unless
from gearwright.dynamics.steps.cone_points import BOUNDED
from gearwright.dynamics.steps.slots import Slots
from gearwright.model.layout.slots import SlotName


def of_step(step: Function, inputs: Mapping[SlotName, SX]) -> Function:
    """Derivatives of a step that is one Function."""
    after = casadi.vertcat(*step.call(list(inputs.values())))
    before = casadi.vertcat(inputs[Slots.position], inputs[Slots.velocity])
    A, B = casadi.jacobian(after, before), casadi.jacobian(after, inputs[Slots.effort])
    return Function("linearization", list(inputs.values()), casadi.cse([A, B]), list(inputs), ["A", "B"])


def through_stages(stages: Sequence[Node], symbols: Mapping[SlotName, SX]) -> Function:
    """Around a step whose laws are on the segments given, and whose mean velocity is near the guess that is given."""
    slots: dict[SlotName, casadi.MX] = {n: casadi.MX.sym(n, s.numel()) for n, s in symbols.items()}
    inputs = dict(slots)
    run(stages, slots, BEGINNING)
    A, B = _derivatives(slots, inputs, (Slots.position, Slots.velocity))
    return Function("linearization", list(inputs.values()), [A, B], list(inputs), ["A", "B"])


def through_substep(stages: Sequence[Node], symbols: Mapping[SlotName, SX]) -> Function:
    """The same for one of the substeps of a step, and the slots that the next one begins with.

    `substepping` says how long it is, `remaining` is one more input. What actuators store is a part of the state here:
    commands act through it on the substeps that follow.
    """
    slots: dict[SlotName, casadi.MX] = {n: casadi.MX.sym(n, s.numel()) for n, s in symbols.items()}
    slots[Slots.remaining] = casadi.MX.sym(Slots.remaining)
    inputs = dict(slots)
    run(stages, slots, BEGINNING | {n: inputs[n] for n in (Slots.substepping, Slots.remaining)})
    found = dict(zip("AB", _derivatives(slots, inputs, [n for n in SUBSTEP_STATE if n in inputs]), strict=True))
    found |= {n: slots[n] for n in (*SUBSTEP_STATE, Slots.mean_velocity) if n in inputs}
    found[Slots.impulse] = slots[Slots.impulse] * (1.0 + inputs[Slots.substepping][0])  # as it would be in a whole step
    names = ["A", "B", *(f"next_{n}" for n in list(found)[2:])]
    return Function("substep_linearization", list(inputs.values()), list(found.values()), list(inputs), names)


def _derivatives(
    slots: Mapping[SlotName, casadi.MX], inputs: Mapping[SlotName, casadi.MX], state: Sequence[SlotName]
) -> list[casadi.MX]:
    """Derivatives of a state's slots: over what they were, and over efforts and commands."""
    after = casadi.vertcat(*(slots[n] for n in state))
    pushed = [n for n in (Slots.effort, Slots.command) if n in inputs]
    return [casadi.horzcat(*(casadi.jacobian(after, inputs[n]) for n in names)) for names in (state, pushed)]


SUBSTEP_STATE = (Slots.position, Slots.velocity, Slots.actuator)

UNROLLED = {Slots.converged: 6, Slots.settled: 0, Slots.closed: 2, Slots.step_done: 1}  # rounds of loops
LEFT_OUT = (
    Slots.settled,
    Slots.accepted,
    Slots.sound,
    Slots.step_done,
    Slots.fast,
    Slots.agreed,
    Slots.as_before,
)  # branches
POINTS = 2  # rounds in which contacts' points follow: a Newton step from a solution has its derivatives

BEGINNING = {
    **dict.fromkeys((Slots.settled, Slots.swept, Slots.closed, Slots.converged, Slots.step_done), 0.0),
    **dict.fromkeys((Slots.fresh, Slots.substepping, Slots.smooth), 0.0),
    Slots.iteration: 2.0,  # each pass is the first: none is relaxed, which would make much of rounding
    Slots.follows: BOUNDED,  # cones have a solution's derivatives, Coulomb's law with a bound of friction has not
}  # no loop ends early, a step is whole


def run(body: Sequence[Node], slots: dict[SlotName, casadi.MX], held: Mapping[SlotName, float | casadi.MX]) -> None:
    """Runs stages on symbols; slots that are held have these values in each of them.

    Laws stay on the segments that they are given, so the first solution is the last, but for contacts, which are where
    the velocity was at first. A pass takes the error of a
    derivative down by a factor of dt times the speeds, and a projection squares it. Sweeps are all made.
    """
    for node in body:
        if isinstance(node, Repeat | Unless):
            for _ in range(_rounds(node)):
                run(node.body, slots, held)
            continue
        slots |= {name: casadi.MX(x) for name, x in held.items() if name in node.name_in()}
        found = node.call([slots[SlotName(n)] for n in node.name_in()])
        slots |= dict(zip(map(SlotName, node.name_out()), found, strict=True))


def _rounds(node: Repeat | Unless) -> int:
    if _follows_contacts(node):
        return POINTS if isinstance(node, Repeat) else 1
    if isinstance(node, Unless):
        return 0 if node.unless in LEFT_OUT else 1
    return node.count if node.until is None else min(node.count, UNROLLED.get(node.until, node.count))


def _follows_contacts(node: Repeat | Unless) -> bool:
    """Whether it is there for what has not settled, contacts among it."""
    until = node.until if isinstance(node, Repeat) else node.unless
    return until == Slots.settled and _writes(node.body, Slots.cone_point)


def _writes(body: Sequence[Node], slot: SlotName) -> bool:
    return any(
        _writes(node.body, slot) if isinstance(node, Repeat | Unless) else slot in node.name_out() for node in body
    )
