"""The CUDA back end without a GPU: its kernel text compiled as C++ by g++, with NumPy for CuPy."""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gearwright.compiler.backend import Executable
from gearwright.compiler.backends.cuda.backend import BETWEEN, Cuda, by_steps
from gearwright.compiler.backends.cuda.block_shape import BlockShape, Launch
from gearwright.compiler.backends.cuda.instance import CudaExecutable
from gearwright.compiler.program import Program
from gearwright.errors import CompileError

SHIM = "#include <cmath>\nusing std::isfinite;\n"
FLAGS = ("-std=c++17", "-O0", "-ffp-contract=off", "-march=native", "-fPIC", "-shared", "-w")


SIZES: dict[str, dict[str, object]] = {  # kernels of larger robots, for any robot
    "together": {"kernels.ALONE": 0},
    "near": {"kernels.TOGETHER": 0, "kernels.NEAR": 10**9},
    "limbs": {"kernels.TOGETHER": 0, "kernels.NEAR": 0, "kernels.WORTH_IT": 10.0},
    "four limbs": {"kernels.TOGETHER": 0, "kernels.NEAR": 0, "kernels.WORTH_IT": 10.0, "kernels.LIMBS": 4},
    "far": {"kernels.TOGETHER": 0, "kernels.NEAR": 0, "kernels.WORTH_IT": 10.0, "limb_text.SHARED": 0},
}


def sized(monkeypatch: pytest.MonkeyPatch, size: str) -> None:
    """Kernels of that size from now on; they do not come from the cache."""
    for name, value in SIZES.get(size, {}).items():
        monkeypatch.setattr(f"gearwright.compiler.backends.cuda.{name}", value)
    monkeypatch.setattr(Cuda, "identity", lambda self, precision, batch: f"CUDA text {size}")


class CudaOnCpu(Cuda):
    """`run` walks all robots one by one."""

    name = "cuda_on_cpu"

    def load(self, program: Program, code: bytes, precision: str, batch: int | None) -> Executable:
        launches = [_launch(text) for text in code.decode().split(BETWEEN)]
        elements = BlockShape.of(code.decode()).elements
        return CudaExecutable(program, precision, np, by_steps(*launches), elements=elements)


def _launch(text: str) -> Launch:
    library = ctypes.CDLL(str(_built((SHIM + text).encode())))

    def launch(robots: int, arguments: tuple[Any, ...]) -> None:
        library.run(*(_argument(a) for a in arguments))

    return launch


def gpu() -> bool:
    """Whether CUDA kernels can run here."""
    try:
        Cuda().description  # noqa: B018
    except CompileError:
        return False
    return True


def _argument(a: Any) -> Any:
    if isinstance(a, np.ndarray):
        return ctypes.c_void_p(a.ctypes.data)
    return ctypes.c_void_p(None) if isinstance(a, np.uint64) else ctypes.c_longlong(int(a))


_FOLDER = tempfile.TemporaryDirectory()


def _built(source: bytes) -> Path:
    name = Path(_FOLDER.name, hashlib.sha256(source).hexdigest()[:16])
    library = name.with_suffix(".so")
    if not library.exists():
        name.with_suffix(".cpp").write_bytes(source)
        subprocess.run(["g++", *FLAGS, "-o", library, name.with_suffix(".cpp")], check=True, capture_output=True)
    return library
