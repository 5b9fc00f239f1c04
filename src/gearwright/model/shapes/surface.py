"""The surface of a collision shape: friction, compliance, restitution, motion of a belt."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.model.fields import check, quantity
from gearwright.model.poses import Vector3


@dataclass(frozen=True, kw_only=True)
class Surface:
    """Numbers of one surface; None where nothing is given. Two surfaces together make a `ContactSurface`."""

    friction: float | None = quantity(doc="Coulomb friction coefficient μ", at_least=0, default=None)
    friction2: float | None = quantity(
        doc="coefficient across `friction_direction`; the same as `friction` if not given", at_least=0, default=None
    )
    friction_direction: Vector3 | None = quantity(
        doc="direction of `friction`, in the shape's frame; without it both coefficients are `friction`", default=None
    )
    stiffness: float | None = quantity(
        "N/m", doc="of one contact point; nearly rigid if not given", above=0, default=None
    )
    damping: float | None = quantity(
        "N·s/m", doc="of one contact point, beside its stiffness", at_least=0, default=None
    )
    restitution: float | None = quantity(
        doc="fraction of the approach speed with which bodies separate", at_least=0, at_most=1, default=None
    )
    restitution_speed: float = quantity(
        "m/s", doc="approach speed below which nothing bounces", at_least=0, default=0.0
    )
    rolling_friction: float | None = quantity(
        "m", doc="torque against rolling per normal force", at_least=0, default=None
    )
    torsional_friction: float | None = quantity(
        "m", doc="torque against spinning per normal force", at_least=0, default=None
    )
    velocity: Vector3 = quantity(
        "m/s", doc="of the surface relative to its link, in the shape's frame: a belt", default=(0.0, 0.0, 0.0)
    )

    def __post_init__(self) -> None:
        check(self)


PLAIN = Surface()  # of a file that says nothing
