"""The directives of xacro. One function each, and one row in `DIRECTIVES`; anything else with the prefix is a macro."""

from __future__ import annotations

import re
from collections import ChainMap
from pathlib import Path

from gearwright.formats.xacro.budget import MAX_INCLUDE_DEPTH
from gearwright.formats.xacro.calls import call_macro, define_macro, insert_block
from gearwright.formats.xacro.errors import XacroError, shown
from gearwright.formats.xacro.expander import Context, Directive, Expander, Task
from gearwright.formats.xacro.files import is_pattern
from gearwright.formats.xacro.macros import Macros
from gearwright.formats.xacro.properties import set_property
from gearwright.formats.xacro.tree import XacroNode
from gearwright.formats.xacro.values import truth

_XML_NAME = re.compile(r"[^\W\d][\w.\-]*(?::[^\W\d][\w.\-]*)?")


def condition(expander: Expander, node: XacroNode, context: Context, out: XacroNode) -> Task:
    (condition,) = expander.attributes(node, ("value",))
    wanted = node.tag == "xacro:if"
    if truth(expander.text.value(condition, context.scope), condition) is wanted:
        yield expander.spliced(node, context, out)


def argument(expander: Expander, node: XacroNode, context: Context, out: XacroNode) -> Task:
    yield from ()
    (name,) = expander.attributes(node, ("name",), ("default",))
    default = node.attributes.get("default")
    if default is None and name not in expander.arguments.values:
        raise XacroError(f"the argument {shown(name)} has no default; give it as --xacro-arg {name[:40]}:=…")
    expander.arguments.declare(name, lambda: expander.text.string(default or "", context.scope))


def named_element(expander: Expander, node: XacroNode, context: Context, out: XacroNode) -> Task:
    (given,) = expander.attributes(node, ("xacro:name",), any_other=True)
    name = expander.text.string(given, context.scope)
    _check_name(name)
    renamed = node.like(name, {k: v for k, v in node.attributes.items() if k != "xacro:name"})
    renamed.children = node.children
    yield expander.task(renamed, context, out)


def named_attribute(expander: Expander, node: XacroNode, context: Context, out: XacroNode) -> Task:
    yield from ()
    name, value = (expander.text.string(v, context.scope) for v in expander.attributes(node, ("name", "value")))
    _check_name(name)
    out.attributes[name] = value


def include(expander: Expander, node: XacroNode, context: Context, out: XacroNode) -> Task:
    (given,) = expander.attributes(node, ("filename",), ("ns", "optional"))
    name = expander.text.string(given, context.scope)
    optional = truth(node.attributes.get("optional") or "false", "optional")
    space = expander.text.string(node.attributes.get("ns", ""), context.scope)
    inside = _namespace(expander, space, context) if space else context
    for path in _included(expander, name, node):
        try:
            root = expander.library.document(path)
        except FileNotFoundError:
            if optional:
                continue
            raise XacroError(f"the included file {shown(path, 200)} does not exist", "include-not-found") from None
        if len(expander.library.open) > MAX_INCLUDE_DEPTH:
            raise XacroError("files that include each other, or includes nested too deeply", "include-cycle")
        expander.library.open.append(path)
        yield expander.spliced(root, inside, out)
        expander.library.open.pop()


def _namespace(expander: Expander, name: str, context: Context) -> Context:
    macros: Macros = ChainMap()
    scope = context.scope.inner(namespace=True)
    context.macros[name] = macros
    context.scope.define(name, scope, lazy=False)
    return Context(scope, macros)


def _included(expander: Expander, name: str, node: XacroNode) -> list[Path]:
    path = expander.library.path(name)
    if not is_pattern(str(path)):
        return [path]
    found = expander.files.matching(path)
    if not found:
        expander.report.warning("include-not-found", f"{shown(name)} matches no file", node.source)
    return found


def _check_name(name: str) -> None:
    if not _XML_NAME.fullmatch(name):
        raise XacroError(f"{shown(name)} is not a name of an element or attribute")


DIRECTIVES: dict[str, Directive] = {
    "xacro:if": condition,
    "xacro:unless": condition,
    "xacro:property": set_property,
    "xacro:macro": define_macro,
    "xacro:arg": argument,
    "xacro:include": include,
    "xacro:insert_block": insert_block,
    "xacro:element": named_element,
    "xacro:attribute": named_attribute,
    "xacro:call": call_macro,
}
