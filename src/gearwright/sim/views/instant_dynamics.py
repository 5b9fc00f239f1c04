"""A simulation's equations of motion in its present state: momentum, mass matrix, Jacobians, derivatives of a step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from gearwright.given_names import checked_name
from gearwright.sim.state.values import Array, Value
from gearwright.sim.views import analysis, observed

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


class Momentum(NamedTuple):
    """The robot's momentum about the world's origin, in the world's axes; (3,) or (B, 3)."""

    linear: Array  # [N·s]
    angular: Array  # [N·m·s]


class InstantDynamics:
    """What a `Simulation` answers of this instant; for a batch, arrays have it as the first axis."""

    @property
    def momentum(self: Simulation) -> Momentum:  # type: ignore[misc]
        """Linear [N·s] and angular [N·m·s], about the world's origin."""
        probe = self.probes["momentum"]
        return Momentum(probe.output("linear"), probe.output("angular"))

    def mass_matrix(self: Simulation) -> Array:  # type: ignore[misc]
        """M(q) with armature and rotors, in tree coordinates (before couplings), in the order of `coordinates`."""
        n = len(self.coordinates)
        M = self.probes["mass_matrix"].output("mass_matrix")
        return M.reshape((n, n) if self.batch == 1 else (self.batch, n, n))

    def bias(self: Simulation) -> Array:  # type: ignore[misc]
        """h(q, v): Coriolis, centrifugal and gravity efforts, in tree coordinates."""
        return self.probes["bias"].output("bias")

    def jacobian(self: Simulation, link: str, point: Any = None) -> Array:  # type: ignore[misc]
        """J of a link or frame, (6, nv) or (B, 6, nv): `J·v` is its velocity, linear then angular, in the world's axes.

        Columns are in the order of `coordinates` (of the tree, before couplings). `point` is the point of the linear
        part [m], in the axes of the link or frame; by default its origin.
        """
        return observed.jacobian(self, checked_name("a link or frame", link), point)

    def inverse_dynamics(self: Simulation, acceleration: Mapping[str, Any] | None = None) -> dict[str, Value]:  # type: ignore[misc]
        """Efforts by coordinate that give these accelerations (default 0) in the present state, for `step(effort=…)`.

        They are in tree coordinates: followers move with their leaders, and have their own efforts. They account for
        gravity, Coriolis forces, rotors, springs, dampers and wrenches, but not for actuators, friction, stops and
        loops.
        """
        return observed.inverse_dynamics(self, {} if acceleration is None else acceleration)

    def impulse_response(self: Simulation, a: str, b: str) -> Value:  # type: ignore[misc]
        """r_ab: the change of a's velocity for a unit impulse along b, in tree coordinates (before couplings)."""
        return analysis.impulse_response(self, checked_name("a coordinate", a), checked_name("a coordinate", b))

    def linearize(self: Simulation) -> analysis.Linearization:  # type: ignore[misc]
        """A = ∂(state⁺)/∂(state) and B = ∂(state⁺)/∂(effort, command) of one step from here, by exact differentiation.

        Rows are positions and velocities in the order of `state`. Columns of B are the efforts of `coordinates`, then
        the commands of actuators: (nx, nx) and (nx, nv + na), with the batch as the first axis. The active set is that
        of this step; between two segments, the derivative is one-sided. `.states` and `.inputs` name rows and columns.
        The result is kept until something changes. A step with substeps, as in fast loops, is linearized through all of
        them. Finite differences of default steps include the tolerance of the iteration: with h = 1e-5 or less they are
        off by a few per cent.
        """
        return analysis.linearized(self)
