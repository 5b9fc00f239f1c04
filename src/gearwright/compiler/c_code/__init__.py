"""Programs as text in the C family: one writer for the CUDA back end and for exported C99.

`operations` is the table from op to expression, `stages` writes a tape as a function, `walk` the loops around stages.
"""

from __future__ import annotations

from gearwright.compiler.c_code.memory import Memory
from gearwright.compiler.c_code.operations import Dialect
from gearwright.compiler.c_code.stages import stage_function
from gearwright.compiler.c_code.walk import body_lines

__all__ = ["Dialect", "Memory", "body_lines", "stage_function"]
