"""A loop's first iteration as part of the stage before it: where that stage says that there is one, or where the loop
begins after it (`switch`, then a loop that ends with `switch`).

Between two stages each core waits: what the first computed last, the second needs first. In one tape they are scheduled
together, nothing is read back from memory, and what the stage sets for the loop's beginning is a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from gearwright.compiler.backends.cpu.scheduling.split import LONGEST
from gearwright.compiler.program import Body, Branch, Loop, Node, Program, Stage, stages_of
from gearwright.compiler.tape import Address, Instruction, Store, Tape


def peel_loops(program: Program, improve: Callable[[Tape], Tape], longest: int = LONGEST) -> Program:
    """The program, not verified. Merged tapes are improved; none has more instructions than `longest`.

    A stage that would be too long in one of its places stays as it is in all of them: one for all is in the cache.
    """
    alone = {id(first) for before, first in _pairs(program.body) if not _fits(before, first, longest)}

    def fits(before: Stage, first: Stage) -> bool:
        return id(first) not in alone and _fits(before, first, longest)

    return program.changed(program.slots, _peeled(program.body, improve, fits), verified=False)


def _pairs(body: Body) -> Iterator[tuple[Stage, Stage]]:
    """Stages with the one that runs next."""
    for before, node, after in zip((None, *body), body, (*body[1:], None), strict=False):
        if isinstance(before, Stage) and (first := _first_after(before, node, after)):
            yield before, first
        if not isinstance(node, Stage):
            yield from _pairs(node.body)


def _peeled(body: Body, improve: Callable[[Tape], Tape], fits: Callable[[Stage, Stage], bool]) -> Body:
    found: list[Node] = []
    for node, after in zip(body, (*body[1:], None), strict=True):
        before = found[-1] if found else None
        if isinstance(before, Stage) and (first := _first_after(before, node, after)) and fits(before, first):
            found[-1] = Stage(before.name, improve(merged(before.tape, first.tape)))
            found += _rest(node)
        else:
            found.append(node if isinstance(node, Stage) else replace(node, body=_peeled(node.body, improve, fits)))
    return tuple(found)


def _first_after(before: Stage, node: Node, after: Node | None) -> Stage | None:
    """The stage that runs next, whatever the state: a loop's first one, or one that the loop after it repeats."""
    if isinstance(node, Loop):
        return _first_stage(node) if _begins(before.tape, node) else None
    if isinstance(node, Branch):
        return None
    repeats = not isinstance(after, Stage | None) and any(each is node for each in stages_of(after.body))
    return node if repeats else None


def _rest(node: Node) -> list[Node]:
    """A node without its first stage."""
    if not isinstance(node, Loop):
        return []
    return [replace(node, count=node.count - 1)]


def _first_stage(loop: Loop) -> Stage | None:
    """The one stage of a loop."""
    return loop.body[0] if loop.count > 0 and len(loop.body) == 1 and isinstance(loop.body[0], Stage) else None


def _begins(tape: Tape, loop: Loop) -> bool:
    """Whether the loop is entered after the tape, whatever the state."""
    ends = [store.value for store in tape.stores if store.address.slot == loop.until]
    return [tape.instructions[value][::2] for value in ends] == [("const", 0.0)]


def _fits(before: Stage, after: Stage, longest: int) -> bool:
    tapes = before.tape, after.tape
    return sum(len(tape.instructions) for tape in tapes) <= longest


def merged(first: Tape, second: Tape) -> Tape:
    """Both, one after the other: what the first stores, the second does not load."""
    stored = {store.address: store.value for store in first.stores}
    instructions, places = list(first.instructions), list[int]()
    loads: dict[Address, int] = {i.data: n for n, i in enumerate(instructions) if i.op == "load"}  # type: ignore[misc]
    for op, args, data in second.instructions:
        known = stored.get(data, loads.get(data)) if op == "load" else None  # type: ignore[arg-type]
        places.append(len(instructions) if known is None else known)
        if known is None:
            instructions.append(Instruction(op, tuple(places[a] for a in args), data))
    stored |= {store.address: places[store.value] for store in second.stores}
    return Tape(tuple(instructions), tuple(sorted(Store(address, value) for address, value in stored.items())))
