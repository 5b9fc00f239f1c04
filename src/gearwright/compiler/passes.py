"""The passes that suit every back end, in order; back ends append their own.

Each is a function from tape to tape. With GEARWRIGHT_VERIFY set, the tape is verified after every one; otherwise once,
when the program is made of its tapes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from gearwright.compiler.arithmetic import (
    expand_functions,
    fuse_multiply_add,
    pair_sines_and_cosines,
    share_reciprocals,
)
from gearwright.compiler.program import Body, Loop, Program, SlotKind, Stage, end_of, stages_of
from gearwright.compiler.simplify import remove_dead_code, simplify
from gearwright.compiler.tape import Address, Instruction, Rules, Store, Tape

Pass = Callable[[Tape], Tape]
REWRITES: tuple[Pass, ...] = (
    expand_functions,
    simplify,
    share_reciprocals,
    pair_sines_and_cosines,
    remove_dead_code,
    fuse_multiply_add,
)
PASSES: tuple[Pass, ...] = (*REWRITES, remove_dead_code)  # products that were fused away


def optimise(tape: Tape, passes: Sequence[Pass] = PASSES, rules: Rules | None = None) -> Tape:
    """The tape after all passes; `rules`: of a valid tape, where passes add operations of a back end."""
    careful = bool(os.environ.get("GEARWRIGHT_VERIFY"))
    for run_pass in passes:
        tape = run_pass(tape)
        if careful:
            tape.verify(rules=rules)
    return tape


def ends_known(program: Program) -> Program:
    """The program of a single robot: the body of a loop or branch runs only while the number that ends it is 0."""
    bodies: dict[int, set[str]] = {}  # of each stage, the slots that are 0 wherever it begins

    def look(body: Body, zero: frozenset[str]) -> None:
        for node in body:
            if isinstance(node, Stage):
                bodies[id(node.tape)] = bodies.get(id(node.tape), set(zero)) & zero
                zero -= {a.slot for a in node.tape.writes()}
            else:
                written = {a.slot for stage in stages_of(node.body) for a in stage.tape.writes()}
                before = zero - written if isinstance(node, Loop) else zero  # by iterations before
                end = end_of(node)
                look(node.body, before | {end} if end else before)
                zero -= written

    look(program.body, frozenset())

    def known(tape: Tape) -> Tape:
        zero = bodies[id(tape)]
        if not zero:
            return tape
        instructions = (
            Instruction("const", (), 0.0) if isinstance(i.data, Address) and i.data.slot in zero else i
            for i in tape.instructions
        )
        return Tape(tuple(instructions), tape.stores)

    return program.map_tapes(known, verified=False)  # fewer loads


def without_unread_stores(program: Program) -> Program:
    """The program without stores to scratch that no stage loads."""
    scratch = {slot.name for slot in program.of_kind(SlotKind.SCRATCH)}
    read = {address for stage in program.stages for address in stage.tape.reads()}
    read |= {Address(slot, 0) for slot in program.ends}

    def kept(store: Store) -> bool:
        return store.address.slot not in scratch or store.address in read

    return program.map_tapes(lambda tape: Tape(tape.instructions, tuple(filter(kept, tape.stores))), verified=False)
