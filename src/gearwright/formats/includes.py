"""Files beside the model: <include>, model:// and package:// addresses. Only known folders are read from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gearwright.diagnostics import Report
from gearwright.errors import LoadError
from gearwright.formats.file_bytes import bounded
from gearwright.formats.located_xml import MAX_ELEMENTS, Element, parse
from gearwright.formats.model_config import is_model_folder, model_file
from gearwright.formats.packages import PATH_VARIABLE, search_folders
from gearwright.formats.sdf_version import Version, read_version

NO_MODELS = ("light", "actor", "particle_emitter", "material", "sensor")  # legal to include, and no mechanisms
MAX_INCLUDES = 500
MAX_DEPTH = 20


@dataclass(frozen=True, kw_only=True)
class Included:
    model: Element
    version: Version


@dataclass
class Library:
    """Where files are looked for: the folder of the model first, then the search path."""

    folder: Path | None  # None: a string was loaded; only the search path is there
    search: tuple[Path, ...]
    report: Report
    count: int = 0
    elements: int = 0  # of all included files
    _depth: dict[str, int] = field(default_factory=dict)  # file → how many includes lead to it

    @staticmethod
    def of(folder: Path | None, search: Sequence[str | os.PathLike[str]], report: Report) -> Library:
        return Library(folder=folder, search=search_folders(search), report=report)

    def include(self, e: Element, strict: bool) -> Included | None:
        """The model that an <include> brings, renamed as it says; None with the reason in the report.

        In a world one model is wanted and others may be missing: then it is a warning (strict=False).
        """
        found = self._included(e, strict)
        if found is None:
            e.consume()
        return found

    def _included(self, e: Element, strict: bool) -> Included | None:
        uri = e.child_text("uri")
        e.get("merge")
        for c in e.all("plugin", "experimental:params"):
            c.consume()
        path = self._find(e, uri, strict)
        root = None if path is None else self._parse(e, path)
        if path is None or root is None:
            return None
        models = root.all("model")
        if root.tag == "sdf" and not models and root.children and all(c.tag in NO_MODELS for c in root.children):
            e.info("element-ignored", f"{uri!r} holds a <{root.children[0].tag}>, which is no part of a mechanism")
            return None
        if root.tag != "sdf" or len(models) != 1:
            found = f"{len(models)} models" if root.tag == "sdf" else f"a <{root.tag}>"
            e.error("include-not-found", f"an include takes an SDFormat file with one model; {uri!r} holds {found}")
            return None
        model = models[0]
        name = e.child_text("name")
        if name:
            model.attributes["name"] = name
        version = read_version(root)
        return Included(model=model, version=version)

    def _parse(self, e: Element, path: Path) -> Element | None:
        self.count += 1
        depth = self._depth[str(path)] = self._depth.get(e.file, 0) + 1
        left = MAX_ELEMENTS - self.elements
        if self.count > MAX_INCLUDES or depth > MAX_DEPTH or left <= 0:
            e.error("include-cycle", "includes are nested too deep, are too many, or are too large together")
            raise LoadError(self.report)  # no robot has that many: nothing more is read
        try:
            root = parse(bounded(path), str(path), self.report, left)
        except OSError as error:
            e.error("include-not-found", f"{str(path)!r} cannot be read: {error}")
            return None
        self.elements += root.document.count if root is not None else left
        return root

    def _find(self, e: Element, uri: str, strict: bool) -> Path | None:
        if not uri:
            e.error("element-missing", "an <include> without <uri>")
            return None
        say = e.error if strict else e.warning
        if "://" in uri and not uri.startswith(("model://", "package://", "file://")):
            say("include-not-found", f"{uri!r}: nothing is fetched from a network; put the model on --path")
            return None
        try:
            found = self._located(e, uri)
            if found is None:
                where = f"neither in the model's folder nor on the path (--path, {PATH_VARIABLE})"
                say("include-not-found", f"{uri!r} is {where}")
                return None
            return self._model_file(e, uri, found)
        except (OSError, RuntimeError, ValueError) as error:
            say("include-not-found", f"{uri[:100]!r} cannot be followed: {error}")
            return None

    def _model_file(self, e: Element, uri: str, found: Path) -> Path | None:
        """The file itself, or the one that a model's folder says; both must lie where files may be read."""
        if not self._allowed(e, uri, found):
            return None
        if not found.is_dir():
            return found
        inside = model_file(found, e)
        return inside.resolve() if inside is not None and self._allowed(e, uri, inside.resolve()) else None

    def _allowed(self, e: Element, uri: str, found: Path) -> bool:
        if any(found.is_relative_to(root.resolve()) for root in self._roots()):
            return True
        e.error("include-unsafe", f"{uri!r} leaves the model's folder and the path; add its folder with --path")
        return False

    def _roots(self) -> list[Path]:
        return [*([self.folder] if self.folder is not None else []), *self.search]

    def _located(self, e: Element, uri: str) -> Path | None:
        name = uri.removeprefix("file://")
        searched = name == uri and "://" in uri
        name = name.partition("://")[2] if searched else name
        beside = [Path(e.file).parent, self.folder] if self.folder is not None else []
        folders = [*self.search, *beside] if searched else [*beside, *self.search]
        for folder in folders:
            candidate = folder / name
            if candidate.is_file() or is_model_folder(candidate):
                return candidate.resolve()
        return None
