"""<attach>: a body of another model, or all of it, with a prefix for the names of its parts."""

from __future__ import annotations

from dataclasses import replace

from gearwright.formats.mjcf.bodies import read_body, read_children
from gearwright.formats.mjcf.defaults import MAIN
from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.includes import expand
from gearwright.formats.mjcf.parts import Parts, Placement, SourceFile
from gearwright.formats.mjcf.settings import read_settings
from gearwright.formats.xml.located_xml import Element, descendants

MAX_ATTACHED = 100  # models in a file, and in those that it attaches


def read_attach(e: Element, at: Placement, parts: Parts) -> None:
    heed(e, "body/attach")
    assert at.file is not None
    wanted = e.get("model") or ""
    model = at.file.models.get(wanted) or _called(wanted, at.file.models, parts)
    if model is None:
        near = e.report.near(e.get("model") or "", at.file.models)
        e.error("name-missing", f"<attach>: there is no model {e.get('model')!r}{near}")
        return
    if len(parts.files) > MAX_ATTACHED:
        e.error("include-cycle", f"more than {MAX_ATTACHED} models are attached")
        return
    root = parts.library.beside(model, model.get("file") or "")
    if root is None:
        return
    if root.tag != "mujoco":
        e.error("include-not-found", f"a model to attach is a <mujoco>, not a <{root.tag}>")
        return
    expand(root, parts.library)
    heed(root, "mujoco")
    from gearwright.formats.mjcf.replicas import OUTER, suffixed

    model, root = root, suffixed(root, e)
    prefix = at.prefix + (e.get("prefix") or "")
    file = SourceFile(root, read_settings(root, parts.library), prefix)
    parts.files.append(file)
    place = replace(at, childclass=MAIN, prefix=prefix, file=file.settings)
    _read_world(e, root, place, parts, e.attributes.get(OUTER, ""))
    for read in (model, root):
        read.consume()  # what is left describes its own simulation, or parts that are not attached


def _called(name: str, models: dict[str, Element], parts: Parts) -> Element | None:
    """The model without a name in <asset> that calls itself so."""
    for e in models.values():
        if "name" not in e.attributes:
            root = parts.library.beside(e, e.get("file") or "")
            if root is not None and root.get("model") == name:
                return e
    return None


def _read_world(e: Element, root: Element, place: Placement, parts: Parts, suffix: str) -> None:
    wanted = e.get("body") or e.get("frame")
    worlds = root.all("worldbody")
    if wanted is None:
        for world in worlds:
            read_children(world, place, parts)
        return
    tag = "body" if "body" in e.attributes else "frame"
    found = next(
        (b for world in worlds for b in descendants(world) if b.tag == tag and b.get("name") == wanted + suffix), None
    )
    if found is None:
        e.error("link-not-found", f"<attach>: the model has no {tag} {wanted!r}")
    elif tag == "body":
        read_body(found, place, parts)
    else:
        read_children(found, place, parts)
