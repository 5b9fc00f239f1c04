"""viser's server, on this machine only."""

from __future__ import annotations

import contextlib
import io
from typing import Any

from gearwright.optional import require

HOST, PORT = "127.0.0.1", 8080
BRAND = (47, 127, 193)


def serve(port: int | None) -> Any:
    """A server on this port, or the next one that is free."""
    viser = require("viser", "the viewer")
    with contextlib.redirect_stdout(io.StringIO()):  # it prints an address; ours is printed with the robot's name
        server = viser.ViserServer(host=HOST, port=PORT if port is None else port, verbose=False)
    theme(server, False)
    server.gui.main_panel.dock_right()
    return server


def theme(server: Any, dark: bool) -> None:
    server.gui.configure_theme(
        control_width="medium", show_logo=False, show_share_button=False, dark_mode=dark, brand_color=BRAND
    )
