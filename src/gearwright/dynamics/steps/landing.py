"""The end of a part of a step that could not be followed, and is as short as parts get."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.algebra.column import select
from gearwright.dynamics.algebra.fronts import Inertia
from gearwright.dynamics.algebra.scalar import TINY, Scalar, maximum, minimum, sqrt, total
from gearwright.dynamics.algebra.sparse import transposed
from gearwright.dynamics.solve.terms import Collected, Solved
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.slots import Slots, before
from gearwright.dynamics.tree.algorithms import gravity_energy
from gearwright.dynamics.tree.coordinates import State


def land(step: ConstrainedStep, M: Inertia, acting: Collected, first: Solved, effort: Sequence[Scalar]) -> None:
    """Writes the stage `land`: the momentum at the end is w's own, with no more energy than there was.

    The work of efforts and of all that acts beside loops is added: an absurd effort is not lost, and its speeds are
    found to diverge. The impulses of loops mean nothing there.
    """
    build, w = step.build, first.u
    own = M @ w
    square = total(TINY, *(p * x for p, x in zip(own, w, strict=True)))
    kinetic = build.momentum @ build.velocity
    work = maximum(_work(step, acting, first, effort), 0.0) + _fall(step)
    twice = maximum(abs(kinetic) + 2.0 * work, 0.0)  # the kinetic energy
    share = sqrt(minimum(1.0, TINY + twice / square))
    lost = build.followed[0] < 0.5
    build.momentum_after = select(lost, share * own, build.momentum_after)
    build.stage("land")


def _work(step: ConstrainedStep, acting: Collected, first: Solved, effort: Sequence[Scalar]) -> Scalar:
    """The work of efforts and terms along w, without that of equalities."""
    w = first.u
    tree = step.model.tree(State(step.build[before(Slots.position)], w))
    beside_rows = acting.total(first._replace(equalities=[0.0] * len(first.equalities)))
    return (step.dt * transposed(tree.G, effort, step.model.dof) + beside_rows) @ w


def _fall(step: ConstrainedStep) -> Scalar:
    """The work of gravity in the part."""
    model, build = step.model, step.build
    trees = (model.tree(State(q, [0.0] * model.dof)) for q in (build[before(Slots.position)], build.position))
    start, end = (gravity_energy(model.configuration(tree)) for tree in trees)
    return start - end
