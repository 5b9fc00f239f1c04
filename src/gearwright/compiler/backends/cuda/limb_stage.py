"""A packed tape as a function of all threads of a robot: each computes one lane of its vectors, all compute scalars.

The text is the same for a GPU, where `k` is the thread's lane, and for C++, where `GW_EACH` is a loop over `k`.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from gearwright.compiler.backends.cpu.superword.vectors import widths
from gearwright.compiler.c_code.operations import EXPRESSIONS, Dialect
from gearwright.compiler.ops import HALVES, OPS, PAIR
from gearwright.compiler.tape import Address, Instruction, Store, Tape


class LimbStage:
    """The text of one stage."""

    def __init__(self, name: str, tape: Tape, places: Places, dialect: Dialect) -> None:
        self.name, self.tape, self.places, self.dialect = name, tape, places, dialect
        self.widths = widths(tape)

    def text(self) -> str:
        body = [line for i, ins in enumerate(self.tape.instructions) for line in self._instruction(i, ins)]
        stores = [line for value, stores in self._stores.items() for line in self._stored(value, stores)]
        lines = [*body, "GW_PAUSE();", "if (wanted) {", *(f"    {x}" for x in stores), "}", "GW_PAUSE();"]
        own = "\n".join(f"    {line}" for line in lines)
        parameters = f"GW_MEMORY_PARAMETER {self.places.parameters()}const bool wanted"
        return f"GW_STAGE void {self.name}({parameters})\n{{\n    GW_MEMORY\n{own}\n}}\n"

    # values --------------------------------------------------------------------------------------------------------

    @cached_property
    def _booleans(self) -> list[bool]:
        found: list[bool] = []
        for op, args, _ in self.tape.instructions:
            found.append(found[args[0]] if op == "lane" else op != "pack" and OPS[op].boolean)
        return found

    @cached_property
    def _stores(self) -> dict[int, list[Store]]:
        """By value; stores of a vector's lanes by the vector, if every lane is stored and nothing else takes them."""
        uses = Counter(a for _, args, _ in self.tape.instructions for a in args)
        lanes: dict[int, dict[int, Store]] = {}
        found: dict[int, list[Store]] = {}
        for store in self.tape.stores:
            op, args, data = self.tape.instructions[store.value]
            if op == "lane" and data not in (own := lanes.setdefault(args[0], {})):
                own[data] = store  # type: ignore[index]
            else:
                found.setdefault(store.value, []).append(store)
        for vector, own in lanes.items():
            if len(own) == self.widths[vector]:
                found[vector] = [own[k] for k in range(len(own))]
            else:
                for store in own.values():
                    found.setdefault(store.value, []).append(store)
        self._used = uses + Counter(v for v in found if self.widths[v] == 1)
        return found

    def _instruction(self, i: int, instruction: Instruction) -> list[str]:
        op, args, data = instruction
        _ = self._stores
        if op in ("const", *HALVES) or not (self._used[i] or i in self._stores):
            return []  # written where they are used
        if op == "load":
            return [f"const real v{i} = {self.places.of(data)};"] if i in self._alone else []
        if op == PAIR:
            return [f"real s{i}, c{i};", f"gw_sincos({self._value(args[0])}, &s{i}, &c{i});"]
        if op == "lane":
            kind, letter = self._kind(i)
            return [f"const {kind} {letter}{i} = GW_LANE({letter}{args[0]}, {data});"]
        if op == "pack":
            return [f"GW_EACH(real, v{i}, {self._packed(args)})"]
        text = EXPRESSIONS[op]
        values = [self._value(a) for a in args]
        truths = {f"b{k}": self._truth(a) for k, a in enumerate(args) if f"{{b{k}}}" in text}
        kind, letter = self._kind(i)
        expression = text.format(*values, f=self.dialect.suffix, **truths)
        if self.widths[i] > 1:
            return [f"GW_EACH({kind}, {letter}{i}, {expression})"]
        return [f"const {kind} {letter}{i} = {expression};"]

    @cached_property
    def _alone(self) -> set[int]:
        """Loads that something other than a pack of loads takes."""
        instructions = self.tape.instructions
        found = {store.value for store in self.tape.stores}
        for op, args, _ in instructions:
            if op != "pack" or not self._is_load(args):
                found |= set(args)
        return found

    def _is_load(self, args: tuple[int, ...]) -> bool:
        return all(self.tape.instructions[a].op == "load" for a in args)

    def _packed(self, args: tuple[int, ...]) -> str:
        instructions = self.tape.instructions
        if self._is_load(args):
            return self.places.of(*(instructions[a].data for a in args))
        if len(args) == 2 and all(instructions[a].op == "const" for a in args):
            x, y = (instructions[a].data for a in args)
            if x == -y and x:  # type: ignore[operator]
                return f"{self.dialect.number(x)} * GW_SIGN"  # type: ignore[arg-type]
        return _chosen([self._value(a) for a in args])

    def _kind(self, i: int) -> tuple[str, str]:
        return ("bool", "b") if self._booleans[i] else ("real", "v")

    def _value(self, i: int) -> str:
        op, args, data = self.tape.instructions[i]
        if op == "const":
            return self.dialect.number(data)  # type: ignore[arg-type]
        if op in HALVES:
            return f"{'sc'[HALVES.index(op)]}{args[0]}"
        return f"(real){self._name(i)}" if self._booleans[i] else self._name(i)

    def _truth(self, i: int) -> str:
        return self._name(i) if self._booleans[i] else f"({self._value(i)} != (real)0)"

    def _name(self, i: int) -> str:
        name = f"{self._kind(i)[1]}{i}"
        return f"GW_OWN({name})" if self.widths[i] > 1 else name

    # stores --------------------------------------------------------------------------------------------------------

    def _stored(self, value: int, stores: list[Store]) -> list[str]:
        if self.widths[value] == 1:
            return [f"{self.places.of(s.address)} = {self._value(value)};" for s in stores]
        return [f"GW_FOR_EACH {self.places.of(*(s.address for s in stores))} = {self._value(value)};"]


class Places:
    """Where slots are: those in `shared` in `a`, by element and robot of the block; the others in `g`, or, if they are
    `read` only and may be a series, behind a pointer of that name."""

    def __init__(self, shared: dict[str, int], far: dict[str, int], read: dict[str, str], lanes: int) -> None:
        self.shared, self.far, self.read, self.lanes = shared, far, read, lanes

    def parameters(self) -> str:
        """Of a stage, as C declares them."""
        return "".join(f"const real *const {name}, " for name in self.read.values())

    def arguments(self) -> str:
        return "".join(f"{name}, " for name in self.read.values())

    def of(self, *data: object) -> str:
        """An element; or the lane's own of several, which need no choice if they are at equal distances."""
        addresses = [a for a in data if isinstance(a, Address)]
        array, _, apart = self._array(addresses[0].slot)
        if any(self._array(a.slot)[0] != array for a in addresses):
            return "*(" + _chosen([f"&{self.of(a)}" for a in addresses]) + ")"
        elements = [self._array(a.slot)[1] + a.element for a in addresses]
        first, second = (*elements, *elements)[:2]
        if len(set(elements)) == 1:
            return f"{array}[{first} * {apart}]"
        if len(elements) < self.lanes or any(e != first + k * (second - first) for k, e in enumerate(elements)):
            return f"{array}[({_chosen([*map(str, elements)])}) * {apart}]"
        return f"({array} + k * ({second - first} * {apart}))[{first} * {apart}]"

    def _array(self, slot: str) -> tuple[str, int, str]:
        """Its name, where the slot begins in it, and how far apart a robot's elements are."""
        if slot in self.shared:
            return "a", self.shared[slot], "GW_ROBOTS"
        return (self.read[slot], 0, "GW_BATCH") if slot in self.read else ("g", self.far[slot], "GW_BATCH")


def _chosen(values: list[str]) -> str:
    """The lane's own of so many."""
    if len(set(values)) == 1:
        return values[0]
    first, *others = values
    return f"k == 0 ? {first} : {others[0]}" if len(others) == 1 else f"k == 0 ? {first} : {_rest(others)}"


def _rest(values: list[str]) -> str:
    found = values[-1]
    for k in range(len(values) - 1, 0, -1):
        found = f"(k == {k} ? {values[k - 1]} : {found})"
    return found
