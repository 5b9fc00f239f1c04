"""A program of tapes to machine code. Knows nothing of robots.

    tape ──▶ program ──▶ passes ──▶ backends: cpu (LLVM), interpreter (the oracle), …        (cache: code on disk)

`trace` turns a CasADi function into a tape, `Program` strings tapes together over named slots, `compile_program` gives
an `Executable`, whose `Instance`s hold batches of robots and step them. `backend.py` is the seam that back ends meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gearwright.compiler.backend import Backend, Executable, Failure, Instance
    from gearwright.compiler.backends import find_backend
    from gearwright.compiler.backends.interpreter import Interpretation, interpret_program
    from gearwright.compiler.buffers import Buffer
    from gearwright.compiler.building import build, compile_program
    from gearwright.compiler.program import Branch, Loop, Program, Slot, SlotKind, Stage, function_program, stage
    from gearwright.compiler.tape import Address, Tape, trace

_HOME = {  # looked up when first used, so that importing the package costs nothing
    "Address": "tape",
    "Tape": "tape",
    "trace": "tape",
    "SlotKind": "program",
    "Branch": "program",
    "Loop": "program",
    "Program": "program",
    "Slot": "program",
    "Stage": "program",
    "function_program": "program",
    "stage": "program",
    "Backend": "backend",
    "Buffer": "buffers",
    "Executable": "backend",
    "Failure": "backend",
    "Instance": "backend",
    "find_backend": "backends",
    "build": "building",
    "compile_program": "building",
    "Interpretation": "backends.interpreter",
    "interpret_program": "backends.interpreter",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        return getattr(import_module(f"gearwright.compiler.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Address",
    "Backend",
    "Branch",
    "Buffer",
    "Executable",
    "Failure",
    "Instance",
    "Interpretation",
    "Loop",
    "Program",
    "Slot",
    "SlotKind",
    "Stage",
    "Tape",
    "build",
    "compile_program",
    "find_backend",
    "function_program",
    "interpret_program",
    "stage",
    "trace",
]
