"""`gearwright demo`: the first minute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.cli.messages import stop
from gearwright.cli.outputs import not_written


def demo(
    out: Annotated[str, typer.Option(metavar="FOLDER", help="Folder for the report.")] = "out",
    open_it: Annotated[bool, typer.Option("--open", help="Open the report in a browser at the end.")] = False,
    quick: Annotated[bool, typer.Option(help="Draw fewer pictures and run shorter timings.")] = False,
) -> None:
    """Show, simulate and compare three bundled robots.

    Takes less than a minute.
    Writes FOLDER/report.html, a single file that shows motion, operating points on torque-speed curves, errors of the
    coupling modes, energy, encoders, and speed, compared with MuJoCo if it is installed.
    """
    from gearwright.cli.terminal import console
    from gearwright.demo.tour import run

    try:
        report = run(Path(out), console(), quick=quick)
    except OSError as error:
        stop(not_written(error))
    if open_it:
        import webbrowser

        webbrowser.open(report.resolve().as_uri())
