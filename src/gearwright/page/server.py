"""viser's server, on this machine only, and for this machine's user only."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from gearwright.errors import GearwrightError
from gearwright.optional import require
from gearwright.page.gate import Gate, guarded

HOST, PORT, LAST_PORT = "127.0.0.1", 8080, 65535
TRIES = 1000  # ports after the one that is wanted
BRAND = (47, 127, 193)
# viser's boxes beside sliders are too narrow for a sign, five digits and a point; its thumbs cover the numbers at the
# ends; its lists do not wrap a long path
STYLE = """<style>
.mantine-NumberInput-root[style*="3rem"] { width: 3.7rem !important; flex-shrink: 0; }
.mantine-Slider-markLabel { margin-top: 0.25rem; }
.mantine-Slider-root { margin-bottom: 0.25rem; }
li { overflow-wrap: anywhere; }
</style>"""


def serve(port: int | None, gate: Gate) -> Any:
    """A server on this port, or the next one that is free, that serves whom the gate lets in."""
    viser = require("viser", "the viewer")
    chosen = free_port(PORT if port is None else port)
    server = None
    try:
        with guarded(gate), silent():  # it prints an address, without the token
            server = viser.ViserServer(host=HOST, port=chosen, verbose=False)
    except GearwrightError:
        if server is not None:
            server.stop()
        raise
    theme(server, False)
    server.gui.main_panel.dock_right()
    server.gui.add_html(STYLE)
    return server


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Nothing comes from rich's own console, on which viser prints, also in a notebook."""
    console = import_module("rich").get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def free_port(wanted: int) -> int:
    """This port, or the next one that nobody has; 0 is any."""
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 0 <= wanted <= LAST_PORT:
        raise GearwrightError(f"a port must be a whole number, 0 … {LAST_PORT}, not {wanted!r:.40}")
    for port in range(wanted, min(wanted + TRIES, LAST_PORT) + 1):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind((HOST, port))
                return port
    raise GearwrightError(f"no port from {wanted} on is free: give another one, or 0 for any")


def theme(server: Any, dark: bool) -> None:
    server.gui.configure_theme(
        control_width="medium", show_logo=False, show_share_button=False, dark_mode=dark, brand_color=BRAND
    )
