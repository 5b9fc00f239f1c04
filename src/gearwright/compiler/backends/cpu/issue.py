"""The order of a small robot's tape: that in which a core with a long window would begin its instructions.

A small robot waits for results: pivots of its mass matrix follow from each other, each behind a division. A core looks
a few hundred instructions ahead for something else to do. In the order of `schedule`, which has few values alive,
it finds the next link of the same chain there; in this order it finds other chains. Of the arm's and the hand's steps
that takes off 4 to 18 %. Values wait longer, too, and are spilled: a large robot, which waits for its code, would be
10 to 20 % slower.
"""

from __future__ import annotations

from dataclasses import replace

from gearwright.compiler.ops import HALVES, OUTSIDE, PAIR
from gearwright.compiler.program import Body, Loop, Program, Stage, stages_of
from gearwright.compiler.rewrite import keep
from gearwright.compiler.tape import Tape

SMALL = 4000  # instructions of a program's usual stages: their code stays in the instruction cache
WINDOW = 400  # instructions that are under way at once, a little more than cores have
WIDTH = 2.5  # of them begin in a cycle: cores do no better on such code
LATENCY = {
    "load": 5, "add": 3, "sub": 3, "mul": 3, "sq": 3, "twice": 3, "div": 13, "inv": 13, "sqrt": 18, "neg": 1, "fabs": 1,
    "select": 2, "if_else_zero": 2, "not": 1, "and": 1, "or": 1, "fmin": 5, "fmax": 5,
}  # fmt: skip
USUAL_LATENCY = 4  # cycles
ANGLES = (PAIR, *HALVES)


def is_small(program: Program) -> bool:
    return sum(len(stage.tape.instructions) for stage in stages_of(_usual(program.body))) <= SMALL


def _usual(body: Body) -> Body:
    """Without loops that are left out as a rule: of one round at most, and none where their end is reached."""
    found: list[Stage | Loop] = []
    for node in body:
        if not isinstance(node, Loop):
            found.append(node)
        elif node.count != 1 or node.until is None:
            found.append(replace(node, body=_usual(node.body)))
    return tuple(found)


def issue_order(tape: Tape) -> Tape:
    """The same instructions in that order; angles and what comes before them stay in front."""
    instructions = tape.instructions
    front = max((n + 1 for n, instruction in enumerate(instructions) if instruction.op in ANGLES), default=0)
    begun = _begun(tape, front)
    first_used: dict[int, float] = {}
    for value, moment in begun.items():
        for a in instructions[value].args:
            first_used[a] = min(moment, first_used.get(a, moment))
    moments = {
        value: (begun[value], True) if value in begun else (first_used.get(value, 0.0), False)
        for value in range(front, len(instructions))
    }
    return keep(tape, [*range(front), *sorted(moments, key=moments.__getitem__)])


def _begun(tape: Tape, front: int) -> dict[int, float]:
    """The cycle in which each instruction begins, from number `front` on."""
    ready = [0.0] * len(tape.instructions)
    begun: dict[int, float] = {}
    retired: list[float] = []  # in order, as cores do
    fetched = last = 0.0
    for value, (op, args, _) in enumerate(tape.instructions[front:], start=front):
        if op in OUTSIDE:  # made where they are first used: an operand in memory takes no instruction
            continue
        fetched = max(fetched + 1.0 / WIDTH, retired[-WINDOW] if len(retired) >= WINDOW else 0.0)
        begun[value] = max([fetched, *(ready[a] for a in args)])
        ready[value] = begun[value] + LATENCY.get(op, USUAL_LATENCY)
        last = max(last, ready[value])
        retired.append(last)
    return begun
