"""`gw.Trajectory`: joint positions over time, through waypoints.

Every profile becomes one thing: polynomials between breakpoints, of all joints at once. The parts of a trajectory are
synchronised, so that all joints arrive together; the slowest one decides.

    profile        passes waypoints     of order 1     limits that it keeps
    linear         with a corner        velocity       velocity
    trapezoidal    at rest              acceleration   velocity, acceleration
    minimum_jerk   at rest              snap           velocity, acceleration
    cubic          without a stop       jerk           velocity, acceleration
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError, suggestion
from gearwright.files import open_regular
from gearwright.given_numbers import is_number_text, numbers
from gearwright.model import Mechanism
from gearwright.sim.state.values import Array

PROFILES = ("minimum_jerk", "cubic", "trapezoidal", "linear")
DEGREE = 5
JERK_SPEED, JERK_ACCELERATION = 1.875, 10.0 / sqrt(3.0)  # peaks of 10τ³ − 15τ⁴ + 6τ⁵
MOST_ROWS = 1_000_000  # of a CSV file
SLACK = 1e-9  # [rad, m] beyond a joint's limit: rounding


class Trajectory:
    """Joint positions over time, from rest to rest.

    points        waypoints: [{"shoulder": 0.0, "elbow": 0.0}, {"shoulder": 1.0}, …], a joint that is left out stays; or
                  by joint: {"shoulder": [0.0, 1.0], "elbow": [0.0, 0.5]}
    times         of the waypoints, the first usually 0 [s]; default: as soon as the limits allow
    profile       "minimum_jerk" (at rest at every waypoint), "cubic" (passes waypoints without a stop),
                  "trapezoidal" or "linear"
    velocity      highest speed, a number or by joint [rad/s, m/s]; default: the robot's limits
    acceleration  highest acceleration, likewise [rad/s², m/s²]; default: none
    robot         a mechanism, whose joint limits the waypoints and the way between them must keep

    >>> import gearwright as gw
    >>> way = gw.Trajectory([{"elbow": 0.0}, {"elbow": 1.0}], velocity=2.0, acceleration=10.0)
    >>> round(way.duration, 4)
    0.9375
    >>> float(way.position(0.5 * way.duration)["elbow"])
    0.5
    """

    def __init__(
        self, points: Any, times: Sequence[float] | None = None, *, profile: str = "minimum_jerk",
        velocity: Any = None, acceleration: Any = None, robot: Mechanism | None = None,
    ) -> None:  # fmt: skip
        if profile not in PROFILES:
            raise ModelError(f"there is no profile {profile!r}{suggestion(str(profile), PROFILES)}")
        self.joints, self.points = _waypoints(points)
        self.profile = profile
        if robot is not None:
            _check_joints(self.joints, robot)
        v, a = _limits(self.joints, "velocity", velocity, robot), _limits(self.joints, "acceleration", acceleration)
        if times is None:
            if not np.isfinite(v).any() and not np.isfinite(a).any() and len(self.points) > 1:
                raise ModelError(
                    "give times=, or velocity= and acceleration=, or a robot whose joints have speed limits"
                )
            self._breaks, self._coefficients = _PLANNED[profile](self.points, v, a)
            self.times = self._passing()
        else:
            self.times = _checked_times(times, len(self.points))
            self._breaks, self._coefficients = _TIMED[profile](self.points, self.times)
        if robot is not None:
            self._check_range(robot)

    @staticmethod
    def read(path: str | os.PathLike[str], profile: str = "cubic", robot: Mechanism | None = None) -> Trajectory:
        """From a CSV file: a first row of names, `time` and joints, then one row per waypoint."""
        with open_regular(path) as file:
            rows = csv.reader(line.decode("utf-8", "replace") for line in file)
            return _read(os.fspath(path), rows, profile, robot)

    # --- over time -------------------------------------------------------------------------------------------------

    @property
    def duration(self) -> float:
        """From the first waypoint to the last [s]."""
        return float(self._breaks[-1] - self._breaks[0])

    def position(self, t: Any) -> dict[str, Array]:
        """By joint, at one time or several [rad, m]; constant before the start and after the end."""
        return self._by_joint(t, 0)

    def velocity(self, t: Any) -> dict[str, Array]:
        """Velocities by joint [rad/s, m/s]."""
        return self._by_joint(t, 1)

    def acceleration(self, t: Any) -> dict[str, Array]:
        """Accelerations by joint [rad/s², m/s²]."""
        return self._by_joint(t, 2)

    def peaks(self) -> dict[str, tuple[float, float]]:
        """By joint, its highest speed and acceleration."""
        v, a = _peaks(self._breaks, self._coefficients)
        return {name: (float(v[j]), float(a[j])) for j, name in enumerate(self.joints)}

    def _by_joint(self, t: Any, order: int) -> dict[str, Array]:
        values = _evaluated(self._breaks, self._coefficients, np.asarray(t, float), order)
        return {name: values[..., j] for j, name in enumerate(self.joints)}

    def _passing(self) -> Array:
        """Times of the waypoints, where segments have equal numbers of pieces."""
        pieces = max(1, (len(self._breaks) - 1) // max(1, len(self.points) - 1))
        return self._breaks[::pieces]

    def _check_range(self, robot: Mechanism) -> None:
        t = np.unique(
            np.concatenate([np.linspace(a, b, 17) for a, b in zip(self._breaks, self._breaks[1:], strict=False)])
        )
        for name, q in self.position(t).items():
            limits = robot.joints[name].axes[0].limits if robot.joints[name].axes else None
            if limits is None:
                continue
            for k in np.flatnonzero((q < limits.lower - SLACK) | (q > limits.upper + SLACK))[:1]:
                raise ModelError(
                    f"the trajectory brings {name!r} to {q[k]:.6g} at {t[k]:.4g} s, beyond its limits "
                    f"[{limits.lower:g}, {limits.upper:g}]"
                )

    def __repr__(self) -> str:
        return (
            f"<Trajectory of {', '.join(self.joints)}: {len(self.points)} waypoints, {self.profile}, "
            f"{self.duration:.4g} s>"
        )


# --- what a caller gives --------------------------------------------------------------------------------------------


def _waypoints(points: Any) -> tuple[tuple[str, ...], Array]:
    """Names, and (k, n) positions."""
    if isinstance(points, Mapping):
        names = tuple(points)
        columns = [np.atleast_1d(numbers(repr(name), value)) for name, value in points.items()]
        if not columns or any(c.ndim != 1 or len(c) != len(columns[0]) for c in columns):
            raise ModelError("all joints of a trajectory need the same number of positions")
        return names, np.stack(columns, axis=1)
    if not isinstance(points, Sequence) or not points or not all(isinstance(p, Mapping) for p in points):
        raise ModelError(f"a trajectory takes waypoints, [{{'joint': 0.0}}, {{'joint': 1.0}}], not {points!r:.60}")
    names = tuple(points[0])
    table = np.empty((len(points), len(names)))
    for k, point in enumerate(points):
        if unknown := [name for name in point if name not in names]:
            raise ModelError(
                f"waypoint {k} has {unknown[0]!r}, which the first does not have{suggestion(str(unknown[0]), names)}: "
                "the first waypoint names all joints"
            )
        table[k] = [
            numbers(repr(name), point[name]) if name in point else table[k - 1, j] for j, name in enumerate(names)
        ]
    return names, table


def _check_joints(names: Sequence[str], robot: Mechanism) -> None:
    for name in names:
        if name not in robot.joints:
            raise UnknownNameError("joint", name, robot.joints)
        if len(robot.joints[name].positions) != 1:
            raise ModelError(
                f"joint {name!r} is {robot.joints[name].kind}: a trajectory moves joints of one coordinate"
            )


def _limits(names: Sequence[str], what: str, given: Any, robot: Mechanism | None = None) -> Array:
    """(n,), infinite where there is none."""
    if given is None and robot is not None:
        own = [robot.joints[name].axes[0].limits.velocity for name in names]
        return np.array([x if x > 0 else inf for x in own])
    if given is None:
        return np.full(len(names), inf)
    if isinstance(given, Mapping):
        if unknown := [name for name in given if name not in names]:
            raise UnknownNameError("joint", unknown[0], names)
        found = np.array([numbers(f"the {what} of {n!r}", given.get(n, inf), infinite=True) for n in names], float)
    else:
        found = np.broadcast_to(numbers(what, given, infinite=True), len(names)).astype(float)
    if not (found > 0).all():
        raise ModelError(f"{what} must be above 0")
    return found


def _checked_times(times: Any, n: int) -> Array:
    found = numbers("times", times)
    if found.shape != (n,):
        raise ModelError(f"{n} waypoints take {n} times, not an array of {found.shape}")
    if (np.diff(found) <= 0).any():
        raise ModelError("times must increase from waypoint to waypoint")
    return found


def _read(path: str, rows: Iterator[list[str]], profile: str, robot: Mechanism | None) -> Trajectory:
    header = [name.strip() for name in next(rows, [])]
    if "time" not in header or len(header) < 2 or len(set(header)) < len(header):
        raise ModelError(f"{path}:1: the first row names the columns: time and the joints, each once")
    table: list[list[float]] = []
    for line, row in enumerate(rows, start=2):
        if not row:
            continue
        if len(row) != len(header) or line > MOST_ROWS:
            wrong = f"has {len(row)} columns instead of {len(header)}" if line <= MOST_ROWS else "is one too many"
            raise ModelError(f"{path}:{line}: the row {wrong}")
        try:
            table.append([float(x) for x in row])
        except ValueError:
            bad = next(x for x in row if not is_number_text(x))
            raise ModelError(f"{path}:{line}: {bad!r:.40} is not a number") from None
        if not all(map(isfinite, table[-1])):
            raise ModelError(f"{path}:{line}: numbers must be finite")
    if not table:
        raise ModelError(f"{path}: no rows below the column names")
    columns = dict(zip(header, np.array(table).T, strict=True))
    times = columns.pop("time")
    return Trajectory(columns, times, profile=profile, robot=robot)


# --- polynomials: breaks (m + 1,), coefficients (m, DEGREE + 1, n) of the time since the piece began ----------------

Pieces = tuple[Array, Array]


def _evaluated(breaks: Array, coefficients: Array, t: Array, order: int) -> Array:
    """(…, n): the derivative of that order. Outside, the ends stay."""
    inside = np.clip(t, breaks[0], breaks[-1])
    piece = np.clip(np.searchsorted(breaks, inside, side="right") - 1, 0, len(coefficients) - 1)
    s, c = (inside - breaks[piece])[..., None], coefficients[piece]
    value = np.zeros((*t.shape, coefficients.shape[2]))
    for k in range(DEGREE, order - 1, -1):
        factor = float(np.prod(np.arange(k - order + 1, k + 1)))
        value = value * s + factor * c[..., k, :]
    if order:
        value = np.where(((t < breaks[0]) | (t > breaks[-1]))[..., None], 0.0, value)
    return value


def _pieces(starts: Sequence[float] | Array, polynomials: Sequence[Sequence[Array]]) -> Pieces:
    """From the beginning of each piece, and the end; and each piece's coefficients, lowest first."""
    n = polynomials[0][0].shape[0]
    table = np.zeros((len(polynomials), DEGREE + 1, n))
    for piece, coefficients in zip(table, polynomials, strict=True):
        piece[: len(coefficients)] = coefficients
    return np.array(starts, float), table


def _grid(breaks: Array, each: int) -> Array:
    """So many times in each piece, with its ends."""
    return np.unique(np.concatenate([breaks, *(np.linspace(a, b, each) for a, b in pairwise(breaks))]))


def _peaks(breaks: Array, coefficients: Array) -> tuple[Array, Array]:
    """Highest speed and acceleration of each joint, on a grid that has all ends and middles of pieces."""
    t = _grid(breaks, 65)
    v, a = (np.abs(_evaluated(breaks, coefficients, t, order)).max(axis=0) for order in (1, 2))
    return v, a


# --- profiles -------------------------------------------------------------------------------------------------------


def _linear(points: Array, times: Array) -> Pieces:
    moves = np.diff(points, axis=0) / np.diff(times)[:, None]
    return _pieces(times, [[p, m] for p, m in zip(points, moves, strict=False)] or [[points[0]]])


def _minimum_jerk(points: Array, times: Array) -> Pieces:
    """`p + Δ·(10τ³ − 15τ⁴ + 6τ⁵)`."""
    zero = np.zeros(points.shape[1])
    each = []
    for p, d, T in zip(points, np.diff(points, axis=0), np.diff(times), strict=False):
        each.append([p, zero, zero, 10 * d / T**3, -15 * d / T**4, 6 * d / T**5])
    return _pieces(times, each or [[points[0]]])


def _cubic(points: Array, times: Array) -> Pieces:
    """The spline of continuous acceleration, at rest at both ends."""
    h, slope = np.diff(times), np.diff(points, axis=0) / np.diff(times)[:, None]
    k = len(points)
    A, b = np.eye(k), np.zeros_like(points)
    for i in range(1, k - 1):  # of the velocities at the waypoints
        A[i, i - 1 : i + 2] = h[i], 2 * (h[i - 1] + h[i]), h[i - 1]
        b[i] = 3 * (h[i] * slope[i - 1] + h[i - 1] * slope[i])
    v = _tridiagonal(A, b) if k > 2 else np.zeros_like(points)
    each = []
    for i, T in enumerate(h):
        a2, a3 = (3 * slope[i] - 2 * v[i] - v[i + 1]) / T, (v[i] + v[i + 1] - 2 * slope[i]) / T**2
        each.append([points[i], v[i], a2, a3])
    return _pieces(times, each or [[points[0]]])


def _trapezoidal(points: Array, times: Array) -> Pieces:
    """A third of each time to speed up, a third to slow down."""
    return _ramps(points, times, [T / 3 for T in np.diff(times)])


def _ramps(points: Array, times: Array, ramps: Sequence[float]) -> Pieces:
    starts, each = [float(times[0])], []
    for p, d, T, ramp, begun in zip(points, np.diff(points, axis=0), np.diff(times), ramps, times, strict=False):
        v = d / (T - ramp)
        a = v / ramp
        each += [[p, 0 * v, 0.5 * a], [p + 0.5 * ramp * v, v], [p + d - 0.5 * ramp * v, v, -0.5 * a]]
        starts += [begun + ramp, begun + T - ramp, begun + T]
    return _pieces(starts, each or [[points[0]]])


def _tridiagonal(A: Array, b: Array) -> Array:
    """Thomas' elimination; A has three diagonals."""
    upper, x = np.zeros(len(b)), b.copy()
    for i in range(len(b)):
        pivot = A[i, i] - (A[i, i - 1] * upper[i - 1] if i else 0.0)
        upper[i] = A[i, i + 1] / pivot if i + 1 < len(b) else 0.0
        x[i] = (x[i] - (A[i, i - 1] * x[i - 1] if i else 0.0)) / pivot
    for i in range(len(b) - 2, -1, -1):
        x[i] -= upper[i] * x[i + 1]
    return x


# --- as soon as limits allow ----------------------------------------------------------------------------------------


def _after(durations: Sequence[float] | Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(durations)])


def _plan_linear(points: Array, v: Array, a: Array) -> Pieces:
    if not np.isfinite(v).any():
        raise ModelError("a linear trajectory has no acceleration to limit: give velocity=, or times=")
    return _linear(points, _after([_longest(np.abs(d) / v) for d in np.diff(points, axis=0)]))


def _plan_minimum_jerk(points: Array, v: Array, a: Array) -> Pieces:
    moves = np.abs(np.diff(points, axis=0))
    durations = [max(_longest(JERK_SPEED * d / v), sqrt(_longest(JERK_ACCELERATION * d / a))) for d in moves]
    return _minimum_jerk(points, _after(durations))


def _plan_trapezoidal(points: Array, v: Array, a: Array) -> Pieces:
    """Of the way from 0 to 1 with a highest speed V and acceleration A."""
    durations, ramps = [], []
    for d in np.abs(np.diff(points, axis=0)):
        V, A = (1.0 / max(_longest(d / limit), 1e-12) for limit in (v, a))
        full = V * V <= A  # whether it gets as fast as it may
        ramp = V / A if full else 1.0 / sqrt(A)
        ramp = max(ramp, 1e-9)
        durations.append(1.0 / V + ramp if full else 2.0 * ramp)
        ramps.append(ramp)
    return _ramps(points, _after(durations), ramps)


def _plan_cubic(points: Array, v: Array, a: Array) -> Pieces:
    """Stretched in time until speed and acceleration fit: they go by 1/s and 1/s²."""
    durations = np.array([_longest(np.abs(d) / np.where(np.isfinite(v), v, 1.0)) for d in np.diff(points, axis=0)])
    breaks, coefficients = _cubic(points, _after(durations))
    fastest, hardest = _peaks(breaks, coefficients)
    stretch = max(float((fastest / v).max()), sqrt(float((hardest / a).max())))
    return _cubic(points, _after(durations * stretch))


def _longest(values: Array) -> float:
    """At least a microsecond, for waypoints that are equal."""
    return max(float(values.max(initial=0.0)), 1e-6)


_TIMED = {"linear": _linear, "minimum_jerk": _minimum_jerk, "cubic": _cubic, "trapezoidal": _trapezoidal}
_PLANNED = {
    "linear": _plan_linear, "minimum_jerk": _plan_minimum_jerk, "cubic": _plan_cubic, "trapezoidal": _plan_trapezoidal,
}  # fmt: skip
