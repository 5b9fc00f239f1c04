"""Where in a user's function something happened."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np

PACKAGES = tuple(str(p) for p in (Path(__file__).parent, Path(np.__file__).parent))


def user_line(traceback: TracebackType | None) -> str:
    """` (file.py, line 3)`: the innermost line that is neither ours nor NumPy's."""
    found = ""
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith(PACKAGES):
            found = f" ({Path(file).name}, line {traceback.tb_lineno})"
        traceback = traceback.tb_next
    return found
