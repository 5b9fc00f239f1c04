"""`gearwright migrate`: gearbox and draft mimic joints of a file to <mimic>."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from gearwright.cli.messages import stop
from gearwright.cli.options import Json, PluginFolders, SearchPath
from gearwright.cli.outputs import not_written
from gearwright.errors import GearwrightError, LoadError

if TYPE_CHECKING:
    from gearwright.migration import Migration


def migrate(
    source: Annotated[str, typer.Argument(metavar="IN", help="SDFormat file to read.")],
    target: Annotated[
        str | None, typer.Argument(metavar="[OUT]", help="File to write; replaced if it exists.", show_default=False)
    ] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Rewrite IN itself.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Compare the existing OUT with IN and write nothing.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Simulate both files, and write only if they move alike.")
    ] = True,
    tolerance: Annotated[
        float, typer.Option(help="Largest accepted difference of a joint position between the two [rad, m].")
    ] = 1e-9,
    json: Json = False,
    path: SearchPath = None,
    plugins: PluginFolders = None,
) -> None:
    """Rewrite gearbox and draft mimic joints as <mimic>.

    Every other byte stays as it is.
    The sign and axis of the <mimic> follow from the joints; the SDFormat version is raised to 1.11 where <mimic> needs
    it, and elements with another meaning in that version are rewritten or refused. Both files are then simulated
    from one state under the same random efforts, and the largest difference of a joint's position is printed.
    Exits with 0 if OUT was written, 1 if it was not (errors in IN, a joint that no <mimic> can express, a difference
    above the tolerance), 2 if the command itself is wrong.

    Xacro files are refused, and there is no --xacro-arg: expand them first, and migrate the result.

    --json prints: source, target, ok, written, difference (null: not simulated; "inf": not comparable), tolerance,
    changes [{name, spelling, line, joint, axis, leader, multiplier, mimic}], rewritten, notes.
    """
    if (target is None) != in_place:
        stop("give OUT, or --in-place to write to IN itself; not both", 2)
    if check and target is None:
        stop("--check compares OUT with IN: give OUT", 2)
    from gearwright.migration import migrate as migrated
    from gearwright.migration.writing import same_file

    if target is not None and not check and same_file(source, target):
        stop(f"{target!r} is IN itself; --in-place writes to it", 2)
    if not tolerance >= 0:
        stop(f"--tolerance must be a number of at least 0, not {tolerance:g}", 2)
    try:
        done = migrated(
            source, target, in_place=in_place, check=check, verify=verify, tolerance=tolerance,
            search_path=tuple(path or ()), plugins=("trust" if "trust" in (plugins or ()) else plugins) or None,
        )  # fmt: skip
    except LoadError as error:
        _stop_with(error)
    except GearwrightError as error:
        stop(str(error), 1)
    except OSError as error:
        stop(not_written(error), 1)
    _print_json(done) if json else _print(done, check)
    raise typer.Exit(0 if done.ok else 1)


def _print_json(done: Migration) -> None:
    from dataclasses import asdict
    from json import dumps
    from math import isfinite

    data: dict[str, Any] = {"ok": done.ok, **asdict(done)}
    if done.difference is not None and not isfinite(done.difference):
        data["difference"] = "inf"  # JSON has no such number
    typer.echo(dumps(data, indent=2))


def _print(done: Migration, check: bool) -> None:
    from rich.text import Text

    from gearwright.cli.terminal import console
    from gearwright.display.visible import visible

    out = console()
    for change in done.changes:
        out.print(Text(visible(str(change))), soft_wrap=True)
    for line in done.rewritten:
        out.print(Text(visible(line)), soft_wrap=True)
    for note in done.notes:
        out.print(Text.assemble(("note: ", "bold yellow"), visible(note)), soft_wrap=True)
    mark, style = ("✓ ", "bold green") if done.ok else ("✗ ", "bold red")
    out.print(Text.assemble((mark, style), visible(_outcome(done, check))), soft_wrap=True)


def _outcome(done: Migration, check: bool) -> str:
    """The last line: what was written, and the proof."""
    proof = "not simulated (--no-verify)"
    if done.difference is not None:
        relation = "within" if done.ok else "above"
        proof = f"largest trajectory difference {done.difference:.3g}, {relation} the tolerance {done.tolerance:g}"
    if check:
        return f"{done.target} against {done.source}: {proof}"
    if not done.changes:
        return f"{done.source}: nothing to migrate; {done.target} holds the same bytes"
    count = f"{len(done.changes)} joint{'s' if len(done.changes) > 1 else ''}"
    return f"{done.target}: {count} migrated; {proof}" if done.written else f"{done.target}: not written; {proof}"


def _stop_with(error: LoadError) -> NoReturn:
    from gearwright.cli.terminal import console
    from gearwright.display.diagnostics_text import diagnostic_line

    out = console()
    for d in error.diagnostics:
        if d.severity == "error":
            out.print(diagnostic_line(d), soft_wrap=True)
    stop("nothing was written", 1)
