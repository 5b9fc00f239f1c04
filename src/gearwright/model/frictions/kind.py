"""The base of all kinds of friction: how much resists, by speed, by load, or by what an axis has done before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from gearwright.errors import ModelError
from gearwright.model.fields import Highlight, Rules, check, highlights


@dataclass(frozen=True, kw_only=True)
class FrictionModel:
    """Friction along one axis, of a joint, a transmission or a motor, beside its Coulomb and viscous numbers.

    A type defines one or several of these methods. All are written with NumPy functions, so that they accept floats,
    arrays, and the unknowns of the equations: steps solve for the motion and the friction together.

    | method | for |
    |---|---|
    | `level(speed)`, or `level_under(speed, motor, external)` | dry friction: it holds exactly up to its level |
    | `resist(position, speed)` | what grows with the speed, or changes with the position |
    | `respond(moved, time, state)` | friction with `states` of its own |
    | `level_in(speed, state)` and `follow(moved, time, state)` | dry friction whose level depends on `states` |
    """

    states: ClassVar[tuple[str, ...]] = ()  # names of its states, kept from step to step
    state_units: ClassVar[tuple[str, ...]] = ()  # of the states, in their order; none: not given

    def __post_init__(self) -> None:
        check(self)
        lacking = self.lacking()
        if lacking:
            raise ModelError(f"{type(self).__name__} must define {lacking} to act as friction")

    def lacking(self) -> str:
        """The method that its type still has to define; "" if it has what it needs."""
        own, base = type(self), FrictionModel
        if not self.states:
            acts = self.dry or own.level_under is not base.level_under or own.resist is not base.resist
            return "" if acts else "level(speed) or resist(position, speed)"
        if own.level_under is not base.level_under:
            return "level_in(speed, state) in place of level_under, which does not see its states,"
        if own.follow is base.follow and not self.responds:
            return "respond(moved, time, state)"
        return "" if self.dry or self.responds else "level_in(speed, state) or respond(moved, time, state)"

    def rules(self) -> Rules:
        """Rules between its fields: whether each holds, and the rule in words. Fields may be arrays over designs."""
        return ()

    # --- dry friction -------------------------------------------------------------------------------------------

    def level(self, speed: Any) -> Any:
        """The largest resisting effort at this speed, as magnitudes [N·m, N; rad/s, m/s]; at 0 the holding effort.
        Traced.
        """
        raise NotImplementedError

    def level_under(self, speed: Any, motor: Any, external: Any) -> Any:
        """The same under efforts of the motor, and of all else that acts along the axis [N·m, N], with their signs."""
        return self.level(speed)

    def level_in(self, speed: Any, state: tuple[Any, ...]) -> Any:
        """The same in these states, of a type that has some. Traced."""
        return self.level(speed)

    @property
    def by_load(self) -> bool:
        """Whether the level depends on what acts along the axis."""
        return type(self).level_under is not FrictionModel.level_under

    @property
    def dry(self) -> bool:
        """Whether there is a level, up to which it holds."""
        own, base = type(self), FrictionModel
        return own.level is not base.level or own.level_in is not base.level_in or self.by_load

    # --- smooth friction ----------------------------------------------------------------------------------------

    def resist(self, position: Any, speed: Any) -> Any:
        """The effort against positive motion at this position and speed [N·m, N; rad, m; rad/s, m/s]. Traced."""
        raise NotImplementedError

    @property
    def smooth(self) -> bool:
        """Whether something resists smoothly."""
        return type(self).resist is not FrictionModel.resist

    def stored(self, position: Any) -> Any:
        """The energy that it stores at this position [J]; none, where it does not depend on the position. Traced."""
        return 0.0

    # --- friction with states -----------------------------------------------------------------------------------

    @property
    def responds(self) -> bool:
        """Whether an effort follows from its states."""
        return type(self).respond is not FrictionModel.respond

    @property
    def initial(self) -> tuple[float, ...]:
        """Initial values of its `states`."""
        return (0.0,) * len(self.states)

    def respond(self, moved: Any, time: Any, state: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        """The effort against positive motion [N·m, N], and the states, at the END of a way [rad, m] that an axis has
        moved in a time [s] at constant speed, from states at its start. Traced.

        Steps ask for the effort in the middle of a step, too, by half of the way and of the time: one that is a mean
        over the way makes them less accurate, of first order.
        """
        raise NotImplementedError

    def follow(self, moved: Any, time: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        """The states alone at the end of the way; all that a type without `respond` says of its states. Traced."""
        return self.respond(moved, time, state)[1]

    def highlights(self) -> Iterator[Highlight]:
        """Texts for `show`."""
        return highlights(self)
