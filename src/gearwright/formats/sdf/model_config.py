"""model.config: which of a model's SDFormat files a model:// address means, as Gazebo chooses it."""

from __future__ import annotations

from pathlib import Path

from gearwright.formats.sdf.version import LATEST, Version, parsed_version
from gearwright.formats.xml.file_bytes import bounded
from gearwright.formats.xml.located_xml import Element, parse

CONFIGS = ("model.config", "manifest.xml")  # the second is Gazebo's older name
FALLBACK = "model.sdf"
MAX_ELEMENTS = 1000  # a name, authors, a description and a few files


def is_model_folder(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (*CONFIGS, FALLBACK))


def model_file(folder: Path, include: Element) -> Path | None:
    """The file of the highest version that is not newer than what is read here; None with the reason in the report."""
    config = next((folder / name for name in CONFIGS if (folder / name).is_file()), None)
    if config is None:
        return folder / FALLBACK
    try:
        root = parse(bounded(config), str(config), include.report, MAX_ELEMENTS)
    except OSError as error:
        include.error("include-not-found", f"{str(config)!r} cannot be read: {error}")
        return None
    if root is None:
        return None
    files = [e for e in root.all("sdf") if e.words] if root.tag == "model" else []
    if not files:
        root.error("include-not-found", f"{config.name} names no <sdf> file")
        return None
    return folder / _best(files).words


def _best(files: list[Element]) -> Element:
    """The first where no version can be read, or all are newer, as libsdformat does."""
    best, version = files[0], (0, 0)
    for e in files:
        found: Version | None = parsed_version(e.get("version"))
        if found is None and not e.words.lower().endswith(".urdf"):  # which is of no version of SDFormat
            e.warning("version-unknown", f"<sdf> of {Path(e.file).name} has no version that can be read")
        elif found is not None and version < found <= LATEST:
            best, version = e, found
    return best
