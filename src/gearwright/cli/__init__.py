"""The command line. A command is one file here and one row in `COMMANDS`; heavy imports happen inside it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from typing import Annotated, Any

import typer

from gearwright import robots
from gearwright.cli import (
    bench,
    check,
    convert,
    demo,
    diff,
    export,
    identify,
    migrate,
    run,
    serve,
    show,
    sweep,
    view,
    with_bus,
)
from gearwright.cli.messages import say
from gearwright.cli.words import SuggestingCommand

COMMANDS: dict[Callable[..., Any], str] = {  # each with an example for its help
    check.check: "check wrist",
    show.show: "show gripper --svg gripper.svg",
    view.view: "view gripper",
    run.run: "run gripper --duration 0.3 --command motor=0.012 --plot run.png",
    serve.serve: "serve gripper --protocol cia402",
    with_bus.with_bus: "with-bus -- python driver.py",
    convert.convert: "convert gripper gripper.urdf --verify",
    diff.diff: "diff gripper gripper.urdf",
    migrate.migrate: "migrate old.sdf new.sdf",
    export.export: "export gripper --out gripper_step",
    sweep.sweep: "sweep gripper --vary motor.stall_torque=0.02:0.05:4 --command motor=0.01 --metric motor.velocity:max",
    identify.identify: "identify gripper run.csv --fit right_finger.damping",
    demo.demo: "demo",
    bench.bench: "bench --peers",
}

app = typer.Typer(
    name="gearwright",
    help="A mechanism compiler and simulator for robot actuation.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help starts in a third of the time
    pretty_exceptions_enable=False,
    epilog=f"Bundled robots, whose names stand for their files: {', '.join(robots.names())}.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for command, example in COMMANDS.items():
    app.command(cls=SuggestingCommand, epilog=f"\b\nExample:\n  gearwright {example}")(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        from gearwright import __version__

        typer.echo(f"gearwright {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """A mechanism compiler and simulator for robot actuation."""


def _print_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Without the place in our code, which says nothing to who runs a command."""
    say(f"warning: {message}")


def _forget_output() -> None:
    """Drops output that is not printed yet, which Python would try once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """The entry point. Bad input gives a message, a closed pipe none; GEARWRIGHT_TRACEBACK=1 gives tracebacks."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without the letters still gets the line
    warnings.showwarning = _print_warning
    try:
        app(prog_name="gearwright")
    except BrokenPipeError:
        _forget_output()
        sys.exit(1)
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None and error.errno in (ENOSPC, EFBIG, EDQUOT, EIO):
            from gearwright.cli.outputs import not_written

            say(not_written(error))
            _forget_output()
            sys.exit(1)
        if os.environ.get("GEARWRIGHT_TRACEBACK"):
            raise
        say(_explanation(error))
        sys.exit(1)


def _explanation(error: Exception) -> str:
    """The text for an exception that no command handled: a missing package, or a bug."""
    from gearwright.display.visible import visible
    from gearwright.optional import install_line

    package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if package not in ("", "gearwright"):
        return f"{package} is not installed; run: {install_line(package)}"
    what = f"{type(error).__name__}: {visible(str(error))}"
    return f"{what}\nThis is a bug in Gearwright. Set GEARWRIGHT_TRACEBACK=1 to see the traceback."
