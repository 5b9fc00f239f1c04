"""`gearwright show`: a mechanism at a glance, in the terminal or as a drawing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.cli.loading import Loaded, LoadOptions, assignments, load
from gearwright.cli.options import (
    BaseChoice,
    CutJoints,
    Json,
    ModelName,
    PluginFolders,
    RobotFile,
    SearchPath,
    Strict,
    XacroArguments,
    XacroVariables,
)

if TYPE_CHECKING:
    from gearwright.model import Mechanism


def show(
    file: RobotFile,
    json: Json = False,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Draw the mechanism graph into this file instead.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every link, also those fixed to another.")] = False,
    model: ModelName = None,
    base: BaseChoice = None,
    path: SearchPath = None,
    plugins: PluginFolders = None,
    cut: CutJoints = None,
    xacro_arg: XacroArguments = None,
    xacro_env: XacroVariables = None,
    strict: Strict = False,
) -> None:
    """Draw a mechanism, to see it at a glance.

    In the terminal: its tree, limits, couplings, transmissions, actuators, sensors and hardware interfaces.

    --svg draws the mechanism graph: links, joints, couplings and transmissions as distinct edges.
    --json prints the same as data: schema, name, base, dof, mass, and links, joints, couplings, transmissions,
    actuators, sensors and hardware as lists. SI units and radians; null means no limit.
    """
    reading = LoadOptions(
        model=model, base=base, path=tuple(path or ()), plugins=tuple(plugins or ()), cut=tuple(cut or ()),
        xacro_args=assignments(xacro_arg), xacro_env=tuple(xacro_env or ()), strict=strict,
    )  # fmt: skip
    loaded = load(file, reading)
    if loaded.mechanism is None:
        complain(loaded)
        raise typer.Exit(1)
    weld = False if everything else None
    if svg is not None:
        _draw(loaded.mechanism, svg, weld)
    if json:
        from json import dumps

        from gearwright.display.as_data import as_data

        typer.echo(dumps(as_data(loaded.mechanism), indent=2))
    elif svg is None:
        _print(loaded, loaded.mechanism, weld)


def _print(loaded: Loaded, mechanism: Mechanism, weld: bool | None) -> None:
    from rich.text import Text

    from gearwright.cli.terminal import console
    from gearwright.display.diagnostics_text import count_text
    from gearwright.display.summary import page
    from gearwright.display.visible import visible

    out = console()
    out.print(page(mechanism, weld=weld))
    found = count_text(d for d in loaded.diagnostics if d.severity != "info")
    if found:
        out.print()
        out.print(Text(f"{found}: gearwright check {visible(loaded.file)}", style="yellow"), soft_wrap=True)


def _draw(mechanism: Mechanism, target: str, weld: bool | None) -> None:
    from gearwright.display.graph_svg import graph_svg
    from gearwright.display.visible import visible

    if Path(target).suffix.lower() not in (".svg", ""):
        typer.echo(f"gearwright: --svg {visible(target)}: the drawing is SVG, in a file named .svg", err=True)
        raise typer.Exit(2)
    try:
        Path(target).write_text(graph_svg(mechanism, weld=weld), encoding="utf-8")
    except OSError as error:
        typer.echo(f"gearwright: cannot write {visible(target)}: {error.strerror}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"wrote {visible(target)}", err=True)


def complain(loaded: Loaded) -> None:
    """Prints the errors on the error stream; there is no mechanism to print."""
    import sys

    from rich.text import Text

    from gearwright.cli.terminal import console
    from gearwright.display.diagnostics_text import count_text, diagnostic_line
    from gearwright.display.visible import visible

    err = console(sys.stderr)
    for d in loaded.diagnostics:
        if d.severity != "info":
            err.print(diagnostic_line(d), soft_wrap=True)
    err.print(
        Text(f"{visible(loaded.file)}: not loaded, {count_text(loaded.diagnostics)}", style="bold"), soft_wrap=True
    )
