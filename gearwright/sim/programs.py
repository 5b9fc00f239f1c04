"""The programs of a simulation: one row a question that can be asked of the equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gearwright.compile import Kind, Program, Slot, Stage, Tape, function_program, stage

if TYPE_CHECKING:
    import casadi

    from gearwright.dynamics import Equations


def step_program(equations: Equations) -> Program:
    """One step: the states are read and written in place."""
    function: casadi.Function = equations.step
    after = {"next_position": "position", "next_velocity": "velocity"}
    traced = stage(function)
    kinds = {"effort": Kind.INPUT, "parameter": Kind.PARAMETER, "dt": Kind.PARAMETER}
    slots = tuple(
        Slot(name=n, kind=kinds.get(n, Kind.STATE), shape=(function.numel_in(i),))
        for i, n in enumerate(function.name_in())
    )
    return Program(name="step", slots=slots, body=(Stage("step", _stored_into(traced.tape, after)),))


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
    "energy": lambda equations: function_program(equations.energy),
    "momentum": lambda equations: function_program(equations.momentum),
    "link_poses": lambda equations: function_program(equations.link_poses),
    "mass_matrix": lambda equations: function_program(equations.mass_matrix),
    "bias": lambda equations: function_program(equations.bias),
}
