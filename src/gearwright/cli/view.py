"""`gearwright view`: a robot in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from gearwright.cli.loading import LoadOptions, assignments, loaded_or_exit, stop
from gearwright.cli.options import (
    BaseChoice,
    CutJoints,
    ModelName,
    PluginFolders,
    RobotFile,
    SearchPath,
    Strict,
    XacroArguments,
    XacroVariables,
)
from gearwright.errors import GearwrightError


def view(
    file: RobotFile,
    port: Annotated[int | None, typer.Option(help="Default: 8080, or the next one that is free.")] = None,
    dt: Annotated[float, typer.Option(help="Length of a step [s].")] = 1e-3,
    integrator: Annotated[
        str | None, typer.Option(metavar="midpoint|euler|rk4", help="How a step is made; midpoint if not given.")
    ] = None,
    model: ModelName = None,
    base: BaseChoice = None,
    path: SearchPath = None,
    plugins: PluginFolders = None,
    cut: CutJoints = None,
    xacro_arg: XacroArguments = None,
    xacro_env: XacroVariables = None,
    strict: Strict = False,
) -> None:
    """Show a robot in a browser, at rest or running.

    Its shapes, sliders for joints and commands, the running simulation, plots.
    The page listens on this machine only, and prints where. Ctrl-C ends it.
    """
    reading = LoadOptions(
        model=model, base=base, path=tuple(path or ()), plugins=tuple(plugins or ()), cut=tuple(cut or ()),
        strict=strict, xacro_args=assignments(xacro_arg), xacro_env=tuple(xacro_env or ()),
    )  # fmt: skip
    robot = loaded_or_exit(file, reading)
    try:
        from gearwright.page import view as viewed

        viewed(robot, port=port, search_path=tuple(path or ()), dt=dt, integrator=integrator)
    except GearwrightError as error:
        stop("view", str(error))
