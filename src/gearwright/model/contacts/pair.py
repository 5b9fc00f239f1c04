"""Two shapes that may touch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gearwright.model.fields import check, quantity
from gearwright.model.geometry import Geometry, Shape
from gearwright.model.poses import IDENTITY, Pose, Vector3
from gearwright.model.shapes.surface import PLAIN, Surface

DEFAULT_FRICTION = 1.0  # where neither surface gives a coefficient: SDFormat's default
STILL: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class ContactSide:
    """A shape on a link."""

    link: str
    name: str  # of the collision
    shape: Shape
    pose: Pose = IDENTITY  # X_LG: in the link's frame

    @staticmethod
    def of(link: str, geometry: Geometry) -> ContactSide:
        return ContactSide(link=link, name=geometry.name, shape=geometry.shape, pose=geometry.pose)


@dataclass(frozen=True, kw_only=True)
class ContactSurface:
    """The combined surface of two shapes, by Gazebo's rules.

    A number that only one of them gives is used. Otherwise friction and restitution are the smaller ones, springs act
    in series, and dampers add up.
    """

    friction: float = quantity(doc="along the first tangent", at_least=0, default=DEFAULT_FRICTION)
    friction2: float = quantity(doc="along the second tangent", at_least=0, default=DEFAULT_FRICTION)
    stiffness: float | None = quantity("N/m", doc="of a point; None: nearly rigid", above=0, default=None)
    damping: float = quantity("N·s/m", doc="of a point that has a stiffness", at_least=0, default=0.0)
    restitution: float = quantity(doc="share of the approach speed", at_least=0, at_most=1, default=0.0)
    restitution_speed: float = quantity("m/s", doc="approach speed below which nothing bounces", default=0.0)
    rolling_friction: float = quantity("m", doc="torque against rolling per normal force", default=0.0)
    torsional_friction: float = quantity("m", doc="torque against spinning per normal force", default=0.0)
    direction_a: Vector3 | None = None  # of the first tangent, in the frame of shape a
    direction_b: Vector3 | None = None  # the same in the frame of shape b; without either the tangents are arbitrary
    velocity_a: Vector3 = STILL  # of surface a against its link, in the frame of shape a [m/s]
    velocity_b: Vector3 = STILL

    def __post_init__(self) -> None:
        check(self)

    @staticmethod
    def of(a: Surface | None, b: Surface | None) -> ContactSurface:
        a, b = a or PLAIN, b or PLAIN
        directed = a.friction_direction is not None or b.friction_direction is not None
        along = _of_given(min, a.friction, b.friction, DEFAULT_FRICTION)
        across = _of_given(min, _across(a), _across(b), DEFAULT_FRICTION) if directed else along
        damping = _of_given(lambda x, y: x + y, a.damping, b.damping, 0.0)
        return ContactSurface(
            friction=along,
            friction2=across,
            stiffness=_in_series(a.stiffness, b.stiffness),
            damping=damping,
            restitution=_of_given(min, a.restitution, b.restitution, 0.0),
            restitution_speed=max(a.restitution_speed, b.restitution_speed),
            rolling_friction=_of_given(min, a.rolling_friction, b.rolling_friction, 0.0),
            torsional_friction=_of_given(min, a.torsional_friction, b.torsional_friction, 0.0),
            direction_a=a.friction_direction,
            direction_b=b.friction_direction if a.friction_direction is None else None,
            velocity_a=a.velocity,
            velocity_b=b.velocity,
        )


@dataclass(frozen=True, kw_only=True)
class ContactPair:
    """Two shapes that may touch. Normals point from b to a; b is the environment if one of them is."""

    a: ContactSide
    b: ContactSide
    surface: ContactSurface = ContactSurface()

    @property
    def links(self) -> tuple[str, str]:
        return self.a.link, self.b.link


def _across(s: Surface) -> float | None:
    return s.friction if s.friction2 is None else s.friction2


def _of_given(chosen: Callable[[float, float], float], a: float | None, b: float | None, default: float) -> float:
    if a is None or b is None:
        return default if a is None and b is None else (a if b is None else b)  # type: ignore[return-value]
    return chosen(a, b)


def _in_series(a: float | None, b: float | None) -> float | None:
    if a is None or b is None:
        return b if a is None else a
    return 1.0 / (1.0 / a + 1.0 / b)
