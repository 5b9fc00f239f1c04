"""Reads mesh files in a process of its own, so that a hostile one costs a bounded time and memory and no crash.

A request is a line of JSON with the path. The answer is eight bytes of length, and so many bytes: JSON with the error,
or a zero, the corners of the bounding box (six doubles), and a binary glTF.
"""

from __future__ import annotations

import json
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from gearwright.optional import install_line

MEMORY = 4 << 30  # bytes of address space of the process
MOST_TRIANGLES = 3_000_000
ROUGHNESS, METALNESS = 0.75, 0.0  # of surfaces whose file says nothing of either: paint, not chrome


def read(path: Path) -> bytes:
    """The answer for a file."""
    import numpy as np
    import trimesh

    loaded: Any = trimesh.load_scene(path, process=False)
    for name in [n for n, g in loaded.geometry.items() if not len(getattr(g, "faces", ()))]:
        loaded.delete_geometry(name)  # points and lines
    triangles = sum(len(g.faces) for g in loaded.geometry.values())
    if not triangles:
        return _refusal("has no triangles")
    if triangles > MOST_TRIANGLES:
        return _refusal(f"has {triangles} triangles; at most {MOST_TRIANGLES} are shown")
    unit = _metres(loaded)
    if unit != 1.0:
        loaded.apply_transform(np.diag([unit, unit, unit, 1.0]))
    bounds = np.asarray(loaded.bounds, float)
    if bounds.shape != (2, 3) or not np.isfinite(bounds).all():
        return _refusal("has no finite size")
    for geometry in loaded.geometry.values():
        _paint(geometry)
    return b"\0" + bounds.tobytes() + bytes(loaded.export(file_type="glb"))


def _metres(scene: Any) -> float:
    """Metres of a COLLADA file's unit. Its up axis is left alone, as other viewers of robots do."""
    for geometry in scene.geometry.values():
        factor, _, unit = str(geometry.metadata.get("units", "")).partition(" * ")
        if unit == "meters":
            return float(factor)
    return 1.0


def _paint(geometry: Any) -> None:
    """glTF takes a surface for bare metal where nothing is said."""
    visual = geometry.visual
    material = getattr(visual, "material", None)
    if material is None:
        return
    if hasattr(material, "to_pbr"):
        material = visual.material = material.to_pbr()
        material.metallicFactor, material.roughnessFactor = METALNESS, ROUGHNESS
    if getattr(material, "metallicFactor", None) is None:
        material.metallicFactor = METALNESS


def _refusal(why: str) -> bytes:
    return json.dumps(why).encode()


def _answer(line: str) -> bytes:
    try:
        return read(Path(json.loads(line)))
    except ImportError as error:
        return _refusal(f"needs {error.name}, which is not installed; run: {install_line(str(error.name))}")
    except MemoryError:
        return _refusal("needs more memory than a mesh is given")
    except Exception as error:  # readers of foreign files raise anything
        return _refusal(f"cannot be read: {type(error).__name__}: {str(error)[:120]}")


def main() -> None:
    with suppress(ImportError, ValueError, OSError):  # a system without such limits is left with the time limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # whatever a reader prints goes elsewhere
    for line in sys.stdin:
        answer = _answer(line)
        out.write(struct.pack("<Q", len(answer)) + answer)
        out.flush()


if __name__ == "__main__":
    main()
