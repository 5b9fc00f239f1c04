"""Passes that choose cheaper arithmetic for the same mathematics; each may change a result by a rounding."""

from __future__ import annotations

import math
from collections import Counter

from gearwright.compiler.rewrite import Builder, rewrite, uses
from gearwright.compiler.tape import Instruction, Store, Tape

LARGEST_EXPANDED_POWER = 8


def expand_functions(tape: Tape) -> Tape:
    """tan as sin/cos (the pairing pass shares them); small whole powers, and roots, as products and roots."""

    def rule(b: Builder, op: str, args: tuple[int, ...]) -> int | None:
        if op == "tan":
            return b.emit("div", b.emit("sin", *args), b.emit("cos", *args))
        if op in ("pow", "constpow"):
            return _power(b, args[0], b.value_of(args[1]))
        return None

    return rewrite(tape, rule)


def _power(b: Builder, x: int, exponent: float | None) -> int | None:
    if exponent == 0.5:
        return b.emit("sqrt", x)
    if exponent is None or exponent != int(exponent) or not 0 < abs(exponent) <= LARGEST_EXPANDED_POWER:
        return None
    power = _whole_power(b, x, abs(int(exponent)))
    return power if exponent > 0 else b.emit("inv", power)


def _whole_power(b: Builder, x: int, n: int) -> int:
    if n == 1:
        return x
    square = b.emit("sq", _whole_power(b, x, n // 2))
    return b.emit("mul", square, x) if n % 2 else square


def share_reciprocals(tape: Tape) -> Tape:
    """x/p as x·(1/p), where several quotients share the divisor p or p is a constant."""
    divisors = Counter(i.args[1] for i in tape.instructions if i.op == "div")
    constants = {i for i, ins in enumerate(tape.instructions) if ins.op == "const"}
    shared = iter([divisors[i.args[1]] > 1 or i.args[1] in constants for i in tape.instructions if i.op == "div"])

    def rule(b: Builder, op: str, args: tuple[int, ...]) -> int | None:
        if op != "div" or not next(shared):
            return None
        x, p = args
        value = b.value_of(p)
        if value is None:
            return b.emit("mul", x, b.emit("inv", p))
        inverse = 1.0 / value if value else math.inf
        return b.emit("mul", x, b.constant(inverse)) if 1e-300 < abs(inverse) < 1e300 else None

    return rewrite(tape, rule)


def pair_sines_and_cosines(tape: Tape) -> Tape:
    """sin x and cos x as the two halves of one `sincos`, which reduces x once."""

    def rule(b: Builder, op: str, args: tuple[int, ...]) -> int | None:
        return b.emit(f"pair_{op}", b.emit("sincos", *args)) if op in ("sin", "cos") else None

    return rewrite(tape, rule)


def fuse_multiply_add(tape: Tape) -> Tape:
    """A product that is only ever added or subtracted disappears into fused multiply-adds.

    Said here, explicitly, so that every back end rounds alike. Of two products in one sum, the one with fewer other
    uses is taken.
    """
    users = uses(tape)
    instructions = tape.instructions

    def fusable(value: int) -> bool:
        return instructions[value].op in ("mul", "sq") and all(
            u >= 0 and instructions[u].op in ("add", "sub") for u in users[value]
        )

    fused: list[Instruction] = []
    for op, args, data in instructions:
        choices = [k for k, arg in enumerate(args) if op in ("add", "sub") and fusable(arg)]
        if not choices or args[0] == args[-1]:
            fused.append(Instruction(op, args, data))
            continue
        place = min(choices, key=lambda k: len(users[args[k]]))
        factors = instructions[args[place]].args
        kind = "fma" if op == "add" else ("fms", "fnma")[place]
        fused.append(Instruction(kind, (factors[0], factors[-1], args[1 - place])))
    return Tape(tuple(fused), tuple(Store(*store) for store in tape.stores))
