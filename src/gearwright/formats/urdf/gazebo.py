"""<gazebo> blocks of a URDF: links, joints and models in SDFormat are read, the rest is left to Gazebo."""

from __future__ import annotations

from dataclasses import replace

from gearwright.formats.draft import Draft
from gearwright.formats.parts.surfaces import read_gazebo_surface, surface_of
from gearwright.formats.paths.includes import Library
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.xml.located_xml import Element

# Settings that affect the mechanism but are not simulated: reported one by one, not as "settings for Gazebo"
MECHANISM_SETTINGS = {
    "implicitSpringDamper": "Gazebo's implicit spring-damper; joint damping is always implicit here",
    "springStiffness": "Gazebo's joint spring",
    "springReference": "Gazebo's joint spring",
    "stopCfm": "softness of Gazebo's joint stops",
    "stopErp": "softness of Gazebo's joint stops",
    "turnGravityOff": "Gazebo's switch; gravity acts on every link of a URDF here",
    "fudgeFactor": "Gazebo's fudge factor",
    "disableFixedJointLumping": "Gazebo's merging of fixed joints; links are never merged here",
    "preserveFixedJoint": "Gazebo's merging of fixed joints; links are never merged here",
}


def read_gazebo(robot: Element, draft: Draft, plugins: PluginPolicy, library: Library, prefix: str = "") -> None:
    blocks = robot.all("gazebo")
    parts = [c for b in blocks for c in b.children if _is_part(c, b)]
    for b in blocks:
        _leave_settings(b, set(parts), draft, prefix)
    if parts:
        from gearwright.formats.urdf.gazebo_parts import read_parts  # most files have none

        read_parts(parts, robot, draft, plugins, library, prefix)


def _is_part(e: Element, block: Element) -> bool:
    """Whether it becomes a part of the model; in a block about one link or joint, models are settings of Gazebo."""
    if e.tag in ("link", "joint"):
        return "name" in e.attributes
    return e.tag in ("model", "include") and not block.attributes.get("reference")


def _read_contact(b: Element, settings: list[Element], draft: Draft, prefix: str) -> None:
    """Surfaces of a link's shapes, and whether it touches other links; what is read is taken off the settings."""
    reference = b.attributes.get("reference")
    links = [*draft.links] if reference is None else [n for n in (prefix + reference,) if n in draft.links]
    if not links:
        return
    values = read_gazebo_surface(b, settings) if reference is not None else {}
    for name in links if values else ():
        link = draft.links[name]
        shapes = tuple(replace(g, surface=surface_of(b, values, g.surface)) for g in link.collisions)
        draft.links[name] = replace(link, collisions=shapes)
    for c in [c for c in settings if c.tag in ("selfCollide", "self_collide")]:
        settings.remove(c)
        with c.report.leaving_out(f"<{c.tag}>"):
            if c.truth(c.words, f"<{c.tag}>", False):
                draft.self_collide += [n for n in links if n not in draft.self_collide]


def _leave_settings(b: Element, parts: set[Element], draft: Draft, prefix: str) -> None:
    b.get("reference")
    others: set[str] = set()
    settings = [c for c in b.every() if c not in parts]
    _read_contact(b, settings, draft, prefix)
    for child in settings:
        child.consume()
        if child.tag not in MECHANISM_SETTINGS:
            others.add(child.tag)
        elif draft.report.first(("gazebo", child.tag)):
            child.info("element-ignored", f"<{child.tag}>: {MECHANISM_SETTINGS[child.tag]}")
    if others and draft.report.first(("gazebo", "block")):
        shown = ", ".join(sorted(others)[:6])
        b.info("element-ignored", f"<gazebo> blocks hold settings for Gazebo ({shown}), not used here")
