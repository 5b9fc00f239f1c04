"""A simulation's numbers by name: mappings of the robot's own words, each a row of `views.VIEWS`."""

from __future__ import annotations

from abc import ABC, abstractmethod

from gearwright.sim.state.values import Values


class NamedValues(ABC):
    """The mappings that a `Simulation` has. Values are floats, or arrays (B,) where the batch is larger than one."""

    @abstractmethod
    def _view(self, name: str) -> Values:
        """One of `views.VIEWS`."""

    @property
    def position(self) -> Values:
        """[rad, m] by joint or coordinate, followers too."""
        return self._view("position")

    @property
    def velocity(self) -> Values:
        """[rad/s, m/s]."""
        return self._view("velocity")

    @property
    def acceleration(self) -> Values:
        """At this instant, with the efforts that are held [rad/s², m/s²]."""
        return self._view("acceleration")

    @property
    def effort(self) -> Values:
        """The effort that is held along each coordinate [N·m, N]."""
        return self._view("effort")

    @property
    def coupling_error(self) -> Values:
        """C of each coupling, by its name or its follower's [follower's unit]."""
        return self._view("coupling_error")

    @property
    def coupling_effort(self) -> Values:
        """The effort that each coupling puts on its follower [N·m, N]."""
        return self._view("coupling_effort")

    @property
    def reaction(self) -> Values:
        """By joint, `.force` [N] and `.torque` [N·m], (3,) or (B, 3): what its parent puts on its child at this
        instant, about the joint's origin, in the joint's axes on the child (of URDF the child link's frame).

        Along the joint's axes it has all that acts there: motor, coupling, damper, friction, stop. Joints that are
        fixed or close loops have one, too. Friction, stops, drives, motors and couplings that are not exact act as in
        the last step, on average over it; after a reset not yet. Where a loop has more joints than it needs, rows that
        others imply carry nothing.
        """
        return self._view("reaction")

    @property
    def link_velocity(self) -> Values:
        """By link, `.linear` [m/s] of its origin and `.angular` [rad/s], (3,) or (B, 3), in the world's axes."""
        return self._view("link_velocity")

    @property
    def link_acceleration(self) -> Values:
        """By link, `.linear` [m/s²] of its origin and `.angular` [rad/s²] in the world's axes; see `acceleration`.

        Gravity is not in it: a link in free fall has −9.8 m/s², an accelerometer on it reads 0.
        """
        return self._view("link_acceleration")

    @property
    def pose(self) -> Values:
        """Each link's pose in the world, (4, 4) or (B, 4, 4)."""
        return self._view("pose")

    @property
    def parameters(self) -> Values:
        """The values that the parameters have now."""
        return self._view("parameters")

    @property
    def sensor(self) -> Values:
        """Readings by sensor, as they are at the end of the step [rad, m; rad/s, m/s; 0 or 1 of a switch].

        A sensor that reads several axes gives them along the last axis of an array.
        """
        return self._view("sensor")

    @property
    def actuator(self) -> Values:
        """By actuator: `.torque` in the last step, `.velocity` and `.position` of its own axis, `.command`, and the
        states of its kind, such as `.current` and `.temperature` of a dc_motor."""
        return self._view("actuator")
