"""`gearwright sweep`: many designs of a robot, and a table of what became of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from gearwright.cli.inputs import assigned, check_targets
from gearwright.cli.loading import INTERRUPTED, LoadOptions, loaded_or_exit
from gearwright.cli.messages import stop
from gearwright.cli.options import RobotFile, StepLength, duration_checked
from gearwright.cli.outputs import check_writable
from gearwright.cli.reading import reads_file
from gearwright.errors import GearwrightError, ModelError, counted, suggestion

Repeated = list[str] | None
PICTURES = (".png", ".svg", ".pdf")


@reads_file
def sweep(
    file: RobotFile,
    vary: Annotated[
        list[str], typer.Option(metavar="NAME=LO:HI[:N]", help="Vary this parameter over a range; repeatable.")
    ],
    metric: Annotated[
        list[str],
        typer.Option(
            metavar="[LABEL=]SIGNAL:HOW",
            help="Compute last, max, min, mean, rms, range, time_to:VALUE, overshoot:TARGET or settling:TARGET[:SHARE] "
            "of a signal; repeatable.",
        ),
    ],
    duration: Annotated[float, typer.Option(help="Time to simulate [s].", callback=duration_checked)] = 1.0,
    dt: StepLength = 1e-3,
    command: Annotated[
        Repeated, typer.Option(metavar="NAME=VALUE", help="Give an actuator a constant command; repeatable.")
    ] = None,
    effort: Annotated[
        Repeated, typer.Option(metavar="NAME=VALUE", help="Apply a constant effort to a joint; repeatable.")
    ] = None,
    position: Annotated[
        Repeated, typer.Option("--set", metavar="NAME=VALUE", help="Set a joint's initial position; repeatable.")
    ] = None,
    sampling: Annotated[str, typer.Option(metavar="grid|random|lhs|sobol", help="How to choose designs.")] = "grid",
    n: Annotated[int | None, typer.Option("--designs", help="Number of designs (except for a grid).")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sampling.")] = 0,
    chunk: Annotated[int | None, typer.Option(help="Number of designs to simulate together.")] = None,
    engine: Annotated[str, typer.Option(metavar="local|cuda|ray", help="Engine to run on.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="Address of a Ray cluster (default: start one on this machine).")
    ] = None,
    integrator: Annotated[
        str | None, typer.Option(metavar="midpoint|euler|rk4", help="Integrator (default: midpoint).")
    ] = None,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Write the table: .parquet or .csv.")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Allow the table to replace that of another sweep.")
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw curves of one parameter, maps of two, or a scatter matrix of more: .png, .svg, .pdf.",
        ),
    ] = None,
    pareto: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Draw the Pareto front of two metrics; prefix one with '-' to minimise it."),
    ] = None,
    *,
    reading: LoadOptions,
) -> None:
    """Simulate many designs of a robot and tabulate the results.

    Parameters are those that `gearwright show FILE --json` and `robot.parameters` list.
    time_to, overshoot and settling describe how a signal gets from its first value to a target: the time at which it
    reaches the target, how far it goes beyond (as a fraction of the distance), and the time after which it stays
    within a fraction of the distance (default: 0.02). They are NaN for designs where this never happens.
    With --out, chunks are kept beside the table until all are done: after Ctrl-C, the same command resumes.
    Exits with 0 if the table is complete, 1 if it is not, 2 if the command itself is wrong, 130 after Ctrl-C.
    """
    ranges = _by_name("--vary", map(_range, vary))
    metrics = _by_name("--metric", ((label or spec, spec) for label, spec in map(_labelled, metric)))
    inputs = {"command": assigned("--command", command), "effort": assigned("--effort", effort)}
    start = assigned("--set", position)
    _check_number(ranges, sampling, n)
    _check_picture([*ranges, *metrics], plot, pareto)
    robot = loaded_or_exit(file, reading)
    check_targets(robot, **inputs)
    try:
        from gearwright.study import sweep as swept
        from gearwright.study.sweeping import units

        check_writable(out, plot)
        table = swept(
            robot, ranges, metrics, duration=duration, dt=dt, integrator=integrator,
            command=inputs["command"], effort=inputs["effort"], position=start, sampling=sampling, n=n, seed=seed,
            chunk=chunk, engine=engine, address=address, out=out, overwrite=overwrite, progress=True,
        )  # fmt: skip
        if plot is not None:
            _draw(table, ranges, metrics, plot, pareto, units(robot, ranges, metrics, dt=dt, integrator=integrator))
    except ModelError as error:
        stop(str(error), 2)
    except GearwrightError as error:
        stop(str(error))
    except KeyboardInterrupt:
        stop("interrupted; the same command resumes" if out else "interrupted", INTERRUPTED)
    _print(table, list(metrics), out)
    if plot is not None:
        typer.echo(f"wrote {plot}")


def _check_number(ranges: dict[str, tuple[float, ...]], sampling: str, n: int | None) -> None:
    """How many designs: of a grid --vary says it, of any other sampling --designs."""
    if sampling == "grid":
        if n is not None:
            raise typer.BadParameter(
                "does not apply to a grid: --vary gives its number of values", param_hint="--designs"
            )
        for name, (low, high, *count) in ranges.items():
            if not count:
                message = f"a grid needs the number of values: {name}={low:g}:{high:g}:N"
                raise typer.BadParameter(message, param_hint="--vary")
    elif n is None:
        raise typer.BadParameter(f"{sampling} needs the number of designs: --designs N", param_hint="--sampling")


def _check_picture(columns: list[str], plot: str | None, pareto: str | None) -> None:
    """Before hours are spent: a picture's ending, and the names of a front."""
    from pathlib import Path

    if plot is not None and Path(plot).suffix.lower() not in PICTURES:
        raise typer.BadParameter(f"{plot!r} must end in one of {', '.join(PICTURES)}", param_hint="--plot")
    if pareto is None:
        return
    if plot is None:
        raise typer.BadParameter("needs --plot FILE for the picture", param_hint="--pareto")
    goals = [goal.strip().removeprefix("-") for goal in pareto.split(",")]
    if len(goals) != 2:
        raise typer.BadParameter(f"{pareto!r} must be two metrics, as A,B or -A,B", param_hint="--pareto")
    for goal in goals:
        if goal not in columns:
            near = suggestion(goal, columns)
            raise typer.BadParameter(f"there is no metric or parameter {goal!r} here{near}", param_hint="--pareto")


def _draw(
    table: Any, parameters: Iterable[str], metrics: Iterable[str], plot: str, pareto: str | None, units: dict[str, str]
) -> None:
    from gearwright.study.figures import draw, draw_pareto

    if pareto is None:
        draw(table, list(parameters), list(metrics), plot, units)
    else:
        draw_pareto(table, [goal.strip() for goal in pareto.split(",")], plot, units)


def _print(table: Any, metrics: list[str], out: str | None) -> None:
    import numpy as np
    from rich.table import Table

    from gearwright.cli.terminal import console
    from gearwright.study.sweeping import FAILED

    shown = Table("metric", "least", "median", "most", "NaN", box=None, pad_edge=False)
    for name in metrics:
        numbers = np.asarray(table[name])
        good = numbers[np.isfinite(numbers)]
        cells = (f"{f(good):.6g}" for f in (np.min, np.median, np.max)) if len(good) else ("", "", "")
        shown.add_row(name, *cells, str(len(numbers) - len(good)))
    console().print(shown)
    typer.echo(counted(len(table), "design") + (f" in {out}" if out else ""))
    reasons = [why for why in table[FAILED] if why] if FAILED in table.columns else []
    if reasons:
        typer.echo(f"{len(reasons)} of them are invalid, the first: {reasons[0]}")


def _range(text: str) -> tuple[str, tuple[float, ...]]:
    name, equals, numbers = text.partition("=")
    try:
        values = tuple(float(x) for x in numbers.split(":"))
    except ValueError:
        values = ()
    if not equals or len(values) not in (2, 3):
        raise typer.BadParameter(f"{text!r} is not of the form NAME=LO:HI or NAME=LO:HI:N", param_hint="--vary")
    return name.strip(), values


def _by_name(option: str, pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A mapping; a name that is given twice is a mistake."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint=option)
        found[name] = value
    return found


def _labelled(text: str) -> tuple[str, str]:
    label, equals, spec = text.partition("=")
    return (label.strip(), spec.strip()) if equals else ("", text.strip())
