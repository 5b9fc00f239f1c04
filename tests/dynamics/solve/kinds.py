"""Kinds of problems: what makes the laws, and random parameters for them. Six coordinates each."""

from __future__ import annotations

import numpy as np

from gearwright.dynamics.algebra.scalar import maximum, minimum
from gearwright.dynamics.solve.laws import VERTICAL, ForceLaw, Vertex, friction_and_stops, saturated
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.terms import Polyline

N = 6
ALONG = 3 * N  # parameters of friction and stops on every axis


def axes(p):
    """Friction and stops on every axis."""
    return [Polyline({i: 1.0}, friction_and_stops(*p[3 * i : 3 * i + 3])) for i in range(N)]


def drives(p):
    return [Polyline({i: 1.0}, saturated(x, s, -most, most)) for i, (x, s, most) in enumerate(zip(*[iter(p)] * 3))]  # noqa: B905


def between_rates(friction, lower, upper):
    """Friction within a range of rates that may not hold 0: it turns where the rate is nearest to 0."""
    turn = minimum(maximum(lower, 0.0), upper)
    vertices = (Vertex(lower, friction), Vertex(turn, friction), Vertex(turn, -friction), Vertex(upper, -friction))
    return ForceLaw(vertices, (VERTICAL, 0.0, VERTICAL, 0.0, VERTICAL), home=2)


def stops_that_exclude_rest(p):
    return [Polyline({i: 1.0}, between_rates(*p[3 * i : 3 * i + 3])) for i in range(N)]


def random_axes(rng, d):
    """Friction (none on a third), lower and upper rates (0 on a third): in units in which all axes are alike."""
    unit, shape = 1 / np.sqrt(d), d.shape
    f = unit * d * np.where(rng.random(shape) < 0.7, rng.uniform(0, 1, shape), 0)
    lower, upper = (unit * np.where(rng.random(shape) < 0.7, rng.uniform(0, 1, shape), 0) for _ in range(2))
    return np.stack([f, -lower, upper], 2).reshape(len(d), -1)


def random_ranges(rng, d):
    """Ranges of rates anywhere, a third of them points."""
    p = random_axes(rng, d).reshape(len(d), N, 3)
    p[:, :, 1] = rng.normal(size=d.shape) / np.sqrt(d)
    p[:, :, 2] = p[:, :, 1] + np.where(rng.random(d.shape) < 0.7, rng.uniform(0, 1, d.shape), 0) / np.sqrt(d)
    return p.reshape(len(d), -1)


def random_drives(rng, d):
    """Slopes up to 1e9 of the inertia."""
    unit = 1 / np.sqrt(d)
    each = [
        rng.normal(size=d.shape) * unit,
        d * 10 ** rng.uniform(-2, 9, d.shape),
        d * unit * rng.uniform(0, 1, d.shape),
    ]
    return np.stack(each, 2).reshape(len(d), -1)


def beside(*parts):
    return lambda rng, d: np.hstack([part(rng, d) for part in parts])


def normal(k):
    return lambda rng, d: rng.normal(size=(len(d), k))


def uniform(k, high=1.0):
    return lambda rng, d: rng.uniform(0, high, (len(d), k))


def decades(low, high):
    return lambda rng, d: 10 ** rng.uniform(low, high, (len(d), 1))


def row(p, *coordinates):
    return dict(zip(coordinates, [*p, 1.0], strict=True))


def shaft_friction(p):
    e = p[ALONG:]
    rows = [row(e[1:3], 0, 1, 4), row(e[4:5], 2, 1)]
    return [
        *axes(p),
        *(Polyline(J, friction_and_stops(f, None, None)) for f, J in zip((e[0], e[3]), rows, strict=True)),
    ]


KINDS = {
    "friction and stops": (lambda p: (axes(p), ()), random_axes),
    "ranges without rest": (lambda p: (stops_that_exclude_rest(p), ()), random_ranges),
    "limited drives": (lambda p: (drives(p), ()), random_drives),
    "drives with friction and stops": (
        lambda p: ([*axes(p), *drives(p[ALONG:])], ()),
        beside(random_axes, random_drives),
    ),
    "friction on shafts": (
        lambda p: (shaft_friction(p), ()),
        beside(random_axes, uniform(1), normal(2), uniform(1), normal(1)),
    ),
    "stops of a sum": (
        lambda p: ([*axes(p), Polyline(row(p[-2:], 0, 1, 4), friction_and_stops(0.0, -p[-4], p[-3]))], ()),
        beside(random_axes, uniform(2, 0.1), normal(2)),
    ),
    "limited drive of a sum": (
        lambda p: ([*axes(p), Polyline(row(p[-2:], 0, 1, 5), saturated(p[-5], p[-4], -p[-3], p[-3]))], ()),
        beside(random_axes, normal(1), decades(-2, 6), uniform(1, 2.0), normal(2)),
    ),
    "hard coupling": (
        lambda p: (axes(p), [Equality(row(p[-2:], 0, 1, 2))]),
        beside(random_axes, normal(2)),
    ),
    "mimics of one leader": (
        lambda p: (axes(p), [Equality({k: 1.0, 0: p[-k]}) for k in (1, 2, 3)]),
        beside(random_axes, lambda rng, d: rng.choice([-1.0, 1.0], (len(d), 3)) * rng.uniform(0.5, 2.0, (len(d), 3))),
    ),
    "mimics in pairs": (
        lambda p: (axes(p), [Equality({k: 1.0, k - 1: p[-k]}) for k in (1, 3, 5)]),
        beside(random_axes, lambda rng, d: rng.choice([-1.0, 1.0], (len(d), 5)) * rng.uniform(0.5, 2.0, (len(d), 5))),
    ),
    "redundant couplings": (
        lambda p: (
            axes(p),
            [
                Equality(row(p[-3:-1], 0, 1, 2)),
                Equality({0: 2 * p[-3], 1: 2 * p[-2], 2: 2.0}),
                Equality({0: 1.0, 3: p[-1]}),
            ],
        ),
        beside(random_axes, normal(3)),
    ),
    "compliant coupling": (
        lambda p: (axes(p), [Equality(row(p[-4:-2], 0, 1, 2), p[-2], p[-1])]),
        beside(random_axes, normal(3), decades(-8, 2)),
    ),
    "prescribed motion with friction": (
        lambda p: (
            [Polyline({i: 1.0}, friction_and_stops(f, None, None)) for i, f in enumerate(p[:N])],
            [Equality({0: 1.0}, p[N]), Equality({1: 1.0, 2: p[N + 1]}, p[N + 2])],
        ),
        beside(lambda rng, d: np.sqrt(d) * rng.uniform(0, 3, d.shape), normal(3)),
    ),
}
