"""`gearwright bench`: speed of a step, also beside other engines. What it measures is in `benchmarks/` of a clone."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from gearwright.cli.messages import stop
from gearwright.cli.options import Json

CLONE = Path(__file__).parents[3]  # the repository, where the package runs from its `src` folder
MISSING = (
    "bench needs the folder benchmarks/ of Gearwright's repository, which the installed package does not "
    "contain: clone the repository, run `pip install -e .` in it, and try again"
)


def bench(
    peers: Annotated[
        bool,
        typer.Option("--peers", help="Compare with MuJoCo, Pinocchio, Drake, Bullet and DART, if installed."),
    ] = False,
    robots: Annotated[
        str | None,
        typer.Option(
            "--robots", metavar="NAME,…", help="Robots to measure: arm, hand, panda, allegro, pr2, talos. Default: all."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Run for about a minute, with noisier results.")] = False,
    scaling: Annotated[
        bool, typer.Option("--scaling", help="Also measure against degrees of freedom and batch size.")
    ] = False,
    accuracy: Annotated[
        bool, typer.Option("--accuracy", help="Measure only CPU time at equal energy error, compared with MuJoCo.")
    ] = False,
    gpu: Annotated[
        bool, typer.Option("--gpu", help="Measure only kernels on an NVIDIA GPU, and MuJoCo Warp if installed.")
    ] = False,
    json: Json = False,
    write: Annotated[
        str | None, typer.Option("--write", metavar="FILE", help="Write tables and plots into this page.")
    ] = None,
) -> None:
    """Measure the speed of steps, batches and compilation. Needs a clone of the repository.

    Every engine gets the same mechanism and takes first-order steps (ours with integrator="euler"; the default
    integrator takes 1.5 to 2.5 times as long). An engine is timed only if its motion agrees with Gearwright's. Engines
    take turns, and the best of many short slices counts. Times are CPU times.

    --json prints everything that was measured: schema, machine, versions, robots, cases, driven, sizes, chains and
    batches.
    """
    from gearwright.errors import CompileError, UnknownNameError

    if not (CLONE / "benchmarks" / "bench" / "command.py").is_file():
        stop(MISSING, 2)
    sys.path.insert(0, str(CLONE))
    try:
        if gpu:
            import_module("benchmarks.gpu").report()
            return
        import_module("benchmarks.bench.command").measure(
            robots=robots, peers=peers, quick=quick, scaling=scaling, accuracy=accuracy, json=json, write=write
        )
    except UnknownNameError as error:
        stop(str(error), 2)
    except CompileError as error:  # no GPU
        stop(str(error), 1)
    finally:
        sys.path.remove(str(CLONE))
