"""Files beside the model: <include>, model:// and package:// addresses. Only known folders are read from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gearwright.diagnostics import Report
from gearwright.errors import LoadError
from gearwright.formats.paths.packages import PATH_VARIABLE, Packages, enclosing_package, search_folders
from gearwright.formats.sdf.model_config import is_model_folder, model_file
from gearwright.formats.sdf.version import LATEST, Version, read_version
from gearwright.formats.xacro import is_xacro
from gearwright.formats.xml.file_bytes import bounded
from gearwright.formats.xml.located_xml import MAX_ELEMENTS, Document, Element, parse

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
    _parsed: dict[Path, Element | None] = field(default_factory=dict)
    _included_by: dict[int, Included | None] = field(default_factory=dict)  # id of an <include> → what it brings
    _configured: dict[Path, Path | None] = field(default_factory=dict)  # folder → the file that its model.config names

    @cached_property
    def _packages(self) -> Packages:
        own = None if self.folder is None else enclosing_package(self.folder / "model")
        return Packages([] if own is None else [own], self.search)

    @staticmethod
    def of(folder: Path | None, search: Sequence[str | os.PathLike[str]], report: Report) -> Library:
        return Library(folder=folder, search=search_folders(search), report=report)

    def model_file(self, root: Element) -> str | None:
        """The file of a root element; None of a text."""
        return None if self.folder is None else root.file

    def include(self, e: Element, strict: bool) -> Included | None:
        """The model that an <include> brings, renamed as it says; None with the reason in the report.

        In a world one model is wanted and others may be missing: then it is a warning (strict=False).
        """
        if id(e) not in self._included_by:  # asked for first to choose a model, then to read it
            self._included_by[id(e)] = self._included(e, strict)
        found = self._included_by[id(e)]
        if found is None:
            e.consume()
        return found

    def beside(self, e: Element, name: str) -> Element | None:
        """The root of a file that another file names; None with the reason in the report."""
        path = self._find(e, name, strict=True)
        return None if path is None else self._parse(e, path)

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
            e.info("element-ignored", f"{uri!r} holds a <{root.children[0].tag}>, which is not part of a mechanism")
            return None
        if root.tag == "robot" and not is_xacro(root):  # libsdformat makes a model of a URDF
            models = [root]
        if len(models) != 1 or root.tag not in ("sdf", "robot"):
            found = f"{len(models)} models" if root.tag == "sdf" else f"a <{root.tag}>"
            message = f"an include takes an SDFormat file with one model, or a URDF; {uri!r} holds {found}"
            e.error("include-not-found", message)
            return None
        model = models[0]
        name = e.child_text("name")
        if name:
            model.attributes["name"] = name
        return Included(model=model, version=read_version(root) if root.tag == "sdf" else LATEST)

    def _parse(self, e: Element, path: Path) -> Element | None:
        """The root of a file, for this include alone: each file is parsed once."""
        self.count += 1
        depth = self._depth[str(path)] = self._depth.get(e.file, 0) + 1
        left = MAX_ELEMENTS - self.elements
        if self.count > MAX_INCLUDES or depth > MAX_DEPTH or left <= 0:
            e.error("include-cycle", "includes are nested too deeply, are too many, or are too large together")
            raise LoadError(self.report)  # no robot has that many: nothing more is read
        try:
            if path not in self._parsed:
                self._parsed[path] = parse(bounded(path), str(path), self.report, left)
        except OSError as error:
            e.error("include-not-found", f"{str(path)!r} cannot be read: {error}")
            return None
        root = self._parsed[path]
        self.elements += root.document.count if root is not None else left
        return None if root is None else copied(root)

    def _find(self, e: Element, uri: str, strict: bool) -> Path | None:
        if not uri:
            e.error("element-missing", f"<{e.tag}> does not say which file")
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
        if found not in self._configured:
            self._configured[found] = model_file(found, e)
        inside = self._configured[found]
        return inside.resolve() if inside is not None and self._allowed(e, uri, inside.resolve()) else None

    def _allowed(self, e: Element, uri: str, found: Path) -> bool:
        if any(found.is_relative_to(root.resolve()) for root in self._roots()) or self._packages.holds(found):
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
        candidates = (folder / name for folder in folders)
        for candidate in (*candidates, *self._in_package(uri)):
            if candidate.is_file() or is_model_folder(candidate):
                return candidate.resolve()
        return None

    def _in_package(self, uri: str) -> Iterator[Path]:
        """The file of a package:// address, wherever the package is below the search path."""
        name, _, inside = uri.partition("://")[2].partition("/")
        package = self._packages.find(name) if uri.startswith("package://") else None
        if package is not None:
            yield package / inside


def copied(root: Element) -> Element:
    """The same elements, of which nothing has been read."""
    document = Document(root.file, root.report)
    document.count, document.declared, document.tags = root.document.count, root.document.declared, root.document.tags
    top = Element("", {}, document, 0, None)
    todo = [(root, top)]
    while todo:
        e, parent = todo.pop()
        copy = Element(e.tag, dict(e.attributes), document, e.line, parent)
        copy.text = e.text
        if e.text:
            document.worded.append(copy)
        parent.children.append(copy)
        todo += [(c, copy) for c in reversed(e.children)]
    return top.children[0].as_root()
