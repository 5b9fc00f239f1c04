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
from gearwright.compiler.program import Program, SlotKind
from gearwright.compiler.simplify import remove_dead_code, simplify
from gearwright.compiler.tape import Address, Store, Tape, elements

Pass = Callable[[Tape], Tape]
PASSES: tuple[Pass, ...] = (
    expand_functions,
    simplify,
    share_reciprocals,
    pair_sines_and_cosines,
    remove_dead_code,
    fuse_multiply_add,
    remove_dead_code,  # products that were fused away
)


def optimise(tape: Tape, passes: Sequence[Pass] = PASSES) -> Tape:
    """The tape after all passes."""
    careful = bool(os.environ.get("GEARWRIGHT_VERIFY"))
    for run_pass in passes:
        tape = run_pass(tape)
        if careful:
            tape.verify()
    return tape


def without_unread_stores(program: Program) -> Program:
    """The program without stores to scratch that no stage loads."""
    scratch = {slot.name for slot in program.of_kind(SlotKind.SCRATCH)}
    read = {a for stage in program.stages for address in stage.tape.reads() for a in elements(address)}
    read |= {Address(slot, 0) for slot in program.ends}

    def kept(store: Store) -> bool:
        return store.address.slot not in scratch or not read.isdisjoint(elements(store.address))

    return program.map_tapes(lambda tape: Tape(tape.instructions, tuple(filter(kept, tape.stores))))
