"""What the examples draw with: robots as a camera sees them, and figures in one style.

An example runs as `python examples/NAME.py [FOLDER]` and leaves NAME.png there, or in out/.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from PIL import Image

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "src"))  # so that it runs from a checkout that is not installed

import gearwright as gw  # noqa: E402
from gearwright.drawing import COLOURS, INK, SOFT, STYLE, Camera, Poses, faces  # noqa: E402

mpl.use("Agg")
mpl.rcParams.update({**STYLE, "axes.titlesize": 10, "axes.titlelocation": "left", "axes.titlecolor": INK})
mpl.rcParams["text.parse_math"] = True  # powers of ten on logarithmic axes

BLUE, ORANGE, GREEN, PINK, RED, SKY = COLOURS[:6]
GREY = "#8a919d"


def draw(ax: Any, robot: gw.Mechanism, poses: Poses, camera: Camera, shift: float = 0.0, alpha: float = 1.0) -> float:
    """The robot's visuals, the far ones first, in mm and moved to the right by `shift`; returns where its middle is."""
    left, right = np.inf, -np.inf
    for face in faces(robot, poses, camera):
        x, y = (1e3 * face.corners).T
        colour = tuple(min(1.0, c) for c in face.colour)
        ax.fill(x + shift, y, facecolor=colour, edgecolor=colour, linewidth=0.5, alpha=alpha, zorder=3)
        left, right = min(left, x.min() + shift), max(right, x.max() + shift)
    return float(left + right) / 2


def strip(
    ax: Any, robot: gw.Mechanism, moments: Iterable[tuple[str, Poses]], camera: Camera, apart: float
) -> None:  # fmt: skip
    """Poses side by side, `apart` mm from each other, with words below."""
    for k, (words, poses) in enumerate(moments):
        middle = draw(ax, robot, poses, camera, shift=apart * k)
        ax.annotate(words, (middle, 0), xycoords=("data", "axes fraction"), ha="center", color=SOFT, fontsize=8.5)
    ax.set_aspect("equal")
    ax.axis("off")
    ax.margins(0.02, 0.14)


def poses_of(sim: gw.Simulation) -> Poses:
    return {link: np.array(sim.pose[link]) for link in sim.robot.links}


def named(ax: Any, title: str, x: str = "time [s]", y: str = "") -> None:
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel(y)


def save(figure: Any, script: str) -> None:
    """Under the script's own name, in out/ or in the folder that the command line gives."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "out"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{Path(script).stem}.png"
    picture = BytesIO()
    figure.savefig(picture, dpi=120, facecolor="white", bbox_inches="tight", pad_inches=0.15)
    few = Image.open(picture).convert("RGB").quantize(160, dither=Image.Dither.NONE)  # a third of the bytes
    few.save(path, optimize=True)
    print(path)
