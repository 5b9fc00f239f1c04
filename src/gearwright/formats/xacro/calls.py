"""Macros: their definition, their calls, and the blocks that calls pass to them."""

from __future__ import annotations

from gearwright.errors import nearest
from gearwright.formats.xacro.budget import CALL_STEPS, NODE_STEPS
from gearwright.formats.xacro.errors import XacroError, shown
from gearwright.formats.xacro.expander import PREFIX, Context, Expander, Task
from gearwright.formats.xacro.macros import Macro, MacroParameter, find_macro, read_parameters
from gearwright.formats.xacro.tree import XacroNode


def define_macro(expander: Expander, node: XacroNode, context: Context, out: XacroNode) -> Task:
    yield from ()
    (name,) = expander.attributes(node, ("name",), ("params",))
    name = name.removeprefix(PREFIX)
    if name == "call" or "." in name:
        raise XacroError(f"a macro cannot be named {shown(name)}")
    parameters = read_parameters(node.attributes.get("params", ""))
    context.macros[name] = Macro(body=node, parameters=parameters)


def call_macro(expander: Expander, node: XacroNode, context: Context, out: XacroNode) -> Task:
    expander.budget.spend(CALL_STEPS)
    given = dict(node.attributes)
    name = node.tag.removeprefix(PREFIX)
    if name == "call":
        if not given.get("macro"):
            raise XacroError("xacro:call needs the attribute macro")
        name = expander.text.string(given.pop("macro"), context.scope)
    found = find_macro(name, context.macros, context.scope)
    if found is None:
        known = [*context.macros, *(d.removeprefix(PREFIX) for d in expander.directives)]
        raise XacroError(f"there is no macro {shown(name)}{nearest(name, known)}")
    macro, macros, scope = found
    expander.budget.spend(NODE_STEPS * len(macro.parameters))
    inside = Context(scope, macros).inner()
    missing = _pass_values(expander, name, macro, given, context, inside)
    blocks = node.like(node.tag, {})
    yield expander.content(node, context, blocks)
    expander.place = node
    missing = _pass_blocks(name, missing, blocks, inside)
    _pass_defaults(expander, name, missing, context, inside)
    expander.calls.append(node)
    yield expander.spliced(macro.body, inside, out)
    expander.calls.pop()


def _pass_values(
    expander: Expander, name: str, macro: Macro, given: dict[str, str], context: Context, inside: Context
) -> list[MacroParameter]:
    """Sets the parameters that the call gives; those that are left are returned."""
    left = {p.name: p for p in macro.parameters}
    for key, value in given.items():
        if key.startswith("xmlns"):
            continue
        if left.pop(key, None) is None:
            near = nearest(key, [p.name for p in macro.parameters])
            raise XacroError(f"the macro {shown(name)} has no parameter {shown(key)}{near}")
        inside.scope.define(key, expander.text.value(value, context.scope), lazy=False)
    return list(left.values())


def _pass_defaults(
    expander: Expander, name: str, missing: list[MacroParameter], context: Context, inside: Context
) -> None:
    for p in missing:
        if p.outer and p.name in context.scope:
            inside.scope.define(p.name, context.scope.lookup(p.name), lazy=False)
        elif p.default is not None:
            inside.scope.define(p.name, expander.text.value(p.default, context.scope), lazy=False)
        else:
            raise XacroError(f"the macro {shown(name)} needs the parameter {shown(p.name)}")


def insert_block(expander: Expander, node: XacroNode, context: Context, out: XacroNode) -> Task:
    (name,) = expander.attributes(node, ("name",))
    if f"**{name}" in context.scope:
        yield expander.spliced(context.scope.lookup(f"**{name}"), context, out)
    elif f"*{name}" in context.scope:
        yield expander.element(context.scope.lookup(f"*{name}"), context, out)
    else:
        known = [n.lstrip("*") for n in context.scope.names() if n.startswith("*")]
        raise XacroError(f"there is no block {shown(name)}{nearest(name, known)}")


def _pass_blocks(name: str, missing: list[MacroParameter], blocks: XacroNode, inside: Context) -> list[MacroParameter]:
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
