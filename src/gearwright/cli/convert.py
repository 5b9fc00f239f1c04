"""`gearwright convert`: a robot file in another format, with proof."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.cli.loading import LoadOptions, loaded_or_exit
from gearwright.cli.messages import stop
from gearwright.cli.options import Json, bundled
from gearwright.cli.outputs import check_writable, not_written
from gearwright.cli.reading import reads_file
from gearwright.errors import GearwrightError

if TYPE_CHECKING:
    from gearwright.conversion import Conversion

SHOWN = 20  # losses of one file on the terminal; --json has all of them


class MeshChoice(StrEnum):
    """What becomes of mesh files."""

    reference = "reference"
    copy = "copy"


@reads_file
def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="Robot file, or the name of a bundled robot.", autocompletion=bundled)
    ],
    target: Annotated[str, typer.Argument(metavar="OUT", help="File to write: .sdf, .urdf, .xml (MJCF) or .usda.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Load the result here and in other programs, and compare.")
    ] = False,
    tolerance: Annotated[
        float, typer.Option(help="Largest difference for --verify to accept: relative above 1, absolute below.")
    ] = 1e-9,
    meshes: Annotated[
        MeshChoice, typer.Option(help="Refer to mesh files where they are, or copy them beside OUT.")
    ] = MeshChoice.reference,
    json: Json = False,
    *,
    reading: LoadOptions,
) -> None:
    """Write a robot file in another format.

    The suffix of OUT selects the format. The report lists what the format cannot hold or expresses differently.
    --verify loads OUT here, and in MuJoCo, Pinocchio and Drake if they are installed and read the format. It
    compares poses, mass matrices, bias and motion at random states, and prints a table.
    Exits with 0 if OUT was written and nothing differs, 1 if it was not written or a difference is above the
    tolerance, 2 if the command itself is wrong.

    --json prints: source, target, verified (null: not compared), tolerance, lost [{part, field, reason}], notes,
    checks [{program, what, difference, tolerance, ok, note}].
    """
    if not tolerance >= 0:
        stop(f"--tolerance must be a number of at least 0, not {tolerance:g}", 2)
    from gearwright.conversion.converting import write_proved
    from gearwright.writing.saving import format_of

    try:
        format_of(target)
    except GearwrightError as error:
        stop(str(error), 2)
    robot = loaded_or_exit(source, reading)
    try:
        check_writable(target)
        done = write_proved(robot, source, target, verify=verify, tolerance=tolerance, meshes=meshes.value)
    except GearwrightError as error:
        stop(str(error))
    except OSError as error:
        stop(not_written(error))
    _print_json(done) if json else _print(done)
    raise typer.Exit(1 if done.verified is False else 0)


def _print_json(done: Conversion) -> None:
    from dataclasses import asdict
    from json import dumps
    from math import isfinite

    data = {**asdict(done), "verified": done.verified}
    for check, plain in zip(done.checks, data["checks"], strict=True):
        plain["ok"] = check.ok
        if check.difference is not None and not isfinite(check.difference):
            plain["difference"] = "inf"  # JSON has no such number
    typer.echo(dumps(data, indent=2, ensure_ascii=False))


def _print(done: Conversion) -> None:
    from rich.text import Text

    from gearwright.cli.terminal import console
    from gearwright.display.visible import visible
    from gearwright.errors import counted

    out = console()
    for label, style, lines in (("lost", "bold red", done.lost), ("note", "bold yellow", done.notes)):
        for line in lines[:SHOWN]:
            out.print(Text.assemble((f"{label}: ", style), visible(str(line))), soft_wrap=True)
        if len(lines) > SHOWN:
            out.print(Text(f"and {len(lines) - SHOWN} more: --json has them all", style="dim"), soft_wrap=True)
    if done.checks:
        for line in done.table.splitlines():
            out.print(Text(visible(line)), soft_wrap=True)
    ok = done.verified is not False
    mark, style = ("✓ ", "bold green") if ok else ("✗ ", "bold red")
    lost = counted(len(done.lost), "loss", "losses") if done.lost else "nothing lost"
    proof = {None: "not verified", True: "verified", False: f"a difference is above {done.tolerance:g}"}[done.verified]
    out.print(Text.assemble((mark, style), visible(f"{done.target}: {lost}; {proof}")), soft_wrap=True)
