"""The energy of a substep: whether it is conserved, and its correct value if the motion could not be followed.

With K all impulses except those of loops, which do no work, kinetic energy should change by

    T⁺ − T = ½·K·(v + v⁺)

Any other change is the substep's error, of third order in the angle by which its velocity turns among the masses. At a
dead centre this error is large, however slowly joints turned before: a light crank alone carries the energy of a heavy
slider. Impacts, friction and drives are part of K, so they are not errors. The energy is measured in mechanisms whose
masses exchange much of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.actuation.gears import VariableRatio
from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import TINY, Scalar, is_zero, maximum, minimum, sqrt, total, where
from gearwright.dynamics.algebra.sparse import transposed
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.constraints.drives import DriveRow
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.terms import Collected, Solved
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.loop_rows import loop_places
from gearwright.dynamics.steps.slots import Slots, before
from gearwright.dynamics.steps.tuning import TUNING
from gearwright.dynamics.tree.algorithms import gravity_energy
from gearwright.dynamics.tree.coordinates import State


def may_stray(model: Model, groups: Sequence[object]) -> bool:
    """Whether masses exchange more energy than the bodies of a tree do: loops, couplings and ratios along a curve."""
    loops = any(isinstance(group, ClosureRows) and group.size for group in groups)
    ratios = any(isinstance(d.gear, VariableRatio) and not is_zero(d.inertia) for d in model.actuation.driven)
    return loops or ratios or any(tie.curved for tie in model.reduction.ties)


class EnergyBalance:
    """The energy of the present substep. Energies here are twice their value: p·v.

    error: by how much it is off, over its limit. An impact may be off by more, because loops pass it on along their
    directions at the start or the end of the substep.
    """

    def __init__(self, step: ConstrainedStep) -> None:
        self.step, self.build = step, step.build
        self.measured = may_stray(step.model, step.groups)
        self.error: Scalar = 0.0

    def begin(self, effort: Column) -> None:
        """Stores what efforts, weight and loads are where the substep begins."""
        if self.measured:
            self.build.pull = self._pull(effort)

    def first_half(self, acting: Collected, found: Solved) -> None:
        """Stores the impulses that act with the mean velocity."""
        self.build.kick = self._beside_loops(acting, found)

    def second_half(self, acting: Collected, found: Solved, effort: Column, M: FrontalMatrix) -> None:
        """Finds the error, and stores the energy at the start and the one that is due."""
        if not self.measured:
            return
        build, v = self.build, found.u
        old, mass = build[before(Slots.velocity)], M.diagonal(len(v))
        pull = build.pull + self._pull(effort)
        kick = build.kick + self._beside_loops(acting, found) + 0.5 * self.step.h * pull
        start, after = build.momentum @ old, (M @ v) @ v
        due = start + kick @ (old + v)
        error = abs(after - due) - TUNING.impact * abs(kick @ (v - old))
        if Slots.within in build:  # what is brought back within its stops moves without its velocity: no error
            error = where(build.within[0] > 0.5, error, 0.0)
        alone = total(*(k * k / m for k, m in zip(kick, mass, strict=True)))  # what K would give to each coordinate
        scale = total(maximum(start, after), alone, TUNING.at_rest**2 * total(*mass))
        rounding = TUNING.energy_rounding * self.step.eps
        self.error = error / (maximum(TUNING.energy_rate * build.dt[0], rounding) * scale)
        build.due = [due]

    def clamp(self, M: FrontalMatrix, effort: Column) -> None:
        """Writes the stage `clamp`: the velocity is scaled to the correct energy if `sound` is not set.

        If energy is not measured, or w was not found, the limit is the energy at the start plus what efforts, impulses
        and gravity have added, so even an absurd effort is not lost. Prescribed motion stays as it is.
        """
        if any(isinstance(group, DriveRow) and group.equality for group in self.step.groups):
            return
        build, v = self.build, self.build.velocity
        start, after = abs(build.momentum @ build[before(Slots.velocity)]), (M @ v) @ v
        most = maximum(start + 2.0 * self._work(effort), 0.0)
        least: Scalar = 0.0
        if self.measured:
            found = build.converged[0] > 0.5
            due = maximum(build.due[0], 0.0)
            least = where(found, due, minimum(most, start))
            most = where(found, due, most)
        wanted = minimum(maximum(after, least), most)
        scale = minimum(sqrt(TINY + wanted / (after + TINY)), TUNING.most_scaled)  # above 0: what overflows diverges
        with build.unless(Slots.sound):
            build.velocity = select(build.sound[0], v, scale * v)
            build.stage("clamp")

    def _work(self, effort: Column) -> Scalar:
        """The work of gravity, efforts, and impulses other than those of loops, if it is positive."""
        build, model = self.build, self.step.model
        w, starts = build.mean_velocity, build[before(Slots.position)]
        tree = model.tree(State(starts, w))
        added = (self.step.h * transposed(tree.G, effort, model.dof) + build.kick) @ w
        still = (model.tree(State(q, Column.zeros(model.dof))) for q in (starts, build.position))
        start, end = (gravity_energy(model.configuration(tree)) for tree in still)
        return maximum(added, 0.0) + start - end

    def _pull(self, effort: Column) -> Column:
        """Efforts, weight and loads at the position that the stage has."""
        model = self.step.model
        tree, _, weight = model.lagrangian_gradient(State(self.build.position, [0.0] * model.dof))
        return transposed(tree.G, effort, model.dof) + weight

    def _beside_loops(self, acting: Collected, found: Solved) -> Column:
        """Impulses of all but loops."""
        equalities = list(found.equalities)
        for place in loop_places(self.step, acting):
            equalities[place] = 0.0
        return acting.total(found._replace(equalities=equalities))
