"""Packages beside this one, as an installer leaves them in a folder."""

from collections.abc import Mapping
from pathlib import Path


def install(folder: Path, name: str, entry_points: str, modules: Mapping[str, str] | None = None) -> None:
    """A distribution of that name with these entry points, and these files in its import path."""
    for path, text in (modules or {}).items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
