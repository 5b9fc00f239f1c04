"""A program's body as statements: calls of stages, with loops and branches around them."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.compiler.c_code.memory import Memory
from gearwright.compiler.program import Body, Branch, Stage


def body_lines(body: Body, memory: Memory, call: Callable[[Stage], str], depth: int = 0) -> list[str]:
    """`call`: a stage's call as an expression."""
    lines: list[str] = []
    for node in body:
        if isinstance(node, Stage):
            lines.append(f"{call(node)};")
            continue
        if isinstance(node, Branch):
            lines.append(f"if ({memory(node.unless, 0)} == (real)0) {{")
            lines += [f"    {line}" for line in body_lines(node.body, memory, call, depth)]
            lines.append("}")
            continue
        i = f"l{depth}"
        going_on = f" && {memory(node.until, 0)} == (real)0" if node.until is not None else ""
        lines.append(f"for (int {i} = 0; {i} < {node.count}{going_on}; ++{i}) {{")
        lines += [f"    {line}" for line in body_lines(node.body, memory, call, depth + 1)]
        lines.append("}")
    return lines
