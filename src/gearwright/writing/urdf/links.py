"""<link> of URDF."""

from __future__ import annotations

from gearwright.model import MASSLESS, Box, Cylinder, Geometry, Inertia, Link, Mesh, Pose, Sphere
from gearwright.writing.actuation import FormatDialect
from gearwright.writing.fields import OWN
from gearwright.writing.nodes import Node, is_identity
from gearwright.writing.shapes import MeshPath, add_shape
from gearwright.writing.surfaces import add_contact
from gearwright.writing.urdf.joints import origin

STANDARD = (Box, Cylinder, Mesh, Sphere)  # other readers refuse a link with any other shape


def add_link(parent: Node, link: Link, X_UL: Pose, d: FormatDialect, mesh_path: MeshPath) -> None:
    """A link in the frame that a URDF gives it; the pose of its own frame there is an element of ours."""
    node = parent.add("link", name=link.name)
    if not link.gravity:
        node.attributes[f"{OWN}gravity"] = "false"
        d.losses.note(f"link {link.name!r}: gravity does not act on it, which other programs do not know")
    if not is_identity(X_UL):
        origin(node, X_UL, tag=f"{OWN}own_frame")
        d.losses.note("URDF has the frames of links at their joints: for other programs, some have other origins")
    if link.inertia != MASSLESS:
        _add_inertial(node, link.inertia, X_UL)
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for i, g in enumerate(shapes, 1):
            _add_geometry(node, tag, f"{link.name} {tag} {i}", g, X_UL, link, d, mesh_path)


def _add_inertial(parent: Node, inertia: Inertia, X_UL: Pose) -> None:
    node = parent.add("inertial")
    origin(node, X_UL @ inertia.pose)
    node.add("mass", value=inertia.mass)
    (xx, yy, zz), (xy, xz, yz) = inertia.moments, inertia.products
    node.add("inertia", ixx=xx, ixy=xy, ixz=xz, iyy=yy, iyz=yz, izz=zz)


def _add_geometry(
    parent: Node, tag: str, material: str, g: Geometry, X_UL: Pose, link: Link, d: FormatDialect, mesh_path: MeshPath
) -> None:
    node = Node(tag if isinstance(g.shape, STANDARD) else OWN + tag, name=g.name)
    origin(node, X_UL @ g.pose)
    shown = f"link {link.name!r}"
    if not add_shape(node, g, mesh_path, attributes=True):
        d.losses.lose(shown, f"{tag} {g.name!r}", f"a {getattr(g.shape, 'kind', 'shape')} is known by name only")
        return
    if not isinstance(g.shape, STANDARD):
        d.losses.note(f"{shown}: URDF has no {type(g.shape).__name__.lower()}; other programs leave out this {tag}")
    if tag == "collision":
        add_contact(node, g, f"{OWN}surface")
    if g.rgba is not None:
        node.add("material", name=material).add("color", rgba=g.rgba)
    parent.children.append(node)
