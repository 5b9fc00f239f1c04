"""Which force laws switch if several have left their segments.

Rate and impulse are a point on a law's polyline, and `rate − impulse`, in SI units, measures how far along it that
point is. Other units might change the order in which laws switch, but never where they end. On the straight path from
the last step's point to the solution's, a law leaves its segment after a fraction of the path:

    reference ────────┼──────────── solution        lead = excess/(gap + excess), excess/gap: beyond/before the vertex
                    vertex

Laws with the largest lead leave first; the others often stay once those have switched. If a limb is held by friction
and then pulled away, for instance, many joints appear overloaded, but only one slides. So only the first laws switch,
and the next path begins where they left: a parametric active-set method (Ferreau, Bock and Diehl 2008) in which several
laws may switch at a time. All of them switch while their number falls fast, as from a cold start. If it does not fall
at all, laws switch one by one, in the order of their indices, which terminates for every positive definite matrix
(Murty 1974; Júdice and Pires 1994).

If a single law is wrong on one segment, and again on the one it came from, it is at the vertex between them: laws are
monotone, so only rounding can make both wrong. The rounding allowance is then increased.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.scalar import Condition, Scalar, equal, maximum_number, minimum, negated, total, where
from gearwright.dynamics.solve.conditions import as_number, differs, only_where
from gearwright.dynamics.solve.terms import Polyline

PATIENCE = 3.0  # iterations in which the number of wrong segments need not fall before laws switch one by one,
SHARE = 0.25  # or this share of the laws' number: one by one, a long chain would take as many as it has laws
TOGETHER = 0.8  # of the largest lead: laws with as much switch at once,
FALLING = 0.75  # and all where no more than this share of those that were wrong before is left
ALL = 1e9  # more laws than there are
ENDURANCE = 37.0  # further iterations without a fall after which rounding is taken to be the reason
MOST_SEGMENTS = 1e4  # of a law
LARGEST = 1e4  # and so much more at most
GROWTH = 1.1  # of that, in each single switch: what is ill-conditioned ends where its rounding does;
AT_A_VERTEX = 2.0  # where a single switch is taken back


class Progress(NamedTuple):
    """Progress from one iteration to the next; a step begins with `STARTED`."""

    least: Scalar  # number of laws that were off their segments, at best
    stalled: Scalar  # iterations since that fell
    tolerance: Scalar  # of pushes, as a share of the fastest coordinate's
    last: Scalar  # number of laws that were off their segments before
    undone: Scalar  # the switch that would take back a single one, as `_code`; 0 where that was not single


STARTED = Progress(ALL, 0.0, 1.0, 0.0, 0.0)


class Choice(NamedTuple):
    """The segments to continue with, one per law; and how far along its path each law has got."""

    segments: list[Scalar]
    progress: Progress
    way: list[Scalar]


def choose(
    polylines: Sequence[Polyline], tried: Sequence[Scalar], found: Sequence[Scalar], places: Sequence[Scalar],
    way: Sequence[Scalar], progress: Progress,
) -> Choice:  # fmt: skip
    """Laws were tried on segments, and the solution, in which they are at `places`, belongs to the segments found.

    If these are the same, no law switches and nothing is counted: robots in other lanes may still have to choose.
    """
    wrong = [differs(new, old) for new, old in zip(found, tried, strict=True)]
    alone = one_by_one(progress, len(polylines))
    rows = zip(wrong, polylines, tried, found, way, places, strict=True)
    leads = [
        only_where(off, where(alone, float(len(polylines) - n), polyline.law.lead(old, new, begun, now)))
        for n, (off, polyline, old, new, begun, now) in enumerate(rows)
    ]
    first = maximum_number(leads)
    number = total(*map(as_number, wrong))
    few = number <= (FALLING * progress.last)
    enough = where(alone, 1.0, where(few, 0.0, TOGETHER)) * first
    segments = [where(lead >= enough, new, old) for lead, new, old in zip(leads, found, tried, strict=True)]
    chosen = number > 0.0
    made = where(chosen & negated(alone), 1.0 - first, 0.0)  # share of the way
    going = Column(way) + made * (Column(places) - way)
    single = number <= 1.0
    switch, undone = (only_where(single, _code(wrong, of)) for of in (found, tried))
    after = _progress(progress, number, len(polylines), switch, undone)
    return Choice(segments, Progress(*select(chosen, after, progress)), going)


def one_by_one(progress: Progress, laws: int) -> Condition:
    """Whether laws switch singly, because the number of wrong ones has not fallen for long."""
    return progress.stalled >= _patience(laws)


def _patience(laws: int) -> float:
    return max(PATIENCE, SHARE * laws)


def _code(wrong: Sequence[Scalar], segments: Sequence[Scalar]) -> Scalar:
    """One number for a law and its segment, if only one law is wrong."""
    rows = enumerate(zip(wrong, segments, strict=True), start=1)
    return total(*(only_where(off, n * MOST_SEGMENTS + segment) for n, (off, segment) in rows))


def _progress(before: Progress, wrong: Scalar, laws: int, switch: Scalar, undone: Scalar) -> Progress:
    exhausted = as_number(before.stalled >= _patience(laws) + ENDURANCE)
    taken_back = (switch > 0.0) & equal(switch, before.undone)  # 0 where several switch
    growth = where(taken_back, AT_A_VERTEX, 1.0 + (GROWTH - 1.0) * exhausted)
    return Progress(
        minimum(before.least, wrong),
        where(wrong < before.least, 0.0, before.stalled + 1.0),
        minimum(before.tolerance * growth, LARGEST),
        wrong,
        undone,
    )
