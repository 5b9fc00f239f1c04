"""The tree as rows: what moves as one, and the joint that carries it. Both drawings start here."""

from __future__ import annotations

from dataclasses import dataclass, field

from gearwright.model import WORLD, Joint, Mechanism

WELD_ABOVE = 24  # links; larger mechanisms are drawn with fixed joints folded away


@dataclass(kw_only=True)
class OutlineRow:
    """Links that move as one. `closes`: not a link, but where a cut joint meets one that stands elsewhere."""

    links: list[str]
    joint: Joint | None = None  # None: the world
    parent: int | None = None  # index of a row
    children: list[int] = field(default_factory=list)
    closes: bool = False


def outline(mechanism: Mechanism, *, weld: bool | None = None) -> list[OutlineRow]:
    """Rows from the world outwards, depth first; the first is the world.

    weld  fold what is fixed to a link into its row; by default where there are more than `WELD_ABOVE` links
    """
    tree = mechanism.tree
    weld = len(mechanism.links) > WELD_ABOVE if weld is None else weld
    rows = [OutlineRow(links=[WORLD])]
    row_of = {WORLD: 0}
    for b in tree.branches:
        up = row_of[b.parent]
        if weld and not b.joint.dof and up:
            rows[up].links.append(b.link)
            row_of[b.link] = up
        else:
            row_of[b.link] = len(rows)
            rows.append(OutlineRow(links=[b.link], joint=b.joint, parent=up))
    for j in tree.cuts:
        rows.append(OutlineRow(links=[j.child], joint=j, parent=row_of[j.parent], closes=True))
    return _depth_first(rows)


def home_of(rows: list[OutlineRow]) -> dict[str, int]:
    """link → the row it stands in."""
    return {link: i for i, row in enumerate(rows) if not row.closes for link in row.links}


def _depth_first(rows: list[OutlineRow]) -> list[OutlineRow]:
    below: list[list[int]] = [[] for _ in rows]
    for i, row in enumerate(rows):
        if row.parent is not None:
            below[row.parent].append(i)
    ordered: list[OutlineRow] = []
    todo: list[tuple[int, int | None]] = [(0, None)]
    while todo:
        old, parent = todo.pop()
        new = len(ordered)
        rows[old].parent = parent
        ordered.append(rows[old])
        if parent is not None:
            ordered[parent].children.append(new)
        todo += [(child, new) for child in reversed(below[old])]
    return ordered
