"""`gearwright view`: a robot in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from gearwright.cli.loading import LoadOptions, loaded_or_exit
from gearwright.cli.messages import stop
from gearwright.cli.options import StepLength
from gearwright.cli.reading import reads_file
from gearwright.errors import GearwrightError


@reads_file
def view(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Robot (SDFormat, URDF, xacro, MJCF, USD or a bundled name) or recording."),
    ],
    recording: Annotated[str | None, typer.Option(metavar="FILE", help="Play this recording of the robot.")] = None,
    robot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Robot file of the recording, if it has moved.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port (default: 8080, or the next free one).")
    ] = None,
    dt: StepLength = 1e-3,
    integrator: Annotated[
        str | None, typer.Option(metavar="midpoint|euler|rk4", help="Integrator (default: midpoint).")
    ] = None,
    *,
    reading: LoadOptions,
) -> None:
    """Show a robot or a recording in a browser.

    The viewer has the robot's shapes, sliders for joints and commands, the running simulation, motors on their curves
    and plots. A recording (.mcap, .npz, .parquet, .csv) is played back with a time slider.
    The server listens on this machine only, and prints its address. The token in the address keeps other web pages out.
    Ctrl-C or SIGTERM ends it.
    Exits with 0 after that, 1 if the file cannot be shown, 2 if the command itself is wrong.
    """
    try:
        from gearwright.cli.terminal import waiting
        from gearwright.page import is_recording
        from gearwright.page import view as viewed
        from gearwright.page.subject import compiled
        from gearwright.page.viewing import Page

        search = reading.path
        if is_recording(file) and recording is None:
            shown = loaded_or_exit(robot, reading) if robot is not None else None
            viewed(file, robot=shown, port=port, search_path=search)
            return
        loaded = loaded_or_exit(file, reading)
        if recording is not None:
            viewed(recording, robot=loaded, port=port, search_path=search)
        else:
            with waiting(f"compiling {loaded.name}"):
                sim = compiled(loaded, {"dt": dt, "integrator": integrator})
            page = Page(sim, port=port, search_path=search)
            page.player.demonstration.begin()
            page.wait()
    except GearwrightError as error:
        stop(str(error))
