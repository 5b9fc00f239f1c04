"""`xacro:property`: where it is set, and when it is evaluated."""

from __future__ import annotations

from keyword import iskeyword

from gearwright.formats.xacro.errors import XacroError, shown
from gearwright.formats.xacro.expander import Context, Expander, Task
from gearwright.formats.xacro.scopes import PropertyScope
from gearwright.formats.xacro.tree import XacroNode
from gearwright.formats.xacro.values import truth


def set_property(expander: Expander, node: XacroNode, context: Context, out: XacroNode) -> Task:
    yield from ()
    scope, text = context.scope, expander.text
    (given,) = expander.attributes(node, ("name",), ("value", "default", "remove", "scope", "lazy_eval"))
    name = text.string(given, scope)
    if not name.isidentifier() or iskeyword(name) or name.startswith("__"):
        raise XacroError(f"a property cannot be named {shown(name)}: it must be a plain name")
    value, default = node.attributes.get("value"), node.attributes.get("default")
    remove = _flag(expander, node, "remove", "false", scope)
    if (value is not None) + (default is not None) + remove > 1:
        raise XacroError(f"the property {shown(name)} takes one of value, default and remove")
    if remove and name in scope:
        scope.remove(name)
        return
    if default is not None:
        if name in scope:
            return
        value = default
    target = _target(node, scope)
    elsewhere = node.attributes.get("scope") in ("global", "parent")
    lazy = not elsewhere and _flag(expander, node, "lazy_eval", "true", scope)
    if scope.is_global(name):
        expander.report.info("xacro-message", f"the property {shown(name)} hides a name of xacro's own", node.source)
    if value is None:
        target.define("**" + name, node, lazy=False)
    else:
        target.define(name, value if lazy else text.value(value, scope), lazy=lazy)


def _flag(expander: Expander, node: XacroNode, name: str, default: str, scope: PropertyScope) -> bool:
    given = node.attributes.get(name) or default
    return truth(expander.text.value(given, scope), given)


def _target(node: XacroNode, scope: PropertyScope) -> PropertyScope:
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
