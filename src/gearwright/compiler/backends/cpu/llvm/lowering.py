"""A stage to one LLVM function: the walk over its tape."""

from __future__ import annotations

from collections.abc import Iterator

from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.llvm.angles import Angles
from gearwright.compiler.backends.cpu.llvm.ir import Types, Value, Writer, number, types
from gearwright.compiler.backends.cpu.llvm.operations import declarations, templates
from gearwright.compiler.backends.cpu.superword.contiguous import contiguous_load, vector_stores
from gearwright.compiler.backends.cpu.superword.vectors import OPS, widths
from gearwright.compiler.backends.cpu.vector_math import FUNCTIONS
from gearwright.compiler.ops import HALVES, PAIR
from gearwright.compiler.tape import Address, Instruction, Store, Tape

# What a stage does not store is constant while it runs. LLVM then need not order those loads among its stores, which
# would take it quadratic time.
CONSTANT_MEMORY = ", !tbaa !1"
CACHE_LINE = 64  # bytes; begun elsewhere, a stage takes more lines of the caches, of instructions and of decoded ones
METADATA = '!1 = !{!2, !2, i64 0, i64 1}\n!2 = !{!"constant element", !3}\n!3 = !{!"slots"}\n'


def parameters(layout: BlockLayout) -> str:
    """The parameters of a stage function: base addresses of what a block's robots own."""
    names = ["arena", "scratch", *(f"in{i}" for i in range(len(layout.program.inputs)))]
    return ", ".join(f"ptr noalias %{name}" for name in names)


class StageWriter:
    """Writes the body of one stage function."""

    def __init__(self, function: str, layout: BlockLayout, precision: str) -> None:
        self.function = function
        self.w = Writer()
        self.layout = layout
        self.t = types(layout.lanes, precision)
        self.precision = precision
        self._templates: dict[int, dict[str, str]] = {}  # by the width of what they work on
        self.name: list[str] = []  # LLVM's name for each value of the tape
        self.pairs: dict[int, tuple[str, str]] = {}
        self.angles = Angles(self.w, self.t)

    def write(self, tape: Tape) -> None:
        """The tape's instructions; each store as early as no later load can see it."""
        self.tape, self.stored = tape, tape.writes()
        self.widths = widths(tape)
        pending = _stores_by_moment(tape)
        instructions = tape.instructions
        i = 0
        while i < len(instructions):
            group = 1
            if instructions[i].op == PAIR:
                while i + group < len(instructions) and instructions[i + group].op == PAIR:
                    group += 1
                self._sincos_group(range(i, i + group))
            else:
                self._instruction(i, instructions[i])
            for store in (s for k in range(i, i + group) for s in pending.get(k, ())):
                kind, value = self._types(store.value).F, self.name[store.value]
                self.w.line(f"store {kind} {value}, ptr {self._pointer(store.address)}, align {self._alignment}")
            i += group

    def _types(self, value: int) -> Types:
        """Lanes are robots, or one robot's values in a pack."""
        return self.t if self.widths[value] == 1 else types(self.widths[value], self.precision)

    @property
    def _alignment(self) -> int:
        return self.t.lanes * self.t.bits // 8

    def _instruction(self, i: int, instruction: Instruction) -> None:
        op, args, data = instruction
        result = f"%v{i}"
        if op == "const":
            result = number(data, self.t)  # type: ignore[arg-type]
        elif op == "load":
            constant = "" if data in self.stored else CONSTANT_MEMORY
            self.w.line(f"{result} = load {self.t.F}, ptr {self._pointer(data)}, align {self._alignment}{constant}")  # type: ignore[arg-type]
        elif op == "pack":
            result = self._pack(args, self._types(i))
        elif op == "lane":
            self.w.line(f"{result} = extractelement {self._types(args[0]).F} {self.name[args[0]]}, i32 {data}")
        elif op == "assign":
            result = self.name[args[0]]
        elif op in HALVES:
            result = self.pairs[args[0]][HALVES.index(op)]
        elif op in FUNCTIONS:
            result = self._call(op, args)
        else:
            self._from_template(i, op, args, result)
        self.name.append(result)

    def _pack(self, args: tuple[int, ...], t: Types) -> str:
        """Contiguous elements are one load, constants one constant; others come in one by one."""
        instructions = self.tape.instructions
        first = contiguous_load(self.tape, args)
        if first is not None:
            loaded = [Address(first.slot, first.element + k) for k in range(t.lanes)]
            constant = "" if not self.stored.isdisjoint(loaded) else CONSTANT_MEMORY
            return self.w.assign(f"load {t.F}, ptr {self._pointer(first)}, align {self._alignment}{constant}")
        constants = [self.name[a] if instructions[a].op == "const" else "poison" for a in args]
        packed = f"<{', '.join(f'{t.scalar} {value}' for value in constants)}>"
        for k, a in enumerate(args):
            if instructions[a].op != "const":
                packed = self.w.assign(f"insertelement {t.F} {packed}, {t.scalar} {self.name[a]}, i32 {k}")
        return packed

    def _is_constant(self, value: int) -> bool:
        op, args, _ = self.tape.instructions[value]
        return op == "const" or (op == "pack" and all(map(self._is_constant, args)))

    def _from_template(self, i: int, op: str, args: tuple[int, ...], result: str) -> None:
        if op in ("fmin", "fmax") and self._is_constant(args[0]):
            op += " const"
        t = self._types(i)
        if t.lanes not in self._templates:
            self._templates[t.lanes] = templates(t)
            self.w.declarations |= declarations(t)
        text = self._templates[t.lanes][op]
        truths = {f"b{k}": self._truth(arg) for k, arg in enumerate(args) if f"{{b{k}}}" in text}
        self.w.line(text.format(*(self.name[a] for a in args), r=result, **truths))

    def _truth(self, value: int) -> str:
        if OPS[self.tape.instructions[value].op].boolean:
            return f"{self.name[value]}.b"
        t = self._types(value)
        return self.w.assign(f"fcmp une {t.F} {self.name[value]}, {number(0.0, t)}")

    def _call(self, op: str, args: tuple[int, ...]) -> str:
        values = [Value(self.w, self.t, self.name[a]).as_double() for a in args]
        return FUNCTIONS[op](*values).rounded_to(self.t).name

    def _pointer(self, address: Address) -> str:
        layout = self.layout
        base, offset = "%arena", 0
        if address.slot in layout.scratch:
            base, offset = "%scratch", layout.scratch[address.slot]
        elif address.slot in (inputs := [slot.name for slot in layout.program.inputs]):
            base = f"%in{inputs.index(address.slot)}"
        else:
            offset = layout.arena[address.slot]
        return self.w.assign(f"getelementptr {self.t.F}, ptr {base}, i64 {offset + address.element}")

    def _sincos_group(self, group: range) -> None:
        names = [self.name[self.tape.instructions[i].args[0]] for i in group]
        self.pairs |= dict(zip(group, self.angles.sines_and_cosines(names), strict=True))
        self.name += [""] * len(group)


def _stores_by_moment(tape: Tape) -> dict[int, list[Store]]:
    """After which instruction each store may happen: its value is there, and its element is not loaded any more."""
    last_load = {address: i for i, address in _loads(tape)}
    moments: dict[int, list[Store]] = {}
    for vector in vector_stores(tape):
        first = vector.store
        latest = max(last_load.get(address, 0) for address in vector.addresses)
        moments.setdefault(max(first.value, latest), []).append(first)
    return moments


def _loads(tape: Tape) -> Iterator[tuple[int, Address]]:
    """The moments at which elements are loaded, in order: alone, or where they are packed."""
    for i, (op, args, data) in enumerate(tape.instructions):
        if op == "load":
            yield i, data  # type: ignore[misc]
        elif op == "pack":
            yield from ((i, tape.instructions[a].data) for a in args if tape.instructions[a].op == "load")  # type: ignore[misc]


def stage_function(name: str, tape: Tape, layout: BlockLayout, precision: str) -> tuple[str, set[str], set[int]]:
    """LLVM text of a stage, the declarations it needs, and how many large angles at once it may meet."""
    writer = StageWriter(name, layout, precision)
    writer.write(tape)
    lines = "\n".join([*writer.angles.buffers, *writer.w.lines])
    head = f"define internal void @{name}({parameters(layout)}) noinline align {CACHE_LINE}"
    text = f"{head} {{\n{lines}\nret void\n}}\n"
    return text, writer.w.declarations | declarations(writer.t), writer.angles.lanes
