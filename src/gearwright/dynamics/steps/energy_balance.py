"""Whether a part of a step keeps energy: loops near their dead centres, couplings and ratios along a curve.

With K all impulses but those of loops, which do no work, kinetic energy is to change by

    T⁺ − T = ½·K·(v + v⁺)

What it changes by beside that is the part's error, of third order in the angle by which its velocity turns among the
masses. At a dead centre that is much, however slowly joints turn before: a light crank alone carries the energy of a
heavy slider. Impacts, friction and drives are in K, and are no errors.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.actuation.gears import VariableRatio
from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.fronts import Inertia
from gearwright.dynamics.algebra.scalar import TINY, Condition, Scalar, is_zero, maximum, minimum, sqrt, total, where
from gearwright.dynamics.algebra.sparse import transposed
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.constraints.drives import DriveRow
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.terms import Collected, Solved
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.slots import Slots, before
from gearwright.dynamics.steps.substeps import STRAYED
from gearwright.dynamics.tree.coordinates import State

ROUNDING = 1e4  # eps of its energy: what a part of a fast loop may be off by in single precision
IMPACT = 0.1  # of the energy that it takes off: the angle by which rows may turn in a part
AT_REST = 1e-9  # [rad/s, m/s]: energies of such speeds are rounding
MOST_SCALED = 100.0  # times the velocity, where the smallest part has lost energy


def may_stray(model: Model, kinds: Sequence[object]) -> bool:
    """Whether masses trade energy by more than the bodies of a tree do: loops, couplings and ratios along a curve."""
    loops = any(isinstance(kind, ClosureRows) and kind.size for kind in kinds)
    ratios = any(isinstance(d.gear, VariableRatio) and not is_zero(d.inertia) for d in model.actuation.driven)
    return loops or ratios or any(tie.curved for tie in model.reduction.ties)


class EnergyBalance:
    """The energy of the part that is made. Twice: its `error`, and the energy that it is measured by.

    `scale` has what K would give by itself: at rest, errors are those of rounding times K. `impact` is what an impact
    may be off by: loops carry it on in the directions that they have where the part begins or ends.
    """

    def __init__(self, step: ConstrainedStep) -> None:
        self.step, self.build = step, step.build
        self._unit = maximum(step.build.dt[0], ROUNDING * step.eps / STRAYED)
        self.error: Scalar = 0.0
        self.scale: Scalar = 0.0
        self.impact: Scalar = 0.0

    def begin(self, effort: Sequence[Scalar]) -> None:
        """Stores what efforts, weight and loads are where the part begins."""
        self.build.pull = self._pull(effort)

    def first_half(self, acting: Collected, found: Solved) -> None:
        """Stores the impulses that act with the mean velocity."""
        self.build.kick = self._beside_loops(acting, found)

    def second_half(self, acting: Collected, found: Solved, effort: Sequence[Scalar], M: Inertia) -> None:
        """Finds the error, and stores twice the energy that there ought to be and that there is."""
        build, v, half = self.build, found.u, 0.5 * self.step.dt
        old, mass = build[before(Slots.velocity)], M.diagonal(len(v))
        kick = build.kick + self._beside_loops(acting, found) + half * (build.pull + self._pull(effort))
        twice, after = build.momentum @ old, (M @ v) @ v
        wanted = twice + kick @ (old + v)
        self.error = after - wanted
        if Slots.within in build:  # what is brought back within its stops moves without its velocity: no error
            self.error = where(build.within[0] > 0.5, self.error, 0.0)
        self.scale = total(maximum(twice, after), _energy(kick, mass), AT_REST**2 * total(*mass))
        self.impact = IMPACT * abs(kick @ (v - old))
        build.kinetic = [twice, wanted, after]

    def restore(self) -> None:
        """Writes the stage `restore`: where `restored` is not set, the velocity is scaled to the energy that is due.

        A part that was not followed gets back what it has lost, and no more. Prescribed motion stays as it is.
        """
        if any(isinstance(kind, DriveRow) and kind.equality for kind in self.step.kinds):
            return
        build = self.build
        (twice, wanted, after), followed = build.kinetic, build.followed[0] > 0.5
        aim = maximum(where(followed, wanted, minimum(wanted, twice)), 0.0)
        scaled = sqrt((aim + TINY) / (after + TINY))
        scaled = minimum(maximum(scaled, where(followed, 0.0, 1.0)), MOST_SCALED)
        share = where(build.restored[0] > 0.5, 1.0, scaled)
        with build.unless(Slots.restored):
            build.velocity = share * build.velocity
            build.stage("restore")

    def beyond(self, rate: float) -> Condition:
        """Whether the error is more than this share of the energy, per second of the step, and than rounding."""
        return (abs(self.error) - self.impact) > (rate * self._unit * self.scale)

    def _pull(self, effort: Sequence[Scalar]) -> Column:
        """Efforts, weight and loads at the position that the stage has."""
        model = self.step.model
        tree, _, weight = model.lagrangian_gradient(State(self.build.position, [0.0] * model.dof))
        return transposed(tree.G, effort, model.dof) + weight

    def _beside_loops(self, acting: Collected, found: Solved) -> Column:
        """Impulses of all but loops."""
        equalities, first = list(found.equalities), 0
        for kind in self.step.kinds:
            if isinstance(kind, ClosureRows):
                for _, place in acting.read_places[first : first + kind.size]:
                    equalities[place] = 0.0
            first += kind.size
        return acting.total(found._replace(equalities=equalities))


def _energy(kick: Sequence[Scalar], mass: Sequence[Scalar]) -> Scalar:
    """Twice what it would give to each coordinate alone."""
    return total(*(k * k / m for k, m in zip(kick, mass, strict=True)))
