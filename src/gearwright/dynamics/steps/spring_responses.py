"""Responses of compliant couplings: how far a unit of effort along each moves the mechanism itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.rows import CompliantCouplingRow, ConstraintGroup
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.masked import masked
from gearwright.dynamics.solve.responses import better_last, responses
from gearwright.dynamics.tree.reduction import TreeState


def spring_responses(
    model: Model, groups: Sequence[ConstraintGroup], M: FrontalMatrix, tree: TreeState
) -> Callable[[Sparse], Scalar]:
    """`J·M⁻¹·Jᵀ` of rows over the independent velocities."""
    n, springs = model.dof, [group for group in groups if isinstance(group, CompliantCouplingRow)]
    if M.fronts:
        return responses(masked(M, n, {}), len(springs))
    rows = [combined(spring.tie.jacobian(tree.q), tree.G) for spring in springs]
    return responses(model.factorised(M.entries, last=better_last(M.entries, n, rows)), len(springs))
