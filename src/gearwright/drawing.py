"""Pictures of your own: a robot as a camera sees it, and the style of the plots.

`faces(robot, poses, camera)` are flat, shaded polygons, the far ones first, to be filled by any plotting library.
"""

from __future__ import annotations

from gearwright.display.plots import COLOURS, INK, SOFT, STYLE
from gearwright.display.solids import FRONT, TOP, Camera, Face, Poses, faces
from gearwright.model.geometry import Box, Cylinder, Shape, Sphere
from gearwright.study.figures import draw_pareto

__all__ = [
    "COLOURS",
    "FRONT",
    "INK",
    "SOFT",
    "STYLE",
    "TOP",
    "Box",
    "Camera",
    "Cylinder",
    "Face",
    "Poses",
    "Shape",
    "Sphere",
    "draw_pareto",
    "faces",
]
