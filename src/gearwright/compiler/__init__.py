"""A program of tapes to machine code. Knows nothing of robots.

    tape ──▶ program ──▶ passes ──▶ llvm ──▶ kernel        (interpret: the oracle; cache: objects on disk)

`trace` turns a CasADi function into a tape, `Program` strings tapes together over named slots, `compile_program` gives
a `Kernel`, whose `Instance`s hold batches of robots and step them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from gearwright.compiler.interpret import Interpretation, interpret_program
    from gearwright.compiler.kernel import Failure, Instance, Kernel
    from gearwright.compiler.program import Kind, Loop, Program, Slot, Stage, function_program, stage
    from gearwright.compiler.tape import Address, Tape, trace

Lanes = int | Literal["auto"] | None
Precision = Literal["double", "single"]

_HOME = {  # looked up when first used, so that importing the package costs nothing
    "Address": "tape",
    "Tape": "tape",
    "trace": "tape",
    "Kind": "program",
    "Loop": "program",
    "Program": "program",
    "Slot": "program",
    "Stage": "program",
    "function_program": "program",
    "stage": "program",
    "Failure": "kernel",
    "Instance": "kernel",
    "Kernel": "kernel",
    "Interpretation": "interpret",
    "interpret_program": "interpret",
}


def compile_program(
    program: Program, *, lanes: Lanes = None, precision: Precision = "double", cache: bool = True
) -> Kernel:
    """Machine code for this computer.

    `lanes`: robots per SIMD register; None or "auto" takes what the CPU has, 1 gives scalar code (best for one robot).
    All give the same bits. `cache`: look for the code on disk, and leave it there.
    """
    from gearwright.compiler import cache as disk
    from gearwright.compiler import llvm
    from gearwright.compiler.kernel import Kernel
    from gearwright.compiler.layout import Layout
    from gearwright.compiler.passes import optimise_program
    from gearwright.compiler.target import host

    target = host()
    layout = Layout(program, _lanes(lanes, target.lanes(precision)))
    key = disk.key(program, target, layout.lanes, precision) if cache else ""
    code = disk.load(key) if cache else None
    from_cache = code is not None
    if code is None:
        optimised = optimise_program(program)
        code = llvm.object_code(optimised, Layout(optimised, layout.lanes), precision, target)
        if cache:
            disk.save(key, code)
    return Kernel(program, layout, precision, llvm.LoadedCode(code, target), from_cache)


def _lanes(wanted: Lanes, available: int) -> int:
    from gearwright.errors import CompileError

    if wanted is None or wanted == "auto":
        return available
    if wanted not in (1, 2, 4, 8, 16):
        raise CompileError(f"lanes must be 1, 2, 4, 8 or 16, not {wanted!r}")
    return wanted


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        return getattr(import_module(f"gearwright.compiler.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Address",
    "Failure",
    "Instance",
    "Interpretation",
    "Kernel",
    "Kind",
    "Loop",
    "Program",
    "Slot",
    "Stage",
    "Tape",
    "compile_program",
    "function_program",
    "interpret_program",
    "stage",
    "trace",
]
