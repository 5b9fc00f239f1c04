"""The passes of this back end: the neutral ones, then what only its machine code wants."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gearwright.compiler.backends.cpu.scheduling.issue import is_small, issue_order
from gearwright.compiler.backends.cpu.scheduling.peel import peel_loops
from gearwright.compiler.backends.cpu.scheduling.schedule import schedule
from gearwright.compiler.backends.cpu.scheduling.split import LONGEST, split_program
from gearwright.compiler.backends.cpu.superword import vectors
from gearwright.compiler.backends.cpu.superword.contiguous import contiguous_scratch, movable_slots
from gearwright.compiler.backends.cpu.superword.packing import WIDEST, pack_isomorphic
from gearwright.compiler.passes import PASSES as NEUTRAL
from gearwright.compiler.passes import REWRITES, Pass, ends_known, optimise, without_unread_stores
from gearwright.compiler.program import Program
from gearwright.compiler.simplify import remove_dead_code, simplify
from gearwright.compiler.tape import Instruction, Rules, Tape

ProgramPass = Callable[[Program], Program]


def constants_first(tape: Tape) -> Tape:
    """A clamp with its constant in front needs no test for NaN (see the table in `lowering`)."""
    instructions = tape.instructions

    def swapped(i: Instruction) -> bool:
        return i.op in ("fmin", "fmax") and instructions[i.args[1]].op == "const" != instructions[i.args[0]].op

    if not any(map(swapped, instructions)):
        return tape
    changed = [i._replace(args=i.args[::-1]) if swapped(i) else i for i in instructions]
    return Tape(tuple(changed), tape.stores)


PASSES: tuple[Pass, ...] = (*REWRITES, constants_first, schedule)  # of many robots' tapes; the last drops unused values


def each_tape(*passes: Pass, rules: Rules | None = None) -> ProgramPass:
    """A pass over the tapes of a program, one by one."""
    return lambda program: program.map_tapes(lambda tape: optimise(tape, passes, rules), verified=False)


def _shorter(tape: Tape) -> Tape:
    """Simplified without another rounding."""
    return optimise(tape, (simplify, remove_dead_code))


def pack_limbs(program: Program, widest: int) -> Program:
    """Isomorphic values in vectors of at most `widest` lanes."""
    pack = partial(pack_isomorphic, widest=min(widest, WIDEST), movable=movable_slots(program))
    return each_tape(pack, schedule, rules=vectors.RULES)(program)


def peel_if_small(program: Program, lanes: int) -> Program:
    """A small robot's loops begin in the stage before, and its instructions are issued as a core takes them."""
    if not is_small(program, lanes):
        return program
    return issue(peel_loops(program, lambda tape: optimise(tape, (simplify, remove_dead_code, schedule))))


def issue_if_small(program: Program) -> Program:
    return issue(program) if is_small(program, 1) else program


def _issued(tape: Tape) -> Tape:
    return issue_order(tape) if len(tape.instructions) <= LONGEST else tape  # longer ones run out of registers


issue = each_tape(_issued)


def for_one_robot(widest: int) -> tuple[ProgramPass, ...]:
    """Passes for code whose vectors hold values of one robot."""
    return (
        without_unread_stores,
        each_tape(*NEUTRAL, constants_first),  # roundings are decided after this, as for many robots
        ends_known,
        without_unread_stores,
        each_tape(_shorter),
        partial(peel_loops, improve=_shorter),
        partial(pack_limbs, widest=widest),
        issue_if_small,
        contiguous_scratch,
        split_program,
    )


def for_many_robots(lanes: int) -> tuple[ProgramPass, ...]:
    """Passes for code whose lanes are robots."""
    return (
        without_unread_stores,
        each_tape(*PASSES),
        partial(peel_if_small, lanes=lanes),
        contiguous_scratch,
        split_program,
    )


def optimise_program(program: Program, lanes: int = 1, widest: int = WIDEST) -> Program:
    """The program after all passes of this back end."""
    for run_pass in for_one_robot(widest) if lanes == 1 else for_many_robots(lanes):
        program = run_pass(program)
    return program.verify(vectors.RULES)
