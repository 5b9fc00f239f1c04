"""Derivatives of a program: one that carries, beside each number, its derivative along one direction (forward mode).

    y = f(a, b)        ẏ = ∂f/∂a·ȧ + ∂f/∂b·ḃ

Every slot that can depend on the varied ones gets a second slot of its kind, `tangent_of(slot)`. Stages compute both;
loops and branches run as the numbers themselves decide. So this is the derivative of what the program computes, on the
segments and with the iterations that it takes: exact but for rounding, and one-sided where two segments meet.

Many directions are many robots of a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from gearwright.compiler.ops import OPS
from gearwright.compiler.program import Program, Slot, SlotKind, stages_of
from gearwright.compiler.rewrite import Builder
from gearwright.compiler.tape import Address, Store, Tape
from gearwright.errors import CompileError

Partial = Callable[..., int]  # (builder, value, *arguments) → the number of ∂f/∂(argument)


def tangent_of(slot: str) -> str:
    """The slot that holds the derivatives of another."""
    return f"{slot}_tangent"


def tangent_program(program: Program, varied: Collection[str]) -> Program:
    """The program with derivatives along one direction, which is given by the tangents of the `varied` slots.

    Parameters become inputs, so that measured ones can change from step to step.
    """
    active = active_addresses(program, varied)
    slots = {address.slot for address in active}
    given = [replace(s, kind=SlotKind.INPUT) if s.kind is SlotKind.PARAMETER else s for s in program.slots]
    own = [Slot(name=tangent_of(s.name), kind=s.kind, shape=s.shape) for s in given if s.name in slots]
    with_tangents = program.changed((*given, *own), program.body, verified=False)
    return replace(with_tangents.map_tapes(lambda tape: tangent_tape(tape, active)), name=f"{program.name} tangent")


def active_addresses(program: Program, varied: Collection[str]) -> frozenset[Address]:
    """Elements whose derivative may be other than 0."""
    active = {Address(s.name, k) for s in program.slots if s.name in varied for k in range(s.size)}
    tapes = [stage.tape for stage in stages_of(program.body)]
    while True:
        found = {a for tape in tapes for a in _active_stores(tape, active)} - active
        if not found:
            return frozenset(active)
        active |= found


def _active_stores(tape: Tape, active: Collection[Address]) -> Iterable[Address]:
    varies: list[bool] = []
    for op, args, data in tape.instructions:
        varies.append(data in active if op == "load" else any(varies[args[i]] for i in _passed_on(op)))
    return (address for address, value in tape.stores if varies[value])


def _passed_on(op: str) -> Sequence[int]:
    """The arguments that a derivative comes from."""
    if op in EXTREMES:
        return (0, 1)
    if op in CHOICES:
        return CHOICES[op]
    return [i for i, partial in enumerate(PARTIALS.get(op, ())) if partial is not None]


def tangent_tape(tape: Tape, active: Collection[Address]) -> Tape:
    """The tape with the derivatives of what it loads and stores."""
    b = Builder()
    values: list[int] = []
    tangents: list[int | None] = []  # None: 0, whatever the direction
    for op, args, data in tape.instructions:
        own = [values[a] for a in args]
        if op == "load":
            assert isinstance(data, Address)
            values.append(b.load(data))
            tangents.append(b.load(Address(tangent_of(data.slot), data.element)) if data in active else None)
        elif op == "const":
            values.append(b.constant(data))  # type: ignore[arg-type]
            tangents.append(None)
        else:
            values.append(b.emit(op, *own))
            tangents.append(_tangent(b, op, values[-1], own, [tangents[a] for a in args]))
    stores = [Store(address, values[i]) for address, i in tape.stores]
    for address, i in tape.stores:
        if address in active:
            tangent = tangents[i]
            own_address = Address(tangent_of(address.slot), address.element)
            stores.append(Store(own_address, b.constant(0.0) if tangent is None else tangent))
    return Tape(tuple(b.instructions), tuple(sorted(stores)))


def _tangent(b: Builder, op: str, value: int, args: Sequence[int], tangents: Sequence[int | None]) -> int | None:
    """ẏ of y = op(args): a choice chooses among the tangents, anything else is the chain rule."""
    if op in EXTREMES:
        first, second = args if op == "fmin" else reversed(args)
        return _tangent(b, "select", value, [b.emit("le", first, second), *args], [None, *tangents])
    if op in CHOICES:
        if all(tangents[i] is None for i in CHOICES[op]):
            return None
        chosen = [b.constant(0.0) if t is None else t for t in tangents]
        return b.emit(op, *(chosen[i] if i in CHOICES[op] else a for i, a in enumerate(args)))
    if op not in PARTIALS:
        raise CompileError(f"the operation {op!r} has no derivative here")
    total: int | None = None
    for partial, tangent in zip(PARTIALS[op], tangents, strict=True):
        if partial is None or tangent is None:
            continue
        term = partial(b, value, *args)
        known = b.value_of(term)
        term = tangent if known == 1.0 else b.emit("neg", tangent) if known == -1.0 else b.emit("mul", term, tangent)
        total = term if total is None else b.emit("add", total, term)
    return total


# --- the derivative of each operation ---------------------------------------------------------------------------------

# operations that choose, and their arguments that are chosen among: a branch that is not taken may be no number
CHOICES: dict[str, tuple[int, ...]] = {"if_else_zero": (1,), "select": (1, 2)}
EXTREMES = ("fmin", "fmax")  # the first of two that are equal


def _constant(value: float) -> Partial:
    return lambda b, *_: b.constant(value)


def _where(b: Builder, condition: int, value: int) -> int:
    """The value where the condition holds, else 0: of derivatives that are infinite at one point."""
    return b.emit("if_else_zero", condition, value)


def _where_not_zero(b: Builder, x: int, value: int) -> int:
    return _where(b, b.emit("ne", x, b.constant(0.0)), value)


def _over(b: Builder, x: int, y: int) -> int:
    """x/y, and 0 where y is 0."""
    return _where_not_zero(b, y, b.emit("div", x, y))


def _over_root(b: Builder, square: int) -> int:
    """1/√square, and 0 where it is 0."""
    return _over(b, b.constant(1.0), b.emit("sqrt", square))


def _one_minus_square(b: Builder, x: int) -> int:
    return b.emit("sub", b.constant(1.0), b.emit("sq", x))


def _one_plus_square(b: Builder, x: int) -> int:
    return b.emit("add", b.constant(1.0), b.emit("sq", x))


def _square_sum(b: Builder, x: int, y: int) -> int:
    return b.emit("add", b.emit("sq", x), b.emit("sq", y))


def _same_sign(b: Builder, of: int, like: int) -> int:
    """1 where copysign leaves the sign alone, −1 where it turns it."""
    one = b.constant(1.0)
    return b.emit("mul", b.emit("copysign", one, of), b.emit("copysign", one, like))


def _power_by_base(b: Builder, y: int, x: int, n: int) -> int:
    return b.emit("mul", n, b.emit("pow", x, b.emit("sub", n, b.constant(1.0))))


def _power_by_exponent(b: Builder, y: int, x: int, n: int) -> int:
    return _where(b, b.emit("lt", b.constant(0.0), x), b.emit("mul", y, b.emit("log", x)))


ONE, MINUS_ONE = _constant(1.0), _constant(-1.0)
# fmt: off
PARTIALS: dict[str, tuple[Partial | None, ...]] = {  # of each operation by its arguments; None: 0
    "assign": (ONE,),
    "add": (ONE, ONE),
    "sub": (ONE, MINUS_ONE),
    "mul": (lambda b, y, u, v: v, lambda b, y, u, v: u),
    "div": (lambda b, y, u, v: b.emit("inv", v), lambda b, y, u, v: b.emit("neg", b.emit("div", y, v))),
    "neg": (MINUS_ONE,),
    "sq": (lambda b, y, x: b.emit("twice", x),),
    "twice": (_constant(2.0),),
    "inv": (lambda b, y, x: b.emit("neg", b.emit("sq", y)),),
    "sqrt": (lambda b, y, x: _over(b, b.constant(0.5), y),),
    "fabs": (lambda b, y, x: b.emit("sign", x),),
    "copysign": (lambda b, y, u, v: _same_sign(b, u, v), None),
    "fmod": (ONE, lambda b, y, u, v: b.emit("div", b.emit("sub", y, u), v)),
    "sin": (lambda b, y, x: b.emit("cos", x),),
    "cos": (lambda b, y, x: b.emit("neg", b.emit("sin", x)),),
    "tan": (lambda b, y, x: _one_plus_square(b, y),),
    "asin": (lambda b, y, x: _over_root(b, _one_minus_square(b, x)),),
    "acos": (lambda b, y, x: b.emit("neg", _over_root(b, _one_minus_square(b, x))),),
    "atan": (lambda b, y, x: b.emit("inv", _one_plus_square(b, x)),),
    "atan2": (lambda b, y, u, v: _over(b, v, _square_sum(b, u, v)),
              lambda b, y, u, v: b.emit("neg", _over(b, u, _square_sum(b, u, v)))),
    "exp": (lambda b, y, x: y,),
    "expm1": (lambda b, y, x: b.emit("add", y, b.constant(1.0)),),
    "log": (lambda b, y, x: b.emit("inv", x),),
    "log1p": (lambda b, y, x: b.emit("inv", b.emit("add", x, b.constant(1.0))),),
    "pow": (_power_by_base, _power_by_exponent),
    "constpow": (_power_by_base, _power_by_exponent),
    "hypot": (lambda b, y, u, v: _over(b, u, y), lambda b, y, u, v: _over(b, v, y)),
    "sinh": (lambda b, y, x: b.emit("cosh", x),),
    "cosh": (lambda b, y, x: b.emit("sinh", x),),
    "tanh": (lambda b, y, x: _one_minus_square(b, y),),
    "asinh": (lambda b, y, x: _over_root(b, _one_plus_square(b, x)),),
    "acosh": (lambda b, y, x: _over_root(b, b.emit("sub", b.emit("sq", x), b.constant(1.0))),),
    "atanh": (lambda b, y, x: b.emit("inv", _one_minus_square(b, x)),),
}
# fmt: on
STEPPED = ("sign", "floor", "ceil", *(op.name for op in OPS.values() if op.boolean))  # constant but where they jump
PARTIALS |= {op: (None,) * OPS[op].arity for op in STEPPED}
