"""Output of C++ libraries is suppressed while they load a robot."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Redirects the process's standard streams to the null device: C++ libraries write warnings there."""
    saved = [os.dup(i) for i in (1, 2)]
    null = os.open(os.devnull, os.O_WRONLY)
    for i in (1, 2):
        os.dup2(null, i)
    try:
        yield
    finally:
        for i, s in zip((1, 2), saved, strict=True):
            os.dup2(s, i)
            os.close(s)
        os.close(null)
