"""Programs as text in the C family: one writer for the CUDA back end and for exported C99.

`operations` is the table from op to expression, `stages` writes a tape as a function and the loops around it.
"""

from __future__ import annotations

from gearwright.compiler.c_code.operations import Dialect
from gearwright.compiler.c_code.stages import Memory, body_lines, flat, stage_function

__all__ = ["Dialect", "Memory", "body_lines", "flat", "stage_function"]
