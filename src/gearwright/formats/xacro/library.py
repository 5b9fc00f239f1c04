"""Documents and yaml files of an expansion, and the functions of the namespace `xacro`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gearwright.diagnostics import Report
from gearwright.errors import LoadError
from gearwright.formats.xacro.budget import Budget
from gearwright.formats.xacro.errors import XacroError, shown
from gearwright.formats.xacro.expressions import ExpressionEvaluator
from gearwright.formats.xacro.files import Files
from gearwright.formats.xacro.functions import GLOBALS, dotted
from gearwright.formats.xacro.substitutions import Arguments
from gearwright.formats.xacro.tree import XacroNode, parse_tree
from gearwright.formats.xacro.values import Function, Namespace, Value, text_of
from gearwright.formats.xacro.yaml_files import MAX_YAML, read_yaml
from gearwright.formats.xml.file_bytes import MAX_BYTES
from gearwright.formats.xml.located_xml import MAX_ELEMENTS


class DocumentLibrary:
    """Reads each file once, and knows which one is being expanded: relative names begin there."""

    def __init__(self, files: Files, budget: Budget, report: Report) -> None:
        self.files = files
        self.budget = budget
        self.open: list[Path | None] = []  # the innermost last; None for a text
        self.declared: set[str] = set()  # prefixes, in any of the files
        self._report = report
        self._documents: dict[Path, XacroNode] = {}
        self._elements = 0

    def folder(self) -> Path:
        innermost = self.open[-1]
        if innermost is None:
            raise XacroError("a robot given as text has no folder; load a file instead")
        return innermost.parent

    def path(self, name: str) -> Path:
        innermost = self.open[-1]
        return self.files.path(name, None if innermost is None else innermost.parent)

    def document(self, path: Path) -> XacroNode:
        """The root of a xacro file. Raises FileNotFoundError, XacroError, or LoadError where it is no XML."""
        self.budget.file()
        root = self._documents.get(path)
        if root is None:
            root = parse_tree(self.files.read(path, MAX_BYTES), str(path), self._report, MAX_ELEMENTS - self._elements)
            if root is None:
                raise LoadError(self._report)
            self.take(root)
            self._documents[path] = root
        return root

    def take(self, root: XacroNode) -> None:
        """Counts a document that has been read."""
        self._elements += root.document.count
        self.declared |= {a[6:] for a in root.attributes if a.startswith("xmlns:")}

    def yaml(self, name: str, evaluate: Callable[[str], Value]) -> Value:
        self.budget.file()
        path = self.path(name)
        try:
            data = self.files.read(path, MAX_YAML)
        except FileNotFoundError:
            raise XacroError(f"the yaml file {shown(path, 200)} does not exist", "include-not-found") from None
        return read_yaml(data.decode("utf-8", errors="replace"), self.budget, evaluate, str(path))


def xacro_functions(
    library: DocumentLibrary, arguments: Arguments, expressions: ExpressionEvaluator, say: Callable[[str, str], None]
) -> dict[str, Value]:
    """The namespace `xacro`, and those of its functions that also have a name without it."""

    def load_yaml(filename: str) -> Value:
        return library.yaml(filename, lambda text: expressions.evaluate(text, Namespace("globals", GLOBALS)))

    def message(severity: str, prefix: str = "") -> Callable[..., str]:
        def report(*parts: Value, **_: Value) -> str:
            say(severity, prefix + " ".join(text_of(p, library.budget) for p in parts))
            return ""

        return report

    def fatal(*parts: Value) -> Value:
        raise XacroError("the file says: " + " ".join(text_of(p, library.budget) for p in parts)[:500])

    shared = {
        "load_yaml": Function("load_yaml", load_yaml),
        "abs_filename": Function("abs_filename", lambda name: str(library.path(name))),
        "dotify": Function("dotify", dotted),
    }
    own = {
        "arg": Function("arg", arguments.__getitem__),
        "tokenize": Function("tokenize", _tokenize),
        "message": Function("message", message("info")),
        "warning": Function("warning", message("warning")),
        "error": Function("error", message("warning", "error: ")),
        "print_location": Function("print_location", lambda: ""),
        "fatal": Function("fatal", fatal),
    }
    return {**shared, "xacro": Namespace("xacro", {**shared, **own})}


def _tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    """The pieces of a text between any of the separators."""
    if not (isinstance(text, str) and isinstance(sep, str) and sep):
        raise TypeError("tokenize() takes a text, and its separators as a text")
    parts = text.translate(dict.fromkeys(map(ord, sep), sep[0])).split(sep[0])
    return [p for p in parts if p] if skip_empty else parts
