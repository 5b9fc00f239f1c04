"""`gearwright export`: a robot's step as source code, or as an FMU."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gearwright.cli.loading import LoadOptions, loaded_or_exit
from gearwright.cli.messages import stop
from gearwright.cli.options import RobotFile, StepLength
from gearwright.cli.outputs import not_written
from gearwright.cli.reading import reads_file
from gearwright.errors import GearwrightError

if TYPE_CHECKING:
    from gearwright.export import Exported
    from gearwright.model import Mechanism


class ExportLanguage(StrEnum):
    """Languages."""

    c = "c"
    cuda = "cuda"
    fmu = "fmu"


ENDINGS = {
    ExportLanguage.c: (".c", ".h", "_test.c"),
    ExportLanguage.cuda: (".cu",),
    ExportLanguage.fmu: (".fmu",),
}  # of the files that are written


class Precision(StrEnum):
    """Precision of numbers."""

    double = "double"
    single = "single"


@reads_file
def export(
    file: RobotFile,
    target: Annotated[
        ExportLanguage,
        typer.Option(
            help="What to write: c (C99, no allocation), cuda (the kernel of device='cuda') or fmu (FMI 3.0)."
        ),
    ] = ExportLanguage.c,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Path of the files, without suffix; existing files are replaced. Default: the robot's name, if free.",
        ),
    ] = None,
    dt: StepLength = 1e-3,
    precision: Annotated[Precision, typer.Option(help="Floating-point precision of all numbers.")] = Precision.double,
    integrator: Annotated[
        str | None, typer.Option(metavar="midpoint|euler|rk4", help="Integrator (default: midpoint).")
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Make this parameter an input of the code; repeatable.")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="CC", help="Compile with this compiler, for example arm-none-eabi-gcc, and print sizes."),
    ] = None,
    *,
    reading: LoadOptions,
) -> None:
    """Write a robot's step as source code, or as an FMU.

    --target c writes NAME.c, NAME.h and NAME_test.c: C99, one struct per robot, no allocation. The test program
    compares 1000 steps with the simulation. --target cuda writes NAME.cu, the kernel that device='cuda' runs.
    --target fmu writes NAME.fmu for Simulink, OpenModelica, FMPy and others: FMI 3.0, co-simulation.
    Exits with 0 if the files were written, 1 otherwise.
    """
    robot = loaded_or_exit(file, reading)
    name = Path(out) if out else _own_name(robot, target)
    options = {"dt": dt, "integrator": integrator, "parameters": tuple(parameter or ()), "precision": precision.value}
    try:
        if target is ExportLanguage.cuda:
            _cuda(robot, name, options)
        elif target is ExportLanguage.fmu:
            _fmu(robot, name, options)
        else:
            _c(robot, name, options, size)
    except GearwrightError as error:
        stop(str(error))
    except OSError as error:
        stop(not_written(error))


def _c(robot: Mechanism, name: Path, options: Mapping[str, Any], compiler: str | None) -> None:
    from gearwright.cli.terminal import waiting
    from gearwright.export import export_c

    with waiting(f"writing {name}.c"):
        done = export_c(robot, name, **options)
    typer.echo(f"wrote {done.source}, {done.header}, {done.harness}")
    typer.echo(f"{done.state_bytes} bytes per robot; calls from the C library: {done.needed}")
    if compiler is not None:
        _print_sizes(done, compiler)
    files = f"{quote(str(done.source))} {quote(str(done.harness))}"
    typer.echo(f"test it: cc -std=c99 -O2 -DGW_EXACT {files} -lm && ./a.out")


def _print_sizes(done: Exported, compiler: str) -> None:
    from gearwright.export.sizes import sizes

    code, data, zeros = sizes(done.source, compiler)
    typer.echo(f"{compiler} -Os: {code} bytes of code and constants, {data + zeros} bytes of data")


def _cuda(robot: Mechanism, name: Path, options: Mapping[str, Any]) -> None:
    from gearwright.export.cuda import export_cuda

    file = export_cuda(robot, name, **options)
    typer.echo(f"wrote {file}: one kernel, run, one thread per robot")


def _fmu(robot: Mechanism, name: Path, options: Mapping[str, Any]) -> None:
    from gearwright.cli.terminal import waiting
    from gearwright.export import export_fmu

    if options["precision"] != "double":
        stop("an FMU has double precision: leave --precision out")
    file = name if name.suffix == ".fmu" else name.with_name(f"{name.name}.fmu")
    with waiting(f"writing {file}"):
        done = export_fmu(robot, file, **{key: x for key, x in options.items() if key != "precision"})
    typer.echo(f"wrote {done.path}: {len(done.variables)} variables; binaries: {', '.join(done.platforms) or 'none'}")


def _own_name(robot: Mechanism, target: ExportLanguage) -> Path:
    """The robot's name, unless files of that name exist: the model chose it, and the user did not."""
    name = _identifier(robot.name)
    for ending in ENDINGS[target]:
        if os.path.lexists(name + ending):
            stop(f"{name}{ending} exists: write over it with --out {name}, or give another name")
    return Path(name)


def _identifier(name: str) -> str:
    text = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
    return text if text[:1].isalpha() else f"robot_{text}"
