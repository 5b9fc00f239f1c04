"""Passes that choose cheaper arithmetic for the same mathematics; each may change a result by a rounding."""

from __future__ import annotations

import math
from collections import Counter

from gearwright.compiler.rewrite import Builder, rewrite
from gearwright.compiler.simplify import simpler
from gearwright.compiler.tape import Instruction, Tape

LARGEST_EXPANDED_POWER = 8


def expand_functions(tape: Tape) -> Tape:
    """tan as sin/cos (the pairing pass shares them); small whole powers, and roots, as products and roots."""

    def rule(b: Builder, op: str, args: tuple[int, ...]) -> int | None:
        if op == "tan":
            return b.emit("div", b.emit("sin", *args), b.emit("cos", *args))
        if op in ("pow", "constpow"):
            return _power(b, args[0], b.value_of(args[1]))
        return None

    return rewrite(tape, rule) if _holds(tape, "tan", "pow", "constpow") else tape


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
    """x/p as x·(1/p), where several quotients share the divisor p or p is a constant; simplified again on the way,
    because signs come free."""
    divisors = [args[1] for op, args, _ in tape.instructions if op == "div"]
    count = Counter(divisors)
    shared = iter([count[p] > 1 or tape.instructions[p][0] == "const" for p in divisors])

    def rule(b: Builder, op: str, args: tuple[int, ...]) -> int | None:
        if op != "div" or not next(shared):
            return simpler(b, op, args)
        x, p = args
        value = b.value_of(p)
        inverse = math.nan if value is None else 1.0 / value if value else math.inf
        if value is not None and not 1e-300 < abs(inverse) < 1e300:
            return simpler(b, op, args)
        factor = b.emit("inv", p) if value is None else b.constant(inverse)
        product = simpler(b, "mul", (x, factor))
        return b.emit("mul", x, factor) if product is None else product

    return rewrite(tape, rule) if divisors else tape


def pair_sines_and_cosines(tape: Tape) -> Tape:
    """sin x and cos x as the two halves of one `sincos`, which reduces x once."""

    def rule(b: Builder, op: str, args: tuple[int, ...]) -> int | None:
        return b.emit(f"pair_{op}", b.emit("sincos", *args)) if op in ("sin", "cos") else None

    return rewrite(tape, rule) if _holds(tape, "sin", "cos") else tape


def fuse_multiply_add(tape: Tape) -> Tape:
    """A product that is only ever added or subtracted disappears into fused multiply-adds.

    Said here, explicitly, so that every back end rounds alike. Of two products in one sum, the one with fewer other
    uses is taken.
    """
    instructions = tape.instructions
    uses, fusable = _uses(tape), _fusable(tape)
    fused: list[Instruction] = []
    for instruction in instructions:
        op, args, _ = instruction
        if op in ("add", "sub") and (fusable[args[0]] or fusable[args[1]]) and args[0] != args[1]:
            x, y = args
            place = int(fusable[y] and not (fusable[x] and uses[x] <= uses[y]))
            factors = instructions[args[place]][1]
            kind = "fma" if op == "add" else ("fms", "fnma")[place]
            instruction = Instruction(kind, (factors[0], factors[-1], args[1 - place]))  # noqa: PLW2901
        fused.append(instruction)
    return Tape(tuple(fused), tape.stores)


def _uses(tape: Tape) -> list[int]:
    """How often each value is used, stores among it."""
    uses = [0] * len(tape.instructions)
    for _, args, _ in tape.instructions:
        for a in args:
            uses[a] += 1
    for _, value in tape.stores:
        uses[value] += 1
    return uses


def _fusable(tape: Tape) -> list[bool]:
    """The products that are only ever added or subtracted."""
    fusable = [op in ("mul", "sq") for op, _, _ in tape.instructions]
    for op, args, _ in tape.instructions:
        if op not in ("add", "sub"):
            for a in args:
                fusable[a] = False
    for _, value in tape.stores:
        fusable[value] = False
    return fusable


def _holds(tape: Tape, *ops: str) -> bool:
    return any(op in ops for op, _, _ in tape.instructions)
