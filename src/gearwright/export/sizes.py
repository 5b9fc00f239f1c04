"""Sizes of exported code, by a compiler that is installed."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from shutil import which

from gearwright.errors import CompileError

SECONDS = 120.0  # that a compiler may take


def sizes(source: Path, compiler: str) -> tuple[int, int, int]:
    """Bytes of code with constants, of data, and of data that is zero at the start."""
    if which(compiler) is None:
        raise CompileError(f"there is no compiler {compiler!r} on this machine's PATH")
    sizer = compiler.removesuffix("gcc").removesuffix("clang") + "size"
    if which(sizer) is None:
        sizer = "size"
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, "code.o")
        _run([compiler, "-std=c99", "-Os", "-c", str(source.resolve()), "-o", str(code)])
        numbers = _run([sizer, str(code)]).splitlines()[1].split()
    text, data, zeros = map(int, numbers[:3])
    return text, data, zeros


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompileError(f"{command[0]} could not be run: {error}") from None
    if done.returncode:
        raise CompileError(f"{command[0]} failed: {done.stderr.strip()[:500]}")
    return done.stdout
