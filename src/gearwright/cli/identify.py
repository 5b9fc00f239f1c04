"""`gearwright identify`: numbers of a robot from recordings of it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.cli.loading import INTERRUPTED, LoadOptions, loaded_or_exit
from gearwright.cli.messages import stop
from gearwright.cli.options import RobotFile, StepLength
from gearwright.cli.outputs import check_writable
from gearwright.cli.reading import reads_file
from gearwright.errors import GearwrightError, ModelError

if TYPE_CHECKING:
    from gearwright.identification.fit import Fit

Repeated = list[str] | None


@reads_file
def identify(
    file: RobotFile,
    recordings: Annotated[
        list[str], typer.Argument(metavar="RECORDING…", help="Recordings: .mcap, .csv, .parquet, .npz or .json.")
    ],
    fit: Annotated[
        list[str], typer.Option(metavar="NAME[=LO:HI]", help="Identify this parameter, within bounds; repeatable.")
    ],
    holdout: Annotated[
        Repeated, typer.Option(metavar="RECORDING", help="Predict this recording instead of fitting it; repeatable.")
    ] = None,
    signal: Annotated[
        Repeated,
        typer.Option(metavar="COLUMN=NAME", help="Signal that a column holds, e.g. goal=motor.command; repeatable."),
    ] = None,
    unit: Annotated[Repeated, typer.Option(metavar="COLUMN=UNIT", help="Unit of a column; repeatable.")] = None,
    output: Annotated[
        Repeated, typer.Option(metavar="SIGNAL", help="Compare this signal (default: positions); repeatable.")
    ] = None,
    linear: Annotated[
        Repeated, typer.Option(metavar="ACTUATOR", help="Interpolate this command, instead of holding it; repeatable.")
    ] = None,
    segment: Annotated[float | None, typer.Option(help="Cut recordings into pieces of this length [s].")] = None,
    starts: Annotated[int, typer.Option(help="Number of starting points of the search.")] = 4,
    seed: Annotated[int, typer.Option(help="Seed of the starting points.")] = 0,
    dt: StepLength = 1e-3,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Write the values to this .json, for --fit.")] = None,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write a report to this .html.")] = None,
    *,
    reading: LoadOptions,
) -> None:
    """Identify parameters of a robot from recordings.

    Also names the parameters that the recordings cannot determine.

    Parameters are those that `gearwright show FILE --json` and `robot.parameters` list, and ACTUATOR.delay,
    SIGNAL.offset, SIGNAL.gain and SIGNAL.delay.
    Exits with 0 if the search was finished, 1 if it was not possible, 2 if the command itself is wrong, 130 after
    Ctrl-C, with the best values so far.
    """
    names, bounds = _bounded(fit)
    robot = loaded_or_exit(file, reading)
    try:
        check_writable(out, report)
        from gearwright.identification.identifying import InterruptedWarning
        from gearwright.identification.identifying import identify as identified

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InterruptedWarning)  # the exit code says it
            found = identified(
                robot, recordings, names, bounds=bounds, holdout=holdout or None, signals=_pairs("--signal", signal),
                units=_pairs("--unit", unit), outputs=output or None, linear=linear or (), segment=segment,
                starts=starts, seed=seed, dt=dt, progress=True,
            )  # fmt: skip
        _written(found, out, report)
    except ModelError as error:
        stop(str(error), 2)
    except GearwrightError as error:
        stop(str(error))
    except KeyboardInterrupt:
        stop("interrupted before anything was found", INTERRUPTED)
    if not found.complete:
        stop("interrupted: these are the best values so far", INTERRUPTED)


def _written(fit: Fit, out: str | None, report: str | None) -> None:
    from gearwright.display.visible import visible

    for line in fit.summary().splitlines():
        typer.echo(visible(line))
    if out is not None:
        fit.save(out)
        typer.echo(f"wrote {out}")
    if report is not None:
        fit.report(report)
        typer.echo(f"wrote {report}")


def _bounded(given: list[str]) -> tuple[tuple[str, ...], dict[str, tuple[float, float]]]:
    """`NAME` or `NAME=LO:HI`."""
    names, bounds = [], {}
    for text in given:
        name, equals, pair = text.partition("=")
        names.append(name.strip())
        if equals:
            try:
                low, high = (float(x) for x in pair.split(":"))
            except ValueError:
                raise typer.BadParameter(f"{text!r} is not of the form NAME=LO:HI", param_hint="--fit") from None
            bounds[name.strip()] = (low, high)
    return tuple(names), bounds


def _pairs(option: str, given: Repeated) -> dict[str, str]:
    found = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"{text!r} is not of the form COLUMN=NAME", param_hint=option)
        found[name.strip()] = value.strip()
    return found
