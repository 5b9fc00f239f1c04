"""Expands a xacro document. A directive is one method and one row in `DIRECTIVES`.

Methods are tasks: they yield the tasks that have to be done before they go on, so that a deep recursion of macros is a
long list here and not a deep stack. Each appends what it makes to `out`.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path
from typing import Any

from gearwright.diagnostics import Report
from gearwright.errors import nearest
from gearwright.formats.located_xml import MAX_DEPTH
from gearwright.formats.xacro.budget import CALL_STEPS, MAX_INCLUDE_DEPTH, MAX_NESTING, NODE_STEPS, Budget
from gearwright.formats.xacro.errors import XacroError, shown, too_much
from gearwright.formats.xacro.files import Files, is_pattern
from gearwright.formats.xacro.functions import GLOBALS
from gearwright.formats.xacro.library import Library, xacro_functions
from gearwright.formats.xacro.macros import Macro, Macros, Parameter, find_macro, read_parameters
from gearwright.formats.xacro.scopes import Scope
from gearwright.formats.xacro.substitutions import Arguments, Substitutions
from gearwright.formats.xacro.text import TextEvaluator
from gearwright.formats.xacro.tree import Node, Verbatim
from gearwright.formats.xacro.values import truth

Task = Iterator[Any]  # of tasks
_XML_NAME = re.compile(r"[^\W\d][\w.\-]*(?::[^\W\d][\w.\-]*)?")
PREFIX = "xacro:"


@dataclass(frozen=True)
class Context:
    """What names mean at a place of the document."""

    scope: Scope
    macros: Macros

    def inner(self) -> Context:
        return Context(self.scope.inner(), self.macros.new_child())


class Expander:
    """One expansion: its budget, the files that are open, the macros that are being called."""

    def __init__(self, files: Files, arguments: Arguments, environment: Mapping[str, str], report: Report) -> None:
        self.report = report
        self.files = files
        self.arguments = arguments
        self.budget = Budget()
        self.place: Node | None = None  # the element that is being expanded, for messages
        self.calls: list[Node] = []  # of macros, the innermost last
        self.depth = 0  # of the element that is open
        self.library = Library(files, self.budget, report)
        substitutions = Substitutions(arguments, self._package, self.library.folder, environment)
        self.text = TextEvaluator(self.budget, substitutions)
        substitutions.expressions = self.text.expressions
        names = GLOBALS | xacro_functions(self.library, arguments, self.text.expressions, self._say)
        self.top = Context(Scope(None, globals_=names, evaluate=self.text.value), ChainMap())

    def expand(self, root: Node, path: Path | None) -> Node:
        self.library.open.append(path)
        out = root.like("", {})
        stack: list[Task] = [self._element(root, self.top, out)]
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

    def _element(self, node: Node, context: Context, out: Node) -> Task:
        self.budget.node()
        made = node.like(node.tag, {})
        for name, value in node.attributes.items():
            if not name.startswith(PREFIX):
                made.attributes[name] = self.text.string(value, context.scope)
        out.children.append(made)
        if node.children:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise too_much(f"elements are nested more than {MAX_DEPTH} deep")
            yield self._content(node, context, made)
            self.depth -= 1

    def _content(self, node: Node, context: Context, out: Node) -> Task:
        for child in node.children:
            if isinstance(child, str):
                self.place = node
                self.budget.spend()
                text = child if isinstance(child, Verbatim) else self.text.string(child, context.scope)
                if text and not text.isspace():
                    out.children.append(text)
            else:
                yield self._task(child, context, out)

    def _task(self, node: Node, context: Context, out: Node) -> Task:
        self.place = node
        if not node.tag.startswith(PREFIX):
            return self._element(node, context, out)
        self.budget.spend()
        return DIRECTIVES.get(node.tag, Expander._call)(self, node, context, out)

    def _spliced(self, node: Node, context: Context, out: Node) -> Task:
        """The content of a directive in its own place."""
        holder = node.like(node.tag, {})
        yield self._content(node, context, holder)
        for name in holder.attributes:  # as in xacro, where the directive takes the attribute away with it
            message = (
                f"xacro:attribute {shown(name)} has no effect inside <{node.tag}>; put it directly into its element"
            )
            self.report.warning("xacro-message", message, node.source)
        out.children += holder.children

    # --- directives ----------------------------------------------------------------------------------------------

    def _condition(self, node: Node, context: Context, out: Node) -> Task:
        (condition,) = self._attributes(node, ("value",))
        wanted = node.tag == "xacro:if"
        if truth(self.text.value(condition, context.scope), condition) is wanted:
            yield self._spliced(node, context, out)

    def _property(self, node: Node, context: Context, out: Node) -> Task:
        yield from ()
        scope, text = context.scope, self.text
        (given,) = self._attributes(node, ("name",), ("value", "default", "remove", "scope", "lazy_eval"))
        name = text.string(given, scope)
        if not name.isidentifier() or iskeyword(name) or name.startswith("__"):
            raise XacroError(f"a property cannot be named {shown(name)}: it must be a plain name")
        value, default = node.attributes.get("value"), node.attributes.get("default")
        remove = self._flag(node, "remove", "false", scope)
        if (value is not None) + (default is not None) + remove > 1:
            raise XacroError(f"the property {shown(name)} takes one of value, default and remove")
        if remove and name in scope:
            scope.remove(name)
            return
        if default is not None:
            if name in scope:
                return
            value = default
        target = self._target(node, scope)
        lazy = target is scope and self._flag(node, "lazy_eval", "true", scope)
        if scope.is_global(name):
            self.report.info("xacro-message", f"the property {shown(name)} hides a name of xacro's own", node.source)
        if value is None:
            target.define("**" + name, node, lazy=False)
        else:
            target.define(name, value if lazy else text.value(value, scope), lazy=lazy)

    def _flag(self, node: Node, name: str, default: str, scope: Scope) -> bool:
        given = node.attributes.get(name) or default
        return truth(self.text.value(given, scope), given)

    def _target(self, node: Node, scope: Scope) -> Scope:
        """The scope that a property is set in."""
        where = node.attributes.get("scope")
        if where == "global":
            return scope.top
        if where != "parent":
            return scope
        target = scope.parent
        while target is not None and target.namespace and not scope.namespace:
            target = target.parent
        if target is None:
            raise XacroError('scope="parent" outside a macro: there is no scope around this one')
        return target

    def _macro(self, node: Node, context: Context, out: Node) -> Task:
        yield from ()
        (name,) = self._attributes(node, ("name",), ("params",))
        name = name.removeprefix(PREFIX)
        if name == "call" or "." in name:
            raise XacroError(f"a macro cannot be named {shown(name)}")
        parameters = read_parameters(node.attributes.get("params", ""))
        context.macros[name] = Macro(body=node, parameters=parameters)

    def _argument(self, node: Node, context: Context, out: Node) -> Task:
        yield from ()
        (name,) = self._attributes(node, ("name",), ("default",))
        default = node.attributes.get("default")
        if default is None and name not in self.arguments.values:
            raise XacroError(f"the argument {shown(name)} has no default; give it as --xacro-arg {name[:40]}:=…")
        self.arguments.declare(name, lambda: self.text.string(default or "", context.scope))

    def _insert_block(self, node: Node, context: Context, out: Node) -> Task:
        (name,) = self._attributes(node, ("name",))
        if f"**{name}" in context.scope:
            yield self._spliced(context.scope.lookup(f"**{name}"), context, out)
        elif f"*{name}" in context.scope:
            yield self._element(context.scope.lookup(f"*{name}"), context, out)
        else:
            known = [n.lstrip("*") for n in context.scope.names() if n.startswith("*")]
            raise XacroError(f"there is no block {shown(name)}{nearest(name, known)}")

    def _named_element(self, node: Node, context: Context, out: Node) -> Task:
        (given,) = self._attributes(node, ("xacro:name",), any_other=True)
        name = self.text.string(given, context.scope)
        _check_name(name)
        renamed = node.like(name, {k: v for k, v in node.attributes.items() if k != "xacro:name"})
        renamed.children = node.children
        yield self._task(renamed, context, out)

    def _named_attribute(self, node: Node, context: Context, out: Node) -> Task:
        yield from ()
        name, value = (self.text.string(v, context.scope) for v in self._attributes(node, ("name", "value")))
        _check_name(name)
        out.attributes[name] = value

    def _include(self, node: Node, context: Context, out: Node) -> Task:
        (given,) = self._attributes(node, ("filename",), ("ns", "optional"))
        name = self.text.string(given, context.scope)
        optional = truth(node.attributes.get("optional") or "false", "optional")
        space = self.text.string(node.attributes.get("ns", ""), context.scope)
        inside = self._namespace(space, context) if space else context
        for path in self._included(name, node):
            try:
                root = self.library.document(path)
            except FileNotFoundError:
                if optional:
                    continue
                raise XacroError(f"the included file {shown(path, 200)} does not exist", "include-not-found") from None
            if len(self.library.open) > MAX_INCLUDE_DEPTH:
                raise XacroError("files that include each other, or includes nested too deep", "include-cycle")
            self.library.open.append(path)
            yield self._spliced(root, inside, out)
            self.library.open.pop()

    def _namespace(self, name: str, context: Context) -> Context:
        macros: Macros = ChainMap()
        scope = context.scope.inner(namespace=True)
        context.macros[name] = macros
        context.scope.define(name, scope, lazy=False)
        return Context(scope, macros)

    def _included(self, name: str, node: Node) -> list[Path]:
        path = self.library.path(name)
        if not is_pattern(str(path)):
            return [path]
        found = self.files.matching(path)
        if not found:
            self.report.warning("include-not-found", f"{shown(name)} matches no file", node.source)
        return found

    # --- calls of macros -----------------------------------------------------------------------------------------

    def _call(self, node: Node, context: Context, out: Node) -> Task:
        self.budget.spend(CALL_STEPS)
        given = dict(node.attributes)
        name = node.tag.removeprefix(PREFIX)
        if name == "call":
            if not given.get("macro"):
                raise XacroError("xacro:call needs the attribute macro")
            name = self.text.string(given.pop("macro"), context.scope)
        found = find_macro(name, context.macros, context.scope)
        if found is None:
            known = [*context.macros, *(d.removeprefix(PREFIX) for d in DIRECTIVES)]
            raise XacroError(f"there is no macro {shown(name)}{nearest(name, known)}")
        macro, macros, scope = found
        self.budget.spend(NODE_STEPS * len(macro.parameters))
        inside = Context(scope, macros).inner()
        missing = self._pass_values(name, macro, given, context, inside)
        blocks = node.like(node.tag, {})
        yield self._content(node, context, blocks)
        self.place = node
        missing = _pass_blocks(name, missing, blocks, inside)
        self._pass_defaults(name, missing, context, inside)
        self.calls.append(node)
        yield self._spliced(macro.body, inside, out)
        self.calls.pop()

    def _pass_values(
        self, name: str, macro: Macro, given: dict[str, str], context: Context, inside: Context
    ) -> list[Parameter]:
        """Sets the parameters that the call gives; those that are left are returned."""
        left = {p.name: p for p in macro.parameters}
        for key, value in given.items():
            if key.startswith("xmlns"):
                continue
            if left.pop(key, None) is None:
                near = nearest(key, [p.name for p in macro.parameters])
                raise XacroError(f"the macro {shown(name)} has no parameter {shown(key)}{near}")
            inside.scope.define(key, self.text.value(value, context.scope), lazy=False)
        return list(left.values())

    def _pass_defaults(self, name: str, missing: list[Parameter], context: Context, inside: Context) -> None:
        for p in missing:
            if p.outer and p.name in context.scope:
                inside.scope.define(p.name, context.scope.lookup(p.name), lazy=False)
            elif p.default is not None:
                inside.scope.define(p.name, self.text.value(p.default, context.scope), lazy=False)
            else:
                raise XacroError(f"the macro {shown(name)} needs the parameter {shown(p.name)}")

    # --- the rest ------------------------------------------------------------------------------------------------

    def _attributes(
        self, node: Node, needed: tuple[str, ...], optional: tuple[str, ...] = (), *, any_other: bool = False
    ) -> list[str]:
        """The values of the needed attributes; others than the optional ones are reported."""
        for name in needed:
            if name not in node.attributes:
                raise XacroError(f"<{node.tag}> needs the attribute {name}{nearest(name, node.attributes)}")
        known = (*needed, *optional)
        for name in node.attributes:
            if not any_other and name not in known and not name.startswith("xmlns"):
                message = f"attribute {shown(name)} of <{node.tag}> is not known{nearest(name, known)}"
                self.report.warning("element-unknown", message, node.source)
        return [node.attributes[name] for name in needed]

    def _package(self, name: str) -> str:
        """`$(find …)`. A package that is not there may only be needed for its meshes: its address stands for it."""
        found = self.files.package(name)
        if found is not None:
            return str(found)
        if self.report.first(("package", name)):
            self._say("warning", self.files.missing(name), "package-not-found")
        return f"package://{name}"

    def _say(self, severity: str, message: str, code: str = "xacro-message") -> None:
        source = None if self.place is None else self.place.source
        (self.report.info if severity == "info" else self.report.warning)(code, message[:500], source)


def _pass_blocks(name: str, missing: list[Parameter], blocks: Node, inside: Context) -> list[Parameter]:
    """Sets the blocks of a call, one child each, in the order of the parameters."""
    children = list(blocks.elements)
    for p in missing:
        if p.is_block:
            if not children:
                raise XacroError(f"the macro {shown(name)} needs an element for its block {shown(p.name)}")
            inside.scope.define(p.name, children.pop(0), lazy=False)
    if children:
        raise XacroError(f"the macro {shown(name)} has no block parameter for <{children[0].tag[:80]}>")
    return [p for p in missing if not p.is_block]


def _check_name(name: str) -> None:
    if not _XML_NAME.fullmatch(name):
        raise XacroError(f"{shown(name)} is not a name of an element or attribute")


DIRECTIVES: dict[str, Callable[[Expander, Node, Context, Node], Task]] = {
    "xacro:if": Expander._condition,
    "xacro:unless": Expander._condition,
    "xacro:property": Expander._property,
    "xacro:macro": Expander._macro,
    "xacro:arg": Expander._argument,
    "xacro:include": Expander._include,
    "xacro:insert_block": Expander._insert_block,
    "xacro:element": Expander._named_element,
    "xacro:attribute": Expander._named_attribute,
    "xacro:call": Expander._call,
}
