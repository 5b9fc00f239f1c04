"""Programs to SIMD machine code for the CPU that this process runs on."""

from __future__ import annotations

from typing import Literal

from gearwright.compiler.backend import Backend, Executable
from gearwright.compiler.program import Program
from gearwright.errors import CompileError

Lanes = int | Literal["auto"] | None


class Cpu(Backend):
    """`lanes`: robots per SIMD register. None or "auto": one where the code is meant for one robot, otherwise what
    the CPU has. All give the same bits."""

    name = "cpu"

    def __init__(self, *, lanes: Lanes = None) -> None:
        if lanes not in (None, "auto", 1, 2, 4, 8, 16):
            raise CompileError(f"lanes must be 1, 2, 4, 8 or 16, not {lanes!r}")
        self.lanes = lanes

    def identity(self, precision: str, batch: int | None) -> str:
        import llvmlite
        from llvmlite import binding

        from gearwright.compiler.backends.cpu.target import host

        versions = llvmlite.__version__, binding.llvm_version_info
        return repr((*versions, host(), self._lanes(precision, batch)))

    def code(self, program: Program, precision: str, batch: int | None) -> bytes:
        """An image where this process can load one, otherwise an object file for LLVM's loader."""
        from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
        from gearwright.compiler.backends.cpu.image.image import linked
        from gearwright.compiler.backends.cpu.image.loaded_image import loads_images
        from gearwright.compiler.backends.cpu.image.portable import to_bytes
        from gearwright.compiler.backends.cpu.llvm.loaded_code import object_code
        from gearwright.compiler.backends.cpu.passes import optimise_program
        from gearwright.compiler.backends.cpu.target import host

        lanes = self._lanes(precision, batch)
        optimised = optimise_program(program, lanes, host().lanes(precision))
        made = object_code(optimised, BlockLayout(optimised, lanes), precision, host())
        return to_bytes(linked(made), BlockLayout(program, lanes)) if loads_images() else made

    def load(self, program: Program, code: bytes, precision: str, batch: int | None) -> Executable:
        from gearwright.compiler.backends.cpu.batches.instance import CpuExecutable
        from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
        from gearwright.compiler.backends.cpu.image.loaded_image import LoadedImage, loads_images
        from gearwright.compiler.backends.cpu.image.portable import from_bytes

        if loads_images():  # without LLVM, which ends the process where memory cannot be mapped
            image, layout = from_bytes(code, program)
            return CpuExecutable(program, precision, layout, LoadedImage(image))
        from gearwright.compiler.backends.cpu.llvm.loaded_code import LoadedCode
        from gearwright.compiler.backends.cpu.target import host

        layout = BlockLayout(program, self._lanes(precision, batch))
        return CpuExecutable(program, precision, layout, LoadedCode(code, host()))

    def portable(self, program: Program, code: bytes, precision: str, batch: int | None) -> bytes:
        from gearwright.compiler.backends.cpu.image.loaded_image import loads_images

        if not loads_images():
            raise CompileError(
                "code can be saved on Linux on x86-64 only; elsewhere, `gearwright export --target c` writes it as C"
            )
        return code

    def load_portable(self, program: Program, code: bytes, precision: str, batch: int | None) -> Executable:
        from gearwright.compiler.backends.cpu.image.loaded_image import check_machine

        check_machine()
        return self.load(program, code, precision, batch)

    @property
    def description(self) -> str:
        from gearwright.compiler.backends.cpu.target import host

        return f"{host().cpu}, {host().lanes('double')} robots of double precision per register"

    def _lanes(self, precision: str, batch: int | None) -> int:
        from gearwright.compiler.backends.cpu.target import host

        if isinstance(self.lanes, int):
            return self.lanes
        return 1 if batch == 1 else host().lanes(precision)
