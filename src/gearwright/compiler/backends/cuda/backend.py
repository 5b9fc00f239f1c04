"""Programs to CUDA kernels. The text is made anywhere; running it needs CuPy and an NVIDIA GPU."""

from __future__ import annotations

from typing import Any

from gearwright.compiler.backend import Backend, Executable
from gearwright.compiler.backends.cuda.kernel_text import THREADS, kernel_text
from gearwright.compiler.program import Program
from gearwright.errors import CompileError
from gearwright.optional import missing_package

FEW = 16_384  # robots up to which a block is one warp, so that more multiprocessors have one
WARP = 32
OPTIONS = ("--std=c++17", "--fmad=false")  # multiply-adds are fused where the program says so, on every back end


class Cuda(Backend):
    """One thread per robot."""

    name = "cuda"

    def identity(self, precision: str, batch: int | None) -> str:
        return "CUDA text"  # CuPy keeps what NVRTC makes of it, by GPU and version

    def code(self, program: Program, precision: str, batch: int | None) -> bytes:
        return kernel_text(program, precision).encode()

    def load(self, program: Program, code: bytes, precision: str, batch: int | None) -> Executable:
        from gearwright.compiler.backends.cuda.instance import CudaExecutable

        cupy = _cupy()
        kernel = cupy.RawModule(code=code.decode(), options=OPTIONS).get_function("run")

        def launch(robots: int, arguments: tuple[Any, ...]) -> None:
            threads = THREADS if robots > FEW else WARP
            kernel((-(-robots // threads),), (threads,), arguments)

        return CudaExecutable(program, precision, cupy, launch, kernel)

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
