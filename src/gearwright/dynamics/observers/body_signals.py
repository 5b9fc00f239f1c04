"""Forces and motion in space as sensors see them: wrenches in joints, angular velocity and specific force of links."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gearwright.dynamics.algebra.rotation import Rows, composed, rotate, rotate_inverse
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import UNIT, ZERO, Force, Vector
from gearwright.dynamics.observers.link_motion import LinkMotion
from gearwright.dynamics.observers.reactions import joint_frame
from gearwright.dynamics.tree.bodies import placed
from gearwright.model import IDENTITY, WORLD, BodySensor, ForceTorque, Mechanism, Sensor
from gearwright.model.sensors.contact_sensor import ContactSensor


def body_signals(
    mechanism: Mechanism, wrenches: Mapping[str, Force], moving: Mapping[str, LinkMotion], gravity: Vector,
    touch: Callable[[ContactSensor], list[Scalar]],
) -> dict[str, list[Scalar]]:  # fmt: skip
    """Six numbers of each such sensor, four of a contact sensor, which `touch` gives.

    A user's own has the axes of the joint on its child, or of the link.
    """
    found = {}
    for name, sensor in mechanism.sensors.items():
        if sensor.reaction is not None:
            found[name] = _wrench(mechanism, sensor, wrenches[sensor.reaction], moving)
        elif isinstance(sensor, ContactSensor):
            found[name] = touch(sensor)
        elif sensor.link is not None:
            found[name] = _inertial(sensor, moving[sensor.link], gravity)
    return found


def _wrench(mechanism: Mechanism, sensor: Sensor, F: Force, moving: Mapping[str, LinkMotion]) -> list[Scalar]:
    """F is what the parent puts on the child, about the joint's origin, in its axes on the child."""
    if not isinstance(sensor, ForceTorque):
        return [*F.linear, *F.moment]
    assert sensor.reaction is not None
    joint, place = mechanism.joint(sensor.reaction), placed(sensor.pose)
    force, moment = F.linear, F.moment - place.p.cross(F.linear)
    rows, _ = joint_frame(joint, moving)
    if sensor.frame == "sensor":
        seen, _ = composed(rows, ZERO, place.rotation, ZERO)
    else:
        seen = _rows(joint.child if sensor.frame == "child" else joint.parent, moving)
    sign = 1.0 if sensor.direction == "parent_to_child" else -1.0
    both = (rotate_inverse(seen, rotate(rows, x)) * sign for x in (force, moment))
    return [c for x in both for c in x]


def _rows(link: str, moving: Mapping[str, LinkMotion]) -> Rows:
    return UNIT if link == WORLD else moving[link].rows


def _inertial(sensor: Sensor, link: LinkMotion, gravity: Vector) -> list[Scalar]:
    """`a + α × r + ω × (ω × r) − g` at the sensor, r its way from the link's origin."""
    place = placed(sensor.pose if isinstance(sensor, BodySensor) else IDENTITY)
    rows, r = composed(link.rows, ZERO, place.rotation, place.p)
    omega, alpha = link.velocity.angular, link.acceleration.angular
    a = link.acceleration.linear + alpha.cross(r) + omega.cross(omega.cross(r)) - gravity
    return [*rotate_inverse(rows, omega), *rotate_inverse(rows, a)]
