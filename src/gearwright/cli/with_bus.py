"""`gearwright with-bus`: runs a driver whose SocketCAN interface or serial port is hard-coded."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from gearwright.cli.messages import stop
from gearwright.errors import GearwrightError


def with_bus(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="The driver, after --.")],
    can: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=CHANNEL", help="Connect this SocketCAN interface to this channel of the server."),
    ] = None,
    port: Annotated[
        list[str] | None, typer.Option(metavar="DEVICE=PATH", help="Connect this serial port to that of the server.")
    ] = None,
    preload: Annotated[
        bool, typer.Option(help="Also redirect programs that are not Python, with a library built by a C compiler.")
    ] = True,
) -> None:
    """Run an unchanged driver against a served robot.

    The driver's can0, vcan0 or /dev/ttyUSB0 becomes the simulated bus.
    """
    from gearwright.hardware.with_bus import environment

    try:
        env = environment(_pairs(can, "--can can0=can0"), _pairs(port, "--port /dev/ttyUSB0=./ttyARM"), preload=preload)
        sys.stdout.flush()
        os.execvpe(command[0], command, env)
    except (GearwrightError, OSError) as error:
        stop(f"{command[0]}: {error}" if isinstance(error, OSError) else str(error), 2)


def _pairs(given: Iterable[str] | None, example: str) -> dict[str, str]:
    found = {}
    for text in given or ():
        name, equals, place = text.partition("=")
        if not equals:
            raise GearwrightError(f"{text!r:.80} has no '=': e.g. {example}")
        found[name] = place
    return found
