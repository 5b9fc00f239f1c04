"""The order of a small robot's tape: that in which a core of two units would begin its instructions.

A small robot waits for results: pivots of its mass matrix follow from each other, each behind a division. A core looks
for something else to do among the instructions that it holds, of which about a hundred may wait. In the order of
`schedule`, which has few values alive, it finds the next link of the same chain there; in this order it finds others.

This is list scheduling (Goodman and Hsu 1988): in each cycle two of those instructions begin whose arguments are there,
first the one after which fewest values are alive, among equals the one with the longest way to the end behind it.
Without the former, values would wait longer than registers last, and be spilled.
"""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush

from gearwright.compiler.ops import HALVES, OUTSIDE, PAIR
from gearwright.compiler.program import Program, stages_of, without_branches
from gearwright.compiler.rewrite import keep
from gearwright.compiler.tape import Tape

SMALL = 4500  # instructions of one robot's program, after packing, whose code stays in the instruction cache
LONG = 1700  # operations of a stage: in a longer one more values wait than registers hold, and are spilled
SMALL_IN_BATCHES = 2300  # instructions where lanes are robots: a value that is spilled is a whole register
WIDTH = 2  # instructions that begin in a cycle: cores do no better on such code
LATENCY = {
    "load": 5, "add": 3, "sub": 3, "mul": 3, "sq": 3, "twice": 3, "div": 13, "inv": 13, "sqrt": 18, "neg": 1, "fabs": 1,
    "select": 2, "if_else_zero": 2, "not": 1, "and": 1, "or": 1, "fmin": 5, "fmax": 5, "pack": 2, "lane": 1,
}  # fmt: skip
USUAL_LATENCY = 4  # cycles
ANGLES = (PAIR, *HALVES)


def is_small(program: Program, lanes: int = 1) -> bool:
    """By the stages that a step goes through, whatever happens in it: no branches."""
    tapes = [stage.tape for stage in stages_of(without_branches(program.body))]
    length = sum(len(tape.instructions) for tape in tapes)
    if lanes > 1:
        return length <= SMALL_IN_BATCHES
    longest = max((sum(op not in OUTSIDE for op, _, _ in tape.instructions) for tape in tapes), default=0)
    return longest <= LONG and length <= SMALL


def issue_order(tape: Tape) -> Tape:
    """The same instructions in that order; angles and what comes before them stay in front."""
    instructions = tape.instructions
    front = max((n + 1 for n, instruction in enumerate(instructions) if instruction.op in ANGLES), default=0)
    begun = {value: moment for moment, value in enumerate(_ListSchedule(tape, front).order())}
    first_used: dict[int, int] = {}
    for value, moment in begun.items():
        for a in instructions[value].args:
            first_used.setdefault(a, moment)
    moments = {
        value: (begun[value], True) if value in begun else (first_used.get(value, 0), False)
        for value in range(front, len(instructions))
    }
    return keep(tape, [*range(front), *sorted(moments, key=moments.__getitem__)])


class _ListSchedule:
    """The order of the instructions from number `front` on, in the making.

    Constants and loads are left out: they are made where they are first used, as operands in memory.
    """

    def __init__(self, tape: Tape, front: int) -> None:
        self.instructions = tape.instructions
        own = (v for v in range(front, len(tape.instructions)) if tape.instructions[v].op not in OUTSIDE)
        self.arguments = {v: tuple(dict.fromkeys(tape.instructions[v].args)) for v in own}
        self.users: dict[int, list[int]] = {}
        for v, args in self.arguments.items():
            for a in args:
                self.users.setdefault(a, []).append(v)
        self.uses = Counter({a: len(users) for a, users in self.users.items()})  # that are still to come
        self.behind = self._behind()
        self.ranks: dict[int, int] = {}  # of those that may begin: values that are alive after it, more than before
        self.ready: list[tuple[int, float, int]] = []  # the same as a heap, those of an earlier rank among them

    def _behind(self) -> dict[int, float]:
        """Cycles from each instruction's beginning to the end of the last that needs it."""
        behind: dict[int, float] = {}
        for v in reversed(self.arguments):
            behind[v] = self._latency(v) + max((behind[u] for u in self.users.get(v, ())), default=0.0)
        return behind

    def _latency(self, v: int) -> int:
        return LATENCY.get(self.instructions[v].op, USUAL_LATENCY)

    def order(self) -> list[int]:
        missing = {v: sum(a in self.behind for a in args) for v, args in self.arguments.items()}
        there: dict[int, float] = {}  # the cycle in which a value is
        waiting = [(0.0, v) for v in self.arguments if not missing[v]]
        order: list[int] = []
        cycle = 0.0
        while len(order) < len(self.arguments):
            while waiting and waiting[0][0] <= cycle:
                self._rank(heappop(waiting)[1])
            for v in self._begin():
                order.append(v)
                there[v] = cycle + self._latency(v)
                for u in self.users.get(v, ()):
                    missing[u] -= 1
                    if not missing[u]:
                        heappush(waiting, (max(there.get(a, 0.0) for a in self.arguments[u]), u))
            cycle = cycle + 1.0 if self.ranks or not waiting else max(cycle + 1.0, waiting[0][0])
        return order

    def _rank(self, v: int) -> None:
        ends = sum(self.uses[a] == 1 and self.instructions[a].op not in OUTSIDE for a in self.arguments[v])
        self.ranks[v] = (v in self.users) - ends
        heappush(self.ready, (self.ranks[v], -self.behind[v], v))

    def _begin(self) -> list[int]:
        """The instructions of one cycle. The last that needs a value gets another rank."""
        begun: list[int] = []
        while self.ranks and len(begun) < WIDTH:
            rank, _, v = heappop(self.ready)
            if self.ranks.get(v) != rank:
                continue
            del self.ranks[v]
            begun.append(v)
            for a in self.arguments[v]:
                self.uses[a] -= 1
                if self.uses[a] == 1:
                    for u in self.users[a]:
                        if u in self.ranks:
                            self._rank(u)
        return begun
