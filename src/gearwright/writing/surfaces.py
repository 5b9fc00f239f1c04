"""<surface> of a collision, in SDFormat's words; URDF has it as an element of ours."""

from __future__ import annotations

from gearwright.formats.parts.surfaces import PATCH
from gearwright.model.geometry import EVERY_BIT, Geometry
from gearwright.model.shapes.surface import PLAIN, Surface
from gearwright.writing.fields import OWN
from gearwright.writing.nodes import Node


def add_contact(parent: Node, g: Geometry, tag: str = "surface") -> None:
    """What a shape does when it touches, and which other shapes it touches."""
    s = g.surface or PLAIN
    node = Node(tag)
    _add_friction(node, s)
    contact = Node("contact")
    if g.collision_bits != EVERY_BIT:
        contact.add("collide_bitmask", g.collision_bits)
    if s.stiffness is not None:
        ode = contact.add("ode")
        ode.add("kp", s.stiffness)
        ode.add("kd", s.damping or 0.0)  # without one, SDFormat has 1
    if contact.children:
        node.children.append(contact)
    if s.restitution is not None or s.restitution_speed:
        bounce = node.add("bounce")
        if s.restitution is not None:
            bounce.add("restitution_coefficient", s.restitution)
        if s.restitution_speed:
            bounce.add("threshold", s.restitution_speed)
    if any(s.velocity):
        node.add(f"{OWN}surface_velocity", s.velocity)
    if node.children:
        parent.children.append(node)
    if g.collides_with != g.collision_bits:
        parent.add(f"{OWN}collides_with", g.collides_with)


def _add_friction(parent: Node, s: Surface) -> None:
    friction = Node("friction")
    ode = Node("ode")
    for tag, x in (("mu", s.friction), ("mu2", s.friction2)):
        if x is not None:
            ode.add(tag, x)
    if s.friction_direction is not None:
        ode.add("fdir1", s.friction_direction)
    if ode.children:
        friction.children.append(ode)
    if s.rolling_friction is not None:
        friction.add("bullet").add("rolling_friction", s.rolling_friction)
    if s.torsional_friction is not None:
        torsional = friction.add("torsional")
        torsional.add("coefficient", 1.0)
        torsional.add("use_patch_radius", True)
        torsional.add("patch_radius", s.torsional_friction / PATCH)
    if friction.children:
        parent.children.append(friction)
