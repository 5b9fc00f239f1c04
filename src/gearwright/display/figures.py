"""Figures of Matplotlib that notebooks show, whether or not pyplot is imported."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING

from gearwright.optional import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, of so many inches."""
    require("matplotlib", "a plot")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = _figure_type()(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.09)  # type: ignore[union-attr, call-arg]
    return figure


@cache
def _figure_type() -> type[Figure]:
    from matplotlib.figure import Figure

    class NotebookFigure(Figure):
        """A figure whose rich output is its picture; pyplot would have to be imported to make it so."""

        def _repr_png_(self) -> bytes:
            picture = io.BytesIO()
            self.savefig(picture, format="png", dpi=80)
            return picture.getvalue()

    return NotebookFigure
