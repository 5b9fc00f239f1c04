"""The shapes of a robot's links as Foxglove's SceneUpdate, each fixed to its link's frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Vector = tuple[float, float, float]
GREY = (0.72, 0.74, 0.78, 1.0)
LISTS = {"box": "cubes", "sphere": "spheres", "cylinder": "cylinders", "cone": "cylinders", "mesh": "models"}
EMPTY = ("metadata", "arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models")


@dataclass(frozen=True, kw_only=True)
class SceneShape:
    """A box, sphere (an ellipsoid), cylinder, cone or mesh on a link."""

    link: str
    kind: str
    size: Vector  # [m]; of a mesh its scale
    position: Vector = (0.0, 0.0, 0.0)  # [m]
    orientation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)  # w, x, y, z
    rgba: tuple[float, float, float, float] | None = None
    uri: str = ""


def scene_update(shapes: tuple[SceneShape, ...], timestamp: dict[str, int]) -> dict[str, Any]:
    """One entity a link."""
    by_link: dict[str, list[SceneShape]] = {}
    for shape in shapes:
        by_link.setdefault(shape.link, []).append(shape)
    return {"deletions": [], "entities": [_entity(link, own, timestamp) for link, own in by_link.items()]}


def _entity(link: str, shapes: list[SceneShape], timestamp: dict[str, int]) -> dict[str, Any]:
    entity: dict[str, Any] = {
        "timestamp": timestamp, "frame_id": link, "id": link, "lifetime": {"sec": 0, "nsec": 0}, "frame_locked": True,
        **{name: [] for name in EMPTY},
    }  # fmt: skip
    for shape in shapes:
        entity[LISTS[shape.kind]].append(_primitive(shape))
    return entity


def _primitive(shape: SceneShape) -> dict[str, Any]:
    w, x, y, z = shape.orientation
    pose = {"position": _xyz(shape.position), "orientation": {"x": x, "y": y, "z": z, "w": w}}
    colour = dict(zip("rgba", shape.rgba or GREY, strict=True))
    if shape.kind == "mesh":
        model = {"url": shape.uri, "media_type": "", "data": "", "override_color": shape.rgba is not None}
        return {"pose": pose, "scale": _xyz(shape.size), "color": colour, **model}
    solid = {"pose": pose, "size": _xyz(shape.size), "color": colour}
    if LISTS[shape.kind] == "cylinders":
        solid |= {"bottom_scale": 1.0, "top_scale": 0.0 if shape.kind == "cone" else 1.0}
    return solid


def _xyz(vector: Vector) -> dict[str, float]:
    return dict(zip("xyz", map(float, vector), strict=True))
