"""Programs to CUDA kernels. The text is made anywhere; running it needs CuPy and an NVIDIA GPU."""

from __future__ import annotations

from typing import Any

from gearwright.compiler.backend import Backend, Executable
from gearwright.compiler.backends.cuda.block_shape import BlockShape
from gearwright.compiler.backends.cuda.kernels import cuda_source
from gearwright.compiler.program import Program
from gearwright.errors import CompileError
from gearwright.optional import missing_package

OPTIONS = ("--std=c++17", "--fmad=false")  # multiply-adds are fused where the program says so, on every back end
QUICKER = ("--prec-div=false", "--prec-sqrt=false")  # in single precision: quotients and roots to two units


class Cuda(Backend):
    """One thread per robot, or several where it is large."""

    name = "cuda"

    def identity(self, precision: str, batch: int | None) -> str:
        return "CUDA text"  # CuPy keeps what NVRTC makes of it, by GPU and version

    def code(self, program: Program, precision: str, batch: int | None) -> bytes:
        return cuda_source(program, precision).encode()

    def load(self, program: Program, code: bytes, precision: str, batch: int | None) -> Executable:
        from gearwright.compiler.backends.cuda.instance import CudaExecutable

        cupy = _cupy()
        text = code.decode()
        shape = BlockShape.of(text)
        options = OPTIONS + QUICKER * (precision == "single")
        kernel = cupy.RawModule(code=text, options=options).get_function("run")
        if shape.shared:
            kernel.max_dynamic_shared_size_bytes = shape.shared

        def launch(robots: int, arguments: tuple[Any, ...]) -> None:
            blocks, threads = shape.launched(robots)
            kernel((blocks,), (threads,), arguments, shared_mem=shape.shared)

        return CudaExecutable(program, precision, cupy, launch, kernel, shape.elements)

    @property
    def description(self) -> str:
        properties = _cupy().cuda.runtime.getDeviceProperties(0)
        return f"{properties['name'].decode()}, {properties['multiProcessorCount']} multiprocessors"


def _cupy() -> Any:
    try:
        import cupy
    except ImportError as error:
        raise CompileError(missing_package("cupy", "the device 'cuda'")) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise CompileError(f"the device 'cuda' needs an NVIDIA GPU and its driver: {error}") from error
    if not count:
        raise CompileError("the device 'cuda' needs an NVIDIA GPU; none was found")
    return cupy
