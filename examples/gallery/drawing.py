"""How the gallery draws: a robot's visuals as a camera sees them, and figures in one style.

A script of this folder runs as `python examples/gallery/NAME.py [FOLDER]` and leaves NAME.png there, or in out/.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from PIL import Image

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
sys.path.insert(0, str(CHECKOUT / "src"))  # so that it runs from a checkout that is not installed

import gearwright as gw  # noqa: E402
from gearwright.drawing import COLOURS, INK, SOFT, STYLE, Box, Cylinder, Shape, Sphere  # noqa: E402

mpl.use("Agg")
mpl.rcParams.update({**STYLE, "text.parse_math": True})  # powers of ten on logarithmic axes

Array = np.ndarray[Any, np.dtype[Any]]
Poses = Mapping[str, Array]  # by link, (4, 4)
BLUE, ORANGE, GREEN, PINK, RED, SKY = COLOURS[:6]
MODES = {"exact": BLUE, "hard": ORANGE, "compliant": GREEN}
ROUND = np.linspace(0, 2 * np.pi, 48, endpoint=False)


# --- robots ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Camera:
    """Looks along `forward`; what is to the right of the picture is `right`."""

    right: tuple[float, float, float]
    forward: tuple[float, float, float]

    @property
    def axes(self) -> Array:
        """Right, up and forward as rows."""
        right, forward = (np.array(v) / np.linalg.norm(v) for v in (self.right, self.forward))
        return np.array([right, np.cross(right, forward), forward])


FRONT = Camera((1, 0, 0), (0, 1, 0))  # x to the right, z up
TOP = Camera((1, 0, 0), (0, 0, -1))  # x to the right, y up
CORNER = Camera((0.94, -0.34, 0), (0.31, 0.86, -0.40))


def robot(name: str) -> gw.Mechanism:
    """A robot of this folder."""
    (path,) = (p for p in HERE.glob(f"{name}.*") if p.suffix in (".sdf", ".urdf"))
    return gw.load(path)


def poses(sim: gw.Simulation) -> dict[str, Array]:
    return {link: np.array(sim.pose[link]) for link in sim.robot.links}


def draw(
    ax: Any, mechanism: gw.Mechanism, at: Poses, camera: Camera = FRONT, *, alpha: float = 1.0,
    shift: tuple[float, float] = (0.0, 0.0), links: Iterable[str] | None = None,
) -> None:  # fmt: skip
    """The robot's visuals, the far ones first. Lengths in mm."""
    parts = []
    for name in mechanism.links if links is None else links:
        for visual in mechanism.links[name].visuals:
            X = at[name] @ visual.pose.matrix
            points = _outline(visual.shape, X, camera) @ camera.axes.T
            parts.append((points[:, 2].mean(), _hull(points[:, :2]), visual.rgba or (0.7, 0.7, 0.7, 1.0)))
    for _, corners, (r, g, b, _) in sorted(parts, key=lambda part: -part[0]):
        x, y = (1e3 * corners + np.array(shift)).T
        edge = (0.55 * r, 0.55 * g, 0.55 * b)
        ax.fill(x, y, facecolor=(r, g, b), edgecolor=edge, linewidth=0.6, alpha=alpha, zorder=2)


def seen(points: Array, camera: Camera = FRONT) -> Array:
    """Where points (…, 3) [m] are in the picture, (…, 2) [mm]."""
    return 1e3 * (points @ camera.axes[:2].T)


def _outline(shape: Shape, X: Array, camera: Camera) -> Array:
    """Points of a shape in the world whose hull is what is seen of it."""
    if isinstance(shape, Box):
        local = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, 8).T * shape.size
    elif isinstance(shape, Cylinder):
        ring = shape.radius * np.column_stack([np.cos(ROUND), np.sin(ROUND), 0 * ROUND])
        local = np.concatenate([ring + np.array([0, 0, z]) for z in (-shape.length / 2, shape.length / 2)])
    elif isinstance(shape, Sphere):
        right, up, _ = shape.radius * camera.axes
        return np.outer(np.cos(ROUND), right) + np.outer(np.sin(ROUND), up) + X[:3, 3]
    else:
        raise TypeError(f"{type(shape).__name__} is not drawn here")
    return local @ X[:3, :3].T + X[:3, 3]


def _hull(points: Array) -> Array:
    """Convex hull in the plane, by Andrew's monotone chain."""
    ordered = sorted({(float(x), float(y)) for x, y in points.round(9)})

    def half(these: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for x, y in these:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


# --- figures --------------------------------------------------------------------------------------------------------


def scene(ax: Any, title: str = "") -> None:
    """Axes for a drawing: the same scale both ways, lengths in mm."""
    ax.set_aspect("equal")
    ax.grid(False)
    ax.set_facecolor("#f7f8fa")
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0)
    titled(ax, title, "x [mm]", "z [mm]")


def bare(ax: Any) -> None:
    """No numbers round a drawing that shows its scale by itself."""
    ax.set(xticks=[], yticks=[], xlabel="", ylabel="")


def titled(ax: Any, title: str, x: str = "time [s]", y: str = "") -> None:
    ax.set_title(title, loc="left", fontsize=9.5, color=INK, pad=6)
    ax.set_xlabel(x)
    ax.set_ylabel(y)


def ruler(ax: Any, length: float = 50.0) -> None:
    """A bar of so many mm in the lower left corner."""
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    x, y = x0 + 0.04 * (x1 - x0), y0 + 0.06 * (y1 - y0)
    ax.plot([x, x + length], [y, y], color=SOFT, linewidth=2, solid_capstyle="butt")
    ax.text(x + length / 2, y + 0.02 * (y1 - y0), f"{length:.0f} mm", color=SOFT, ha="center", va="bottom", fontsize=8)


def save(figure: Any, script: str) -> None:
    """Under the script's own name, in out/ or in the folder that the command line gives."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CHECKOUT / "out"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{Path(script).stem}.png"
    picture = BytesIO()
    figure.savefig(picture, dpi=110, facecolor="white", bbox_inches="tight", pad_inches=0.12)
    colours = Image.open(picture).convert("RGB").quantize(160, dither=Image.Dither.NONE)  # a third of the bytes
    colours.save(path, optimize=True)
    print(path)
