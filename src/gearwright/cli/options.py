"""Options that several commands share: how a file is to be read."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Base(StrEnum):
    """How links without a parent joint are connected to the world."""

    floating = "floating"
    fixed = "fixed"


def duration_checked(given: float | None) -> float | None:
    """A finite time of 0 or more [s]: a duration is checked before anything is compiled for it."""
    from math import isfinite

    if given is not None and not (isfinite(given) and given >= 0):
        raise _refused(f"--duration: a duration is a number of seconds, not {given:g}")
    return given


def _step_length(given: float) -> float:
    from math import isfinite

    if not (isfinite(given) and given > 0):
        raise _refused(f"--dt: dt must be a positive time [s], not {given:g}")
    return given


def _refused(message: str) -> typer.Exit:
    typer.echo(f"gearwright: {message}", err=True)
    return typer.Exit(2)


def bundled(incomplete: str) -> list[str]:
    """Bundled robots, for a shell's completion; where there are none, the shell completes files."""
    from gearwright.robots import names

    return [name for name in names() if incomplete and name.startswith(incomplete)]


RobotFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="An SDFormat, URDF or xacro file, or a bundled robot's name.", autocompletion=bundled
    ),
]
ModelName = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="Which model of a world; '*' for all of them as one.")
]
BaseChoice = Annotated[
    Base | None,
    typer.Option("--base", help="How the base is held. Default: an SDF model floats, a URDF's root is fixed."),
]
SearchPath = Annotated[
    list[str] | None,
    typer.Option("--path", metavar="DIR", help="A folder for model://, package:// and $(find …); may be repeated."),
]
XacroArguments = Annotated[
    list[str] | None,
    typer.Option("--xacro-arg", metavar="NAME:=VALUE", help="An argument of a xacro file; may be repeated."),
]
XacroVariables = Annotated[
    list[str] | None,
    typer.Option("--xacro-env", metavar="NAME", help="An environment variable that a xacro file may read; repeatable."),
]
PluginFolders = Annotated[
    list[str] | None,
    typer.Option(
        "--plugins",
        metavar="trust|DIR",
        help="Allow code that the file names: from this folder, or any ('trust'); may be repeated.",
    ),
]
CutJoints = Annotated[
    list[str] | None,
    typer.Option("--cut", metavar="JOINT", help="A joint at which a kinematic loop is to be cut; may be repeated."),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Faulty parts that would be left out with a warning are errors."),
]
StepLength = Annotated[float, typer.Option("--dt", help="Length of a step [s].", callback=_step_length)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, with a stable schema.")]
