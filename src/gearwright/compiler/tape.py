"""The tape: straight-line scalar code in SSA form, immutable, traced from a CasADi `SX` function.

Value number i is what instruction i computes, so every value is assigned once and a tape is just a tuple. A tape
reads slot elements (`load`) as they were when the tape began, and its `stores` say which values it leaves behind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from gearwright.compiler.ops import BY_CASADI, HALVES, OPS, PAIR
from gearwright.errors import CompileError

if TYPE_CHECKING:
    import casadi


class NotFiniteError(CompileError):
    """A constant of a tape is infinite, or no number."""


class Address(NamedTuple):
    """One element of a named slot; elements count in C order of the slot's shape."""

    slot: str
    element: int


class Instruction(NamedTuple):
    """`op` applied to earlier values; `data`: a `const`'s number, a `load`'s address; otherwise None."""

    op: str
    args: tuple[int, ...] = ()
    data: float | Address | None = None


class Store(NamedTuple):
    """The value that an element holds once the tape has run."""

    address: Address
    value: int


class Tape(NamedTuple):
    """Instructions in the order they run, and what is stored at the end."""

    instructions: tuple[Instruction, ...]
    stores: tuple[Store, ...]

    def reads(self) -> frozenset[Address]:
        """The addresses this tape loads."""
        return frozenset(i.data for i in self.instructions if isinstance(i.data, Address))

    def writes(self) -> frozenset[Address]:
        """The addresses this tape stores."""
        return frozenset(store.address for store in self.stores)

    def loading(self, moved: Callable[[Address], Address]) -> Tape:
        """The same tape, with its loads from other addresses."""
        changed = (
            Instruction(i.op, i.args, moved(i.data)) if isinstance(i.data, Address) else i for i in self.instructions
        )
        return Tape(tuple(changed), self.stores)

    def verify(self, sizes: dict[str, int] | None = None, rules: Rules | None = None) -> Tape:
        """Returns the tape itself; raises `CompileError` naming the broken rule.

        `sizes`: elements of each slot. `rules`: other ones than `RULES`, where a back end has operations of its own.
        """
        for rule, broken in (RULES if rules is None else rules).items():
            for complaint in broken(self, sizes):
                kind = NotFiniteError if broken is _finite_constants else CompileError
                raise kind(f"invalid tape ({rule}): {complaint}")
        return self


def trace(function: casadi.Function) -> Tape:
    """The tape of a CasADi `SX` function.

    Names of the function's inputs and outputs are the slots; an input and an output may bear the same name (a state;
    CasADi wants the option `allow_duplicate_io_names` for that). Sparse ones stand for dense slots: a structural zero
    of an input is never read, one of an output is stored as 0.
    """
    import casadi

    function = _evaluated_again(function)
    ops = _ops_by_code()
    inputs = [(n, _dense_elements(function.sparsity_in(i))) for i, n in enumerate(function.name_in())]
    outputs = [(n, _dense_elements(function.sparsity_out(i))) for i, n in enumerate(function.name_out())]
    instructions: list[Instruction] = []
    stored: dict[Address, int] = {}
    register: dict[int, int] = {}  # CasADi reuses work registers; ours are values
    emit, new = instructions.append, tuple.__new__  # two calls for each of 10⁵ instructions: the quick ones
    code_of, input_of, output_of = function.instruction_id, function.instruction_input, function.instruction_output
    for k in range(function.n_instructions()):
        code, source, target = code_of(k), input_of(k), output_of(k)
        known = ops.get(code)
        if known is not None:
            name, arity = known
            args = (register[source[0]],) if arity == 1 else (register[source[0]], register[source[1]])
            instruction = new(Instruction, (name, args, None))
        elif code == casadi.OP_OUTPUT:
            slot, elements = outputs[target[0]]
            stored[Address(slot, elements[target[1]])] = register[source[0]]
            continue
        elif code == casadi.OP_INPUT:
            slot, elements = inputs[source[0]]
            instruction = Instruction("load", (), Address(slot, elements[source[1]]))
        elif code == casadi.OP_CONST:
            instruction = Instruction("const", (), float(function.instruction_constant(k)))
        else:
            raise CompileError(_without_code(function, code))
        register[target[0]] = len(instructions)
        emit(instruction)
    stores = [Store(address, value) for address, value in stored.items()]
    stores += _structural_zeros(function, stored, instructions)
    return Tape(tuple(instructions), tuple(sorted(stores)))


def _evaluated_again(function: casadi.Function) -> casadi.Function:
    """CasADi simplifies while it evaluates, and finds a little more the second time. Equal values are the passes'."""
    import casadi

    if not function.is_a("SXFunction"):
        function = function.expand()
    inputs = function.sx_in()
    return casadi.Function(
        function.name(),
        inputs,
        function.call(inputs, True, False),
        function.name_in(),
        function.name_out(),
        {"allow_duplicate_io_names": True},
    )


@cache
def _ops_by_code() -> dict[int, tuple[str, int]]:
    """Name and arity of the op that CasADi's number stands for."""
    return {code: (op.name, op.arity) for code, name in _casadi_names().items() if (op := BY_CASADI.get(name))}


def _without_code(function: casadi.Function, code: int) -> str:
    return (
        f"{function.name()}: the operation {_casadi_names()[code].lower()!r} has no machine code; "
        f"known operations: {', '.join(sorted(o.name for o in BY_CASADI.values()))}"
    )


def _casadi_names() -> dict[int, str]:
    import casadi

    return {getattr(casadi, name): name[3:] for name in dir(casadi) if name.startswith("OP_")}


def _dense_elements(sparsity: casadi.Sparsity) -> list[int]:
    """C-order element index of each structural non-zero (CasADi keeps non-zeros by column)."""
    columns = sparsity.size2()
    return [r * columns + c for r, c in zip(sparsity.row(), sparsity.get_col(), strict=True)]


def _structural_zeros(
    function: casadi.Function, stored: dict[Address, int], instructions: list[Instruction]
) -> Iterator[Store]:
    zero: int | None = None
    for i, slot in enumerate(function.name_out()):
        for element in range(function.numel_out(i)):
            address = Address(slot, element)
            if address not in stored:
                if zero is None:
                    zero = len(instructions)
                    instructions.append(Instruction("const", (), 0.0))
                yield Store(address, zero)


# What makes a tape valid. Each rule yields a complaint for every place where it is broken. -------------------------

Sizes = dict[str, int] | None
Rule = Callable[["Tape", Sizes], Iterable[str]]
Rules = Mapping[str, Rule]


def _known_op(tape: Tape, _: Sizes) -> Iterable[str]:
    return (
        f"value {i} has unknown op {ins.op!r}; one that a back end's passes added is known to that back end only"
        for i, ins in enumerate(tape.instructions)
        if ins.op not in OPS
    )


def _arity(tape: Tape, _: Sizes) -> Iterable[str]:
    return (
        f"value {i}: {ins.op} takes {OPS[ins.op].arity} arguments, has {len(ins.args)}"
        for i, ins in enumerate(tape.instructions)
        if len(ins.args) != OPS[ins.op].arity
    )


def _defined_before_use(tape: Tape, _: Sizes) -> Iterable[str]:
    return (
        f"value {i} uses value {arg}" for i, ins in enumerate(tape.instructions) for arg in ins.args if not 0 <= arg < i
    )


def _finite_constants(tape: Tape, _: Sizes) -> Iterable[str]:
    for i, ins in enumerate(tape.instructions):
        if ins.op == "const" and not (isinstance(ins.data, float) and math.isfinite(ins.data)):
            yield f"value {i} is the constant {ins.data}"


def _loads_have_addresses(tape: Tape, _: Sizes) -> Iterable[str]:
    return (
        f"value {i}: {ins.op} with {ins.data!r}"
        for i, ins in enumerate(tape.instructions)
        if (ins.op == "load") != isinstance(ins.data, Address)
    )


def _pairs_only_taken_apart(tape: Tape, _: Sizes) -> Iterable[str]:
    pairs = {i for i, ins in enumerate(tape.instructions) if ins.op == PAIR}
    for i, ins in enumerate(tape.instructions):
        if (ins.op in HALVES) == pairs.isdisjoint(ins.args):
            yield f"value {i}: {ins.op} of {ins.args}"
    yield from (f"{store.address} holds a pair" for store in tape.stores if store.value in pairs)


def _stored_values_exist(tape: Tape, _: Sizes) -> Iterable[str]:
    return (f"{s.address} holds value {s.value}" for s in tape.stores if not 0 <= s.value < len(tape.instructions))


def _stored_once(tape: Tape, _: Sizes) -> Iterable[str]:
    return ("an address is stored twice",) if len(tape.writes()) != len(tape.stores) else ()


def _elements_in_range(tape: Tape, sizes: Sizes) -> Iterable[str]:
    if sizes is None:
        return ()
    return (
        f"{address} is outside its slot"
        for address in tape.reads() | tape.writes()
        if not 0 <= address.element < sizes.get(address.slot, 0)
    )


RULES: Rules = {
    "known op": _known_op,
    "arity": _arity,
    "defined before use": _defined_before_use,
    "finite constants": _finite_constants,
    "loads have addresses": _loads_have_addresses,
    "pairs only taken apart": _pairs_only_taken_apart,
    "stored values exist": _stored_values_exist,
    "stored once": _stored_once,
    "elements in range": _elements_in_range,
}
