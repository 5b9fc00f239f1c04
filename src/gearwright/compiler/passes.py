"""The passes, in order. Each is a function from tape to tape; the tape is verified after every one."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.compiler.arithmetic import (
    expand_functions,
    fuse_multiply_add,
    pair_sines_and_cosines,
    share_reciprocals,
)
from gearwright.compiler.program import Program
from gearwright.compiler.schedule import schedule
from gearwright.compiler.simplify import (
    fold_constants,
    merge_common_subexpressions,
    remove_dead_code,
    simplify,
)
from gearwright.compiler.tape import Tape

PASSES: tuple[Callable[[Tape], Tape], ...] = (
    expand_functions,
    fold_constants,
    simplify,
    share_reciprocals,
    simplify,  # signs that the reciprocals set free
    pair_sines_and_cosines,
    merge_common_subexpressions,
    remove_dead_code,
    fuse_multiply_add,
    remove_dead_code,  # products that were fused away
    schedule,
)


def optimise(tape: Tape) -> Tape:
    """The tape after all passes."""
    for run_pass in PASSES:
        tape = run_pass(tape).verify()
    return tape


def optimise_program(program: Program) -> Program:
    """The program with every stage optimised."""
    return program.map_tapes(optimise)
