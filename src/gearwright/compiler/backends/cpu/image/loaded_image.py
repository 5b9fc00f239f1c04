"""An image in this process: memory that can be run, made with the standard library alone."""

from __future__ import annotations

import ctypes
import mmap
import platform
import struct
import sys
from ctypes.util import find_library
from functools import cache

from gearwright.compiler.backends.cpu.batches import spans
from gearwright.compiler.backends.cpu.image.image import WORD, Image
from gearwright.errors import CompileError

_MATHS = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh exp exp2 expm1 fabs floor fma fmax fmin fmod "
    "hypot ldexp log log10 log1p log2 modf pow rint round sin sinh sqrt tan tanh trunc"
)
IMPORTABLE = frozenset({"memcpy", "memmove", "memset", *_MATHS.split(), *(f"{name}f" for name in _MATHS.split())})


def check_machine() -> None:
    """Raises where images cannot run at all."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise CompileError(
            f"saved code is of Linux on x86-64, and this is {sys.platform} on {platform.machine()}: compile the robot "
            "here with gearwright.compile, or write it as C with `gearwright export --target c`"
        )


class LoadedImage:
    """`run` is its `run_spans`, as of code that LLVM loads."""

    def __init__(self, image: Image) -> None:
        check_machine()
        size = -(-len(image.code) // mmap.PAGESIZE) * mmap.PAGESIZE
        memory = mmap.mmap(-1, max(size, mmap.PAGESIZE))
        memory.write(image.code)
        view = ctypes.c_char.from_buffer(memory)
        base = ctypes.addressof(view)
        for offset, name in image.imports.items():
            struct.pack_into("<Q", memory, _inside(offset, image), _address(name))
        for offset, target in image.own.items():
            struct.pack_into("<Q", memory, _inside(offset, image), base + _inside(target, image))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        if protect(ctypes.c_void_p(base), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_EXEC):
            raise CompileError(
                "this system does not let a process run code that it has loaded itself "
                f"(mprotect: error {ctypes.get_errno()})"
            )
        self.scratch_elements = image.scratch_elements
        self.run = spans.function(base + _inside(image.entry, image))
        self.run.memory = memory, view  # type: ignore[attr-defined]  # as long as it can be called


def _inside(offset: int, image: Image) -> int:
    if not 0 <= offset <= len(image.code) - WORD:
        raise CompileError("the code points outside of itself")
    return offset


@cache
def _address(name: str) -> int:
    """The function of that name in the C library."""
    if name not in IMPORTABLE:
        raise CompileError(f"the code asks for the function {name!r:.60}, which is none of mathematics")
    for library in (None, find_library("m")):
        function = getattr(ctypes.CDLL(library), name, None)
        if function is not None:
            return ctypes.cast(function, ctypes.c_void_p).value or 0
    raise CompileError(f"the C library of this system has no function {name!r}")
