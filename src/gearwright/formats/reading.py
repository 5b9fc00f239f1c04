"""Entry point: a file or a text to a mechanism. The root element selects the reader."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from gearwright.diagnostics import Report, Source, first_of
from gearwright.errors import LoadError, LoadWarning, ModelError, nearest, warn
from gearwright.formats.draft import Base, Draft
from gearwright.formats.paths.includes import Library
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.usd.heads import is_usd
from gearwright.formats.xacro import XacroOptions, expand, is_xacro
from gearwright.formats.xml.file_bytes import beginning, bounded
from gearwright.formats.xml.leftovers import report_unread
from gearwright.formats.xml.located_xml import Element, parse
from gearwright.given_names import checked_name, checked_names
from gearwright.model import Mechanism

PathLike = str | os.PathLike[str]
Closures = PathLike | Sequence[Any] | Mapping[str, Any]
Plugins = Literal["trust"] | Sequence[PathLike] | None
RECORDED = (b"\x89MCAP", b"PAR1", b"PK\x03\x04")  # heads of recordings
SAVED = b"gearwright simulation "  # the head of what `Simulation.save` writes


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How a file is to be read; see `load`."""

    base: Base | None = None
    plugins: Plugins = None
    model: str | None = None
    search_path: Sequence[PathLike] = ()
    cut: Sequence[str] = ()
    closures: Closures | None = None
    srdf: PathLike | None = None
    xacro_args: Mapping[str, object] = field(default_factory=dict)
    xacro_env: Sequence[str] = ()
    strict: bool = False

    def __post_init__(self) -> None:
        if self.base is not None and not (isinstance(self.base, str) and self.base in ("floating", "fixed")):
            raise ModelError(f"base must be 'floating' or 'fixed', not {self.base!r:.60}")
        trusted = self.plugins is None or (isinstance(self.plugins, str) and self.plugins == "trust")
        if not (trusted or _is_list(self.plugins, str | os.PathLike)):
            raise ModelError(f"plugins must be 'trust' or a list of folders, not {self.plugins!r:.60}")
        if self.closures is not None and not isinstance(self.closures, str | os.PathLike | Mapping | Sequence):
            raise ModelError(f"closures must be the path of a file, or a list of closures, not {self.closures!r:.60}")
        if self.srdf is not None and not isinstance(self.srdf, str | os.PathLike):
            raise ModelError(f"srdf must be the path of a file, not {self.srdf!r:.60}")
        for name, given in {"search_path": self.search_path, "xacro_env": self.xacro_env}.items():
            if isinstance(given, (str, bytes, os.PathLike)):
                raise ModelError(f"{name} must be a list, not {given!r}; write [{given!r}]")
            if not _is_list(given, str if name == "xacro_env" else str | os.PathLike):
                raise ModelError(f"{name} must be a list of {KINDS[name]}, not {given!r:.60}")
        checked_names("cut", self.cut)
        if self.model is not None:
            checked_name("a model", self.model)
        if not isinstance(self.xacro_args, Mapping) or not all(isinstance(n, str) for n in self.xacro_args):
            raise ModelError(f"xacro_args must be a dictionary of names and values, not {self.xacro_args!r}")

    @property
    def policy(self) -> PluginPolicy:
        if self.plugins is None or isinstance(self.plugins, str):
            return PluginPolicy(trust=self.plugins == "trust")
        return PluginPolicy(folders=tuple(map(Path, self.plugins)))

    @property
    def xacro(self) -> XacroOptions:
        return XacroOptions(arguments=self.xacro_args, search_path=self.search_path, environment=self.xacro_env)


KINDS = {"search_path": "folders", "xacro_env": "names of environment variables"}


def _is_list(given: object, kind: Any) -> bool:
    if not isinstance(given, Sequence | Set) or isinstance(given, str | bytes):
        return False
    return all(isinstance(each, kind) for each in given)


def load(
    path: PathLike, *, base: Base | None = None, plugins: Plugins = None, model: str | None = None,
    search_path: Sequence[PathLike] = (), cut: Sequence[str] = (), closures: Closures | None = None,
    srdf: PathLike | None = None, xacro_args: Mapping[str, object] | None = None, xacro_env: Sequence[str] = (),
    strict: bool = False,
) -> Mechanism:  # fmt: skip
    """Reads a robot from an SDFormat, URDF, xacro, MJCF or USD file.

    base         "floating" or "fixed": how links without a parent joint are connected to the world; by default an
                 SDF model floats, a URDF's root is fixed
    plugins      allows code that the file names to run: "trust", or a list of folders it may come from
    model        which model of a world, by name; "*" for all of them as one mechanism, the default if several move.
                 If one moves, it is loaded with the static ones around it
    search_path  folders for model:// and package:// addresses and $(find …); after them come those of GEARWRIGHT_PATH,
                 ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and GZ_SIM_RESOURCE_PATH
    cut          joints that are to close their kinematic loops
    closures     loop-closing joints, for which URDF has no element: a YAML or XML file, or a list of closures
    srdf         MoveIt's file of the robot: links that it mentions touch each other, except for its
                 <disable_collisions> and neighbours. An SRDF beside the robot (NAME.srdf) only excludes pairs
    xacro_args   values for the xacro:arg elements of a xacro file
    xacro_env    names of environment variables that a xacro file may read
    strict       True: every faulty part is an error. By default, parts that the mechanism does not depend on (a
                 transmission of a joint that does not exist, a shape that cannot be read) are left out, with a warning

    Raises LoadError, with all diagnostics, if the file has errors.
    """
    options = ReadingOptions(
        base=base, plugins=plugins, model=model, search_path=search_path, cut=cut, closures=closures,
        srdf=srdf, xacro_args={} if xacro_args is None else xacro_args, xacro_env=xacro_env, strict=strict,
    )  # fmt: skip
    if not isinstance(path, str | os.PathLike):
        raise ModelError(f"load takes the path of a file, or the name of a bundled robot, not {path!r:.60}")
    report = Report(strict=strict)
    file, name = _bundled(path)
    data = _read(file, name, report)
    root = None if data is None else _root(data, name, file, report, options)
    return _surfaced(_mechanism(root, file, report, options), name)


def loads(
    text: str | bytes, *, base: Base | None = None, plugins: Plugins = None, model: str | None = None,
    search_path: Sequence[PathLike] = (), cut: Sequence[str] = (), closures: Closures | None = None,
    srdf: PathLike | None = None, xacro_args: Mapping[str, object] | None = None, xacro_env: Sequence[str] = (),
    strict: bool = False,
    name: str = "<string>",
) -> Mechanism:  # fmt: skip
    """Reads a robot from a string, with the arguments of `load`. Diagnostics use `name` instead of a file name."""
    options = ReadingOptions(
        base=base, plugins=plugins, model=model, search_path=search_path, cut=cut, closures=closures,
        srdf=srdf, xacro_args={} if xacro_args is None else xacro_args, xacro_env=xacro_env, strict=strict,
    )  # fmt: skip
    _check_text(text)
    report = Report(strict=strict)
    data = text.encode("utf-8", errors="surrogatepass") if isinstance(text, str) else text
    return _surfaced(_mechanism(_root(data, name, None, report, options), None, report, options), name)


def _check_text(text: object) -> None:
    if not isinstance(text, str | bytes):
        hint = "; load(path) reads a file" if isinstance(text, os.PathLike) else ""
        raise ModelError(f"loads takes the text of a file, not {text!r:.60}{hint}")


def _surfaced(robot: Mechanism, name: str) -> Mechanism:
    """One Python warning for a file that has some; `warnings.filterwarnings("ignore", category=…)` silences it."""
    found = [d for d in robot.reported if d.severity == "warning"]
    if found:
        warn(first_of(found, name), LoadWarning)
    return robot


def load_as(data: bytes, path: PathLike, options: ReadingOptions) -> Mechanism:
    """Reads a robot from bytes as if the file at `path` held them: what they include is looked for beside it."""
    report = Report()
    return _mechanism(_root(data, os.fspath(path), None, report, options), Path(path), report, options)


def read_bytes(path: PathLike) -> bytes:
    """A file's bytes, bounded. Raises LoadError where it cannot be read."""
    report = Report()
    data = _read(Path(path), os.fspath(path), report)
    if data is None:
        raise LoadError(report)
    return data


def _mechanism(root: Element | None, file: Path | None, report: Report, options: ReadingOptions) -> Mechanism:
    """Calls the reader for the root element."""
    if root is None:
        raise LoadError(report)
    draft = Draft(report, search_path=tuple(os.fspath(p) for p in options.search_path))
    library = Library.of(file.parent.absolute() if file else None, options.search_path, report)
    if root.tag == "robot":
        from gearwright.formats.urdf import robot as urdf

        urdf.read_robot(root, draft, options.policy, library)
        ignored = urdf.IGNORED
    elif root.tag in ("sdf", "model"):
        from gearwright.formats.sdf import worlds as sdf

        sdf.read_sdf(root, draft, options.policy, library, options.model)
        ignored = sdf.IGNORED
    elif root.tag == "mujoco":
        from gearwright.formats.mjcf import robot as mjcf

        mjcf.read_mujoco(root, draft, library)
        ignored = mjcf.IGNORED
    elif root.tag == "usd":
        from gearwright.formats.usd import robot as usd

        usd.read_stage(root, draft, options.policy)
        ignored = {}
    else:
        root.error("format-unknown", f"the root element is <{root.tag}>; it must be <sdf>, <robot> or <mujoco>")
        raise LoadError(report)
    if options.closures is not None:
        from gearwright.formats.loops.closure_lists import read_closures

        read_closures(options.closures, draft)
    if options.srdf is not None or (root.tag == "robot" and file is not None):
        from gearwright.formats.srdf import read_srdf

        read_srdf(options.srdf, file, draft)
    if root.tag != "usd":  # which reports in a way of its own
        report_unread(root, ignored)
    return draft.finish(options.base, root, (options.cut,) if isinstance(options.cut, str) else tuple(options.cut))


def _bundled(path: PathLike) -> tuple[Path, str]:
    """A file and its name in diagnostics: a bundled robot by its name, where there is no file of that name."""
    from gearwright import robots

    if isinstance(path, str) and path.isidentifier() and path in robots.names() and not Path(path).exists():
        found = robots.path(path)
        return found, found.name
    return Path(path), os.fspath(path)


def _read(file: Path, name: str, report: Report) -> bytes | None:
    source = Source(file=name, line=0)
    try:
        if not file.is_file():
            what = "is not a file" if file.exists() else f"does not exist{_near_bundled(name)}"
            report.error("file-unreadable", f"{name!r} {what}", source)
            return None
        head = beginning(file, len(SAVED))
        if head.startswith(RECORDED) and not is_usd(head, file):
            what = f"is a recording: `gearwright view {name}` shows it, gearwright.Recording.open reads it"
            report.error("file-unreadable", f"{name!r} {what}", source)
            return None
        if head.startswith(SAVED):
            report.error("file-unreadable", f"{name!r} is a saved simulation: gearwright.open opens it", source)
            return None
        return bounded(file)
    except (OSError, ValueError) as error:
        report.error("file-unreadable", f"{name!r} cannot be read: {error}", source)
        return None


def _near_bundled(name: str) -> str:
    """For a name that could be meant as a bundled robot's: which there are."""
    from gearwright import robots

    if not name.isidentifier():
        return ""
    if name in robots.names():
        return f"; the bundled robot of this name is {robots.path(name)}"
    return nearest(name, robots.names()) or f"; bundled robots: {', '.join(robots.names())}"


def _root(data: bytes, name: str, file: Path | None, report: Report, options: ReadingOptions) -> Element | None:
    if is_usd(data, file):
        from gearwright.formats.usd.opening import usd_root

        return usd_root(data, name, file, report)
    if file is None or file.suffix != ".xacro":
        root = _unwrapped(parse(data, name, report))
        if root is None or root.tag != "robot" or not is_xacro(root):
            if root is not None and options.xacro_args:
                root.info("xacro-argument", "this is not a xacro file, so its arguments have no effect")
            return root
    return _unwrapped(expand(data, name, file, report, options.xacro))


def _unwrapped(root: Element | None) -> Element | None:
    """The <robot> inside an <urdf>, as in joint_state_publisher's files."""
    if root is None or root.tag != "urdf" or len(root.children) != 1:
        return root
    if root.report.first(("wrapped", root.file)):
        root.warning("xml-lenient", "<robot> is inside <urdf>; it is used as the root")
    root = root.children[0]
    root.parent = None
    return root
