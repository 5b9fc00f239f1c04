"""<include>: the elements of another file, in place of the include itself. A file is included once."""

from __future__ import annotations

from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.paths.includes import Library
from gearwright.formats.xml.located_xml import Element, descendants

MAX_NESTING = 100  # elements below each other, in all files together


def expand(root: Element, library: Library) -> None:
    """Puts the children of included files where the includes are."""
    if any(e.tag == "include" for e in descendants(root)):
        _expand(root, library, set(), 0)


def _expand(e: Element, library: Library, seen: set[str], depth: int) -> None:
    if depth > MAX_NESTING:
        e.error("xml-unsafe", f"elements are nested more than {MAX_NESTING} deep")
        return
    placed: list[Element] = []
    for child in e.children:
        if child.tag != "include":
            placed.append(child)
            _expand(child, library, seen, depth + 1)
            continue
        root = _included(child, library, seen)
        if root is not None:
            root.parent = e.parent  # its own includes are followed before its children move
            _expand(root, library, seen, depth + 1)
            placed += root.children
    for child in placed:
        child.parent = e
    e.children = placed


def _included(e: Element, library: Library, seen: set[str]) -> Element | None:
    heed(e, "include")
    name = e.get("file") or ""
    root = library.beside(e, name)
    if root is None:
        return None
    if root.file in seen:
        e.error("include-cycle", f"{name!r} is included a second time")
        return None
    seen.add(root.file)
    if root.tag not in ("mujoco", "mujocoinclude"):
        e.error("include-not-found", f"{name!r} holds a <{root.tag}>; an include takes <mujoco> or <mujocoinclude>")
        return None
    return root
