"""Messages of commands on the error stream."""

from __future__ import annotations

from typing import NoReturn


def say(message: str) -> None:
    """One line of text from anywhere, safe to print."""
    import typer

    from gearwright.display.visible import visible

    for line in message.splitlines():
        typer.echo(f"gearwright: {visible(line)}", err=True)


def stop(message: str, code: int = 1) -> NoReturn:
    """Ends a command: 1 if it failed, 2 if the command line itself is wrong."""
    import typer

    say(message)
    raise typer.Exit(code)
