"""Energy, momentum and the terms of the equation of motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casadi import SX

from gearwright.dynamics.algebra.scalar import Scalar, total
from gearwright.dynamics.algebra.sparse import Matrix, combined, identity
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import CompliantCouplingRow, Instant, stored_energy
from gearwright.dynamics.observers.present import Given, Outputs, moving_tree
from gearwright.dynamics.steps.spring_responses import spring_responses
from gearwright.dynamics.tree.algorithms import kinetic_energy, potential_energy
from gearwright.dynamics.tree.algorithms import momentum as momentum_at
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.model.layout.slots import StepSlot

if TYPE_CHECKING:
    from gearwright.dynamics.equations import Equations


def energy(equations: Equations, given: Given) -> Outputs:
    """Kinetic and potential energy [J]; springs are in the potential."""
    tree = moving_tree(equations, given)
    at = equations.model.configuration(tree)
    kinetic = kinetic_energy(at, tree.v)
    for d in equations.model.actuation.driven:
        speed = d.gear.seen(tree, 0.0).speed
        kinetic = kinetic + 0.5 * d.inertia * (speed * speed)
    stored = stored_energy(equations.groups, Instant(tree, at, 1.0)) + _in_couplings(equations, tree, at)
    return {"kinetic": [kinetic], "potential": [potential_energy(at, tree.q) + stored]}


def _in_couplings(equations: Equations, tree: TreeState, at: Configuration) -> Scalar:
    """[J] in compliant couplings: a spring by its frequency is as stiff as the mechanism is heavy where it is."""
    springs = [group for group in equations.groups if isinstance(group, CompliantCouplingRow)]
    if not springs:
        return 0.0
    model = equations.model
    M = model.inertia(at, tree, fronts=not equations.mechanism.tree.cuts)
    response = spring_responses(model, springs, M, tree)
    now = Moment.of_instant(tree, at, 1.0, model.dof)
    now = now._replace(diagonal=M.diagonal(model.dof), response=lambda J: response(combined(J, tree.G)))
    return total(*(spring.spring_energy(now) for spring in springs))


def momentum(equations: Equations, given: Given) -> Outputs:
    """Linear [N·s] and angular [N·m·s] momentum about the world's origin."""
    tree = moving_tree(equations, given)
    P = momentum_at(equations.model.configuration(tree), tree.v)
    return {"linear": list(P.linear), "angular": list(P.moment)}


def mass_matrix(equations: Equations, given: Given) -> Outputs:
    """M with armature (nv, nv)."""
    q = given[StepSlot.TREE_POSITION]
    M = equations.model.tree_mass_matrix(equations.model.configuration_at(q), q)
    return {"mass_matrix": _symmetric(M, len(equations.coordinates))}


def bias(equations: Equations, given: Given) -> Outputs:
    """Coriolis, centrifugal and gravity efforts (nv,)."""
    q, v = given[StepSlot.TREE_POSITION], given[StepSlot.TREE_VELOCITY]
    still: list[Scalar] = [0.0] * len(v)
    at = equations.model.configuration_at(q)
    return {"bias": equations.model.inverse_dynamics(at, TreeState(q, v, identity(len(v)), still), still)}


def inverse_dynamics(equations: Equations, given: Given) -> Outputs:
    """Efforts along the tree's coordinates that these accelerations take."""
    model = equations.model
    tree = moving_tree(equations, given)
    vd = tree.accelerations(given[StepSlot.ACCELERATION])
    return {"needed": model.residual_effort(model.configuration(tree), tree, vd, [0.0] * len(tree.v))}


def _symmetric(M: Matrix, n: int) -> SX:
    full = SX(n, n)
    for (i, j), value in M.items():
        full[i, j] = full[j, i] = SX(value)
    return full
