"""The passes of this back end: the neutral ones, then what only its machine code wants."""

from __future__ import annotations

from functools import partial

from gearwright.compiler.backends.cpu.scheduling.issue import is_small, issue_order
from gearwright.compiler.backends.cpu.scheduling.peel import peel_loops
from gearwright.compiler.backends.cpu.scheduling.schedule import schedule
from gearwright.compiler.backends.cpu.scheduling.split import split_program
from gearwright.compiler.backends.cpu.superword import vectors
from gearwright.compiler.backends.cpu.superword.contiguous import contiguous_scratch, movable_slots
from gearwright.compiler.backends.cpu.superword.packing import WIDEST, pack_isomorphic
from gearwright.compiler.passes import PASSES as NEUTRAL
from gearwright.compiler.passes import REWRITES, Pass, ends_known, optimise, without_unread_stores
from gearwright.compiler.program import Program
from gearwright.compiler.simplify import remove_dead_code, simplify
from gearwright.compiler.tape import Instruction, Tape


def constants_first(tape: Tape) -> Tape:
    """A clamp with its constant in front needs no test for NaN (see the table in `lowering`)."""
    instructions = tape.instructions

    def swapped(i: Instruction) -> bool:
        return i.op in ("fmin", "fmax") and instructions[i.args[1]].op == "const" != instructions[i.args[0]].op

    if not any(map(swapped, instructions)):
        return tape
    changed = [i._replace(args=i.args[::-1]) if swapped(i) else i for i in instructions]
    return Tape(tuple(changed), tape.stores)


def _shorter(tape: Tape) -> Tape:
    """Simplified without another rounding."""
    return optimise(tape, (simplify, remove_dead_code))


PASSES: tuple[Pass, ...] = (*REWRITES, constants_first, schedule)  # which drops unused values itself
FOR_ONE_ROBOT: tuple[Pass, ...] = (*NEUTRAL, constants_first)


def optimise_program(program: Program, lanes: int = 1, widest: int = WIDEST) -> Program:
    """The program with every stage optimised for this back end.

    Lanes are robots; a single one's isomorphic values fill vectors of at most `widest` lanes.
    """
    passes = FOR_ONE_ROBOT if lanes == 1 else PASSES
    optimised = without_unread_stores(program).map_tapes(lambda tape: optimise(tape, passes), verified=False)
    if lanes == 1:  # roundings are decided by now, as for many robots
        optimised = without_unread_stores(ends_known(optimised)).map_tapes(_shorter, verified=False)
        optimised = peel_loops(optimised, _shorter)
        movable = movable_slots(optimised)
        pack = partial(pack_isomorphic, widest=min(widest, WIDEST), movable=movable)  # stages are what they will be
        optimised = optimised.map_tapes(lambda tape: optimise(tape, (pack, schedule), vectors.RULES), verified=False)
    small = is_small(optimised, lanes)
    if small and lanes > 1:
        optimised = peel_loops(optimised, lambda tape: optimise(tape, (simplify, remove_dead_code, schedule)))
    if small:
        optimised = optimised.map_tapes(issue_order, verified=False)
    return split_program(contiguous_scratch(optimised)).verify(vectors.RULES)
