"""Polylines: the line of each segment, the segment that a push belongs to, and where a step starts."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from gearwright.dynamics.solve.laws import (
    FAR,
    VERTICAL,
    ForceLaw,
    LoadLine,
    Vertex,
    friction_and_stops,
    saturated,
)
from tests.dynamics.solve.kinds import between_rates

LAWS = {
    "friction and stops": (friction_and_stops(0.7, -0.4, 0.9), range(-2, 3)),
    "friction": (friction_and_stops(0.7, None, None), range(-1, 2)),
    "stops": (friction_and_stops(0.0, -0.4, 0.9), range(-1, 2)),
    "one stop": (friction_and_stops(0.7, None, 0.9), range(-1, 3)),
    "range without rest": (between_rates(0.7, 0.2, 0.9), range(-2, 3)),
    "drive with a limit": (saturated(0.3, 5.0, -1.0, 2.0), range(-1, 2)),
    "drive": (ForceLaw((Vertex(0.3, 0.0),), (5.0,), home=0), range(1)),
}


def met(law, d, push):
    """Where `d·x − λ = push` meets the polyline: the path along it rises monotonically."""
    far = 100.0
    first, last = law.slopes[0], law.slopes[-1]
    x, y = law.vertices[0]
    start = (x, y + far) if first is VERTICAL else (x - far, y + first * far)
    x, y = law.vertices[-1]
    end = (x, y - far) if last is VERTICAL else (x + far, y - last * far)
    path = [start, *law.vertices, end]
    for (x0, y0), (x1, y1) in pairwise(path):
        before, after = d * x0 - y0, d * x1 - y1
        if before <= push <= after:
            share = (push - before) / (after - before) if after > before else 0.0
            return x0 + share * (x1 - x0), y0 + share * (y1 - y0)
    raise AssertionError("the path rises from far below to far above")


def load_line(d, push, line):
    """What a direction of inertia d, pushed alone, shows of itself with its law on a line."""
    rate = line.rate if line.vertical else (push + line.impulse + line.slope * line.rate) / (d + line.slope)
    return LoadLine(push, d, 1.0, 1e-13, d * rate - push)


@pytest.mark.parametrize("name", LAWS)
def test_pieces(name):
    law, segments = LAWS[name]
    assert law.segments == segments
    assert law.holds == (VERTICAL in law.slopes)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("jumps", [True, False])
def test_a_push_finds_its_piece_from_any_other(name, jumps, rng):
    """Rate and impulse against the point on the path, to the rounding of its ends (found 4e-15 and 8e-14)."""
    law, segments = LAWS[name]
    for push in (rng.normal(size=40) * 4.0).tolist():
        x, y = met(law, 2.0, push)
        for start in segments:
            segment = float(start)
            for _ in range(2 * len(segments)):
                line = law.line(segment)
                found = load_line(2.0, push, line)
                after = float(law.next(segment, line, found, jumps=jumps))
                if after == segment:
                    break
                segment = after
            assert after == segment
            assert (push + found.impulse) / 2.0 == pytest.approx(x, abs=2e-13)
            assert found.impulse == pytest.approx(y, abs=5e-13)


def test_a_stop_out_of_reach_is_not_started_on():
    """A rate of FAR is no stop: a step that begins on its segment begins on segment 0 instead."""
    reached, gone = friction_and_stops(0.7, -0.4, 0.9), friction_and_stops(0.7, -FAR, FAR)
    for segment in (-2.0, 2.0):
        assert reached.started(segment) == segment
        assert gone.started(segment) == 0.0
    assert gone.started(1.0) == 1.0
    assert replace(gone, reachable=True).started(2.0) == 2.0


def test_other_numbers_keep_the_shape():
    law = friction_and_stops(0.7, -0.4, 0.9).mapped(lambda x: 2.0 * x)
    assert law == friction_and_stops(1.4, -0.8, 1.8)
    assert np.shape(law.vertices) == (4, 2)
