"""The one entry: a file or a text to a mechanism. The root element decides which reader takes it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from gearwright.diagnostics import Report, Source
from gearwright.errors import LoadError
from gearwright.formats import sdf, urdf
from gearwright.formats.draft import Base, Draft
from gearwright.formats.includes import Library
from gearwright.formats.leftovers import report_unread
from gearwright.formats.located_xml import MAX_BYTES, Element, parse
from gearwright.formats.plugins import PluginPolicy
from gearwright.formats.xacro_files import expand, is_xacro
from gearwright.model import Mechanism

PathLike = str | os.PathLike[str]
Plugins = Literal["trust"] | Sequence[PathLike] | None


def load(
    path: PathLike, *, base: Base | None = None, plugins: Plugins = None, model: str | None = None,
    search_path: Sequence[PathLike] = (), cut: Sequence[str] = (),
) -> Mechanism:  # fmt: skip
    """Reads a robot from an SDFormat, URDF or xacro file.

    base         "floating" or "fixed": whether what hangs on nothing floats; by default an SDF model does, a URDF's
                 root does not
    plugins      code that the file names runs only if allowed: "trust", or a list of folders it may come from
    model        which model of a world, by name; "*" for all of them as one mechanism
    search_path  folders for model:// and package:// addresses; GEARWRIGHT_PATH is looked through after them
    cut          joints at which kinematic loops are to be cut

    Raises LoadError, with all diagnostics, if the file has errors.
    """
    report = Report()
    file = Path(path)
    data = _read(file, report)
    if data is None:
        raise LoadError(report)
    return _load(data, str(path), file, report, base, plugins, model, search_path, cut)


def loads(
    text: str | bytes, *, base: Base | None = None, plugins: Plugins = None, model: str | None = None,
    search_path: Sequence[PathLike] = (), cut: Sequence[str] = (), name: str = "<string>",
) -> Mechanism:  # fmt: skip
    """Reads a robot from a text; arguments as for `load`. `name` stands for the file in diagnostics."""
    data = text.encode("utf-8", errors="surrogatepass") if isinstance(text, str) else text
    return _load(data, name, None, Report(), base, plugins, model, search_path, cut)


def _read(file: Path, report: Report) -> bytes | None:
    source = Source(file=str(file), line=0)
    try:
        if not file.is_file():
            what = "is not a file" if file.exists() else "does not exist"
            report.error("file-unreadable", f"{str(file)!r} {what}", source)
            return None
        if file.stat().st_size > MAX_BYTES:
            report.error("file-unreadable", f"the file is larger than {MAX_BYTES // 2**20} MiB", source)
            return None
        return file.read_bytes()
    except (OSError, ValueError) as error:
        report.error("file-unreadable", f"{str(file)!r} cannot be read: {error}", source)
        return None


def _load(
    data: bytes, name: str, file: Path | None, report: Report, base: Base | None, plugins: Plugins, model: str | None,
    search_path: Sequence[PathLike], cut: Sequence[str],
) -> Mechanism:  # fmt: skip
    root = _root(data, name, file, report)
    if root is None:
        raise LoadError(report)
    draft = Draft(report)
    policy = PluginPolicy(trust=plugins == "trust", folders=() if plugins is None or plugins == "trust" else tuple(map(Path, plugins)))
    if root.tag == "robot":
        urdf.read_robot(root, draft, policy)
        ignored = urdf.IGNORED
    elif root.tag in ("sdf", "model"):
        library = Library.of(file.parent.absolute() if file else None, search_path, report)
        sdf.read_sdf(root, draft, policy, library, model)
        ignored = sdf.IGNORED
    else:
        root.error("format-unknown", f"the root element is <{root.tag}>; it must be <sdf> or <robot>")
        raise LoadError(report)
    report_unread(root, ignored)
    return draft.finish(base, root, tuple(cut))


def _root(data: bytes, name: str, file: Path | None, report: Report) -> Element | None:
    if file is not None and file.suffix == ".xacro":
        expanded = expand(file, report)
        return None if expanded is None else parse(expanded, name, report)
    root = parse(data, name, report)
    if root is not None and root.tag == "urdf" and len(root.children) == 1:  # seen in joint_state_publisher's files
        root.warning("xml-lenient", "<robot> stands inside <urdf>; it is taken as the root")
        root = root.children[0]
        root.parent = None
    if root is not None and root.tag == "robot" and is_xacro(root):
        if file is None:
            root.error("xacro-missing", "a xacro text; only files can be expanded")
            return None
        expanded = expand(file, report)
        return None if expanded is None else parse(expanded, name, report)
    return root
