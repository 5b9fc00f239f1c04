"""A program's body as statements: calls of stages, with loops and branches around them."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.compiler.c_code.memory import Memory
from gearwright.compiler.c_code.stages import index_name
from gearwright.compiler.program import Body, Branch, Stage


def body_lines(
    body: Body, memory: Memory, call: Callable[[Stage], str], count: Callable[[str], str], depth: int = 0
) -> list[str]:
    """`call`: a stage's call up to its indices, without the closing bracket. `count`: a count given at run time."""
    lines: list[str] = []
    for node in body:
        if isinstance(node, Stage):
            indices = "".join(f", {index_name(counter)}" for counter in node.tape.indices())
            lines.append(f"{call(node)}{indices});")
            continue
        if isinstance(node, Branch):
            lines.append(f"if ({memory(node.unless, '0')} == (real)0) {{")
            lines += [f"    {line}" for line in body_lines(node.body, memory, call, count, depth)]
            lines.append("}")
            continue
        i = index_name(node.index) if node.index else f"l{depth}"
        end = str(node.count) if isinstance(node.count, int) else count(node.count)
        going_on = f" && {memory(node.until, '0')} == (real)0" if node.until is not None else ""
        lines.append(f"for (int {i} = 0; {i} < {end}{going_on}; ++{i}) {{")
        lines += [f"    {line}" for line in body_lines(node.body, memory, call, count, depth + 1)]
        lines.append("}")
    return lines
