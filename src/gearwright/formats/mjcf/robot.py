"""An MJCF file to a draft: the passes in order."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.mjcf.actuators import ActuatorReader
from gearwright.formats.mjcf.bodies import read_children
from gearwright.formats.mjcf.compiler import read_option
from gearwright.formats.mjcf.equalities import add_equalities
from gearwright.formats.mjcf.grammar import SECTIONS, heed
from gearwright.formats.mjcf.includes import expand
from gearwright.formats.mjcf.keyframes import add_keyframes
from gearwright.formats.mjcf.links import add_frames, add_links
from gearwright.formats.mjcf.parts import MjcfBody, Parts, Placement, SourceFile
from gearwright.formats.mjcf.replicas import replicate_references
from gearwright.formats.mjcf.sensors import add_sensors
from gearwright.formats.mjcf.settings import read_settings
from gearwright.formats.mjcf.tendon_forces import add_tendon_forces
from gearwright.formats.mjcf.tendons import read_tendons
from gearwright.formats.mjcf.touching import add_contacts, read_contact
from gearwright.formats.paths.includes import Library
from gearwright.formats.xml.located_xml import Element
from gearwright.model.joints import WORLD

IGNORED: dict[str, str] = {}  # `grammar.heed` has reported what is ignored


def read_mujoco(root: Element, draft: Draft, library: Library) -> None:
    """Reads all of an MJCF file."""
    expand(root, library)
    heed(root, "mujoco")
    draft.name = root.get("model") or "MuJoCo Model"
    settings = read_settings(root, library)
    option = read_option(root)
    draft.gravity = option.gravity
    world = MjcfBody(name=WORLD, element=root, parent=None, file=settings)
    parts = Parts(draft=draft, option=option, world=world, library=library)
    parts.files.append(SourceFile(root, settings))
    read_left_sections(root)
    for section in root.all("worldbody"):
        heed(section, "body/worldbody")
        read_children(section, Placement(world, file=settings), parts)
    for section in root.all("deformable"):
        heed(section, "deformable")
        for e in section.all("flex", "skin"):
            heed(e, f"deformable/{e.tag}")
    if parts.replicas:
        replicate_references(parts)
    read_contact(parts)
    weights = add_links(parts)
    add_frames(parts)
    read_tendons(parts)
    add_equalities(parts)
    actuators = ActuatorReader(parts, weights)
    actuators.add()
    add_tendon_forces(parts)
    add_sensors(parts)
    add_keyframes(parts, actuators.names)
    add_contacts(parts)
    if not draft.links:
        root.error("link-not-found", "the robot has no bodies")


def read_left_sections(root: Element) -> None:
    """Sections that have no meaning here."""
    for e in root.all(*SECTIONS):
        if e.tag in ("size", "statistic", "visual", "custom", "extension"):
            heed(e, e.tag)
