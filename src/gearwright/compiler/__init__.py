"""A program of tapes to machine code. Knows nothing of robots.

    tape ──▶ program ──▶ passes ──▶ backends: cpu (LLVM), interpreter (the oracle), …        (cache: code on disk)

`trace` turns a CasADi function into a tape, `Program` strings tapes together over named slots, `compile_program` gives
an `Executable`, whose `Instance`s hold batches of robots and step them. `backend.py` is the seam that back ends meet.
"""

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.compiler.backend import Backend as Backend
    from gearwright.compiler.backend import Executable as Executable
    from gearwright.compiler.backend import Failure as Failure
    from gearwright.compiler.backend import Instance as Instance
    from gearwright.compiler.backends import find_backend as find_backend
    from gearwright.compiler.buffers import Buffer as Buffer
    from gearwright.compiler.building import build as build
    from gearwright.compiler.building import compile_program as compile_program
    from gearwright.compiler.program import Branch as Branch
    from gearwright.compiler.program import Loop as Loop
    from gearwright.compiler.program import Program as Program
    from gearwright.compiler.program import Slot as Slot
    from gearwright.compiler.program import SlotKind as SlotKind
    from gearwright.compiler.program import Stage as Stage
    from gearwright.compiler.program import function_program as function_program
    from gearwright.compiler.program import stage as stage
    from gearwright.compiler.tape import Address as Address
    from gearwright.compiler.tape import Tape as Tape
    from gearwright.compiler.tape import trace as trace
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
