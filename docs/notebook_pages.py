"""Notebooks as pages of the site: executed, with what they print and draw. `make_site.py` calls `write_page`."""

from __future__ import annotations

import re
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

PICTURES = {"image/png": "png", "image/gif": "gif"}
TIMEOUT = 600  # [s] of one cell


def executed(notebook: Path) -> Any:
    """The notebook with the outputs of its cells, run in an empty folder. Raises if a cell does."""
    found = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(found, timeout=TIMEOUT, resources={"metadata": {"path": folder}}).execute()
    return found


def write_page(notebook: Path) -> None:
    """Writes the page beside the notebook, and its pictures."""
    parts = [
        part for n, cell in enumerate(executed(notebook).cells) for part in _parts(cell, notebook.with_suffix(""), n)
    ]
    parts.insert(1, f"[Download this notebook]({notebook.name}){{ download }}")
    notebook.with_suffix(".md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _parts(cell: Any, stem: Path, n: int) -> Iterator[str]:
    if cell.cell_type == "markdown":
        title, _, text = cell.source.partition("\n")
        yield title
        if text.strip():
            yield text.strip()
        return
    yield f"```python\n{cell.source}\n```"
    for k, output in enumerate(cell.outputs):
        yield _shown(output, stem.with_name(f"{stem.name}-{n}-{k}"))


def _shown(output: Any, file: Path) -> str:
    """A picture, a table or text; a viewer, whose server is gone, as its text."""
    data = output.get("data", {})
    for kind, suffix in PICTURES.items():
        if kind in data:
            picture = file.with_suffix(f".{suffix}")
            picture.write_bytes(b64decode(data[kind]))
            return f"![{data.get('text/plain', 'output')}]({picture.name})"
    html = "".join(data.get("text/html", ""))
    if html and "<iframe" not in html:
        return "<div>" + re.sub(r"\s*\n\s*", " ", html) + "</div>"
    return f"```text\n{(output.get('text') or data['text/plain']).rstrip()}\n```"
