"""Options that several commands share: how a file is to be read."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from gearwright.cli.messages import stop


class Base(StrEnum):
    """How links without a parent joint are connected to the world."""

    floating = "floating"
    fixed = "fixed"


def duration_checked(given: float | None) -> float | None:
    """A finite time of 0 or more [s]: a duration is checked before anything is compiled for it."""
    from math import isfinite

    if given is not None and not (isfinite(given) and given >= 0):
        stop(f"--duration: a duration must be a number of seconds, not {given:g}", 2)
    return given


def _step_length(given: float) -> float:
    from math import isfinite

    if not (isfinite(given) and given > 0):
        stop(f"--dt: dt must be a positive time [s], not {given:g}", 2)
    return given


def bundled(incomplete: str) -> list[str]:
    """Bundled robots, for a shell's completion; where there are none, the shell completes files."""
    from gearwright.robots import names

    return [name for name in names() if incomplete and name.startswith(incomplete)]


RobotFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="SDFormat, URDF, xacro, MJCF or USD file, or the name of a bundled robot.",
        autocompletion=bundled,
    ),
]
ModelName = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="Model of a world to load; '*' loads all of them as one.")
]
BaseChoice = Annotated[
    Base | None,
    typer.Option("--base", help="Fix the base or let it float. Default: an SDF model floats, a URDF's root is fixed."),
]
SearchPath = Annotated[
    list[str] | None,
    typer.Option(
        "--path",
        metavar="DIR",
        help="Add a folder to the search path for model://, package:// and $(find …); repeatable.",
    ),
]
XacroArguments = Annotated[
    list[str] | None,
    typer.Option("--xacro-arg", metavar="NAME:=VALUE", help="Set an argument of a xacro file; repeatable."),
]
XacroVariables = Annotated[
    list[str] | None,
    typer.Option("--xacro-env", metavar="NAME", help="Let a xacro file read this environment variable; repeatable."),
]
PluginFolders = Annotated[
    list[str] | None,
    typer.Option(
        "--plugins",
        metavar="trust|DIR",
        help="Allow code that the file names to run, from this folder or from anywhere ('trust'); repeatable.",
    ),
]
CutJoints = Annotated[
    list[str] | None,
    typer.Option("--cut", metavar="JOINT", help="Use this joint to close its kinematic loop; repeatable."),
]
ClosureList = Annotated[
    str | None,
    typer.Option("--closures", metavar="FILE", help="Read joints that close loops from this YAML or XML file."),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Treat faulty parts as errors instead of leaving them out with a warning."),
]
FitFile = Annotated[
    str | None,
    typer.Option(
        "--fit", metavar="FILE", help="Use the parameters that `gearwright identify --out` wrote to this file."
    ),
]
StepLength = Annotated[float, typer.Option("--dt", help="Time step [s].", callback=_step_length)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON with a stable schema.")]
