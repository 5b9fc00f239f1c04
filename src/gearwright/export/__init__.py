"""A robot's step as source code for other programs: C99 for a microcontroller, CUDA text for a GPU."""

from __future__ import annotations

from gearwright.export.c99 import Exported, export_c

__all__ = ["Exported", "export_c"]
