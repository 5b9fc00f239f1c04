"""Expands a xacro document: elements, text, and the directives of `directives`.

All of them are tasks: they yield the tasks that have to be done before they go on, so that a deep recursion of macros
is a long list here and not a deep stack. Each appends what it makes to `out`.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gearwright.diagnostics import Report
from gearwright.errors import nearest
from gearwright.formats.xacro.budget import MAX_NESTING, Budget
from gearwright.formats.xacro.errors import XacroError, shown, too_much
from gearwright.formats.xacro.files import Files
from gearwright.formats.xacro.functions import GLOBALS
from gearwright.formats.xacro.library import DocumentLibrary, xacro_functions
from gearwright.formats.xacro.macros import Macros
from gearwright.formats.xacro.scopes import PropertyScope
from gearwright.formats.xacro.substitutions import Arguments, Substitutions
from gearwright.formats.xacro.text import TextEvaluator
from gearwright.formats.xacro.tree import Verbatim, XacroNode
from gearwright.formats.xml.located_xml import MAX_DEPTH

Task = Iterator[Any]  # of tasks
Directive = Callable[["Expander", XacroNode, "Context", XacroNode], Task]
PREFIX = "xacro:"


@dataclass(frozen=True)
class Context:
    """The names that are defined at a place of the document."""

    scope: PropertyScope
    macros: Macros

    def inner(self) -> Context:
        return Context(self.scope.inner(), self.macros.new_child())


class Expander:
    """One expansion: its budget, the files that are open, the macros that are being called."""

    def __init__(
        self, directives: Mapping[str, Directive], call: Directive, files: Files, arguments: Arguments,
        environment: Mapping[str, str], report: Report,
    ) -> None:  # fmt: skip
        self.directives = directives
        self._call = call  # of a macro: whatever is no directive
        self.report = report
        self.files = files
        self.arguments = arguments
        self.budget = Budget()
        self.place: XacroNode | None = None  # the element that is being expanded, for messages
        self.calls: list[XacroNode] = []  # of macros, the innermost last
        self.depth = 0  # of the element that is open
        self.library = DocumentLibrary(files, self.budget, report)
        substitutions = Substitutions(arguments, self._package, self.library.folder, environment)
        self.text = TextEvaluator(self.budget, substitutions)
        substitutions.expressions = self.text.expressions
        names = GLOBALS | xacro_functions(self.library, arguments, self.text.expressions, self.say)
        self.top = Context(PropertyScope(None, globals_=names, evaluate=self.text.value), ChainMap())

    def expand(self, root: XacroNode, path: Path | None) -> XacroNode:
        self.library.open.append(path)
        out = root.like("", {})
        stack: list[Task] = [self.element(root, self.top, out)]
        while stack:
            deeper = next(stack[-1], None)
            if deeper is None:
                stack.pop()
            elif len(stack) >= MAX_NESTING:
                raise too_much(f"macros, conditions and elements are nested more than {MAX_NESTING:,} deep")
            else:
                stack.append(deeper)
        return next(out.elements)

    # --- elements ------------------------------------------------------------------------------------------------

    def element(self, node: XacroNode, context: Context, out: XacroNode) -> Task:
        self.budget.node(len(node.attributes))
        made = node.like(node.tag, {})
        for name, value in node.attributes.items():
            if not name.startswith(PREFIX):
                made.attributes[name] = self._written(value, context)
        out.children.append(made)
        if node.children:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise too_much(f"elements are nested more than {MAX_DEPTH} deep")
            yield self.content(node, context, made)
            self.depth -= 1

    def content(self, node: XacroNode, context: Context, out: XacroNode) -> Task:
        for child in node.children:
            if isinstance(child, str):
                self.place = node
                self.budget.spend()
                text = self._written(child, context)
                if text and not text.isspace():
                    out.children.append(text)
            else:
                yield self.task(child, context, out)

    def _written(self, text: str, context: Context) -> str:
        """Text as it stands in the expanded document, to whose size it is counted."""
        if "$" in text and not isinstance(text, Verbatim):
            return self.text.string(text, context.scope)
        self.budget.text(len(text))
        return text

    def task(self, node: XacroNode, context: Context, out: XacroNode) -> Task:
        self.place = node
        if not node.tag.startswith(PREFIX):
            return self.element(node, context, out)
        self.budget.spend()
        return self.directives.get(node.tag, self._call)(self, node, context, out)

    def spliced(self, node: XacroNode, context: Context, out: XacroNode) -> Task:
        """The content of a directive in its own place."""
        holder = node.like(node.tag, {})
        yield self.content(node, context, holder)
        for name in holder.attributes:  # as in xacro, where the directive takes the attribute away with it
            message = (
                f"xacro:attribute {shown(name)} has no effect inside <{node.tag}>; put it directly into its element"
            )
            self.report.warning("xacro-message", message, node.source)
        out.children += holder.children

    # --- the rest ------------------------------------------------------------------------------------------------

    def attributes(
        self, node: XacroNode, needed: tuple[str, ...], optional: tuple[str, ...] = (), *, any_other: bool = False
    ) -> list[str]:
        """The values of the needed attributes; others than the optional ones are reported."""
        for name in needed:
            if name not in node.attributes:
                raise XacroError(f"<{node.tag}> needs the attribute {name}{nearest(name, node.attributes)}")
        known = (*needed, *optional)
        for name in node.attributes:
            if not any_other and name not in known and not name.startswith("xmlns"):
                near = self.report.near(name, known, listed=False)
                message = f"attribute {shown(name)} of <{node.tag[:80]}> is not known{near}"
                self.report.warning("element-unknown", message, node.source)
        return [node.attributes[name] for name in needed]

    def _package(self, name: str) -> str:
        """`$(find …)`. A package that is not there may only be needed for its meshes: its address stands for it."""
        found = self.files.package(name)
        if found is not None:
            return str(found)
        if self.report.first(("package", name)):
            self.say("warning", self.files.missing(name), "package-not-found")
        return f"package://{name}"

    def say(self, severity: str, message: str, code: str = "xacro-message") -> None:
        source = None if self.place is None else self.place.source
        (self.report.info if severity == "info" else self.report.warning)(code, message[:500], source)
