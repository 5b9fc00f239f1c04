"""A robot's step for other programs: C99 for a microcontroller, CUDA text for a GPU, an FMU for co-simulation."""

from __future__ import annotations

from gearwright.export.c99 import Exported, export_c
from gearwright.export.fmu.exporting import ExportedFmu, export_fmu

__all__ = ["Exported", "ExportedFmu", "export_c", "export_fmu"]
