"""Colours inside a binary glTF: its JSON is changed, its numbers are left alone."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

MAGIC, JSON = b"glTF", b"JSON"
ROUGHNESS = 0.75


def painted(glb: bytes, rgba: tuple[float, float, float, float]) -> bytes:
    """Everything in one colour, without textures."""
    *rgb, opacity = rgba
    colour = [*(_linear(c) for c in rgb), opacity]
    surface = {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS}
    material: dict[str, Any] = {"pbrMetallicRoughness": surface, "doubleSided": True}
    if opacity < 1:
        material["alphaMode"] = "BLEND"

    def change(tree: dict[str, Any]) -> None:
        tree["materials"] = [material]
        for unused in ("textures", "images", "samplers"):
            tree.pop(unused, None)
        for mesh in tree.get("meshes", ()):
            for primitive in mesh.get("primitives", ()):
                primitive["material"] = 0
                for name in ("COLOR_0", "TEXCOORD_0"):
                    primitive.get("attributes", {}).pop(name, None)

    return _changed(glb, change)


def linearised(glb: bytes) -> bytes:
    """Colours of a file that means them as a screen shows them (COLLADA, OBJ), for glTF, which counts light."""

    def change(tree: dict[str, Any]) -> None:
        for material in tree.get("materials", ()):
            material["doubleSided"] = True
            surface = material.get("pbrMetallicRoughness", {})
            if (colour := surface.get("baseColorFactor")) and len(colour) == 4:
                surface["baseColorFactor"] = [*(_linear(c) for c in colour[:3]), colour[3]]

    return _changed(glb, change)


def _linear(c: float) -> float:
    """sRGB to light."""
    c = min(1.0, max(0.0, c))
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def _changed(glb: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The file with its first chunk changed: header, then chunks of length, kind and bytes."""
    length, kind = struct.unpack_from("<I4s", glb, 12)
    if glb[:4] != MAGIC or kind != JSON:
        raise ValueError("not a binary glTF")
    tree, rest = json.loads(glb[20 : 20 + length]), glb[20 + length :]
    change(tree)
    text = json.dumps(tree, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", MAGIC, 2, 20 + len(text) + len(rest))
    return head + struct.pack("<I4s", len(text), JSON) + text + rest
