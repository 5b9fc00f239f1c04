"""A tape as a function, one constant per value and then the stores; and the loops and branches around stages."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.compiler.c_code.operations import EXPRESSIONS, Dialect
from gearwright.compiler.ops import HALVES, OPS, PAIR
from gearwright.compiler.program import Body, Branch, Stage
from gearwright.compiler.tape import Address, Instruction, Tape

Memory = Callable[[str, int], str]  # slot, element → an expression that can be read and written


def flat(offsets: dict[str, int]) -> Memory:
    """All slots in one array."""
    return lambda slot, element: f"a[{offsets[slot] + element}]"


class StageText:
    """The lines of one tape."""

    def __init__(self, name: str, tape: Tape, memory: Memory, dialect: Dialect) -> None:
        self.name, self.tape, self.memory, self.dialect = name, tape, memory, dialect

    def lines(self) -> list[str]:
        """All reads come before all writes: a stage sees its slots as they were when it began."""
        found = [line for i, ins in enumerate(self.tape.instructions) for line in self._instruction(i, ins)]
        return found + [f"{self._place(s.address)} = {self._value(s.value)};" for s in self.tape.stores]

    def _instruction(self, i: int, instruction: Instruction) -> list[str]:
        op, args, data = instruction
        if op in ("const", *HALVES):
            return []  # written where they are used
        if op == "load":
            return [f"const real v{i} = {self._place(data)};"]  # type: ignore[arg-type]
        if op == PAIR:
            return [f"real s{i}, c{i};", f"gw_sincos({self._value(args[0])}, &s{i}, &c{i});"]
        text = EXPRESSIONS[op]
        values = [self._value(a) for a in args]
        truths = {f"b{k}": self._truth(a) for k, a in enumerate(args) if f"{{b{k}}}" in text}
        kind, letter = ("bool", "b") if OPS[op].boolean else ("real", "v")
        return [f"const {kind} {letter}{i} = {text.format(*values, f=self.dialect.suffix, **truths)};"]

    def _value(self, i: int) -> str:
        op, args, data = self.tape.instructions[i]
        if op == "const":
            return self.dialect.number(data)  # type: ignore[arg-type]
        if op in HALVES:
            return f"{'sc'[HALVES.index(op)]}{args[0]}"
        return f"(real)b{i}" if OPS[op].boolean else f"v{i}"

    def _truth(self, i: int) -> str:
        return f"b{i}" if OPS[self.tape.instructions[i].op].boolean else f"({self._value(i)} != (real)0)"

    def _place(self, address: Address) -> str:
        return self.memory(address.slot, address.element)


def stage_function(name: str, tape: Tape, memory: Memory, dialect: Dialect, *, qualifiers: str, parameters: str) -> str:
    """A stage as a function of the robot's memory (`parameters`)."""
    text = StageText(name, tape, memory, dialect)
    lines = "\n".join(f"    {line}" for line in text.lines())
    return f"{qualifiers} void {name}({parameters})\n{{\n{lines}\n}}\n"


def body_lines(body: Body, memory: Memory, call: Callable[[Stage], str], depth: int = 0) -> list[str]:
    """A program's body as statements. `call`: a stage's call as an expression."""
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
