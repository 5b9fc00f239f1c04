"""Imported by a Python that `gearwright with-bus` starts, before the program itself."""

import os
import sys


def _theirs() -> None:
    """The sitecustomize that this one stands before."""
    import importlib.machinery
    import importlib.util

    here = os.path.dirname(os.path.abspath(__file__))
    rest = [p for p in sys.path if os.path.abspath(p or ".") != here]
    found = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if found is not None and found.loader is not None:
        found.loader.exec_module(importlib.util.module_from_spec(found))


def _ours() -> None:
    try:
        from gearwright.hardware.with_bus.aliases import install
    except ImportError:  # a Python without Gearwright's packages: the preloaded library serves it
        return
    install()


_ours()
_theirs()
