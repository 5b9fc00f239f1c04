"""`gearwright check`: errors and warnings of robot files, with their lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gearwright.cli.loading import Loaded, LoadOptions, load
from gearwright.cli.options import Json, bundled
from gearwright.cli.reading import reads_file

if TYPE_CHECKING:
    from gearwright.diagnostics import Diagnostic
    from gearwright.model import Mechanism


@reads_file
def check(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="SDFormat, URDF, xacro, MJCF or USD files.", autocompletion=bundled),
    ],
    json: Json = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Hide info messages, and files without findings.")
    ] = False,
    *,
    reading: LoadOptions,
) -> None:
    """Report the errors and warnings of robot files, with their lines.

    Prints file:line: severity: message [code] for each finding, and one line per file. Missing mesh files are reported
    as warnings, as are plug-in types whose names clash with built-in ones.
    Exits with 0 if all files load (with or without warnings), 1 if one has errors, 2 if the command itself is wrong.
    With --strict, a file with warnings also exits with 1.

    --json prints a list with, for each file: file, ok, counts {error, warning, info},
    diagnostics [{severity, code, message, file, line, element}], and summary (null if it did not load)
    {name, links, joints, couplings, transmissions, actuators, sensors, hardware, loops, dof, mass, base}.
    """
    ok = True
    collected: list[dict[str, Any]] = []
    for file in files:
        loaded = _looked_around(load(file, reading), reading)
        ok = ok and loaded.ok and not (reading.strict and _warned(loaded))
        if json:
            collected.append(as_data(loaded))
        else:
            _print(loaded, quiet, reading.strict)
    if json:
        from json import dumps

        typer.echo(dumps(collected, indent=2))
    raise typer.Exit(0 if ok else 1)


def _looked_around(loaded: Loaded, reading: LoadOptions) -> Loaded:
    """With what is not in the file: meshes that it names, and installed kinds that its names do not mean."""
    if loaded.mechanism is None:
        return loaded
    from gearwright.diagnostics import in_line_order
    from gearwright.formats.paths.mesh_files import missing_meshes

    found = [*missing_meshes(loaded.mechanism, loaded.file, reading.path), *_shadowed_kinds(loaded.file)]
    found += _held_by_nothing(loaded.mechanism, loaded.file)
    return replace(loaded, diagnostics=tuple(in_line_order((*loaded.diagnostics, *found))))


def _held_by_nothing(robot: Mechanism, file: str) -> Iterator[Diagnostic]:
    """A floating robot in a file without anything that it could stand on falls for ever."""
    from gearwright.diagnostics import Diagnostic
    from gearwright.model.contacts.choice import Assemblies

    free = next((b for b in robot.bases.values() if b.kind == "floating"), None)
    if free is None or not any(robot.gravity):
        return
    apart = Assemblies(robot)
    if any(apart.still(link.name) and link.collisions for link in robot.links.values()):
        return
    message = (
        f"{free.child!r} floats with nothing below it, so it keeps falling. compile(ground=True) adds a ground, "
        "--base fixed ties it to the world"
    )
    line = 0 if free.source is None else free.source.line
    yield Diagnostic(severity="info", code="base-falls", message=message, file=file, line=line)


def _shadowed_kinds(file: str) -> Iterator[Diagnostic]:
    """Loading a file does not look for them: that takes as long as a small file."""
    from gearwright.diagnostics import Diagnostic
    from gearwright.model import ACTUATORS, JOINT_KINDS, SENSORS
    from gearwright.model.frictions import FRICTIONS
    from gearwright.model.transmissions import TRANSMISSIONS

    for registry in (TRANSMISSIONS, ACTUATORS, SENSORS, FRICTIONS, JOINT_KINDS):
        for message in registry.shadowed():
            yield Diagnostic(severity="warning", code="kind-shadowed", message=message, file=file)


def as_data(loaded: Loaded) -> dict[str, Any]:
    """One file's entry of `--json`."""
    from gearwright.display.diagnostics_text import counts
    from gearwright.display.summary import summary

    return {
        "file": loaded.file,
        "ok": loaded.ok,
        "counts": counts(loaded.diagnostics),
        "diagnostics": [asdict(d) for d in loaded.diagnostics],
        "summary": None if loaded.mechanism is None else asdict(summary(loaded.mechanism)),
    }


def _warned(loaded: Loaded) -> bool:
    return any(d.severity == "warning" for d in loaded.diagnostics)


def _print(loaded: Loaded, quiet: bool, strict: bool) -> None:
    from rich.text import Text

    from gearwright.cli.findings import print_line
    from gearwright.cli.terminal import console
    from gearwright.display.diagnostics_text import count_text, diagnostic_line
    from gearwright.display.summary import summary
    from gearwright.display.visible import visible

    out = console()
    for d in loaded.diagnostics:
        if not (quiet and d.severity == "info"):
            print_line(out, diagnostic_line(d))
    found = count_text(loaded.diagnostics)
    if loaded.mechanism is None:
        line = Text.assemble(("✗ ", "bold red"), (visible(loaded.file), "bold"), f": not loaded, {found}")
        print_line(out, line)
        return
    refused = strict and _warned(loaded)
    if refused or not quiet:
        what = summary(loaded.mechanism)
        mark = ("✗ ", "bold red") if refused else ("✓ ", "bold green")
        line = Text.assemble(mark, (visible(loaded.file), "bold"), f": {visible(what.name)}, {what}")
        found += "; --strict refuses warnings" if refused else ""
        print_line(out, line.append(f" ({found})" if found else "", style="dim"))
