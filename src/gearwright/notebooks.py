"""Objects that notebooks show as pictures. What they show is in `display.notebooks`, imported when it is asked for."""

from __future__ import annotations

from importlib import import_module


class NotebookDisplay:
    """A class with a row in `gearwright.display.notebooks`."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        shown: str = import_module("gearwright.display.notebooks").html(self)
        return shown
