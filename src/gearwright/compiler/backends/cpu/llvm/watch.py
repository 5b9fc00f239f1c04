"""Functions of a kernel that watch over the states: nothing that is not finite, or beyond its bound, is ever committed.

`save` copies the states into scratch. `commit` does the same after a step, if all are good and no lane of the block
failed before; otherwise the cold `recover` sorts the lanes out one by one. What a failed robot's last good state
decides is to be made again: its derived numbers become 0.

A number with a bound is scaled first, so that at its bound it is the largest number there is: beyond, it is infinite.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from math import nextafter
from typing import NamedTuple

from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.llvm.ir import Types, number, types


def watch_functions(layout: BlockLayout, t: Types) -> str:
    """LLVM text of `save`, `commit` and `recover`."""
    return commit_function(layout, t) + recover_function(layout, t)


REGISTERS = 24  # that values may stay in until all are seen to be good; more are loaded again, which spilling is, too
WIDEST = 8  # states of one robot that are copied and watched at once
LARGEST = {64: sys.float_info.max, 32: (2 - 2.0**-23) * 2.0**127}  # by bits of a number


def _scales(layout: BlockLayout, t: Types) -> dict[int, float]:
    """By arena offset, what brings a state's bound to the largest number."""
    return {offset: nextafter(LARGEST[t.bits] / bound, 0.0) for offset, bound in layout.bounds.items()}


def commit_function(layout: BlockLayout, t: Types) -> str:
    """`save` copies the states into scratch. `commit` does the same if all are good and no lane failed before.

    Good or not is one number: Σ 0·x is 0 if every x is finite, NaN otherwise.
    """
    pieces = list(_pieces(layout, t))
    check, save = [], []
    for n, piece in enumerate(pieces):
        kind, aligned = piece.t.F, f"align {t.lanes * t.bits // 8}"
        check += [
            f"%p{n} = getelementptr {t.F}, ptr %arena, i64 {piece.offset}",
            f"%s{n} = getelementptr {t.F}, ptr %saved, i64 {piece.offset}",
            f"%x{n} = load {kind}, ptr %p{n}, {aligned}",
        ]
        seen = f"%x{n}"
        if len(pieces) > REGISTERS:
            seen = f"%again{n}"
            save.append(f"{seen} = load {kind}, ptr %p{n}, {aligned}")
        save.append(f"store {kind} {seen}, ptr %s{n}, {aligned}")
    lines, head = "\n".join, "ptr noalias %arena, ptr noalias %saved"
    return (
        f"define internal void @save({head}) {{\n{lines([*check, *save])}\nret void\n}}\n"
        f"define internal i1 @commit({head}, i64 %any_failed) {{\n"
        f"{lines([*check, *_watch(pieces), *save])}\nret i1 false\n}}\n"
    )


def declarations(t: Types) -> set[str]:
    """The intrinsics that `commit` uses."""
    precision = "double" if t.bits == 64 else "single"
    kinds = [types(width, precision) for width in (1, 2, 4, WIDEST)] if t.lanes == 1 else [t]
    return {f"declare {k.F} @llvm.fma.{k.S}({k.F}, {k.F}, {k.F})" for k in kinds}


class _Piece(NamedTuple):
    """States side by side: of all lanes, or several of one robot; each has its scale."""

    offset: int
    t: Types
    scales: tuple[float, ...]

    @property
    def factor(self) -> str:
        if len(self.scales) == 1:
            return number(self.scales[0], self.t)
        single = types(1, "double" if self.t.bits == 64 else "single")
        return f"<{', '.join(f'{self.t.scalar} {number(x, single)}' for x in self.scales)}>"


def _pieces(layout: BlockLayout, t: Types) -> Iterator[_Piece]:
    scales, offsets = _scales(layout, t), layout.committed
    precision, i = "double" if t.bits == 64 else "single", 0
    while i < len(offsets):
        width = WIDEST if t.lanes == 1 else 1
        while offsets[i : i + width] != tuple(range(offsets[i], offsets[i] + width)):
            width //= 2
        own = tuple(scales.get(offset, 1.0) for offset in offsets[i : i + width])
        yield _Piece(offsets[i], types(width, precision) if t.lanes == 1 else t, own)
        i += width


def _watch(pieces: Sequence[_Piece]) -> list[str]:
    """Two sums of each width, so that few fma wait for the one before."""
    lines, sums = [], {piece.t: [number(0.0, piece.t)] * 2 for piece in pieces}
    for n, piece in enumerate(pieces):
        kind, x, own = piece.t.F, f"%x{n}", sums[piece.t]
        if any(scale != 1.0 for scale in piece.scales):
            lines.append(f"%y{n} = fmul {kind} {x}, {piece.factor}")
            x = f"%y{n}"
        zero = number(0.0, piece.t)
        lines.append(f"%w{n} = call {kind} @llvm.fma.{piece.t.S}({kind} {x}, {kind} {zero}, {kind} {own[n % 2]})")
        own[n % 2] = f"%w{n}"
    lines.append("%bad = icmp ne i64 %any_failed, 0")
    bad = "%bad"
    for n, (t, (a, b)) in enumerate(sums.items()):
        lines += [f"%c{n} = fadd {t.F} {a}, {b}", f"%u{n} = fcmp uno {t.F} %c{n}, %c{n}"]
        flag = f"%u{n}"
        if t.lanes > 1:
            lines += [f"%m{n} = bitcast {t.B} %u{n} to i{t.lanes}", f"%any{n} = icmp ne i{t.lanes} %m{n}, 0"]
            flag = f"%any{n}"
        lines.append(f"%bad{n} = or i1 {bad}, {flag}")
        bad = f"%bad{n}"
    return [*lines, f"br i1 {bad}, label %no, label %yes, !prof !0", "no:", "ret i1 true", "yes:"]


def recover_function(layout: BlockLayout, t: Types) -> str:
    """Lane by lane: one that is not good fails now, a failed one gets its last good state, others are committed."""
    scalar, lanes, elements = t.scalar, layout.lanes, layout.program.state_elements
    single, scales = types(1, {64: "double", 32: "single"}[t.bits]), _scales(layout, t)
    table = ", ".join(f"{scalar} {number(scales.get(i, 1.0), single)}" for i in range(elements))
    after_copy = "derived" if layout.derived_elements else "done"
    return f"""
@scales = internal constant [{elements} x {scalar}] [{table}]
define internal void @recover(
  ptr %arena, ptr %saved, ptr %failed_step, ptr %failed_element, ptr %failed_value, i64 %step
) cold noinline {{
entry:
  br label %lane
lane:
  %l = phi i64 [ 0, %entry ], [ %l.next, %done ]
  %f.at = getelementptr i64, ptr %failed_step, i64 %l
  %e.at = getelementptr i64, ptr %failed_element, i64 %l
  %v.at = getelementptr double, ptr %failed_value, i64 %l
  br label %look
look:
  %i = phi i64 [ 0, %lane ], [ %i.next, %looked ]
  %k = mul i64 %i, {lanes}
  %k.l = add i64 %k, %l
  %x.at = getelementptr {scalar}, ptr %arena, i64 %k.l
  %unscaled = load {scalar}, ptr %x.at
  %scale.at = getelementptr {scalar}, ptr @scales, i64 %i
  %scale = load {scalar}, ptr %scale.at
  %x = fmul {scalar} %unscaled, %scale
  %d = fsub {scalar} %x, %x
  %bad = fcmp uno {scalar} %d, %d
  %f = load i64, ptr %f.at
  %fresh = icmp eq i64 %f, -1
  %fails = and i1 %bad, %fresh
  br i1 %fails, label %note, label %looked
note:
  store i64 %step, ptr %f.at
  store i64 %i, ptr %e.at
  {"%value = fpext float %unscaled to double" if t.bits == 32 else "%value = fadd double %unscaled, -0.0"}
  store double %value, ptr %v.at
  br label %looked
looked:
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, {elements}
  br i1 %more, label %look, label %decide
decide:
  %f.now = load i64, ptr %f.at
  %good = icmp eq i64 %f.now, -1
  %from = select i1 %good, ptr %arena, ptr %saved
  %to = select i1 %good, ptr %saved, ptr %arena
  br label %copy
copy:
  %j = phi i64 [ 0, %decide ], [ %j.next, %copy ]
  %j.k = mul i64 %j, {lanes}
  %j.l = add i64 %j.k, %l
  %from.at = getelementptr {scalar}, ptr %from, i64 %j.l
  %to.at = getelementptr {scalar}, ptr %to, i64 %j.l
  %y = load {scalar}, ptr %from.at
  store {scalar} %y, ptr %to.at
  %j.next = add i64 %j, 1
  %more.j = icmp ult i64 %j.next, {elements}
  br i1 %more.j, label %copy, label %{after_copy}
{_forget_derived(layout, t)}done:
  %l.next = add i64 %l, 1
  %more.l = icmp ult i64 %l.next, {lanes}
  br i1 %more.l, label %lane, label %end
end:
  ret void
}}
"""


def _forget_derived(layout: BlockLayout, t: Types) -> str:
    """Derived elements, which come after the states, of a lane that is not good."""
    if not layout.derived_elements:
        return ""
    scalar, lanes, zero = t.scalar, layout.lanes, number(0.0, types(1, {64: "double", 32: "single"}[t.bits]))
    return f"""derived:
  br i1 %good, label %done, label %forget
forget:
  %d.i = phi i64 [ {layout.program.state_elements}, %derived ], [ %d.next, %forget ]
  %d.k = mul i64 %d.i, {lanes}
  %d.l = add i64 %d.k, %l
  %d.at = getelementptr {scalar}, ptr %arena, i64 %d.l
  store {scalar} {zero}, ptr %d.at
  %d.next = add i64 %d.i, 1
  %d.more = icmp ult i64 %d.next, {layout.program.state_elements + layout.derived_elements}
  br i1 %d.more, label %forget, label %done
"""
