"""Rows of a friction model beside its dry friction, which is in one polyline with all else along its axis."""

from __future__ import annotations

from collections.abc import Iterator

from gearwright.dynamics.constraints.bristles import BristleRow
from gearwright.dynamics.constraints.friction import FrictionAxis, FrictionRow, SmoothFrictionRow, StateRow
from gearwright.model.frictions.bristles import BristleModel

__all__ = ["SmoothFrictionRow", "friction_rows"]


def friction_rows(axis: FrictionAxis) -> Iterator[SmoothFrictionRow | StateRow]:
    if axis.model.smooth:
        yield SmoothFrictionRow(axis)
    if isinstance(axis.model, BristleModel):
        yield BristleRow(axis)
    elif axis.model.responds:
        yield FrictionRow(axis)
    elif axis.model.states:
        yield StateRow(axis)
