"""The equations of motion in the independent coordinates: what a step is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from gearwright.dynamics.actuation.actuator_unit import ActuatorLinearization
from gearwright.dynamics.actuation.actuators import Actuation
from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.factorise import Factors, factorise
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Scalar, is_zero, total
from gearwright.dynamics.algebra.sparse import Matrix, accumulate, add_diagonal, combined, identity, transposed
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.tree.algorithms import inverse_dynamics, mass_matrix
from gearwright.dynamics.tree.chords import Chord
from gearwright.dynamics.tree.coordinates import Coordinates, State
from gearwright.dynamics.tree.front_choice import chosen_fronts
from gearwright.dynamics.tree.fronts import inertia
from gearwright.dynamics.tree.joints import quaternion_product
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.loads import Load, load_efforts
from gearwright.dynamics.tree.momentum import lagrangian_gradient
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.errors import CompileError


@dataclass(frozen=True)
class Model(Coordinates):
    """Forces and inertia of the bodies, their actuators and loads."""

    actuation: Actuation = field(default_factory=Actuation)
    loads: tuple[Load, ...] = ()  # wrenches on links, which hold over a step
    chords: tuple[Chord, ...] = ()  # of bases that go straight in other coordinates than their own
    uneven: tuple[tuple[int, ...], ...] = ()  # velocities of freedoms whose angle changes inertia: `Bodies.uneven`

    # --- forces and inertia ----------------------------------------------------------------------------------------

    def mass_matrix(self, at: Configuration, tree: TreeState) -> Matrix:
        """`M_u = Gᵀ·(M + armature + Σ Aᵀ·I·A)·G`."""
        M = add_diagonal(mass_matrix(at, tree.G), tree.G, self.bodies.axes.armature)
        return self._with_shafts(M, tree, [d.inertia for d in self.actuation.driven])

    def inertia(self, at: Configuration, tree: TreeState, *, fronts: bool) -> FrontalMatrix:
        """The same with fronts, if these are allowed, where they take fewer operations."""
        chosen = chosen_fronts(self.bodies.bodies, tree.G) if fronts else frozenset[int]()
        if not chosen:
            return FrontalMatrix(self.moving_masses(self.mass_matrix(at, tree)))
        M = inertia(at, tree.G, chosen)
        armature = zip(tree.G, self.bodies.axes.armature, strict=True)
        shafts = [(combined(d.gear.seen(tree, 0.0).A, tree.G), d.inertia) for d in self.actuation.driven]
        M = M.with_lines([(row, value) for row, value in (*armature, *shafts) if not is_zero(value)])
        self.moving_masses({(k, k): d for k, d in enumerate(M.diagonal(self.dof)) if not is_zero(d)})
        return M

    def tree_mass_matrix(self, at: Configuration, q: list[Scalar]) -> Matrix:
        """M with armature and rotors, before couplings."""
        n = len(self.bodies.velocities)
        G = identity(n)
        M = add_diagonal(mass_matrix(at, G), G, self.bodies.axes.armature)
        still = TreeState(q, [0.0] * n, G, [0.0] * n)
        return self._with_shafts(M, still, [d.inertia for d in self.actuation.driven])

    def _with_shafts(self, M: Matrix, tree: TreeState, each: Sequence[Scalar]) -> Matrix:
        """`M + Gᵀ·Aᵀ·diag(each)·A·G`, over the actuators' axes."""
        M = dict(M)
        for d, value in zip(self.actuation.driven, each, strict=True):
            if not is_zero(value):
                row = combined(d.gear.seen(tree, 0.0).A, tree.G)
                accumulate(M, row, {u: g * value for u, g in row.items()}, twice=False)
        return M

    def implicit_mass_matrix(self, at: Configuration, tree: TreeState, dt: Scalar) -> Matrix:
        """`M̂ = M_u + Gᵀ·(dt·D + dt²·K)·G`."""
        axes = self.bodies.axes
        slopes = [dt * (d + dt * k) for d, k in zip(axes.damping, axes.stiffness, strict=True)]
        return add_diagonal(self.mass_matrix(at, tree), tree.G, slopes)

    def force(self, at: Configuration, tree: TreeState, effort: list[Scalar], ahead: Scalar) -> Column:
        """`τ_u = Gᵀ·(τ − h − (M + armature)·Ġ·u + passive)`."""
        effort = self.with_loads(at, effort)
        net = effort - self.inverse_dynamics(at, tree, tree.vd) + self.passive(tree, ahead)
        return transposed(tree.G, net, self.dof)

    def inverse_dynamics(self, at: Configuration, tree: TreeState, vd: list[Scalar]) -> Column:
        """`(M + armature + rotors)·v̇ + h`: the efforts along the tree's coordinates that this motion takes."""
        rows = zip(inverse_dynamics(at, tree.v, vd), self.bodies.axes.armature, vd, strict=True)
        efforts = Column(t + a * x for t, a, x in rows)
        for d in self.actuation.driven:
            if not is_zero(d.inertia):
                seen = d.gear.seen(tree, 0.0)
                spin = d.inertia * total(seen.drift, *(x * vd[k] for k, x in seen.A.items()))
                for k, x in seen.A.items():
                    efforts[k] = efforts[k] + x * spin
        return efforts

    def with_loads(self, at: Configuration, effort: Sequence[Scalar]) -> Column:
        """The efforts, and those of the wrenches on links."""
        effort = Column(effort)
        return effort + load_efforts(at, self.loads) if self.loads else effort

    def lagrangian_gradient(self, state: State) -> tuple[TreeState, Column, Column]:
        """`p = ∂L/∂u` and `f = ∂L/∂q` of the independent coordinates, armature and rotors with them, springs not.

        f has the wrenches on links in it, too.
        """
        return self._gradient(state, ())

    def _gradient(self, state: State, chords: Sequence[Chord]) -> tuple[TreeState, Column, Column]:
        tree = self.tree(state)
        at = self.configuration(tree)
        p, f = lagrangian_gradient(at, tree.v)
        f = self.with_loads(at, f)
        for chord in chords:
            p, f = chord.gradient(at, tree.v, p, f)
        p = [x + a * v for x, a, v in zip(p, self.bodies.axes.armature, tree.v, strict=True)]
        for d in self.actuation.driven:
            if not is_zero(d.inertia):
                seen = d.gear.seen(tree, 0.0)
                spin = d.inertia * seen.speed
                for along, row in ((p, seen.A), (f, d.gear.bend(tree))):
                    for k, x in row.items():
                        along[k] = along[k] + x * spin
        return tree, *self.reduction.gradient(tree, p, f)

    def total_effort(
        self, tree: TreeState, effort: Sequence[Scalar], acting: Sequence[ActuatorLinearization]
    ) -> Column:
        """The efforts that are held, and the actuators'."""
        extra = self.actuation.efforts(tree, acting) if acting else {}
        return Column(x + extra.get(k, 0.0) for k, x in enumerate(effort))

    def passive(self, tree: TreeState, ahead: Scalar) -> Column:
        """`−D·v − K·(q + ahead·v − q₀)`: dampers and springs, stretched as they will be in the time ahead."""
        axes = self.bodies.axes
        efforts = Column()
        rows = zip(axes.damping, axes.stiffness, axes.reference, self.bodies.spring_positions, tree.v, strict=True)
        for d, k, q0, i, v in rows:
            stretch = 0.0 if is_zero(k) else tree.q[i] - q0
            efforts.append(-((d + ahead * k) * v + k * stretch))
        return efforts

    def acceleration(self, state: State, effort: list[Scalar]) -> Column:
        """u̇, all forces at the state itself."""
        tree = self.tree(state)
        at = self.configuration(tree)
        M = self.mass_matrix(at, tree)
        return self.factorised(M).solve(self.force(at, tree, effort, ahead=0.0))

    def moving_masses(self, M: Matrix) -> Matrix:
        """M itself; raises where a coordinate moves no mass."""
        for n, k in enumerate(self.reduction.velocities):
            if (n, n) not in M:
                name = self.bodies.velocities[k]
                raise CompileError(
                    f"{name!r} moves no mass: add an inertia to what it carries, or an armature to its joint"
                )
        return M

    def factorised(self, M: Matrix, last: AbstractSet[int] = frozenset()) -> Factors:
        self.moving_masses(M)
        try:
            return factorise(M, self.dof, last=last)
        except ZeroDivisionError:
            raise CompileError(
                "coordinates that move the same mass in the same way, whatever the pose: give what is between them an "
                "inertia, or their joints an armature"
            ) from None

    def residual_effort(self, at: Configuration, tree: TreeState, vd: list[Scalar], effort: list[Scalar]) -> Column:
        """`(M + armature)·v̇ + h − τ − passive`: what the tree's own equations lack, and couplings supply."""
        return self.inverse_dynamics(at, tree, vd) - (self.with_loads(at, effort) + self.passive(tree, ahead=0.0))

    def rate(self, state: State, effort: list[Scalar]) -> State:
        """q̇ and u̇."""
        return State(self.position_rate(state), self.acceleration(state, effort))

    def position_rate(self, state: State) -> Column:
        """q̇; of a quaternion, `q·(0, ω)/2`."""
        q_dot = Column.zeros(len(state.q))
        for i, k in self.plain:
            q_dot[i] = state.u[k]
        for four, three in self.balls:
            half = Vector(*(state.u[k] for k in three)) * 0.5
            for i, value in zip(four, quaternion_product([state.q[i] for i in four], (0.0, *half)), strict=True):
                q_dot[i] = value
        return q_dot

    # --- along chords: velocities, momenta and forces of bases that go straight in other coordinates ---------------

    def chord_gradient(self, state: State, effort: Sequence[Scalar]) -> tuple[Column, Column]:
        """`∂L/∂u` and `∂L/∂q + τ` along chords."""
        tree, p, f = self._gradient(state, self.chords)
        for chord in self.chords:
            effort = chord.forces(self.configuration(tree), effort)
        return p, f + transposed(tree.G, effort, self.dof)

    def along_chords(self, state: State, dt: Scalar) -> State:
        """The position after dt at a constant velocity along chords, and the velocities there."""
        new = self.advanced(state.q, state.u, dt)
        if not self.chords:
            return State(new, state.u)
        start, end = self.tree(state), self.tree(State(new, state.u))
        at, v = self.configuration(start), end.v
        for chord in self.chords:
            chord.advance(at, start.q, start.v, end.q, dt)
            v = chord.base_velocities(self.configuration(end), chord.kept(at, start.v, v))
        return State([end.q[i] for i in self.reduction.positions], [v[k] for k in self.reduction.velocities])

    def chord_velocities(self, state: State) -> Column:
        if not self.chords:
            return Column(state.u)
        tree = self.tree(state)
        v = tree.v
        for chord in self.chords:
            v = chord.velocities(self.configuration(tree), v)
        return Column(v[k] for k in self.reduction.velocities)

    def chord_forces(self, q: list[Scalar], f: Column) -> Column:
        """Forces or momenta along chords, from those along the independent velocities."""
        return self._mapped(q, f, Chord.forces)

    def forces_of_chords(self, q: list[Scalar], f: Column) -> Column:
        """The inverse of `chord_forces`."""
        return self._mapped(q, f, Chord.base_forces)

    def _mapped(self, q: list[Scalar], f: Column, by: Callable[..., list[Scalar]]) -> Column:
        if not self.chords:
            return f
        tree = self.tree(State(q, [0.0] * self.dof))
        each: list[Scalar] = [0.0] * len(tree.v)
        for k, x in zip(self.reduction.velocities, f, strict=True):
            each[k] = x
        for chord in self.chords:
            each = by(chord, self.configuration(tree), each)
        return transposed(tree.G, each, self.dof)
