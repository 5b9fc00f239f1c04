"""The programs of a simulation: one row a question that can be asked of the equations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from gearwright.compiler import Kind, Loop, Program, Slot, Stage, Tape, function_program, stage

if TYPE_CHECKING:
    import casadi

    from gearwright.dynamics import Equations, Repeat


KINDS = {
    "position": Kind.STATE,
    "velocity": Kind.STATE,
    "impulse": Kind.STATE,  # where the solver starts from in the next step
    "effort": Kind.INPUT,
    "target": Kind.INPUT,
    "parameter": Kind.PARAMETER,
    "dt": Kind.PARAMETER,
}


def step_program(equations: Equations) -> Program:
    """One step: the states are read and written in place."""
    if equations.kinds:
        return _with_rows(equations)
    function: casadi.Function = equations.step
    after = {"next_position": "position", "next_velocity": "velocity"}
    traced = stage(function)
    slots = tuple(Slot(name=n, kind=KINDS[n], shape=(function.numel_in(i),)) for i, n in enumerate(function.name_in()))
    return Program(name="step", slots=slots, body=(Stage("step", _stored_into(traced.tape, after)),))


def _with_rows(equations: Equations) -> Program:
    """Its stages and loops; what passes from one stage to another is scratch."""
    sizes: dict[str, int] = {}
    for function in _functions(equations.stages):
        sizes |= {n: function.numel_in(i) for i, n in enumerate(function.name_in())}
        sizes |= {n: function.numel_out(i) for i, n in enumerate(function.name_out())}
    slots = tuple(Slot(name=n, kind=KINDS.get(n, Kind.SCRATCH), shape=(sizes[n],)) for n in {**KINDS, **sizes})
    return Program(name="step", slots=slots, body=_body(equations.stages))


def _functions(nodes: Sequence[casadi.Function | Repeat]) -> Iterator[casadi.Function]:
    from gearwright.dynamics import Repeat

    for node in nodes:
        if isinstance(node, Repeat):
            yield from _functions(node.body)
        else:
            yield node


def _body(nodes: Sequence[casadi.Function | Repeat]) -> tuple[Stage | Loop, ...]:
    from gearwright.dynamics import Repeat

    return tuple(
        Loop(node.count, _body(node.body), node.until) if isinstance(node, Repeat) else stage(node) for node in nodes
    )


def _stored_into(tape: Tape, slots: dict[str, str]) -> Tape:
    """The tape with its outputs in other slots."""
    return Tape(
        tape.instructions,
        tuple(sorted(s._replace(address=s.address._replace(slot=slots[s.address.slot])) for s in tape.stores)),
    )


PROGRAMS: dict[str, Callable[[Equations], Program]] = {
    "step": step_program,
    "tree": lambda equations: function_program(equations.tree),
    "observation": lambda equations: function_program(equations.observation),
    "closure": lambda equations: function_program(equations.closure),
    "energy": lambda equations: function_program(equations.energy),
    "momentum": lambda equations: function_program(equations.momentum),
    "link_poses": lambda equations: function_program(equations.link_poses),
    "mass_matrix": lambda equations: function_program(equations.mass_matrix),
    "bias": lambda equations: function_program(equations.bias),
}
