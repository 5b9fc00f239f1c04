"""Foxglove's message schemas that a recording uses, as JSON schemas by their well-known names.

The fields are those of its documentation (docs.foxglove.dev, "Message schemas").
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
NUMBER, TEXT, FLAG = {"type": "number"}, {"type": "string"}, {"type": "boolean"}


def record(properties: dict[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    """An object with these properties, all required but the optional ones."""
    return {"type": "object", "properties": properties, "required": [p for p in properties if p not in optional]}


def several(item: Schema) -> Schema:
    return {"type": "array", "items": item}


WHOLE = {"type": "integer", "minimum": 0}
TIMESTAMP = record({"sec": WHOLE, "nsec": WHOLE | {"maximum": 999_999_999}})
DURATION = record({"sec": {"type": "integer"}, "nsec": WHOLE})
VECTOR = record(dict.fromkeys("xyz", NUMBER))
QUATERNION = record(dict.fromkeys("xyzw", NUMBER))
POSE = record({"position": VECTOR, "orientation": QUATERNION})
COLOUR = record(dict.fromkeys("rgba", NUMBER))

JOINT_STATE = record(
    {"name": TEXT, "position": NUMBER, "velocity": NUMBER, "acceleration": NUMBER, "effort": NUMBER},
    optional=("position", "velocity", "acceleration", "effort"),
)
JOINT_STATES = record({"timestamp": TIMESTAMP, "joints": several(JOINT_STATE)})

FRAME_TRANSFORM = record(
    {
        "timestamp": TIMESTAMP,
        "parent_frame_id": TEXT,
        "child_frame_id": TEXT,
        "translation": VECTOR,
        "rotation": QUATERNION,
    }
)
FRAME_TRANSFORMS = record({"transforms": several(FRAME_TRANSFORM)})

SOLID = {"pose": POSE, "size": VECTOR, "color": COLOUR}
CYLINDER = {**SOLID, "bottom_scale": NUMBER, "top_scale": NUMBER}
MODEL = {
    "pose": POSE, "scale": VECTOR, "color": COLOUR, "override_color": FLAG, "url": TEXT, "media_type": TEXT,
    "data": TEXT,
}  # fmt: skip
ENTITY = record(
    {
        "timestamp": TIMESTAMP, "frame_id": TEXT, "id": TEXT, "lifetime": DURATION, "frame_locked": FLAG,
        "metadata": several(record({"key": TEXT, "value": TEXT})), "arrows": several({"type": "object"}),
        "cubes": several(record(SOLID)), "spheres": several(record(SOLID)), "cylinders": several(record(CYLINDER)),
        "lines": several({"type": "object"}), "triangles": several({"type": "object"}),
        "texts": several({"type": "object"}), "models": several(record(MODEL)),
    }
)  # fmt: skip
DELETION = record({"timestamp": TIMESTAMP, "type": WHOLE, "id": TEXT})
SCENE_UPDATE = record({"deletions": several(DELETION), "entities": several(ENTITY)})

SCHEMAS: dict[str, Schema] = {
    "foxglove.JointStates": JOINT_STATES,
    "foxglove.FrameTransforms": FRAME_TRANSFORMS,
    "foxglove.SceneUpdate": SCENE_UPDATE,
}
for _name, _schema in SCHEMAS.items():
    _schema["title"] = _name


def titled(title: str, numbers: dict[str, str]) -> Schema:
    """A schema of our own: a timestamp, and numbers with their units."""
    fields = {name: NUMBER | {"description": unit} for name, unit in numbers.items()}
    return record({"timestamp": TIMESTAMP, **fields}) | {"title": title}
