"""The programs of a simulation: its step, and questions that can be asked of the equations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING

from gearwright.compiler import Address, Loop, Program, Slot, Stage, Tape, function_program, stage
from gearwright.compiler import SlotKind as Kind
from gearwright.compiler.program import mapped_body
from gearwright.compiler.tape import Instruction
from gearwright.model.control_places import ControlPlaces

if TYPE_CHECKING:
    import casadi

    from gearwright.dynamics import Equations, Repeat


KINDS = {
    "position": Kind.STATE,
    "velocity": Kind.STATE,
    "mean_velocity": Kind.STATE,  # velocity of the last step, from which the next one's is guessed
    "earlier_velocity": Kind.STATE,  # and of the three before
    "smooth": Kind.STATE,  # steps without a kink, up to four: then those of four steps guess the next one's
    "impulse": Kind.STATE,  # where the solver starts from in the next step
    "piece": Kind.STATE,  # of each law, on which it was in the last step
    "piece_end": Kind.STATE,  # the same at the step's end
    "parts": Kind.STATE,  # of a step beside the first, and steps since there are so many
    "unsettled": Kind.STATE,  # number of steps whose laws or passes did not settle
    "actuator": Kind.STATE,  # efforts in the last step, then the actuators' states
    "sensor": Kind.STATE,  # readings, then the sensors' states
    "phase": Kind.STATE,  # 0 where the controller is asked
    "clock": Kind.STATE,  # steps, and the time that they are counted from
    "control": Kind.STATE,  # the controller's commands, then its memory
    "mass": Kind.DERIVED,  # M at the position
    "factors": Kind.DERIVED,  # and its factors, where steps are solved with these alone
    "fresh": Kind.DERIVED,  # 0 where what is derived has to be made again
    "effort": Kind.INPUT,
    "wrench": Kind.INPUT,  # on links that were declared, force and torque of each
    "command": Kind.INPUT,
    "target": Kind.INPUT,
    "parameter": Kind.PARAMETER,
    "dt": Kind.PARAMETER,
}

# A robot that moves faster diverges [rad/s, m/s]. The fastest rotors that are built turn at 1e5 rad/s, and light does
# 3e8 m/s. In a step of 1 ms it is 1600 turns; forces that grow with v² lose 14 of their 16 digits against gravity.
TOP_SPEED = 1e7


def step_program(equations: Equations) -> Program:
    """One step: the states are read and written in place. What passes from one stage to another is scratch."""
    if equations.staged:
        functions, body = [*_functions(equations.stages)], _body(equations.stages)
    else:
        functions = [equations.step]
        body = (_stored(equations.step, {"next_position": "position", "next_velocity": "velocity"}),)
    if equations.sensing.readings:
        functions.append(equations.sense)
        body = (*body, _stored(equations.sense, {"sensor_after": "sensor"}))
    if equations.control is not None:
        control, tick = equations.control.stage, equations.control.tick
        functions += [control, tick]
        asked = Loop(1, (stage(control),), until="phase")  # a loop that is left out where the phase is not 0
        body = _redirected((asked, stage(tick), *body), equations.control.places)
    sizes: dict[str, int] = {}
    for function in functions:
        sizes |= {n: function.numel_in(i) for i, n in enumerate(function.name_in())}
        outputs = enumerate(function.name_out()) if function.name() not in ("step", "sense") or equations.staged else ()
        sizes |= {n: function.numel_out(i) for i, n in outputs if n != "sensor_after"}
    used = [n for n in KINDS if n in sizes]
    slots = tuple(
        Slot(
            name=n,
            kind=KINDS.get(n, Kind.SCRATCH),
            shape=(sizes[n],),
            bound=TOP_SPEED if n == "velocity" else inf,
        )
        for n in dict.fromkeys([*used, *sizes])
    )
    return Program(name="step", slots=slots, body=body)


def _functions(nodes: Sequence[casadi.Function | Repeat]) -> Iterator[casadi.Function]:
    from gearwright.dynamics import Repeat

    for node in nodes:
        if isinstance(node, Repeat):
            yield from _functions(node.body)
        else:
            yield node


def _body(nodes: Sequence[casadi.Function | Repeat]) -> tuple[Stage | Loop, ...]:
    from gearwright.dynamics import Repeat

    traced = {id(function): function for function in _functions(nodes)}
    stages = {key: stage(function) for key, function in traced.items()}  # a function that is there twice: one stage

    def made(nodes: Sequence[casadi.Function | Repeat]) -> tuple[Stage | Loop, ...]:
        return tuple(
            Loop(node.count, made(node.body), node.until) if isinstance(node, Repeat) else stages[id(node)]
            for node in nodes
        )

    return made(nodes)


def _stored(function: casadi.Function, slots: dict[str, str]) -> Stage:
    """A stage with its outputs in other slots."""
    traced = stage(function)
    stores = (s._replace(address=s.address._replace(slot=slots[s.address.slot])) for s in traced.tape.stores)
    return Stage(traced.name, Tape(traced.tape.instructions, tuple(sorted(stores))))


def _redirected(body: tuple[Stage | Loop, ...], places: ControlPlaces) -> tuple[Stage | Loop, ...]:
    """The same with what a controller commands read from `control`, in the place of an input."""

    def moved(i: Instruction) -> Instruction:
        return i._replace(data=Address(*places.of(*i.data))) if isinstance(i.data, Address) else i

    return mapped_body(body, lambda tape: Tape(tuple(map(moved, tape.instructions)), tape.stores))


def program(name: str, equations: Equations) -> Program:
    """The step, the sensors after a reset, or the answer to one of the questions in `dynamics.observers`."""
    if name == "step":
        return step_program(equations)
    return function_program(equations.sense_start if name == "sense_start" else equations.observer(name))
