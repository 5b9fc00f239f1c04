"""One colour per family, the same in the terminal as in the drawing. Signs of joints are with their classes."""

from __future__ import annotations

TERMINAL = {
    "coupling": "magenta",
    "transmission": "yellow",
    "actuator": "green",
    "sensor": "blue",
    "hardware": "cyan",
    "loop": "red",
}
