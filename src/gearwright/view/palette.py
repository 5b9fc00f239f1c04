"""One colour a family, the same in the terminal as in the drawing; and a sign for each kind of joint."""

from __future__ import annotations

TERMINAL = {
    "coupling": "magenta",
    "transmission": "yellow",
    "actuator": "green",
    "sensor": "blue",
    "hardware": "cyan",
    "loop": "red",
}

JOINT_SIGNS = {
    "fixed": "▪",
    "revolute": "↻",
    "continuous": "∞",
    "prismatic": "↔",
    "screw": "§",
    "universal": "✛",
    "revolute2": "‖",
    "ball": "●",
    "planar": "▱",
    "floating": "◌",
}
