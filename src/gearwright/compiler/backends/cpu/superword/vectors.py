"""Values of one robot side by side in a vector: two operations that only this back end's passes make.

`pack` puts scalars side by side (LLVM's insertelement), `lane` takes one out again (extractelement; its number is the
data). `operations.LANEWISE` work on vectors of one width, lane by lane.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from gearwright.compiler.backends.cpu.llvm.operations import LANEWISE
from gearwright.compiler.ops import OPS as SCALAR
from gearwright.compiler.ops import Op
from gearwright.compiler.tape import RULES as SCALAR_RULES
from gearwright.compiler.tape import Rules, Sizes, Tape

OPS: dict[str, Op] = {**SCALAR, "pack": Op("pack", 2), "lane": Op("lane", 1)}  # two or more side by side


def widths(tape: Tape) -> list[int]:
    """Lanes of each value: 1, or those of a vector."""
    found: list[int] = []
    for op, args, _ in tape.instructions:
        found.append(len(args) if op == "pack" else 1 if op == "lane" or not args else found[args[0]])
    return found


# Rules of a valid tape, instead of those that know scalars only. ---------------------------------------------------


def _known_op(tape: Tape, _: Sizes) -> Iterable[str]:
    return (f"value {i} has unknown op {ins.op!r}" for i, ins in enumerate(tape.instructions) if ins.op not in OPS)


def _arity(tape: Tape, _: Sizes) -> Iterable[str]:
    for i, (op, args, _data) in enumerate(tape.instructions):
        arity, more = OPS[op].arity, op == "pack"
        if len(args) < arity or (len(args) > arity and not more):
            yield f"value {i}: {op} takes {arity}{' or more' * more} arguments, has {len(args)}"


def _lanes_agree(tape: Tape, _: Sizes) -> Iterable[str]:
    wide = widths(tape)
    for i, (op, args, data) in enumerate(tape.instructions):
        own = sorted({wide[a] for a in args})
        if op == "lane":
            lanes: Container[object] = range(own[0])
            if own == [1] or isinstance(data, float) or data not in lanes:
                yield f"value {i} is lane {data!r} of {own[0]}"
        elif len(own) > 1 or (own and own[0] > 1 and op not in LANEWISE):
            yield f"value {i}: {op} of {', '.join(map(str, own))} lanes"
    yield from (f"{address} holds {wide[value]} lanes" for address, value in tape.stores if wide[value] > 1)


RULES: Rules = {**SCALAR_RULES, "known op": _known_op, "arity": _arity, "lanes agree": _lanes_agree}
