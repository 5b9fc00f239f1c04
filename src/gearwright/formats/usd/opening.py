"""Opens USD files: text that stands by itself is read here; binary files and composed ones need usd-core."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gearwright.diagnostics import Report, Source
from gearwright.formats.usd.heads import TEXT
from gearwright.formats.usd.stage import RIGID
from gearwright.formats.usd.text import COMPOSING, parse_usd
from gearwright.formats.xml.file_bytes import MAX_BYTES
from gearwright.formats.xml.located_xml import Element
from gearwright.optional import missing_package

ENDINGS = (".usd", ".usda", ".usdc", ".usdz")
MESH_ENDINGS = (*ENDINGS, ".obj", ".stl", ".dae", ".glb", ".gltf")


def usd_root(data: bytes, name: str, file: Path | None, report: Report) -> Element | None:
    """The stage as elements, everything it refers to in it."""
    if data.startswith(TEXT):
        root = parse_usd(data, name, report)
        composed = None if root is None else next(_composed(root, top=True), None)
        if root is None or composed is None:
            return root
        reason = f"it is composed of several parts ({composed} at line {root.line})"
    else:
        reason = "it is a binary file"
    flat = _flattened(name, file, report, reason)
    return None if flat is None else parse_usd(flat, name, report)


def _composed(e: Element, *, top: bool = False, in_body: bool = False) -> Iterator[str]:
    """Names of what composes the stage. A reference below a rigid body is a mesh, which needs not be opened."""
    for name in COMPOSING:
        text = e.attributes.get(f"@{name}")
        is_mesh = name == "references" and in_body and not e.children and (text or "").lower().endswith(MESH_ENDINGS)
        if text is not None and not is_mesh:
            yield name
    within = in_body or RIGID in e.attributes.get("@apiSchemas", "")
    for child in e.children:
        yield from _composed(child, in_body=within)


def _flattened(name: str, file: Path | None, report: Report, reason: str) -> bytes | None:
    """The text of the composed stage, by usd-core."""
    source = Source(file=name, line=0)
    if file is None:
        report.error("file-unreadable", f"{reason}, and can only be read from its path: use load(path)", source)
        return None
    try:
        from pxr import Tf, Usd
    except ImportError:
        what = f"{reason}; {missing_package('pxr', 'opening it')}"
        report.error("file-unreadable", what, source)
        return None
    try:
        stage: Any = Usd.Stage.Open(str(file))
        for _ in range(100):  # instances inside of instances
            instances = [p for p in stage.Traverse() if p.IsInstance()]
            for prim in instances:
                prim.SetInstanceable(False)
            if not instances:
                break
        text: str = stage.Flatten().ExportToString()
    except Tf.ErrorException as error:
        first = str(error).strip().splitlines()[-1:] or ["unknown"]
        report.error("usd-malformed", f"usd-core cannot open {name!r}: {first[0].strip()[:200]}", source)
        return None
    if len(text) > MAX_BYTES:
        report.error("xml-unsafe", f"the composed stage is larger than {MAX_BYTES // 2**20} MiB", source)
        return None
    return text.encode("utf-8")
