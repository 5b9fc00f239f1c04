"""Reads mesh files in a process of its own, so that a hostile one costs a bounded time and memory and no crash.

A request is a line of JSON with the path, and with the folders in which files may lie that the mesh names: materials,
textures, buffers. The answer is eight bytes of length, and so many bytes: JSON with the error,
or a zero, the corners of the bounding box (six doubles), and a binary glTF. Where the request wants "points", it is a
zero and the extreme ones of a mesh (three doubles each); where it wants "heights", a zero, the number of rows, and the
brightness of an image's pixels (doubles from 0 to 1).
"""

from __future__ import annotations

import io
import json
import re
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from gearwright.optional import install_line

MEMORY = 4 << 30  # bytes of address space of the process
MOST_TRIANGLES = 3_000_000
MOST_PIXELS = 16_000_000
DIRECTIONS = 2000  # in which a hull is looked at
LARGEST = 100 << 20  # bytes of a file
ENCODINGS = ("utf-8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "latin-1", "latin1", "windows-1252")
ROUGHNESS, METALNESS = 0.75, 0.0  # of surfaces whose file says nothing of either: paint, not chrome


class Companions:
    """The files that a mesh names, for trimesh: those below `roots`, links followed, and no others."""

    def __init__(self, path: Path, roots: Sequence[Path]) -> None:
        self._folder, self._roots = path.parent, roots
        self.file_name = path.name

    def get(self, name: str) -> bytes:
        text = name.strip()
        plain = unquote(text).replace("\\", "/")
        for spelling in dict.fromkeys((text, plain, PurePosixPath(plain).name)):
            path = (self._folder / spelling).resolve()
            if any(path.is_relative_to(root) for root in self._roots) and path.is_file():
                if path.stat().st_size > LARGEST:
                    raise ValueError(f"{name!r:.60} is larger than {LARGEST >> 20} MiB")
                return path.read_bytes()
        raise FileNotFoundError(f"{name!r:.60} is not in the folders of the model")

    __getitem__ = get

    def keys(self) -> Iterator[str]:
        return iter(())

    def namespaced(self, namespace: str) -> Companions:
        return Companions(self._folder / namespace / self.file_name, self._roots)


def read(path: Path, roots: Sequence[Path]) -> bytes:
    """The answer for a file that is to be seen."""
    import numpy as np

    loaded = _scene(path, roots)
    if isinstance(loaded, bytes):
        return loaded
    bounds = np.asarray(loaded.bounds, float)
    if bounds.shape != (2, 3) or not np.isfinite(bounds).all():
        return _refusal("has no finite size")
    for geometry in loaded.geometry.values():
        _paint(geometry)
    return b"\0" + bounds.tobytes() + bytes(loaded.export(file_type="glb"))


def read_points(path: Path, roots: Sequence[Path]) -> bytes:
    """The points that are the farthest in one of many directions."""
    import numpy as np

    loaded = _scene(path, roots)
    if isinstance(loaded, bytes):
        return loaded
    points = np.asarray(loaded.to_mesh().vertices, float)
    if not np.isfinite(points).all():
        return _refusal("has points that are not finite")
    k = np.arange(DIRECTIONS) + 0.5
    z, turn = 1 - 2 * k / DIRECTIONS, np.pi * (1 + 5**0.5) * k
    around = np.column_stack([np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z])
    farthest = {int((points @ d).argmax()) for d in (*np.eye(3), *-np.eye(3), *around)}
    return b"\0" + points[sorted(farthest)].tobytes()


def read_heights(path: Path, roots: Sequence[Path]) -> bytes:
    """Rows of an image from its top, as brightness."""
    import numpy as np
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    with Image.open(path) as image:
        if image.width * image.height > MOST_PIXELS:
            return _refusal(f"has {image.width}×{image.height} pixels; at most {MOST_PIXELS} are read")
        deep = image.mode.startswith("I")
        pixels = np.asarray(image if deep else image.convert("L"), float) / (65535.0 if deep else 255.0)
    return b"\0" + struct.pack("<Q", len(pixels)) + pixels.tobytes()


def _scene(path: Path, roots: Sequence[Path]) -> Any:
    """What a file shows, in metres, or the reason why it cannot be had."""
    import numpy as np
    import trimesh

    kind, data = path.suffix[1:].lower(), path.read_bytes()
    if kind == "dae":
        data = _plain_xml(data)
    companions: Any = Companions(path, roots)
    loaded: Any = trimesh.load_scene(io.BytesIO(data), file_type=kind, resolver=companions, process=False)
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
    return loaded


def _plain_xml(data: bytes) -> bytes:
    """A COLLADA file as UTF-8. One with a DTD is refused: its entities could read other files."""
    head = data[:200].replace(b"\0", b"")
    declared = re.search(rb"""^[^<]{0,4}<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)""", head)
    name = declared[1].decode().lower() if declared else "utf-8"
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    if name not in ENCODINGS or wide != (name == "utf-16"):
        raise ValueError(f"the encoding {name[:40]!r} is not read")
    text = re.sub(r"^\ufeff?\s*<\?xml.*?\?>", "", data.decode(name), count=1, flags=re.DOTALL)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("a document type is not accepted")
    return text.encode()


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
        request = json.loads(line)
        wanted = {"points": read_points, "heights": read_heights}.get(request.get("want", ""), read)
        return wanted(Path(request["path"]), [Path(root) for root in request["roots"]])
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
