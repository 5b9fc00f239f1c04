"""Where things stand in the mechanism graph: the tree from left to right, one column a joint's distance from the world.

A chain runs straight; children of a fork are stacked and their parent stands at their middle. Devices hang below
their joint, in the room that its row keeps free.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from gearwright.display.graph_cells import Cell
from gearwright.display.graph_chips import CHIP, CHIP_GAP, INDENT

RADIUS = 10.0  # of the knob that stands for a joint [px]
MARGIN, HEADER, ROW_GAP = 28.0, 66.0, 10.0  # [px]
FORK, CHAIN = 62.0, 28.0  # room for edges to bend, where they do and where they run straight [px]
ARROW = 16.0  # between a joint's words and its link
BOX = 38.0  # height of a link


@dataclass(frozen=True, kw_only=True)
class CellPlace:
    """Where a cell stands: `y` is the line through its joint and its link."""

    y: float
    knob: float  # x of the joint's middle
    box: float  # x of the link's left side
    box_right: float
    column_right: float  # where edges to children begin to bend

    def chip(self, cell: Cell, i: int) -> tuple[float, float]:
        """The top left corner of the i-th chip."""
        x = self.knob + 14 + cell.chips[i].level * INDENT
        return x, self.y + cell.words_height + 8 + i * (CHIP + CHIP_GAP)


@dataclass(frozen=True, kw_only=True)
class GraphLayout:
    places: list[CellPlace]
    width: float
    height: float  # of the tree, header included


def layout(cells: list[Cell]) -> GraphLayout:
    depths = _depths(cells)
    columns = _columns(cells, depths)
    lines, height = _lines(cells)
    places = []
    for cell, depth, y in zip(cells, depths, lines, strict=True):
        knob, box, right = columns[depth]
        places.append(CellPlace(y=y, knob=knob, box=box, box_right=box + cell.box_width, column_right=right))
    return GraphLayout(places=places, width=columns[-1][2] + MARGIN, height=height)


def _depths(cells: list[Cell]) -> list[int]:
    depths: list[int] = []
    for cell in cells:
        depths.append(0 if cell.row.parent is None else depths[cell.row.parent] + 1)
    return depths


def _columns(cells: list[Cell], depths: list[int]) -> list[tuple[float, float, float]]:
    """For each column: x of the knobs, of the links' left sides, and of the column's end."""
    columns: list[tuple[float, float, float]] = []
    x = MARGIN
    by_depth: list[list[Cell]] = [[] for _ in range(max(depths) + 1)]
    for cell, depth in zip(cells, depths, strict=True):
        by_depth[depth].append(cell)
    for depth, members in enumerate(by_depth):
        links = max(c.box_width for c in members)
        words = max(c.words_width for c in members) + ARROW if depth else 0.0
        forks = depth and any(len(c.row.children) > 1 for c in by_depth[depth - 1])
        knob = x + (10 + (FORK if forks else CHAIN) if depth else 0.0)
        box = knob + words
        right = max(box + links, knob + max(c.chips_width for c in members))
        columns.append((knob, box, right))
        x = right
    return columns


def _lines(cells: list[Cell]) -> tuple[list[float], float]:
    """y of every row. From the leaves inwards each subtree gets its extent above and below its own line."""
    above = [c.above for c in cells]
    below = [c.below for c in cells]
    shift = [0.0] * len(cells)  # of a row's line against its parent's
    for i in reversed(range(len(cells))):
        children = cells[i].row.children
        if not children:
            continue
        at = [0.0]
        for a, b in itertools.pairwise(children):
            at.append(at[-1] + below[a] + ROW_GAP + above[b])
        middle = at[-1] / 2
        for child, y in zip(children, at, strict=True):
            shift[child] = y - middle
        above[i] = max(above[i], above[children[0]] + middle)
        below[i] = max(below[i], below[children[-1]] + at[-1] - middle)
    lines = [HEADER + MARGIN + above[0]]
    for i, cell in enumerate(cells[1:], start=1):
        lines.append(lines[cell.row.parent or 0] + shift[i])
    return lines, lines[0] + below[0]
