"""The page: a robot in three dimensions, in a browser, moved by hand or by its simulation (viser)."""

from __future__ import annotations

from gearwright.page.subject import is_recording
from gearwright.page.viewing import Page, view

__all__ = ["Page", "is_recording", "view"]
