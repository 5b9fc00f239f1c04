"""Functions of a kernel that watch over the states: nothing that is not finite, or beyond its bound, is ever committed.

`save` copies the states into scratch. `commit` does the same after a step, if all are good and no lane of the block
failed before; otherwise the cold `recover` sorts the lanes out one by one.

A number with a bound is scaled first, so that at its bound it is the largest number there is: beyond, it is infinite.
"""

from __future__ import annotations

import sys
from math import nextafter
from typing import NamedTuple

from gearwright.compiler.backends.cpu.ir import Types, number, types
from gearwright.compiler.backends.cpu.layout import Layout


def watch_functions(layout: Layout, t: Types) -> str:
    """LLVM text of `save`, `commit` and `recover`."""
    return commit_function(layout, t) + recover_function(layout, t)


def watch_declarations(t: Types) -> set[str]:
    """The intrinsics that they use."""
    kinds = (t, types(wide_count(t), {64: "double", 32: "single"}[t.bits])) if t.lanes == 1 else (t,)
    return {f"declare {k.F} @llvm.fma.{k.S}({k.F}, {k.F}, {k.F})" for k in kinds}


LARGEST = {64: sys.float_info.max, 32: (2 - 2.0**-23) * 2.0**127}  # by bits of a number


def _scales(layout: Layout, t: Types) -> dict[int, float]:
    """By arena offset, what brings a state's bound to the largest number."""
    return {offset: nextafter(LARGEST[t.bits] / bound, 0.0) for offset, bound in layout.bounds.items()}


WIDE = 256  # bits in which the states of a single robot are watched, where they lie side by side


class _Run(NamedTuple):
    """States that are read at once: from an arena offset on, as the type `t`."""

    offset: int
    t: Types
    scales: tuple[float, ...]  # of each of them; of the lanes of a batch, one for all

    @property
    def scale(self) -> str | None:
        """As a constant, if there is one."""
        if all(x == 1.0 for x in self.scales):
            return None
        if len(self.scales) == 1:
            return number(self.scales[0], self.t)
        single = types(1, {64: "double", 32: "single"}[self.t.bits])
        return "<" + ", ".join(f"{self.t.scalar} {number(x, single)}" for x in self.scales) + ">"


def commit_function(layout: Layout, t: Types) -> str:
    """`save` copies the states into scratch. `commit` does the same if all are good and no lane failed before.

    Good or not is one number: Σ 0·x is 0 if every x is finite, NaN otherwise.
    """
    align = t.lanes * t.bits // 8
    runs = _runs(layout, t)
    load, save = [], []
    for n, run in enumerate(runs):
        load += [
            f"%p{n} = getelementptr {t.F}, ptr %arena, i64 {run.offset}",
            f"%s{n} = getelementptr {t.F}, ptr %saved, i64 {run.offset}",
            f"%x{n} = load {run.t.F}, ptr %p{n}, align {align}",
        ]
        save.append(f"store {run.t.F} %x{n}, ptr %s{n}, align {align}")
    watch = [*_watched(runs), "br i1 %bad, label %no, label %yes, !prof !0", "no:", "ret i1 true", "yes:"]
    lines = "\n".join
    head = "ptr noalias %arena, ptr noalias %saved"
    return (
        f"define internal void @save({head}) {{\n{lines([*load, *save])}\nret void\n}}\n"
        f"define internal i1 @commit({head}, i64 %any_failed) {{\n{lines([*load, *watch, *save])}\nret i1 false\n}}\n"
    )


def _runs(layout: Layout, t: Types) -> list[_Run]:
    """The states that a step writes; of a single robot, as many at once as lie side by side."""
    offsets, scales, count = list(layout.committed), _scales(layout, t), wide_count(t)
    wide = types(count, {64: "double", 32: "single"}[t.bits])
    found: list[_Run] = []
    while offsets:
        first, n = offsets[0], count if offsets[:count] == [*range(offsets[0], offsets[0] + count)] else 1
        found.append(_Run(first, wide if n > 1 else t, tuple(scales.get(i, 1.0) for i in range(first, first + n))))
        del offsets[:n]
    return found


def wide_count(t: Types) -> int:
    """States that are watched at once."""
    return WIDE // t.bits if t.lanes == 1 else 1


def _watched(runs: list[_Run]) -> list[str]:
    """Lines that end with `%bad`. Each type has four sums, so that no fma waits for the one before."""
    found, places, sums = [], dict[Types, int](), dict[Types, list[str]]()
    for n, run in enumerate(runs):
        t, x = run.t, f"%x{n}"
        if run.scale is not None:
            found.append(f"%y{n} = fmul {t.F} {x}, {run.scale}")
            x = f"%y{n}"
        own, place = sums.setdefault(t, [number(0.0, t)] * 4), places.get(t, 0)
        zero = number(0.0, t)
        found.append(f"%w{n} = call {t.F} @llvm.fma.{t.S}({t.F} {x}, {t.F} {zero}, {t.F} {own[place % 4]})")
        own[place % 4], places[t] = f"%w{n}", place + 1
    found.append("%bad0 = icmp ne i64 %any_failed, 0")
    for n, (t, own) in enumerate(sums.items()):
        found += [
            f"%a{n} = fadd {t.F} {own[0]}, {own[1]}",
            f"%b{n} = fadd {t.F} {own[2]}, {own[3]}",
            f"%c{n} = fadd {t.F} %a{n}, %b{n}",
            f"%u{n} = fcmp uno {t.F} %c{n}, %c{n}",
        ]
        if t.lanes > 1:
            found += [f"%m{n} = bitcast {t.B} %u{n} to i{t.lanes}", f"%any{n} = icmp ne i{t.lanes} %m{n}, 0"]
        found.append(f"%bad{n + 1} = or i1 %bad{n}, {f'%any{n}' if t.lanes > 1 else f'%u{n}'}")
    return [*found, f"%bad = or i1 %bad{len(sums)}, false"]


def recover_function(layout: Layout, t: Types) -> str:
    """Lane by lane: one that is not good fails now, a failed one gets its last good state, others are committed."""
    scalar, lanes, elements = t.scalar, layout.lanes, layout.state_elements
    single, scales = types(1, {64: "double", 32: "single"}[t.bits]), _scales(layout, t)
    table = ", ".join(f"{scalar} {number(scales.get(i, 1.0), single)}" for i in range(elements))
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
  br i1 %more.j, label %copy, label %done
done:
  %l.next = add i64 %l, 1
  %more.l = icmp ult i64 %l.next, {lanes}
  br i1 %more.l, label %lane, label %end
end:
  ret void
}}
"""
