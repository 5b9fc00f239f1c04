"""Where things stand in the mechanism graph: one row per joint, from the world downwards, as `show` prints them.

A chain runs straight down, the branches of a fork are indented. Links stand in a column of their own; devices stand
below their joint's words. Edges that are no part of the tree run in lanes beside the rows (`graph_lanes`), so that they
cross no words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.display.graph_cells import WORDS, Cell
from gearwright.display.graph_chips import CHIP, CHIP_GAP
from gearwright.display.graph_lanes import STEP, Route, lanes

RADIUS = 10.0  # of the knob that stands for a joint [px]
MARGIN, HEADER, ROW_GAP = 28.0, 74.0, 10.0  # [px]
INDENT = 44.0  # of the branches of a fork
ARROW = 22.0  # between a joint's words and its link
BOX = 38.0  # height of a link


@dataclass(frozen=True, kw_only=True)
class CellPlace:
    """Where a cell stands: `y` is the line through its joint and its link."""

    y: float
    knob: float  # x of the joint's middle
    box: float  # x of the link's left side
    box_right: float

    def chip(self, cell: Cell, i: int) -> tuple[float, float]:
        """The top left corner of the i-th chip."""
        place = cell.train[i]
        return self.knob + WORDS + place.x, self.y + cell.words_height + 4 + place.line * (CHIP + CHIP_GAP)


@dataclass(frozen=True, kw_only=True)
class GraphLayout:
    """Places of the rows, and x of each route's lane."""

    places: list[CellPlace]
    lanes: list[float]
    loop_lanes: list[float]
    width: float
    height: float  # of the tree, header included


def layout(cells: list[Cell], routes: Sequence[Route] = (), loops: Sequence[Route] = ()) -> GraphLayout:
    """Routes run to the left of the rows they connect, loops to the right."""
    indents = [INDENT * n for n in _indents(cells)]
    left = lanes(routes, [-x for x in indents], RADIUS + STEP, INDENT)
    first = MARGIN + RADIUS + max([6.0, *(x - RADIUS + 4 for x in left)])
    knobs = [first + x for x in indents]
    box = max((k + c.words_width for k, c in zip(knobs, cells, strict=True) if c.row.joint), default=first) + ARROW
    ends = [max(box + c.box_width, k + c.chips_width) for k, c in zip(knobs, cells, strict=True)]
    right = lanes(loops, ends, 1.5 * STEP)
    places, y = [], HEADER
    for cell, knob in zip(cells, knobs, strict=True):
        y += cell.above
        places.append(CellPlace(y=y, knob=knob, box=box, box_right=box + cell.box_width))
        y += cell.below + ROW_GAP
    return GraphLayout(
        places=places, lanes=[first - x for x in left], loop_lanes=right, width=max([*ends, *right]) + MARGIN, height=y
    )


def _indents(cells: list[Cell]) -> list[int]:
    """How many forks a row stands behind."""
    found: list[int] = []
    for cell in cells:
        parent = cell.row.parent
        found.append(0 if parent is None else found[parent] + (len(cells[parent].row.children) > 1))
    return found
