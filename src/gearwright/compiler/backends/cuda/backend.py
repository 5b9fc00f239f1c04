"""Programs to CUDA kernels. The text is made anywhere; running it needs CuPy and an NVIDIA GPU."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from gearwright.compiler.backend import Backend, Executable
from gearwright.compiler.backends.cuda.block_shape import BlockShape, Launch
from gearwright.compiler.backends.cuda.kernels import FEW_STEPS, cuda_source, few_steps_source
from gearwright.compiler.backends.cuda.thread_text import STEPS
from gearwright.compiler.program import Program
from gearwright.errors import CompileError
from gearwright.optional import missing_package

OPTIONS = ("--std=c++17", "--fmad=false")  # multiply-adds are fused where the program says so, on every back end
QUICKER = ("--prec-div=false", "--prec-sqrt=false")  # in single precision: quotients and roots to two units
BETWEEN = "\n// for calls of few steps:\n"  # two kernels of a program


class CudaKernel:
    """A kernel's text on a GPU, which is compiled when it is first needed. `arrays` is CuPy."""

    def __init__(self, arrays: Any, text: str, options: tuple[str, ...]) -> None:
        self.shape = BlockShape.of(text)
        self._arrays, self._text, self._options = arrays, text, options

    @cached_property
    def function(self) -> Any:
        function = self._arrays.RawModule(code=self._text, options=self._options).get_function("run")
        if self.shape.shared:
            function.max_dynamic_shared_size_bytes = self.shape.shared
        return function

    def launch(self, robots: int, arguments: tuple[Any, ...]) -> None:
        blocks, threads = self.shape.launched(robots)
        self.function((blocks,), (threads,), arguments, shared_mem=self.shape.shared)


def by_steps(launch: Launch, few: Launch | None = None) -> Launch:
    """Calls of few steps have a kernel of their own, where there is one."""
    if few is None:
        return launch
    return lambda robots, arguments: (few if arguments[STEPS] <= FEW_STEPS else launch)(robots, arguments)


class Cuda(Backend):
    """One thread per robot, or several where it is large."""

    name = "cuda"

    def identity(self, precision: str, batch: int | None) -> str:
        return "CUDA text"  # CuPy keeps what NVRTC makes of it, by GPU and version

    def code(self, program: Program, precision: str, batch: int | None) -> bytes:
        texts = cuda_source(program, precision), few_steps_source(program, precision)
        return BETWEEN.join(text for text in texts if text).encode()

    def load(self, program: Program, code: bytes, precision: str, batch: int | None) -> Executable:
        from gearwright.compiler.backends.cuda.instance import CudaExecutable

        cupy, single = _cupy(), precision == "single"
        text, *few = code.decode().split(BETWEEN)
        kernel = CudaKernel(cupy, text, OPTIONS + QUICKER * single)
        quick = single and not kernel.shape.goes_together  # a larger robot's registers are few: exact ones take fewer
        short = [CudaKernel(cupy, own, OPTIONS + QUICKER * quick) for own in few]
        launch = by_steps(kernel.launch, *(own.launch for own in short))
        return CudaExecutable(program, precision, cupy, launch, kernel.function, kernel.shape.elements)

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
