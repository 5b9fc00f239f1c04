"""A step's stages, loops and branches as statements that all threads of a block can go through together.

A large robot's code does not fit in the instruction cache of a multiprocessor. Threads that each go their own way then
wait for instructions most of the time; threads that go together wait once for all of them. So a loop goes on while any
robot of the block wants it to, and robots that do not are left out of its stages. `GW_ANY(x)` is whether any thread's x
is true, and a barrier, where threads go together; elsewhere it is x, and the compiler sees that nobody is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gearwright.compiler.c_code import Memory
from gearwright.compiler.program import Body, Branch, Loop, Node, Stage, stages_of

Call = Callable[[Stage, str], str]  # a stage's call as a statement; by which robots, as an expression


class _Repeated(NamedTuple):
    """`first`, and unless that was enough: `prelude` once, and (`body`, `first`) until it is, `times` times at most."""

    first: Stage
    prelude: Body
    body: Body
    until: str
    times: int


def walking_lines(body: Body, memory: Memory, call: Call, wanted: str = "true", *, merged: bool = True) -> list[str]:
    """The statements of a program's body. `wanted`: by which robots; `merged`: nothing is said twice."""
    return _Walk(memory, call, merged).lines(body, wanted, 0)


class _Walk:
    def __init__(self, memory: Memory, call: Call, merged: bool) -> None:
        self.memory, self.call, self.merged = memory, call, merged

    def lines(self, body: Body, wanted: str, depth: int) -> list[str]:
        """`wanted`: whether this thread's robot takes part."""
        found: list[str] = []
        for node in _repetitions_found(body) if self.merged else body:
            if isinstance(node, Stage):
                found += self._stage(node, wanted)
            elif isinstance(node, Branch):
                found += self._branch(node, wanted, depth)
            elif isinstance(node, Loop):
                found += self._loop(node, wanted, depth)
            else:
                found += self._repeated(node, wanted, depth)
        return found

    def _stage(self, stage: Stage, wanted: str) -> list[str]:
        return ["GW_TOGETHER();", self.call(stage, wanted)]

    def _branch(self, branch: Branch, wanted: str, depth: int) -> list[str]:
        own = f"w{depth}"
        inner = self.lines(branch.body, own, depth + 1)
        condition = f"    const bool {own} = {wanted} && {self._zero(branch.unless)};"
        return ["{", condition, f"    if (GW_ANY({own})) {{", *_deeper(inner, 2), "    }", "}"]

    def _loop(self, loop: Loop, wanted: str, depth: int) -> list[str]:
        own, i = f"w{depth}", f"l{depth}"
        inner = self.lines(loop.body, own, depth + 1)
        if loop.until:
            inner = [f"{own} = {own} && {self._zero(loop.until)};", f"if (!GW_ANY({own})) break;", *inner]
        return ["{", f"    bool {own} = {wanted};", f"    for (int {i} = 0; {i} < {loop.count}; ++{i}) {{",
                *_deeper(inner, 2), "    }", "}"]  # fmt: skip

    def _repeated(self, node: _Repeated, wanted: str, depth: int) -> list[str]:
        own, i = f"w{depth}", f"l{depth}"
        prelude = self.lines(node.prelude, own, depth + 1)
        inner = [
            *self._stage(node.first, own),
            f"{own} = {own} && {self._zero(node.until)};",
            f"if ({i} == {node.times} || !GW_ANY({own})) break;",
            *([f"if ({i} == 0) {{", *_deeper(prelude, 1), "}"] if prelude else []),
            *self.lines(node.body, own, depth + 1),
        ]
        return [
            "{",
            f"    bool {own} = {wanted};",
            f"    for (int {i} = 0;; ++{i}) {{",
            *_deeper(inner, 2),
            "    }",
            "}",
        ]

    def _zero(self, slot: str) -> str:
        return f"{self.memory(slot, 0)} == (real)0"


def _repetitions_found(body: Body) -> list[Node | _Repeated]:
    """The body with what it says twice said once: half as much code, and as much less to fetch and to compile."""
    found: list[Node | _Repeated] = []
    for node in body:
        merged = _repeated(found[-1], node) if found else None
        if merged:
            found[-1] = merged
        else:
            found.append(node)
    return found


def _repeated(first: Node | _Repeated, node: Node) -> _Repeated | None:
    if not (isinstance(first, Stage) and isinstance(node, Branch) and node.body):
        return None
    *prelude, loop = node.body
    if not (isinstance(loop, Loop) and loop.until == node.unless and loop.body and loop.body[-1] is first):
        return None
    if any(a.slot == node.unless for stage in stages_of(tuple(prelude)) for a in stage.tape.writes()):
        return None
    return _Repeated(first, tuple(prelude), loop.body[:-1], node.unless, loop.count)


def _deeper(lines: list[str], depth: int) -> list[str]:
    return ["    " * depth + line for line in lines]
