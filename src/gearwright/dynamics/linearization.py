"""A step's derivatives: A over the state, B over efforts and commands, by CasADi's differentiation of its Functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi
from casadi import SX, Function

from gearwright.dynamics.steps.builder import Repeat
from gearwright.dynamics.steps.slots import Slots
from gearwright.model.layout import SlotName


def of_step(step: Function, inputs: Mapping[SlotName, SX]) -> Function:
    """Derivatives of a step that is one Function."""
    after = casadi.vertcat(*step.call(list(inputs.values())))
    before = casadi.vertcat(inputs[Slots.position], inputs[Slots.velocity])
    A, B = casadi.jacobian(after, before), casadi.jacobian(after, inputs[Slots.effort])
    return Function("linearization", list(inputs.values()), casadi.cse([A, B]), list(inputs), ["A", "B"])


def through_stages(stages: Sequence[Function | Repeat], symbols: Mapping[SlotName, SX]) -> Function:
    """Around a step whose laws are on the pieces given, and whose mean velocity is near the guess that is given."""
    slots: dict[SlotName, Any] = {n: casadi.MX.sym(n, s.numel()) for n, s in symbols.items()}
    inputs = dict(slots)
    run(stages, slots)
    after = casadi.vertcat(slots[Slots.position], slots[Slots.velocity])
    pushed = [n for n in (Slots.effort, Slots.command) if n in inputs]
    A = casadi.horzcat(*(casadi.jacobian(after, inputs[n]) for n in (Slots.position, Slots.velocity)))
    B = casadi.horzcat(*(casadi.jacobian(after, inputs[n]) for n in pushed))
    return Function("linearization", list(inputs.values()), [A, B], list(inputs), ["A", "B"])


UNROLLED = {
    Slots.converged: 6,
    Slots.settled: 0,
    Slots.closed: 2,
    Slots.step_done: 1,
    Slots.whole: 0,
    Slots.followed: 0,
    Slots.assured: 0,
}  # of each loop that a step ends by itself: so many rounds

BEGINNING = {
    **dict.fromkeys((Slots.settled, Slots.swept, Slots.accepted, Slots.closed, Slots.converged, Slots.step_done), 0.0),
    **dict.fromkeys((Slots.fresh, Slots.parts, Slots.smooth), 0.0),
    Slots.iteration: 2.0,  # each pass is the first: none is relaxed, which would make much of rounding
}  # no loop ends early, a step is whole


def run(body: Sequence[Function | Repeat], slots: dict[SlotName, Any]) -> None:
    """Runs stages on symbols.

    Laws stay on the pieces that they are given, so the first solution is the last; a pass takes the error of a
    derivative down by a factor of dt times the speeds, and a projection squares it. Sweeps are all made.
    """
    for node in body:
        if isinstance(node, Repeat):
            for _ in range(_rounds(node)):
                run(node.body, slots)
            continue
        slots |= {name: x for name, x in BEGINNING.items() if name in node.name_in()}
        found = node.call([slots[SlotName(n)] for n in node.name_in()])
        slots |= dict(zip(map(SlotName, node.name_out()), found, strict=True))


def _rounds(loop: Repeat) -> int:
    return loop.count if loop.until is None else min(loop.count, UNROLLED.get(loop.until, loop.count))
