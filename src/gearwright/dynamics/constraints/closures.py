"""Loop closures: the joint that was cut, as rows between its two sides, one for each degree of freedom that it removes.

With X the child side of the joint as its parent side sees it, translation d and rotation R: rows along directions e
that the joint does not let slide are `e·d = 0`, rows across an axis a that it lets turn are `e·R·a = 0`. The joint's
class lists its rows; `CLOSURES` has one line for each elementary one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from gearwright.dynamics.algebra.rotation import Rows, composed, rotate
from gearwright.dynamics.algebra.scalar import Scalar, atan2, is_number, is_zero, maximum_of, sine_cosine, sqrt
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.algebra.spatial import UNIT, ZERO, Motion, Vector
from gearwright.dynamics.constraints.hinge_windings import winding
from gearwright.dynamics.constraints.loop_joint_axes import AngleSum, cut_axis_rows
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.relative_pose import RelativePose, angle_about, angle_rate_about
from gearwright.dynamics.constraints.rows import AlongRows, ConstraintGroup, Instant, PositionRow
from gearwright.dynamics.parameters import numbers
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.terms import Term
from gearwright.dynamics.tree.bodies import GROUND, HERE, Bodies, Place, assembled, placed
from gearwright.dynamics.tree.frames import optimised
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.errors import CompileError
from gearwright.model import Joint, Mechanism
from gearwright.model.joints.closing import Across, NoSlide, NoTurn, Thread
from gearwright.model.joints.closing import Condition as ClosingRow
from gearwright.model.loops.loop_system import ALIGNED
from gearwright.model.loops.mobility import fixed

OPEN = 1e-6  # [m, rad] beyond it a loop is open
SHORT = 1e-3  # of a loop's length: joints that are no further apart are at one point
DISAGREEMENT = 1e-4  # share of its answer by which a row of an overdetermined loop gives way: above rounding, squared


class Condition(NamedTuple):
    """One row: its error, and the rate of that for a relative twist (at the child side's origin)."""

    error: Callable[[RelativePose], Scalar]
    rate: Callable[[RelativePose, Motion], Scalar]
    slides: bool = False  # whether the error is a length, not an angle


def _no_slide(row: NoSlide) -> Condition:
    e = Vector(*row.along)
    return Condition(lambda x: e @ x.d, lambda x, V: e @ V.linear, slides=True)


def _across(row: Across) -> Condition:
    """`e·R·a` stays what it is at zero."""
    e, a = Vector(*row.along), Vector(*row.axis)
    return Condition(lambda x: e @ rotate(x.R, a) - row.constant, lambda x, V: e @ V.angular.cross(rotate(x.R, a)))


def _no_turn(row: NoTurn) -> Condition:
    """Component i of the rotation vector, which is half of R − Rᵀ for small ones."""
    j, k = (row.component + 1) % 3, (row.component + 2) % 3

    def rate(x: RelativePose, V: Motion) -> Scalar:
        ej, ek = rotate(x.R, UNIT[j]), rotate(x.R, UNIT[k])
        return 0.5 * (V.angular.cross(ej)[k] - V.angular.cross(ek)[j])

    return Condition(lambda x: 0.5 * (x.R[k][j] - x.R[j][k]), rate)


def _thread(row: Thread) -> Condition:
    """The nut travels with the angle that it has turned by: what is left of a turn, whichever turn it is in."""
    a, lead = Vector(*row.axis), row.lead

    def error(x: RelativePose) -> Scalar:
        if not lead:
            return a @ x.d
        ahead = 1.0 / lead * (a @ x.d) - angle_about(row.axis, x)
        sine, cosine = sine_cosine(ahead)
        return lead * atan2(sine, cosine)

    def rate(x: RelativePose, V: Motion) -> Scalar:
        return a @ V.linear - lead * angle_rate_about(row.axis, x, V)

    return Condition(error, rate, slides=True)


# the elementary rows of `gearwright.model.joints.closing`, in symbols
CLOSURES: dict[type[ClosingRow], Callable[[Any], Condition]] = {
    NoSlide: _no_slide,
    NoTurn: _no_turn,
    Across: _across,
    Thread: _thread,
}


def conditions(joint: Joint) -> list[Condition]:
    """One for each freedom that the joint takes away, as its class lists them."""
    if joint.axes_are_parallel:
        raise CompileError(f"joint {joint.name!r}: its two axes are parallel, so it cannot be a {joint.kind} joint")
    return [CLOSURES[type(row)](row) for row in joint.type.closing(joint)]


@dataclass(frozen=True)
class ClosureRows(AlongRows):
    """A cut joint. `ends` are the bodies of its parent and child side, and where on them the joint's frames are."""

    name: str
    conditions: list[Condition]
    ends: tuple[tuple[int, Place], tuple[int, Place]]
    overdetermined: bool = False  # some rows follow from others but for a file's rounding, in each pose other ones
    left_out: tuple[Condition, ...] = ()  # rows that others imply but for a file's rounding
    length: float = 1.0  # of the loop [m]
    equality: ClassVar[bool] = True
    bounded: ClassVar[bool] = False

    @property
    def size(self) -> int:
        return len(self.conditions)

    @property
    def joint_name(self) -> str:
        return self.name

    @property
    def closure(self) -> ClosureRows:
        return self

    @property
    def rates(self) -> list[Callable[[RelativePose, Motion], Scalar]]:
        """Rate of each row for a twist of the child side against the parent side."""
        return [condition.rate for condition in self.conditions]

    def position_rows(self, now: Instant | Moment) -> list[PositionRow]:
        apart, twists = self.seen(now.at)
        found = []
        for condition in self.conditions:
            J: Sparse = {}
            reach: Sparse = {}
            for k, V in twists.items():
                rate = condition.rate(apart, V)
                if not is_zero(rate):
                    J[k] = rate
                    reach[k] = _length(V.linear if condition.slides else V.angular)
            error = condition.error(apart)
            found.append(PositionRow(J, error, reach, self.name, self.disagreement))
        return found

    def opening(self, now: Instant) -> Scalar:
        """The largest error of a row as a share of its tolerance: of one that is not held, the file's rounding."""
        apart, _ = self.seen(now.at)
        rows = [(row, self.overdetermined) for row in self.conditions] + [(row, True) for row in self.left_out]
        return maximum_of([0.0, *(abs(row.error(apart)) / self._tolerance(row, loose) for row, loose in rows)])

    def _tolerance(self, row: Condition, loose: bool) -> float:
        """[m, rad]."""
        return ALIGNED * (max(self.length, OPEN / ALIGNED) if row.slides else 1.0) if loose else OPEN

    @property
    def disagreement(self) -> float:
        return DISAGREEMENT if self.overdetermined else 0.0

    def act(self, now: Moment) -> list[Term]:
        share = self.disagreement
        return [Equality(row.J, group=self.name, disagreement=share) for row in self.position_rows(now)]

    def links(self, at: Configuration, v: list[Scalar]) -> Iterator[tuple[Vector, Vector]]:
        """Those of the loop but the one that carries it: angular velocity against that, and from joint to joint."""
        paths = [_path(at.system, body) for body, _ in self.ends]
        for path, (_, place) in zip(paths, self.ends, strict=True):
            own = [i for i in path if not all(i in each for each in paths)]
            omega = ZERO
            for i, beyond in zip(own, [*own[1:], *[None] * bool(own)], strict=True):
                omega = at.X[i].velocity(Motion(omega, ZERO)).angular + at.relative(i, v).angular
                d = place.p if beyond is None else at.X[beyond].r
                if not self._is_short(d):
                    yield omega, d

    def _is_short(self, d: Vector) -> bool:
        """Whether two joints are at one point, as the hinges of a ball are."""
        return all(map(is_number, d)) and bool(d @ d <= (SHORT * self.length) ** 2)

    def seen(self, at: Configuration) -> tuple[RelativePose, dict[int, Motion]]:
        """The child side from the parent side, and how it moves for each unit velocity of the tree."""
        paths = [_path(at.system, body) for body, _ in self.ends]
        shared = [i for i in paths[0] if i in paths[1]]
        frames, origins = [], []
        poses: dict[int, tuple[Rows, Vector]] = {}
        for path, (body, place) in zip(paths, self.ends, strict=True):
            rows, p = UNIT, ZERO  # in the axes of the nearest body that carries both
            for i in [i for i in path if i not in shared]:
                rows, p = poses[i] = composed(rows, p, at.X[i].R, at.X[i].r)
            home = (UNIT, ZERO) if body in (GROUND, *shared) else (rows, p)
            rows, p = composed(*home, place.rotation, place.p)
            frames.append(rows)
            origins.append(p)
        P = _columns(frames[0])  # Rᵀ of the parent side
        C = _columns(frames[1])
        apart = RelativePose(rotate(P, origins[1] - origins[0]), tuple(Vector(*(a @ c for c in C)) for a in P))  # type: ignore[arg-type]
        twists: dict[int, Motion] = {}
        for sign, path in zip((-1.0, 1.0), paths, strict=True):
            for i in [i for i in path if i not in shared]:
                rows, p = poses[i]
                for s, k in zip(at.S[i], at.system.bodies[i].velocities, strict=True):
                    w = rotate(rows, s.angular)
                    v = rotate(rows, s.linear) + w.cross(origins[1] - p)
                    twists[k] = Motion(rotate(P, w), rotate(P, v)) * sign
        return apart, twists


def _length(a: Vector) -> Scalar:
    return sqrt(a @ a) if not a.zero else 0.0


def _columns(rows: Rows) -> Rows:
    return Vector(*(r.x for r in rows)), Vector(*(r.y for r in rows)), Vector(*(r.z for r in rows))


def _path(system: Bodies, body: int) -> list[int]:
    """From the ground outwards."""
    path: list[int] = []
    while body != GROUND:
        path.append(body)
        body = system.bodies[body].parent
    return path[::-1]


def whole_closure(joint: Joint, system: Bodies, values: Mapping[str, Scalar]) -> ClosureRows:
    """With every row that its kind has."""
    origin = Vector(*(values[f"{joint.name}.origin.{c}"] for c in "xyz"))
    places = (placed(joint.X_PJ)._replace(p=origin), placed(joint.X_CJ))
    ends = []
    for link, X in zip((joint.parent, joint.child), places, strict=True):
        body, X_BL = system.links.get(link, (GROUND, HERE))
        ends.append((body, X_BL @ X))
    return ClosureRows(joint.name, conditions(joint), (ends[0], ends[1]))


def _closure(joint: Joint, mechanism: Mechanism, system: Bodies, values: Mapping[str, Scalar]) -> ClosureRows:
    """With the rows that hold; a joint whose loop is rigid has those of a fixed one."""
    mobility = mechanism.mobility
    if joint.name in mobility.rigid:
        joint = fixed(joint, mobility.rigid[joint.name])
    closure = whole_closure(joint, system, values)
    kept = mobility.kept[joint.name]
    left_out = tuple(row for i, row in enumerate(closure.conditions) if i not in kept)
    return replace(
        closure, conditions=[closure.conditions[i] for i in kept], left_out=left_out, length=mobility.sizes[joint.name],
        overdetermined=joint.name in mobility.overdetermined,
    )  # fmt: skip


def _windings(mechanism: Mechanism) -> list[AngleSum | None]:
    """By joint that closes a loop, how it winds; by the numbers of the file."""
    values = numbers(mechanism)
    system = optimised(assembled(mechanism, values))
    start = [float(x) for j in mechanism.tree.joints for x in mechanism.configuration()[j.name]]
    return [winding(joint, whole_closure(joint, system, values), system, start) for joint in mechanism.tree.cuts]


def closure_rows(mechanism: Mechanism, system: Bodies, values: Mapping[str, Scalar]) -> list[ConstraintGroup]:
    """For each joint that the spanning tree leaves out: its constraints, and the forces along its axes."""
    found: list[ConstraintGroup] = []
    if not mechanism.tree.cuts:
        return found
    for joint, turns in zip(mechanism.tree.cuts, _windings(mechanism), strict=True):
        found.append(_closure(joint, mechanism, system, values))
        found += cut_axis_rows(joint, whole_closure(joint, system, values), values, turns, mechanism.layout.states_of)
    return found
