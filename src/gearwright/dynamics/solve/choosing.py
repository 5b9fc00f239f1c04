"""Which laws switch, where several have left their pieces.

Rate and impulse are a point of a law's polyline, and `rate − impulse` is how far along it that is, as numbers in SI
units: other units might change the order in which laws switch, never where they end. On the straight
way from the last step's point to the solution's, a law leaves its piece after a share of the way:

    reference ────────┼──────────── solution        lead = excess/(gap + excess), excess/gap: beyond/before the vertex
                    vertex

Laws with the largest lead leave first; the others often stay once those have switched: of a limb that is stuck in its
friction, and carried away, many joints are overloaded and one slides. So only the first switch, and the next way begins
where they left: a parametric active-set method (Ferreau, Bock and Diehl 2008) in which several switch at a time. All do
where their number falls fast, as from a cold start. Where it does not fall at all, laws switch one by one, by their
number, which ends for every positive definite matrix (Murty 1974; Júdice and Pires 1994).

A law that alone is wrong, on a piece and again on the one it came from, stands at the vertex between them: laws are
monotone, and only rounding can find both wrong. So what may be rounding is taken to be more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.scalar import Condition, Scalar, equal, maximum_number, minimum, negated, total, where
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.solve.conditions import as_number, differs, only_where
from gearwright.dynamics.solve.laws import Polyline

PATIENCE = 3.0  # iterations in which the number of wrong pieces need not fall before laws switch one by one,
SHARE = 0.25  # or this share of the laws' number: one by one, a long chain would take as many as it has laws
TOGETHER = 0.8  # of the largest lead: laws with as much switch at once,
FALLING = 0.75  # and all where no more than this share of those that were wrong before is left
ALL = 1e9  # more laws than there are
ENDURANCE = 37.0  # further iterations without a fall after which rounding is taken to be the reason
MOST_PIECES = 1e4  # of a law
LARGEST = 1e4  # and so much more at most
GROWTH = 1.1  # of that, in each single switch: what is ill-conditioned ends where its rounding does;
AT_A_VERTEX = 2.0  # where a single switch is taken back


class Acting(NamedTuple):
    """A law and its direction over the coordinates."""

    law: Polyline
    direction: Sparse


class Progress(NamedTuple):
    """Progress from one iteration to the next; a step begins with `STARTED`."""

    least: Scalar  # number of laws that were off their pieces, at best
    stalled: Scalar  # iterations since that fell
    tolerance: Scalar  # of pushes, as a share of the fastest coordinate's
    last: Scalar  # number of laws that were off their pieces before
    undone: Scalar  # the switch that would take back a single one, as `_code`; 0 where that was not single


STARTED = Progress(ALL, 0.0, 1.0, 0.0, 0.0)


class Choice(NamedTuple):
    """Pieces to go on with, one a law; and where on its way each law has got to."""

    pieces: list[Scalar]
    progress: Progress
    way: list[Scalar]


def choose(
    laws: Sequence[Acting], tried: Sequence[Scalar], found: Sequence[Scalar], places: Sequence[Scalar],
    way: Sequence[Scalar], progress: Progress,
) -> Choice:  # fmt: skip
    """Laws were tried on pieces, and the solution, in which they are at `places`, belongs to the pieces found.

    Where that is the same, none switches and nothing is counted: robots in other lanes may still have to choose.
    """
    wrong = [differs(new, old) for new, old in zip(found, tried, strict=True)]
    alone = one_by_one(progress, len(laws))
    rows = zip(wrong, laws, tried, found, way, places, strict=True)
    leads = [
        only_where(off, where(alone, float(len(laws) - n), acting.law.lead(old, new, begun, now)))
        for n, (off, acting, old, new, begun, now) in enumerate(rows)
    ]
    first = maximum_number(leads)
    number = total(*map(as_number, wrong))
    few = number <= (FALLING * progress.last)
    enough = where(alone, 1.0, where(few, 0.0, TOGETHER)) * first
    pieces = [where(lead >= enough, new, old) for lead, new, old in zip(leads, found, tried, strict=True)]
    chosen = number > 0.0
    made = where(chosen & negated(alone), 1.0 - first, 0.0)  # share of the way
    going = Column(way) + made * (Column(places) - way)
    single = number <= 1.0
    switch, undone = (only_where(single, _code(wrong, of)) for of in (found, tried))
    after = _progress(progress, number, len(laws), switch, undone)
    return Choice(pieces, Progress(*select(chosen, after, progress)), going)


def one_by_one(progress: Progress, laws: int) -> Condition:
    """Whether laws switch singly, because the number of wrong ones has not fallen for long."""
    return progress.stalled >= _patience(laws)


def _patience(laws: int) -> float:
    return max(PATIENCE, SHARE * laws)


def _code(wrong: Sequence[Scalar], pieces: Sequence[Scalar]) -> Scalar:
    """One number for a law and its piece, if one alone is wrong."""
    rows = enumerate(zip(wrong, pieces, strict=True), start=1)
    return total(*(only_where(off, n * MOST_PIECES + piece) for n, (off, piece) in rows))


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
