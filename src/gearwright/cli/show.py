"""`gearwright show`: a mechanism at a glance, in the terminal or as a drawing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.cli.loading import LoadOptions, loaded_or_exit
from gearwright.cli.messages import stop
from gearwright.cli.options import Json, RobotFile
from gearwright.cli.outputs import check_writable, not_written
from gearwright.cli.reading import reads_file
from gearwright.errors import GearwrightError
from gearwright.files import write_whole

if TYPE_CHECKING:
    from gearwright.model import Mechanism


@reads_file
def show(
    file: RobotFile,
    json: Json = False,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Draw the mechanism graph into this file instead.")
    ] = None,
    reach: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the torques and speeds that motors reach at one or two outputs."),
    ] = None,
    output: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Output of --reach: a joint axis, or LINK.x … LINK.rz.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every link, including those fixed to another.")
    ] = False,
    *,
    reading: LoadOptions,
) -> None:
    """Show a mechanism at a glance.

    In the terminal: its tree, limits, couplings, transmissions, actuators, sensors and hardware interfaces.

    --svg draws the mechanism graph: links, joints, couplings and transmissions as distinct edges.
    --reach draws bands of torque and speed over the range of one output, or polygons over the range of two.
    --json prints the same as data: schema, name, base, dof, mass, and links, joints, couplings, transmissions,
    actuators, sensors and hardware as lists. SI units and radians; null means no limit.
    """
    robot = loaded_or_exit(file, reading)
    weld = False if everything else None
    if svg is not None:
        _draw(robot, svg, weld)
    if reach is not None:
        _draw_reach(robot, reach, output)
    if json:
        from json import dumps

        from gearwright.display.as_data import as_data

        typer.echo(dumps(as_data(robot), indent=2))
    elif svg is None and reach is None:
        _print(robot, weld)


def _print(robot: Mechanism, weld: bool | None) -> None:
    from gearwright.cli.terminal import console
    from gearwright.display.summary import page

    console().print(page(robot, weld=weld))


def _draw(mechanism: Mechanism, target: str, weld: bool | None) -> None:
    from gearwright.display.graph_svg import graph_svg

    if Path(target).suffix.lower() not in (".svg", ""):
        stop(f"--svg {target}: the file must end in .svg", 2)
    _written(target, lambda: write_whole(target, graph_svg(mechanism, weld=weld)))


def _draw_reach(mechanism: Mechanism, target: str, output: list[str] | None) -> None:
    from gearwright.display.reach_plots import plot_reach

    _written(target, lambda: plot_reach(mechanism, target, output))


def _written(target: str, write: Callable[[], object]) -> None:
    """Says where a picture is; exits with 1 and the reason where there is none."""
    from gearwright.display.visible import visible

    try:
        check_writable(target)
        write()
    except (GearwrightError, OSError) as error:
        stop(not_written(error) if isinstance(error, OSError) else str(error))
    typer.echo(f"wrote {visible(target)}", err=True)
