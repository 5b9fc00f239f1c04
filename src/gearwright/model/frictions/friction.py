"""Friction by speed and load: what bearings and gears lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.model.fields import Rules, quantity
from gearwright.model.frictions.kind import FrictionModel

AT_REST = 1e-12  # [rad/s, m/s]: no faster, an axis stands
DRY = "N·m | N"


@dataclass(frozen=True, kw_only=True)
class Friction(FrictionModel):
    """`F = c + w·(s − c) + b·v + q·v²`, `w = exp(−(v/v_s)^α)`: Coulomb, static, Stribeck, viscous and quadratic.

    Under load the dry part grows by shares of the efforts that a gear has on both of its sides, of the motor and from
    outside: `|l_e·τ_e − l_m·τ_m|`. At rest the two push against each other, and both count. With all of it, this is the
    model M6 of Duclusaud, Passault, Padois and Ly (2025); M1 to M5 have less.
    """

    kinetic: float = quantity(DRY, at_least=0, doc="c, level in motion", default=0.0)
    static: float | None = quantity(DRY, at_least=0, doc="s, level at rest; not given: as in motion", default=None)
    stribeck_speed: float | None = quantity(
        "rad/s | m/s", above=0, default=None,
        doc="v_s, at which 63 % of the difference is gone; not given: c as soon as it moves",
    )  # fmt: skip
    stribeck_exponent: float = quantity(above=0, doc="α", default=2.0)
    viscous: float | None = quantity("N·m·s/rad | N·s/m", at_least=0, doc="b, viscous friction", default=None)
    quadratic: float | None = quantity("N·m·s²/rad² | N·s²/m²", at_least=0, doc="q, quadratic friction", default=None)
    load: float | None = quantity(at_least=0, doc="l_m and l_e, if these are not given", default=None)
    motor_load: float | None = quantity(at_least=0, doc="l_m, share of the motor's effort", default=None)
    external_load: float | None = quantity(at_least=0, doc="l_e, share of the effort from outside", default=None)
    stribeck_load: float | None = quantity(at_least=0, doc="share that is added at rest", default=None)
    stribeck_motor_load: float | None = quantity(at_least=0, doc="the same, of the motor's effort", default=None)
    stribeck_external_load: float | None = quantity(at_least=0, doc="the same, of the external effort", default=None)
    motor_load_square: float | None = quantity(
        "1/N·m | 1/N", at_least=0, doc="at rest, of the motor's effort where the load drives it", default=None
    )
    external_load_square: float | None = quantity(
        "1/N·m | 1/N", at_least=0, doc="at rest, of the effort from outside where the motor drives", default=None
    )

    def rules(self) -> Rules:
        """What only counts at rest needs to say what it fades to."""
        yield (
            self.stribeck_speed is None or self._differs,
            "a stribeck_speed needs a static friction, or a static share of the load",
        )

    @property
    def _differs(self) -> bool:
        """Whether there is another friction at rest than in motion."""
        at_rest = (self.static, self.stribeck_load, self.stribeck_motor_load, self.stribeck_external_load)
        return any(x is not None for x in (*at_rest, self.motor_load_square, self.external_load_square))

    @property
    def by_load(self) -> bool:
        own = (self.load, self.motor_load, self.external_load, self.stribeck_load, self.stribeck_motor_load)
        more = (self.stribeck_external_load, self.motor_load_square, self.external_load_square)
        return any(x is not None for x in (*own, *more))

    @property
    def dry(self) -> bool:
        return self.by_load or self._differs or not (isinstance(self.kinetic, float) and self.kinetic == 0.0)

    @property
    def smooth(self) -> bool:
        return self.viscous is not None or self.quadratic is not None

    def at_rest(self, speed: Any) -> Any:
        """w: 1 at rest, 0 in fast motion."""
        if self.stribeck_speed is None:
            return np.where(np.abs(speed) <= AT_REST, 1.0, 0.0)
        ratio = np.abs(speed) / self.stribeck_speed
        if isinstance(self.stribeck_exponent, float) and self.stribeck_exponent == 2.0:
            return np.exp(-ratio * ratio)
        return np.exp(-(np.maximum(ratio, AT_REST) ** self.stribeck_exponent))

    def level(self, speed: Any) -> Any:
        return self.level_under(speed, 0.0, 0.0)

    def level_under(self, speed: Any, motor: Any, external: Any) -> Any:
        found, more = self.kinetic + 0.0 * speed, 0.0 if self.static is None else self.static - self.kinetic
        if self.by_load:
            found = found + _loss(motor, external, self.load, self.motor_load, self.external_load)
            own = self.stribeck_load, self.stribeck_motor_load, self.stribeck_external_load
            more = more + _loss(motor, external, *own) + self._squares(motor, external)
        return found + self.at_rest(speed) * more if self._differs else found

    def resist(self, position: Any, speed: Any) -> Any:
        viscous, quadratic = (0.0 if x is None else x for x in (self.viscous, self.quadratic))
        return (viscous + quadratic * np.abs(speed)) * speed

    def _squares(self, motor: Any, external: Any) -> Any:
        """Where both sides push against each other, the smaller one's effort squared."""
        if self.motor_load_square is None and self.external_load_square is None:
            return 0.0
        of_motor, of_load = _first(self.motor_load_square, 0.0), _first(self.external_load_square, 0.0)
        smaller = np.where(
            np.abs(external) < np.abs(motor),
            of_load * external * external,
            np.where(np.abs(external) > np.abs(motor), of_motor * motor * motor, 0.0),
        )
        return np.where(external * motor < 0.0, smaller, 0.0)


def _loss(motor: Any, external: Any, both: Any, of_motor: Any, of_external: Any) -> Any:
    """`|l_e·τ_e − l_m·τ_m|`."""
    l_m, l_e = _first(of_motor, both, 0.0), _first(of_external, both, 0.0)
    return np.abs(l_e * external - l_m * motor)


def _first(*given: Any) -> Any:
    """The first that is given."""
    return next((x for x in given if x is not None), None)
