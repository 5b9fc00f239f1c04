"""Inverse kinematics as one stage, to be repeated: a damped least-squares step of the independent coordinates.

    e = [w_p·(p* − p), w_r·log(R*·Rᵀ)]              what each target lacks
    δ = Jᵀ·(J·Jᵀ + (½·eᵀe + ε)·1)⁻¹·e              (Sugihara, 2011: damped as far as the target is away)
    q ← q ⊕ δ, within the limits

A coordinate at a limit that δ would push beyond it leaves J. Redundant robots make the smallest move.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import casadi
from casadi import SX, Function

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.factorise import factorise
from gearwright.dynamics.algebra.rotation import Rows, composed, factored
from gearwright.dynamics.algebra.scalar import (
    TINY,
    Condition,
    Scalar,
    atan2,
    column,
    maximum,
    maximum_of,
    minimum,
    negated,
    scalars,
    sqrt,
    total,
    where,
    without_simplification,
)
from gearwright.dynamics.algebra.sparse import Matrix, Sparse, combined, transposed
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.observers.link_motion import coordinate_screws
from gearwright.dynamics.parameters import numbers
from gearwright.dynamics.tree.bodies import GROUND, assembled
from gearwright.dynamics.tree.coordinates import Coordinates, State
from gearwright.dynamics.tree.frames import optimised
from gearwright.dynamics.tree.kinematics import link_poses
from gearwright.dynamics.tree.reduction import reduction
from gearwright.model import Mechanism
from gearwright.model.poses import Pose

SAME_NAMES = {"allow_duplicate_io_names": True}  # what a stage reads and writes
LONGEST = 0.8  # [rad, m] that a coordinate moves in one iteration
SMALL = 1e-9  # sine of an angle below which its rotation vector is taken as the sine itself
DAMPING = 1e-12  # ε: near the target, where the rest of the damping is gone


@dataclass(frozen=True)
class FrameGoal:
    """A frame on a link that is to be somewhere."""

    link: str
    X_LF: Pose
    oriented: bool = True  # whether its orientation matters, too


@dataclass(frozen=True)
class Reaching:
    """The stage, the coordinates that it moves, and their names."""

    stage: Function  # position, goal, lower, upper, tolerance, reached → position, error, reached
    positions: tuple[str, ...]  # independent
    bounded: tuple[int, ...]  # those that have a lower and an upper bound: all but quaternions
    carrying: tuple[bool, ...]  # of each of these, whether it moves a target


def reaching(mechanism: Mechanism, targets: Sequence[FrameGoal], held: Collection[str]) -> Reaching:
    """`held`: velocity coordinates that stay; goals are 12 numbers per target, a rotation by rows and an origin."""
    values = numbers(mechanism)
    model = Coordinates(optimised(assembled(mechanism, values)), reduction(mechanism, values))
    q = scalars(SX.sym("position", len(model.reduction.positions)))
    goal = scalars(SX.sym("goal", 12 * len(targets)))
    lower, upper = (scalars(SX.sym(name, len(model.plain))) for name in ("lower", "upper"))
    (tolerance,), (done,) = scalars(SX.sym("tolerance", 1)), scalars(SX.sym("reached", 1))
    e, J = _errors(model, targets, q, goal)
    still = {n for n, k in enumerate(model.reduction.velocities) if model.bodies.velocities[k] in held}
    J = [{n: x for n, x in row.items() if n not in still} for row in J]
    moving = {n for row in J for n in row}
    J = _within_limits(model, q, lower, upper, J, e)
    move = _damped(J, e, model.dof)
    new = model.advanced(q, move, 1.0)
    for bound, (i, _) in enumerate(model.plain):
        new[i] = maximum(minimum(new[i], upper[bound]), lower[bound])
    parts = [Column(e[i : i + 3]) for i in range(0, len(e), 3)]  # a distance or an angle each
    error = sqrt(maximum_of([part @ part for part in parts]))
    reached = (error <= tolerance) | (done > 0.5)
    outputs = {
        "position": select(reached, q, new), "error": [error], "reached": [where(reached, 1.0, 0.0)],
    }  # fmt: skip
    inputs = {
        "position": q, "goal": goal, "lower": lower, "upper": upper, "tolerance": [tolerance], "reached": [done],
    }  # fmt: skip
    return Reaching(
        _stage(inputs, outputs),
        tuple(model.bodies.positions[i] for i in model.reduction.positions),
        tuple(i for i, _ in model.plain),
        tuple(k in moving for _, k in model.plain),
    )


def _errors(
    model: Coordinates, targets: Sequence[FrameGoal], q: list[Scalar], goal: Sequence[Scalar]
) -> tuple[Column, list[Sparse]]:
    """e, and by element a row of J over the independent velocities."""
    tree = model.tree(State(q, [0.0] * model.dof))
    at = model.configuration(tree)
    poses, screws = link_poses(at), coordinate_screws(at)
    e, J = Column(), list[Sparse]()
    for n, target in enumerate(targets):
        offset = Vector(*map(float, target.X_LF.p))
        R, p = composed(*poses[target.link], factored(target.X_LF.R), offset)
        wanted = goal[12 * n : 12 * n + 12]
        carrying = {k: screws[k] for k in _carrying(model, target.link)}
        e += list(Vector(*wanted[9:]) - p)
        linear = {k: S.linear + S.angular.cross(p - r) for k, (S, r) in carrying.items()}
        J += [combined({k: v[i] for k, v in linear.items()}, tree.G) for i in range(3)]
        if target.oriented:
            R_wanted = tuple(Vector(*wanted[3 * i : 3 * i + 3]) for i in range(3))
            e += list(_rotation_vector(R_wanted, R))  # type: ignore[arg-type]  # three rows
            J += [combined({k: S.angular[i] for k, (S, _) in carrying.items()}, tree.G) for i in range(3)]
    return e, J


def _carrying(model: Coordinates, link: str) -> list[int]:
    """Velocities of the tree that move a link."""
    bodies, (body, _) = model.bodies.bodies, model.bodies.links[link]
    found: list[int] = []
    while body != GROUND:
        found += bodies[body].velocities
        body = bodies[body].parent
    return found


def _rotation_vector(to: Rows, now: Rows) -> Vector:
    """Axis times angle of `to·nowᵀ`, in the world's axes."""
    E = [[a @ b for b in now] for a in to]
    twice_sine = Vector(E[2][1] - E[1][2], E[0][2] - E[2][0], E[1][0] - E[0][1])  # 2·sin θ along the axis
    size = sqrt(twice_sine @ twice_sine)
    angle = atan2(size, E[0][0] + E[1][1] + E[2][2] - 1.0)
    return twice_sine * where(size > SMALL, angle / maximum(size, SMALL), 0.5)


def _within_limits(
    model: Coordinates, q: Sequence[Scalar], lower: Sequence[Scalar], upper: Sequence[Scalar], J: list[Sparse],
    e: Column,
) -> list[Sparse]:  # fmt: skip
    """J without the coordinates at a limit that would be pushed beyond it."""
    pull = transposed(J, e, model.dof)
    free: dict[int, Condition] = {}
    for bound, (i, k) in enumerate(model.plain):
        below, above = (q[i] <= lower[bound]) & (pull[k] < 0.0), (q[i] >= upper[bound]) & (pull[k] > 0.0)
        free[k] = negated(below | above)
    return [{k: where(free[k], x, 0.0) if k in free else x for k, x in row.items()} for row in J]


def _damped(J: list[Sparse], e: Column, n: int) -> Column:
    """δ, no coordinate of which is longer than LONGEST."""
    damping = 0.5 * (e @ e) + DAMPING
    A: Matrix = {}
    for i, row in enumerate(J):
        for j in range(i + 1):
            if shared := row.keys() & J[j].keys():
                A[i, j] = total(*(row[k] * J[j][k] for k in sorted(shared)))
        A[i, i] = A.get((i, i), 0.0) + damping
    move = transposed(J, factorise(A, len(J)).solve(e), n)
    longest = maximum_of([abs(x) for x in move])
    return minimum(1.0, LONGEST / maximum(longest, TINY)) * move


def _stage(inputs: Mapping[str, Sequence[Scalar]], outputs: Mapping[str, Sequence[Scalar]]) -> Function:
    with without_simplification():
        reduced = casadi.cse([column(x) for x in outputs.values()])
    return Function("reach", [column(x) for x in inputs.values()], reduced, list(inputs), list(outputs), SAME_NAMES)
