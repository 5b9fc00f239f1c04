"""`gearwright diff`: what differs between two robot files."""

from __future__ import annotations

from typing import Annotated

import typer

from gearwright.cli.loading import LoadOptions, loaded_or_exit
from gearwright.cli.messages import stop
from gearwright.cli.options import Json, bundled
from gearwright.cli.reading import reads_file

FILE = "Robot file, or the name of a bundled robot."


@reads_file
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help=FILE, autocompletion=bundled)],
    after: Annotated[str, typer.Argument(metavar="B", help=FILE, autocompletion=bundled)],
    tolerance: Annotated[
        float, typer.Option(help="Largest difference to ignore: relative above 1, absolute below.")
    ] = 1e-9,
    json: Json = False,
    *,
    reading: LoadOptions,
) -> None:
    """Compare two robot files, part by part.

    Compares structure, numbers, couplings, transmissions, actuators and sensors, and prints one line for each part or
    number that differs. The formats of the files do not matter.
    Exits with 0 if nothing differs, 1 if something does or a file has errors, 2 if the command itself is wrong.

    --json prints a list of {kind, name, field, before, after}; for a part that only one file has, field is "".
    """
    if not tolerance >= 0:
        stop(f"--tolerance must be a number of at least 0, not {tolerance:g}", 2)
    from gearwright.comparing import diff as differences

    found = differences(loaded_or_exit(before, reading), loaded_or_exit(after, reading), tolerance)
    if json:
        typer.echo(found.json())
    else:
        from gearwright.display.visible import visible

        for d in found:
            typer.echo(visible(str(d)))
        if not found:
            typer.echo("no difference")
    raise typer.Exit(1 if found else 0)
