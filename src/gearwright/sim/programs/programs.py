"""The programs of a simulation: its step, and questions that can be asked of the equations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from gearwright.compiler import Address, Branch, Loop, Program, Slot, Stage, Tape, function_program, stage
from gearwright.compiler import SlotKind as Kind
from gearwright.compiler.program import Body, mapped_body
from gearwright.compiler.tangents import tangent_program
from gearwright.compiler.tape import Store
from gearwright.model.layout.control_places import ControlPlaces
from gearwright.model.layout.slots import SLOTS, SlotName, StepSlot, in_state_order
from gearwright.sim.programs.few_contacts import FewContacts

if TYPE_CHECKING:
    import casadi

    from gearwright.dynamics import Equations, Node


# A robot that moves faster diverges [rad/s, m/s]. The fastest rotors that are built turn at 1e5 rad/s, and light does
# 3e8 m/s. In a step of 1 ms it is 1600 turns; forces that grow with v² lose 14 of their 16 digits against gravity.
TOP_SPEED = 1e7


def step_program(equations: Equations, near: Equations | None = None) -> Program:
    """One step: the states are read and written in place. What passes from one stage to another is scratch.

    `near`: the same robot with fewer contacts, for as long as all others are far apart.
    """
    sizes: dict[str, int] = {}
    if equations.staged:
        functions, body = [*_functions(equations.stages)], _body(equations.stages)
        if near is not None and FewContacts.fits(_sizes(functions), shorter := _sizes(_functions(near.stages))):
            few = FewContacts(equations, near)
            functions.append(few.apart)
            body = few.beside(body, _body(near.stages))
            sizes = few.scratch(shorter)
    else:
        functions = [equations.step]
        body = (_stored(equations.step, {"next_position": StepSlot.POSITION, "next_velocity": StepSlot.VELOCITY}),)
    if equations.sensing.readings:
        functions.append(equations.sense)
        body = (*body, _stored(equations.sense, {"sensor_after": StepSlot.SENSOR}))
    if equations.control is not None:
        control, tick = equations.control.stage, equations.control.tick
        functions += [control, tick]
        asked = Branch(StepSlot.PHASE, (stage(control),))
        body = _redirected((asked, stage(tick), *body), equations.control.places)
    sizes |= _sizes(functions, staged=equations.staged)
    used = in_state_order(sizes)
    slots = tuple(
        Slot(
            name=n,
            kind=Kind(SLOTS[SlotName(n)].kind) if n in SLOTS else Kind.SCRATCH,
            shape=(sizes[n],),
            bound=TOP_SPEED if n == StepSlot.VELOCITY else inf,
        )
        for n in dict.fromkeys([*used, *sizes])
    )
    return Program(name="step", slots=slots, body=body)


def _sizes(functions: Iterable[casadi.Function], *, staged: bool = True) -> dict[str, int]:
    """Elements of each slot that the functions name."""
    sizes: dict[str, int] = {}
    for function in functions:
        sizes |= {n: function.numel_in(i) for i, n in enumerate(function.name_in())}
        outputs = enumerate(function.name_out()) if function.name() not in ("step", "sense") or staged else ()
        sizes |= {n: function.numel_out(i) for i, n in outputs if n != "sensor_after"}
    return sizes


def _functions(nodes: Sequence[Node]) -> Iterator[casadi.Function]:
    from gearwright.dynamics import Repeat, Unless

    for node in nodes:
        if isinstance(node, Repeat | Unless):
            yield from _functions(node.body)
        else:
            yield node


def _body(nodes: Sequence[Node]) -> Body:
    from gearwright import dynamics

    traced = {id(function): function for function in _functions(nodes)}
    stages = {key: stage(function) for key, function in traced.items()}  # a function that is there twice: one stage

    def made(node: Node) -> Stage | Loop | Branch:
        if isinstance(node, dynamics.Repeat):
            return Loop(node.count, tuple(map(made, node.body)), node.until)
        if isinstance(node, dynamics.Unless):
            return Branch(node.unless, tuple(map(made, node.body)))
        return stages[id(node)]

    return tuple(map(made, nodes))


def _stored(function: casadi.Function, slots: dict[str, str]) -> Stage:
    """A stage with its outputs in other slots."""
    traced = stage(function)
    stores = (Store(Address(slots[a.slot], a.element), value) for a, value in traced.tape.stores)
    return Stage(traced.name, Tape(traced.tape.instructions, tuple(sorted(stores))))


def _redirected(body: Body, places: ControlPlaces) -> Body:
    """The same with what a controller commands read from `control`, in the place of an input."""
    return mapped_body(body, lambda tape: tape.loading(lambda a: Address(*places.of(*a))))


def first_readings(equations: Equations) -> Program:
    """The sensors after a reset, in place of what they read before."""
    read = [s for s in program("sense_start", equations).slots if s.kind is not Kind.OUTPUT]
    slots = tuple(replace(s, kind=Kind.STATE) if s.name == StepSlot.SENSOR else s for s in read)
    body = (_stored(equations.sense_start, {"sensor_after": StepSlot.SENSOR}),)
    return Program(name="first_readings", slots=slots, body=body)


TANGENT = "tangent "  # of a program's name: with derivatives
TANGENT_STEP = f"{TANGENT}step"
DRIVEN_BY = ", actuator states "  # behind it: those that are inputs, by their places
DRIVEN = "driven"  # the slot of these inputs
# numbers that count, choose or stay as they are: nothing is differentiated by them
COUNTED = (
    StepSlot.SMOOTH, StepSlot.SEGMENT, StepSlot.SUBSTEPPING, StepSlot.UNSETTLED, StepSlot.OPENED, StepSlot.PHASE,
    StepSlot.CLOCK, StepSlot.FRESH, StepSlot.DT,
)  # fmt: skip


def with_driven_states(plain: Program, places: Sequence[int]) -> Program:
    """The program with some states of actuators read from inputs, as a log has them: whether a servo is switched on."""
    if not places:
        return plain
    inputs = {Address(StepSlot.ACTUATOR, place): Address(DRIVEN, i) for i, place in enumerate(places)}
    body = mapped_body(plain.body, lambda tape: tape.loading(lambda a: inputs.get(a, a)))
    return plain.changed((*plain.slots, Slot(name=DRIVEN, kind=Kind.INPUT, shape=(len(places),))), body)


def program(name: str, equations: Equations, near: Equations | None = None) -> Program:
    """The step, the sensors after a reset, or the answer to one of the questions in `dynamics.observers`; each also
    with derivatives, by the name `tangent NAME`. `near`: as in `step_program`."""
    if name.startswith(TANGENT):
        own, _, driven = name.removeprefix(TANGENT).partition(DRIVEN_BY)
        plain = with_driven_states(program(own, equations), [*map(int, driven.split())])
        given = plain.of_kind(Kind.STATE, Kind.INPUT, Kind.PARAMETER)
        return tangent_program(plain, [slot.name for slot in given if slot.name not in COUNTED])
    if name == "step":
        return step_program(equations, near)
    return function_program(equations.sense_start if name == "sense_start" else equations.observer(name))
