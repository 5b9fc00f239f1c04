"""The passes of this back end: the neutral ones, then what only its machine code wants."""

from __future__ import annotations

from gearwright.compiler.backends.cpu.schedule import schedule
from gearwright.compiler.backends.cpu.split import split_program
from gearwright.compiler.passes import PASSES as NEUTRAL
from gearwright.compiler.passes import Pass, ends_known, optimise, without_unread_stores
from gearwright.compiler.program import Program
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


PASSES: tuple[Pass, ...] = (*NEUTRAL[:-1], constants_first, schedule)  # which drops unused values itself


def optimise_program(program: Program, lanes: int = 1) -> Program:
    """The program with every stage optimised for this back end."""
    if lanes == 1:
        program = ends_known(program)
    optimised = without_unread_stores(program).map_tapes(lambda tape: optimise(tape, PASSES), verified=False)
    return split_program(optimised).verify()
