"""Studies: many designs of one robot, and what becomes of each."""

from __future__ import annotations

from gearwright.study.sweeping import sweep

__all__ = ["sweep"]
