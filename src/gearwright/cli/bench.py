"""`gearwright bench`: speed of a step, also beside other engines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.cli.options import Json
from gearwright.optional import missing_package

if TYPE_CHECKING:
    from gearwright.bench.results import Results


def bench(
    peers: Annotated[
        bool,
        typer.Option(
            "--peers", help="Compare with MuJoCo, Pinocchio, Drake, Bullet and DART where installed. Needs a clone."
        ),
    ] = False,
    robots: Annotated[
        str | None,
        typer.Option(
            "--robots", metavar="NAME,…", help="Robots to measure: arm, hand, panda, allegro, pr2, talos. Default: all."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Run for about a minute, with more noise.")] = False,
    scaling: Annotated[
        bool, typer.Option("--scaling", help="Also measure against degrees of freedom and batch size.")
    ] = False,
    accuracy: Annotated[
        bool,
        typer.Option("--accuracy", help="Measure only CPU time at equal energy error, beside MuJoCo. Needs a clone."),
    ] = False,
    json: Json = False,
    write: Annotated[
        str | None,
        typer.Option("--write", metavar="FILE", help="Write tables and plots into this page. Needs a clone."),
    ] = None,
) -> None:
    """Measure the speed of steps, batches and compilation.

    Every engine gets the same mechanism and takes first-order steps (ours with integrator="euler"; the default
    integrator takes 1.5 to 2.5 times as long). An engine is timed only if its motion agrees with Gearwright's. Engines
    take turns, and the best of many short slices counts. Times are CPU times.

    --json prints everything that was measured: schema, machine, versions, robots, cases, driven, sizes, chains and
    batches.
    """
    from gearwright.bench.contestant import Peers
    from gearwright.bench.effort import FULL, QUICK
    from gearwright.bench.repository import MissingBenchmarksError, benchmarks_module
    from gearwright.bench.run import run
    from gearwright.errors import UnknownNameError

    names = [name.strip() for name in robots.split(",") if name.strip()] if robots else []
    try:
        if accuracy:
            typer.echo(benchmarks_module("equal_accuracy", "--accuracy").table())
            return
        others = benchmarks_module("peers", "--peers").peers() if peers else Peers()
        if write is not None:
            benchmarks_module("report", "--write")  # a run takes minutes: fail before it
        results = run(
            names=names,
            peers=others,
            effort=QUICK if quick else FULL,
            with_scaling=scaling or write is not None,
            command=_command(peers, robots, quick, scaling, write),
            progress=lambda line: typer.echo(f"… {line}", err=True),
        )
    except (UnknownNameError, MissingBenchmarksError) as error:
        typer.echo(f"gearwright: {error}", err=True)
        raise typer.Exit(2) from None
    if write is not None:
        _write(results, Path(write))
    if json:
        from json import dumps

        typer.echo(dumps(results.as_data(), indent=2))
    else:
        _print(results)


def _command(peers: bool, robots: str | None, quick: bool, scaling: bool, write: str | None) -> str:
    """The command line that repeats the run, without folders."""
    words = ["gearwright bench"]
    words += [f"--{name}" for name, given in (("peers", peers), ("quick", quick), ("scaling", scaling)) if given]
    words += [f"--robots {robots}"] if robots else []
    words += [f"--write {Path(write).name}"] if write else []
    return " ".join(words)


def _print(results: Results) -> None:
    from gearwright.bench.table import rendered
    from gearwright.cli.terminal import console

    out = console()
    for table in rendered(results):
        out.print(table)


def _write(results: Results, page: Path) -> None:
    from gearwright.bench.repository import benchmarks_module
    from gearwright.display.visible import visible

    plots, report = (benchmarks_module(name, "--write") for name in ("plots", "report"))
    figures: str | None = "figures"
    try:
        try:
            plots.draw(results, page.parent / "figures")
        except ImportError:
            figures = None
            typer.echo(f"gearwright: no figures drawn: {missing_package('matplotlib', 'a plot')}", err=True)
        report.write(results, page, figures)
    except OSError as error:
        typer.echo(f"gearwright: cannot write {visible(str(page))}: {error.strerror}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"wrote {visible(str(page))}", err=True)
