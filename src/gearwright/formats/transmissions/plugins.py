"""Code that a model file names: loaded only if the caller allows it."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gearwright.errors import ModelError
from gearwright.formats.xml.located_xml import Element
from gearwright.model import CustomTransmission, LinearMap, TransmissionMap

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "gearwright.transmissions"
Size = tuple[int, int]  # actuators, joints
MAX_SIZE = 200  # of a map


@dataclass(frozen=True, kw_only=True)
class PluginPolicy:
    """Which code may run: none, the files below some folders, or any ("trust")."""

    trust: bool = False
    folders: tuple[Path, ...] = ()

    def transmission(self, e: Element, name: str, size: Size) -> TransmissionMap | None:
        """The user's own map that <mapping_plugin> names; None with the reason in the report."""
        plugin = e.child("mapping_plugin") or (e if e.tag == "plugin" else None)
        if plugin is None:
            e.error("element-missing", f"transmission {name!r} needs <mapping_plugin name=… filename=…>")
            return None
        entry, filename = plugin.get("name") or "", plugin.get("filename") or ""
        if filename.endswith((".so", ".dll", ".dylib")):
            return _identity_instead(plugin, name, filename, size)
        if not filename:
            return self._from_entry_point(plugin, entry, name, size)
        return self._from_file(plugin, filename, name, size)

    def _from_file(self, plugin: Element, filename: str, name: str, size: Size) -> TransmissionMap | None:
        path = Path(plugin.file).parent / filename
        try:
            path = path.resolve()
            inside = any(path.is_relative_to(f.resolve()) for f in self.folders)
            exists = path.is_file()
        except (OSError, RuntimeError, ValueError):
            inside = exists = False
        if not (self.trust or inside):
            plugin.error("plugin-untrusted", _untrusted(name, filename))
            return None
        if not exists:
            plugin.error("plugin-not-found", f"transmission {name!r}: there is no file {filename!r} beside the model")
            return None
        try:
            spec = importlib.util.spec_from_file_location(f"gearwright_plugin_{path.stem}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:  # the user's code may raise anything
            plugin.error("plugin-not-found", f"transmission {name!r}: {filename!r} cannot be loaded: {error!r}")
            return None
        return _made(plugin, module, name, size)

    @cached_property
    def _entry_points(self) -> tuple[EntryPoint, ...]:
        """Entry points of all installed packages, looked up once per file: the search takes milliseconds."""
        from importlib import metadata  # takes as long as a search

        return tuple(metadata.entry_points(group=GROUP))

    def _from_entry_point(self, plugin: Element, entry: str, name: str, size: Size) -> TransmissionMap | None:
        found = [p for p in self._entry_points if p.name == entry]
        if not found:
            plugin.error("plugin-not-found", f"transmission {name!r}: no entry point {entry!r} in group {GROUP!r}")
            return None
        if not self.trust:
            plugin.error("plugin-untrusted", _untrusted(name, f"entry point {entry}"))
            return None
        try:
            return _made(plugin, found[0].load(), name, size)
        except (Exception, SystemExit) as error:
            plugin.error("plugin-not-found", f"transmission {name!r}: entry point {entry!r} failed: {error!r}")
            return None


def _untrusted(name: str, what: str) -> str:
    return (
        f"transmission {name!r} names code ({what}), which is not run unless you allow it: "
        "load(path, plugins='trust'), plugins=[folders], or --plugins on the command line"
    )


def _made(plugin: Element, source: Any, name: str, size: Size) -> TransmissionMap | None:
    position, effort = getattr(source, "position", None), getattr(source, "effort", None)
    if callable(source) and position is None and effort is None:
        position = source
    try:
        if not callable(position or effort):
            raise ModelError("there is no function")
        return CustomTransmission(position=position, effort=effort, size=size)
    except ModelError as error:
        message = f"transmission {name!r}: {error}; define either position(q) or effort(a, q, v)"
        plugin.error("plugin-not-found", message)
        return None


def _identity_instead(plugin: Element, name: str, filename: str, size: Size) -> TransmissionMap | None:
    """The identity map, which is the base class's, in place of a compiled plugin."""
    message = f"transmission {name!r}: the compiled library {filename!r} cannot be loaded here"
    if size[0] != size[1] or not 0 < size[0] <= MAX_SIZE:
        plugin.error("plugin-not-found", f"{message}; {size[0]} actuators do not map one by one to {size[1]} joints")
        return None
    plugin.warning("plugin-not-found", f"{message}; actuators map one by one to joints instead")
    return LinearMap(matrix=tuple(tuple(float(i == j) for j in range(size[0])) for i in range(size[1])))
