"""The passes of this back end: the neutral ones, then what only its machine code wants."""

from __future__ import annotations

from gearwright.compiler.backends.cpu.schedule import schedule
from gearwright.compiler.passes import PASSES as NEUTRAL
from gearwright.compiler.passes import Pass, optimise
from gearwright.compiler.program import Program
from gearwright.compiler.rewrite import Builder, rewrite
from gearwright.compiler.tape import Tape


def constants_first(tape: Tape) -> Tape:
    """A clamp with its constant in front needs no test for NaN (see the table in `lowering`)."""

    def rule(b: Builder, op: str, args: tuple[int, ...]) -> int | None:
        if op not in ("fmin", "fmax") or b.value_of(args[1]) is None or b.value_of(args[0]) is not None:
            return None
        return b.emit(op, args[1], args[0])

    return rewrite(tape, rule)


PASSES: tuple[Pass, ...] = (*NEUTRAL, constants_first, schedule)


def optimise_program(program: Program) -> Program:
    """The program with every stage optimised for this back end."""
    return program.map_tapes(lambda tape: optimise(tape, PASSES))
