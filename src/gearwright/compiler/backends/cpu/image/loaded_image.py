"""An image in this process: memory that can be run, made with the standard library alone."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
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


def loads_images() -> bool:
    """Whether this machine runs images."""
    return sys.platform == "linux" and platform.machine() in ("x86_64", "AMD64")


def check_machine() -> None:
    """Raises where images cannot run at all."""
    if not loads_images():
        raise CompileError(
            f"saved code needs Linux on x86-64, and this is {sys.platform} on {platform.machine()}: compile the robot "
            "here with gearwright.compile, or write it as C with `gearwright export --target c`"
        )


class LoadedImage:
    """`run` is its `run_spans`, as of code that LLVM loads."""

    def __init__(self, image: Image) -> None:
        check_machine()
        memory, base = _mapped(image.code)
        for offset, name in image.imports.items():
            struct.pack_into("<Q", memory, _inside(offset, image), _address(name))
        for offset, target in image.own.items():
            struct.pack_into("<Q", memory, _inside(offset, image), base + _inside(target, image))
        _make_executable(memory, base)
        self.scratch_elements = image.scratch_elements
        self.run = spans.function(base + _inside(image.entry, image))
        self.run.memory = memory  # type: ignore[attr-defined]  # as long as it can be called


def check_executable(size: int) -> None:
    """Raises where this process cannot get so many bytes for machine code: LLVM's own loader ends it there."""
    if sys.platform == "linux":
        _make_executable(*_mapped(bytes(size)))


def _mapped(code: bytes) -> tuple[mmap.mmap, int]:
    """Pages that hold the code, and their address. They stay as long as the object."""
    try:
        size = max(1, -(-len(code) // mmap.PAGESIZE)) * mmap.PAGESIZE
        memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise _not_mapped(error.errno) from None
    memory.write(code)
    return memory, ctypes.addressof(ctypes.c_char.from_buffer(memory))


def _make_executable(memory: mmap.mmap, base: int) -> None:
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    if not protect(ctypes.c_void_p(base), ctypes.c_size_t(len(memory)), mmap.PROT_READ | mmap.PROT_EXEC):
        return
    code = ctypes.get_errno()
    if code == errno.ENOMEM:
        raise _not_mapped(code)
    raise CompileError(
        f"this process may not run machine code that it generates ({os.strerror(code)}): its service has "
        "MemoryDenyWriteExecute set, or a security policy forbids it. Permit it, or compile with "
        "device='interpreter', which is slow"
    )


def _not_mapped(code: int | None) -> CompileError:
    return CompileError(
        f"no memory could be mapped for machine code ({os.strerror(code or 0)}): this process is at its limit of "
        "address space (`ulimit -v`) or of mappings (`sysctl vm.max_map_count`). Raise it, or drop simulations that "
        "are no longer used"
    )


def _inside(offset: int, image: Image) -> int:
    if not 0 <= offset <= len(image.code) - WORD:
        raise CompileError("the code points outside of itself")
    return offset


@cache
def _address(name: str) -> int:
    """The function of that name in the C library."""
    if name not in IMPORTABLE:
        raise CompileError(f"the code asks for the function {name!r:.60}, which is not a mathematical function")
    for library in (None, find_library("m")):
        function = getattr(ctypes.CDLL(library), name, None)
        if function is not None:
            return ctypes.cast(function, ctypes.c_void_p).value or 0
    raise CompileError(f"the C library of this system has no function {name!r}")
