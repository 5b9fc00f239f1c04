"""One semi-implicit Euler step, as the list of its calls.

begin       M(q), bias and efforts, what acts in the step
solve       u⁺, by switching segments (`direct`) or by sweeps (`sweep`)
finish      q⁺ = q ⊕ dt·u⁺, impulses, actuators
"""

from __future__ import annotations

from gearwright.dynamics.algebra.scalar import where
from gearwright.dynamics.algebra.sparse import transposed
from gearwright.dynamics.constraints.phases import WholeStep
from gearwright.dynamics.solve.closing import LeastMove
from gearwright.dynamics.solve.terms import Collected
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.direct import DirectSolver
from gearwright.dynamics.steps.projection import project
from gearwright.dynamics.steps.slots import Slots
from gearwright.dynamics.steps.stop_recovery import StopRecovery
from gearwright.dynamics.tree.coordinates import State


class EulerStep(ConstrainedStep):
    """Writes the stages."""

    def write(self) -> None:
        build, model, dt = self.build, self.model, self.h
        q, v = build.position, build.velocity
        tree = model.tree(State(q, v))
        at = model.configuration(tree)
        M = self.inertia(at, tree)
        kept = M.mapped(build.carry(Slots.inertia_before)) if self.closures else M
        actuators = self.actuators(tree)
        now = self.moment(WholeStep(dt), tree, at, M, actuators)
        acting = self.collected(now, M)
        stopping = -(v / dt)  # M·v and the bias forces in one recursion
        needed = model.inverse_dynamics(at, tree, tree.accelerations(stopping))
        effort = model.with_loads(at, self.held_effort(tree, actuators))
        push = dt * transposed(tree.G, effort - needed, model.dof) + acting.push(model.dof)
        if isinstance(self.solver, DirectSolver):
            self.solver.keeps_closing = bool(self.closures)
        segments = self.solver.started(acting, build.segment if Slots.segment in build else [])
        found = self.solver.solved(acting.matrix(M), push, acting, "step", segments, v)
        build.velocity, build.impulse = found.u, self.solver.carried(acting).impulses(found)
        build.position = model.advanced(q, self.solver.travel(found), dt)
        masses = (kept if acting.switching else M).diagonal(model.dof)
        recovery = StopRecovery(self, masses if self.closures else None)
        if found.segments:
            build.segment = found.segments
        if found.segments or found.cones:
            build.unsettled = [build.unsettled[0] + where(found.settled, 0.0, 1.0)]
        taken = [sample.at(found.u) for sample in self.shaft_samples(now)]
        self.end_actuators(build.position, found.u, found.u, taken)
        self.end_frictions(now, model.tree(State(build.position, found.u)).v)
        if self.closures:
            project(self, kept, recovery, self._closing(acting))
            self._count_open_loops()
        else:
            build.stage("finish")
            recovery.write()

    def _closing(self, acting: Collected) -> LeastMove | None:
        """The factors that velocities were found with, if there are any."""
        found = self.solver.closing if isinstance(self.solver, DirectSolver) else None
        if found is None or acting.switching:
            return found
        return found.mapped(self.build.carry(Slots.closing))

    def _count_open_loops(self) -> None:
        build = self.build
        if Slots.unsettled in build:
            with build.unless(Slots.loops_closed):
                build.unsettled = [build.unsettled[0] + where(build.loops_closed[0] > 0.5, 0.0, 1.0)]
                build.stage("unsettled")
