"""One step of the variational midpoint, as the list of its calls.

    prepare     M(q), where it is not known from the last step
    begin       p = M·v, what acts in the first half, a first guess of the mean velocity w
    until w has settled:
        push        balance of momentum in the middle of the step
        switch      laws to the pieces that w is on, until each is on its own
        pass        how far w has moved
    turn        q⁺ = q ⊕ dt·w, M(q⁺), p⁺, what acts in the second half
    switch      laws to the pieces that v⁺ is on
    finish      velocities, impulses, actuators

`builder` cuts it into stages, `midpoint` has the balance, `terms` what acts, `phases` when, `solve` the laws.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.actuation import Acting as ActuatorNow
from gearwright.dynamics.algorithms import Matrix
from gearwright.dynamics.direct_step import DirectStep, diagonal, mapped, product, unknowns, with_unknowns
from gearwright.dynamics.factorise import Factors
from gearwright.dynamics.midpoint import balance, momentum_after
from gearwright.dynamics.motion import State
from gearwright.dynamics.phases import FirstHalf, SecondHalf
from gearwright.dynamics.projection import project
from gearwright.dynamics.reduce import Tree
from gearwright.dynamics.scalar import Scalar, both, greatest, magnitude, minus, plus, times, where
from gearwright.dynamics.terms import Collected, Solved

PASSES = 24  # at most; where they do not settle, the last one starts from v again and is a first-order step
SETTLED = 5e-6  # of each axis' speed, or of 1 rad/s, m/s: a pass that changes less is the last


class MidpointStep(DirectStep):
    """Writes the stages."""

    def write(self) -> None:
        build, model = self.build, self.model
        q, v = build["position"], build["velocity"]
        tree = model.tree(State(q, v))
        M = self._prepared(tree)
        acting = self.actuators(tree)
        first = self.collected(FirstHalf(self.dt, diagonal(M, model.dof)), tree, model.configuration(tree), M, acting)
        effort = self.held_effort(tree, acting)
        keep = build.carry("begun")
        later, M_later = first.mapped(keep), mapped(M, keep)
        H = self.matrix(first.matrix(M), first, keep)
        effort = [keep(x) for x in effort]
        acting = [a._replace(acceleration=keep(a.acceleration), loss=keep(a.loss)) for a in acting]
        last = build["mean_velocity"]
        build["mean_velocity"] = [minus(times(2.0, a), b) for a, b in zip(v, last, strict=True)]  # extrapolated
        build["momentum"], build["force"] = product(M, v), [0.0] * model.dof
        for slot, own in (("law_mean", first.laws), ("reaction_mean", first.equalities), ("curve_mean", first.curves)):
            build[slot] = [0.0] * len(own)
        build["passed"], build["round"] = [0.0], [1.0]
        build.stage("begin")
        with build.loop(PASSES, until="passed"):
            self._pass(later, H, M_later, effort)
        self._second_half(later, M_later, acting)

    def last_change(self) -> list[Scalar]:
        """Twice that since the middle of the last step."""
        rows = zip(self.build["velocity"], self.build["mean_velocity"], strict=True)
        return [times(2.0, minus(v, mean)) for v, mean in rows]

    def _prepared(self, tree: Tree) -> Matrix:
        """M at the step's start, as the last step left it; anew where something else has moved the robot."""
        M = self.model.moving_masses(self.model.mass_matrix(self.model.configuration(tree), tree))
        build = self.build
        with build.loop(1, until="fresh"):
            build["mass"], build["fresh"] = unknowns(M), [1.0]
            build.stage("prepare")
        return with_unknowns(M, build["mass"])

    def _pass(self, acting: Collected, H: Matrix | Factors, M: Matrix, effort: Sequence[Scalar]) -> None:
        """w anew: a quasi-Newton step on M at the step's start, in which laws are solved to their end."""
        build, model = self.build, self.model
        q, passed, turn = build["position"], build["passed"][0], build["round"][0]
        w = [where(turn >= PASSES, v, x) for v, x in zip(build["velocity"], build["mean_velocity"], strict=True)]
        middle = balance(model, q, build["momentum"], w, effort, self.dt)
        rows = zip(product(M, w), middle.residual, acting.push(model.dof), strict=True)
        push = [plus(minus(x, r), c) for x, r, c in rows]
        build["new_force"] = middle.force
        build["start"] = w
        found = self.solved(H, push, self.closing(acting, q, w), "piece", w)
        settled = both(has_settled(found.u, build["start"]), found.settled)
        new = {"mean_velocity": found.u, "force": build["new_force"]}
        new |= {"law_mean": found.laws, "reaction_mean": found.equalities, "curve_mean": found.curves}
        for slot, values in new.items() if not found.pieces else {**new, "piece": found.pieces}.items():
            build[slot] = [where(passed, old, x) for old, x in zip(build[slot], values, strict=True)]
        build["passed"], build["round"] = [where(passed, 1.0, where(settled, 1.0, 0.0))], [plus(turn, 1.0)]
        build.stage("pass")

    def _second_half(self, acting: Collected, M: Matrix, actuators: Sequence[ActuatorNow]) -> None:
        build, model, dt = self.build, self.model, self.dt
        w = build["mean_velocity"]
        first = Solved(w, build["law_mean"], build["reaction_mean"], build["curve_mean"], [], True)
        impulse = acting.total(first)
        build["momentum"] = momentum_after(model, build["momentum"], w, build["force"], impulse, dt)
        build["impulse"] = self.read_impulses(acting, first)
        build["position"] = self.back_within_stops(model.advanced(build["position"], w, dt))
        if self.closures:
            project(self, M)
        q = build["position"]
        tree = model.tree(State(q, w))
        at = model.configuration(tree)
        M = model.mass_matrix(at, tree)
        build["mass"] = unknowns(M)
        second = self.collected(SecondHalf(dt, diagonal(M, model.dof), w), tree, at, M, actuators)
        push = [plus(x, c) for x, c in zip(build["momentum"], second.push(model.dof), strict=True)]
        found = self.solved(second.matrix(M), push, second, "piece_end", w)
        build["velocity"] = found.u
        impulses = zip(build["impulse"], self.read_impulses(second, found), strict=True)
        build["impulse"] = [plus(a, b) for a, b in impulses]
        if found.pieces:
            build["piece_end"] = found.pieces
        done = both(build["passed"][0] > 0.5, found.settled)
        build["unsettled"] = [plus(build["unsettled"][0], where(done, 0.0, 1.0))]
        self.end_actuators(build["position"], found.u)
        build.stage("finish")


def has_settled(u: Sequence[Scalar], w: Sequence[Scalar]) -> Scalar:
    """Each axis by its own speed: a rotor's is no measure for the gimbal that carries it."""
    excess = [
        minus(magnitude(minus(x, y)), times(SETTLED, greatest(1.0, magnitude(x)))) for x, y in zip(u, w, strict=True)
    ]
    while len(excess) > 1:  # in pairs: no comparison waits for all others
        pairs = (excess[i : i + 2] for i in range(0, len(excess), 2))
        excess = [greatest(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return excess[0] <= 0.0
