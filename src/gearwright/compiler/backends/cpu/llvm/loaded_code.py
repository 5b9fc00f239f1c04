"""The LLVM back end: a program to a relocatable object, and an object to a function that can be called.

All optimisation is done on the tape, where it is ours to decide and the same for every back end; LLVM selects
instructions and allocates registers. Nothing here permits it to change a rounding.
"""

from __future__ import annotations

import ctypes
from threading import Lock
from typing import Any

from gearwright.compiler.backends.cpu.batches import spans
from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.image.loaded_image import check_executable
from gearwright.compiler.backends.cpu.llvm import lowering, rollout
from gearwright.compiler.backends.cpu.llvm.ir import types
from gearwright.compiler.backends.cpu.target import Target
from gearwright.compiler.backends.cpu.vector_math import large_arguments
from gearwright.compiler.program import Program

CODE_GENERATION_LEVEL = 1  # level 2 adds a scheduler after register allocation: a fifth of the time for nothing
_SCRATCH = "scratch_elements"  # that the code uses: more than the program's own, where stages are split
_COLD_BRANCH = '!0 = !{!"branch_weights", i32 1, i32 1048575}\n'


def assembly(program: Program, layout: BlockLayout, precision: str) -> str:
    """The program as LLVM text."""
    functions, declared = [], rollout.declarations(types(layout.lanes, precision))
    large: set[int] = set()
    for n, stage in enumerate(program.stages):
        text, needed, lanes = lowering.stage_function(f"stage{n}", stage.tape, layout, precision)
        functions.append(text)
        declared |= needed
        large |= lanes
    if large:
        functions += [large_arguments.table(), *map(large_arguments.definition, sorted(large))]
        declared |= set(large_arguments.DECLARATIONS)
    return "\n".join(
        [
            *sorted(declared),
            f"@{_SCRATCH} = constant i64 {layout.scratch_elements}",
            *functions,
            rollout.driver(program, layout, precision),
            _COLD_BRANCH,
            lowering.METADATA,
        ]
    )


def object_code(program: Program, layout: BlockLayout, precision: str, target: Target) -> bytes:
    """The program as an object file in memory."""
    from llvmlite import binding

    module = binding.parse_assembly(assembly(program, layout, precision))
    with _in_our_order:
        return bytes(target.machine(CODE_GENERATION_LEVEL).emit_object(module))


class _OurOrder:
    """LLVM leaves instructions in the order of the tape, which has fewer values alive than the one it would find.

    Code is 4 % faster on a robot of 44 freedoms, and made in two thirds of the time. The option belongs to the process:
    it is put back once nothing is compiled any more, for others that use LLVM.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0

    def __enter__(self) -> None:
        self._count(1)

    def __exit__(self, *_: object) -> None:
        self._count(-1)

    def _count(self, change: int) -> None:
        from llvmlite import binding

        with self._lock:
            before, self._inside = self._inside, self._inside + change
            if not (before and self._inside):
                binding.set_option("gearwright", f"-enable-misched={'false' if self._inside else 'true'}")


_in_our_order = _OurOrder()


class LoadedCode:
    """An object linked into this process; `run` is its `run_spans`."""

    def __init__(self, code: bytes, target: Target) -> None:
        from llvmlite import binding

        check_executable(len(code))
        # its sections in one block: code of the small model reaches 2 GB, and a large process has holes farther apart
        self._engine: Any = binding.create_mcjit_compiler(binding.parse_assembly(""), target.machine(), use_lmm=True)
        self._engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self.scratch_elements: int = ctypes.c_int64.from_address(self._engine.get_global_value_address(_SCRATCH)).value
        self.run = spans.function(self._engine.get_function_address("run_spans"))
