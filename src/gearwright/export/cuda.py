"""The kernel of `device="cuda"` as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gearwright.compiler.backends.cuda.kernels import cuda_source
from gearwright.files import write_whole

if TYPE_CHECKING:
    from gearwright.model import Mechanism


def export_cuda(robot: Mechanism, name: Path, *, precision: str = "double", **options: Any) -> Path:
    """Writes NAME.cu; options as of `gearwright.compile`."""
    from gearwright.sim import compile as compiled
    from gearwright.sim.programs.programs import program

    sim = compiled(robot, precision=precision, **options)
    file = name.with_name(name.name + ".cu")
    write_whole(file, cuda_source(program("step", sim.kernels.equations), precision))
    return file
