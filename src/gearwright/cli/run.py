"""`gearwright run`: simulate a robot and print a summary."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from gearwright.cli.command_line import command_line
from gearwright.cli.inputs import assigned, check_targets
from gearwright.cli.loading import LoadOptions, loaded_or_exit
from gearwright.cli.messages import say, stop
from gearwright.cli.options import Json, RobotFile, StepLength, duration_checked
from gearwright.cli.outputs import check_writable, not_written
from gearwright.cli.reading import reads_file
from gearwright.errors import (
    BeyondLimitsWarning,
    BranchWarning,
    CompileError,
    GearwrightError,
    ModelError,
    NotSimulatedWarning,
    RecordingWarning,
    UnsettledWarning,
    VelocityLimitWarning,
)
from gearwright.files import write_whole

if TYPE_CHECKING:
    from gearwright.display.runs import Outcome, Peaks
    from gearwright.model import Mechanism
    from gearwright.sim import Recording, Simulation

Assignments = list[str] | None
NUMBERS = "NAME=VALUE"
HEARD = (BeyondLimitsWarning, BranchWarning)  # of a start: the summary lists them


@reads_file
def run(
    context: typer.Context,
    file: RobotFile,
    duration: Annotated[
        float | None,
        typer.Option(help="Time to simulate [s]. Default: 2; with --view, until Ctrl-C.", callback=duration_checked),
    ] = None,
    dt: StepLength = 1e-3,
    integrator: Annotated[
        str | None, typer.Option(metavar="midpoint|euler|rk4", help="Integrator (default: midpoint).")
    ] = None,
    newton_iterations: Annotated[
        int | None, typer.Option(help="Maximum quasi-Newton iterations per midpoint step (default 24).")
    ] = None,
    most_operations: Annotated[
        int | None, typer.Option(help="Largest number of operations per step to compile (default 2,000,000).")
    ] = None,
    position: Annotated[
        Assignments, typer.Option("--set", metavar=NUMBERS, help="Set a joint's initial position; repeatable.")
    ] = None,
    velocity: Annotated[
        Assignments, typer.Option(metavar=NUMBERS, help="Set a joint's initial velocity; repeatable.")
    ] = None,
    effort: Annotated[
        Assignments, typer.Option(metavar=NUMBERS, help="Apply a constant effort to a joint; repeatable.")
    ] = None,
    command: Annotated[
        Assignments, typer.Option(metavar=NUMBERS, help="Give an actuator a constant command; repeatable.")
    ] = None,
    batch: Annotated[int, typer.Option(help="Number of robots to simulate.")] = 1,
    every: Annotated[int, typer.Option(help="Record every n-th step.")] = 1,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the recording: .mcap, .parquet, .npz or .csv.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the recording: .png, .svg, .pdf, or .html to zoom in.")
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a report with pictures, plots and figures: .html.")
    ] = None,
    view: Annotated[
        bool, typer.Option("--view", help="Show the running simulation in a browser; Ctrl-C ends it.")
    ] = False,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port for --view (default: 8080, or the next free one).")
    ] = None,
    json: Json = False,
    *,
    reading: LoadOptions,
) -> None:
    """Simulate a robot, with a progress bar and a summary.

    Values are in SI units and radians. Set a joint with several coordinates with commas (--set base=0,0,1,1,0,0,0), or
    one coordinate at a time (--set base.z=1).
    Exits with 0 if all went well, 1 if the file or the simulation failed, 2 if the command itself is wrong.

    --json prints the summary as data: robot, steps, dt, batch, compile_s, wall_s (the whole run), stepping_s (its
    steps alone), ns_per_robot_step, real_time_factor, unsettled (steps, of all robots), energy {start, end},
    positions, velocities, coupling_errors, actuators {NAME: {command, torque, velocity, position}}, sensors,
    warnings, infos, files.
    """
    given = {"position": position, "velocity": velocity, "effort": effort, "command": command}
    numbers = {what: assigned("--set" if what == "position" else f"--{what}", given[what]) for what in given}
    if every < 1:
        stop(f"--every must be a number of steps, 1 or more, not {every}", 2)
    _check_files(out, plot, report)
    robot = loaded_or_exit(file, reading)
    check_targets(robot, numbers["command"], numbers["effort"])
    options: dict[str, Any] = {"dt": dt, "batch": batch}
    chosen = {"integrator": integrator, "newton_iterations": newton_iterations, "most_operations": most_operations}
    options |= {n: x for n, x in chosen.items() if x is not None}
    wanted = Wanted(
        2.0 if duration is None else duration, every, out, plot, report, reading.path, command_line(context)
    )
    if view:
        for name, given_file in (("--plot", plot), ("--report", report)):
            if given_file is not None:
                stop(f"--view shows the run while it lasts: leave out {name}, or keep the rows with --out", 2)
    try:
        check_writable(out, plot, report)
        if view:
            from gearwright.cli.run_view import Watched, watched

            outcome = watched(robot, options, numbers, Watched(duration, every, out, port, reading.path))
        else:
            outcome = _simulated(robot, options, numbers, wanted)
    except _UsageError as error:
        stop(str(error.__cause__), 2)
    except GearwrightError as error:
        stop(str(error), 1)
    except OSError as error:
        stop(not_written(error), 1)
    _report(outcome, json)


class Wanted(NamedTuple):
    """How long to run, and where the rows go."""

    duration: float  # [s]
    every: int
    out: str | None
    plot: str | None
    report: str | None
    path: tuple[str, ...]  # where meshes are looked for
    command_line: str = ""


class _UsageError(Exception):
    """An argument that does not fit this robot."""


def _simulated(robot: Mechanism, options: dict[str, Any], numbers: dict[str, Any], wanted: Wanted) -> Outcome:
    from time import perf_counter

    from gearwright.cli.terminal import waiting
    from gearwright.sim import compile
    from gearwright.sim.options import Options

    try:
        Options(**options)  # first of all: what the command line itself has wrong
    except CompileError as error:
        raise _UsageError from error
    started = perf_counter()
    with warnings.catch_warnings():
        for kind in (NotSimulatedWarning, BeyondLimitsWarning):  # the summary lists them
            warnings.simplefilter("ignore", kind)
        with waiting(f"compiling {robot.name}"):
            sim = compile(robot, **options)
    compiled = perf_counter() - started
    try:
        with warnings.catch_warnings(record=True) as heard:
            for start in HEARD:
                warnings.simplefilter("always", start)
            warnings.simplefilter("ignore", UnsettledWarning)  # the summary counts these,
            warnings.simplefilter("ignore", VelocityLimitWarning)  # and has the speeds
            return _run(sim, numbers, wanted, compiled, heard)
    except ModelError as error:
        raise _UsageError from error


def _run(
    sim: Simulation, numbers: dict[str, Any], wanted: Wanted, compiled: float, heard: list[warnings.WarningMessage]
) -> Outcome:
    """From the start that the command line gives. What is heard on the way goes into the summary."""
    from time import perf_counter

    from gearwright.display.runs import Outcome, too_fast

    sim.reset(position=numbers["position"], velocity=numbers["velocity"])
    sim.step(command=numbers["command"] or None, effort=numbers["effort"], n=0)
    before, first, stepping = sim.energy, sim.time, sim.clock.pace.seconds
    started = perf_counter()
    recording, peaks = _recorded(sim, wanted)
    wall = perf_counter() - started
    steps = round((sim.time - first) / sim.dt)
    heard_texts = [str(w.message) for w in heard if issubclass(w.category, HEARD)]
    heard_texts += _clipped(sim.robot, numbers["command"])
    times = {"compile_s": compiled, "wall_s": wall, "stepping_s": sim.clock.pace.seconds - stepping}
    if wanted.plot is not None:
        _draw(recording, wanted.plot)
    files = [name for name in (wanted.out, wanted.plot) if name is not None]
    infos = too_fast(recording.schema, peaks["velocity"])
    outcome = Outcome.of(sim, peaks["coupling_error"], before, steps, times, heard_texts, infos, files)
    if wanted.report is not None:
        _write_report(sim, recording, outcome, wanted)
    return outcome


def _clipped(robot: Mechanism, commands: dict[str, Any]) -> list[str]:
    """Commands of more than the supply's voltage, or of more effort than the actuator's limit."""
    found = []
    for name, value in commands.items():
        a = robot.actuators[name]
        of_volts = a.command == "voltage"
        most = getattr(a, "supply_voltage", None) if of_volts else a.effort_limit if a.command == "effort" else None
        if most is not None and isinstance(value, float) and abs(value) > most:
            limit = f"its supply's {most:g} V" if of_volts else f"its limit of {most:g}"
            found.append(f"actuator {name!r}: the command of {value:g}{' V' * of_volts} is clipped to {limit}")
    return found


def _warn_before(out: str, recording: Recording, rows: int) -> None:
    """A file that has no room is reported while Ctrl-C still helps."""
    from gearwright.sim.recorder.room import warn_of_size

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", RecordingWarning)
        warn_of_size(out, recording.schema, rows)
    for warning in heard:
        say(f"warning: {warning.message}")


def _write_report(sim: Simulation, recording: Recording, outcome: Outcome, wanted: Wanted) -> None:
    from gearwright.cli.terminal import waiting
    from gearwright.demo.run_report import run_report

    assert wanted.report is not None
    with waiting("drawing the report"):
        text = run_report(sim.robot, recording, outcome, wanted.path, wanted.command_line)
    write_whole(wanted.report, text)
    outcome.files.append(wanted.report)


def _draw(recording: Recording, plot: str) -> None:
    from gearwright.cli.terminal import waiting

    with waiting("drawing the plot"):
        recording.plot(plot)


def _recorded(sim: Simulation, wanted: Wanted) -> tuple[Recording, Peaks]:
    """The rows and their peaks. With --out, rows are kept in memory only where they are drawn."""
    import sys

    from gearwright.cli.run_file import RunFile
    from gearwright.display.runs import peaks_of
    from gearwright.sim import Recording
    from gearwright.sim.recorder.recorded_signals import run_schema
    from gearwright.sim.running.running import steps_in

    out, plot, every, shown = wanted.out, wanted.plot, wanted.every, sys.stderr.isatty()
    if out is None:
        if plot is None:
            most = 1000 if wanted.report is None else 5000  # nobody reads more of them than that
            every = max(every, steps_in(wanted.duration, sim) // most)
        recording = sim.run(wanted.duration, every=every, progress=shown)
        peaks = peaks_of(recording)
    else:
        recording = Recording(run_schema(sim, every, ()), sim.robot)
        _warn_before(out, recording, steps_in(wanted.duration, sim) // every + 1)
        file = RunFile(out, recording if plot or wanted.report else None)
        sim.run(wanted.duration, every=every, progress=shown, sink=file)
        peaks = file.peaks
    return recording, peaks


def _report(outcome: Outcome, json: bool) -> None:
    if json:
        from json import dumps

        typer.echo(dumps(outcome.as_data(), indent=2))
        return
    from gearwright.cli.terminal import console

    console().print(outcome.page())


def _check_files(out: str | None, plot: str | None, report: str | None) -> None:
    """Checks the output files before the simulation."""
    from gearwright.display.plots import check_ending
    from gearwright.sim.recordings.formats import check_format

    try:
        if out is not None:
            check_format(out)
        if plot is not None:
            check_ending(plot)
        if report is not None and not report.lower().endswith((".html", ".htm")):
            raise GearwrightError(f"--report {report}: the file must end in .html")
    except GearwrightError as error:
        stop(str(error), 2)
