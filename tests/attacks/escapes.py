"""Ways out of an expression evaluator, as they are known for Python's own `eval`."""

# ruff: noqa: E501  (hostile texts stay on one line)

from __future__ import annotations

from tests.attacks.attack import LINK, Attack, expression, xacro

_TOUCH = "open('CANARY','w')"
_SUBCLASSES = "().__class__.__bases__[0].__subclasses__()"

EXPRESSIONS: dict[str, str] = {
    "import": "${__import__('os').system('touch CANARY')}",
    "open": f"${{{_TOUCH}}}",
    "exec": f'${{exec("{_TOUCH}")}}',
    "eval": f'${{eval("{_TOUCH}")}}',
    "compile": "${compile('1', 'x', 'eval')}",
    "subclasses": f"${{{_SUBCLASSES}}}",
    "subclasses in a lambda": f"${{(lambda: {_SUBCLASSES})()}}",
    "subclasses to os.system": f"${{[c for c in {_SUBCLASSES} if c.__name__ == '_wrap_close'][0].__init__.__globals__['system']('touch CANARY')}}",
    "class of a text": "${''.__class__.__mro__}",
    "mro of a list": "${[].__class__.mro()}",
    "getattr": "${getattr('', '__class__')}",
    "setattr": "${setattr(p, 'x', 1)}",
    "type": "${type('X', (), dict())}",
    "python.type": "${python.type('X', (), dict())}",
    "python.vars": "${python.vars()}",
    "python.__builtins__": "${python.__builtins__}",
    "globals": "${globals()}",
    "builtins by name": "${__builtins__}",
    "globals of a function": "${sin.__self__}",
    "module of a function": "${len.__module__}",
    "call of a wrapper": "${len.call}",
    "globals of load_yaml": "${xacro.load_yaml.__globals__}",
    "closure": "${(lambda: 1).__closure__}",
    "code of a lambda": "${(lambda: 1).__code__}",
    "code replaced": "${(lambda: 1).__code__.replace(co_consts=())}",
    "generator frame": "${(x for x in [1]).gi_frame.f_back.f_globals}",
    "generator code": "${(x for x in [1]).gi_code}",
    "walrus": "${[y := 1, y]}",
    "await": "${await x}",
    "yield": "${(yield 1)}",
    "f-string with a call": f"${{f'x' + str({_TOUCH})}}",
    "default of a lambda": f"${{(lambda x=({_TOUCH}): x)()}}",
    "star": "${(lambda *a: a)(1)}",
    "attribute of a namespace": "${math.__loader__}",
    "names with underscores": "${math.__dict__}",
    "scope's own": "${xacro.values}",
    "parents": "${python.lookup}",
    "mangled": "${''._formatter_parser()}",
    "encode": "${'a'.encode()}",
    "bytes": "${b'a'}",
    "ellipsis": "${...}",
    "format_map": "${'x'.format_map(dict())}",
    "translate": "${'x'.translate(dict())}",
    "decorated comprehension": "${[__import__ for x in [1]]}",
    "comprehension into an attribute": "${[1 for math.pi in [3]]}",
    "unicode name": "${ｏｐｅｎ('CANARY','w')}",
    "statement": "${import os}",
    "two statements": f"${{1; {_TOUCH}}}",
    "newline": f"${{1\n{_TOUCH}}}",
    "breakpoint": "${breakpoint()}",
    "input": "${input()}",
    "help": "${help()}",
    "exit": "${exit()}",
    "sum of texts": "${python.sum(['a'], '')}",
    "complex": "${1j}",
    "nested text": "$${${__import__('os')}}",
    "eval substitution": "$(eval __import__)",
    "eval of a class": "$(eval ''.__class__)",
    "eval of a module": "$(eval math.__loader__)",
    "python substitution": "$(python open)",
    "command substitution": "$(shell touch CANARY)",
    "anon": "$(anon x)",
}
ATTACKS: dict[str, Attack] = {name: expression(text) for name, text in EXPRESSIONS.items()}


def _format(field: str, value: str) -> Attack:
    """`}` ends an expression, so that a format with fields comes from a property."""
    return xacro(
        f'<xacro:property name="f" value="\'{field}\'"/>' + LINK.format(f"${{f.format({value})}}"), "xacro-failed"
    )


ATTACKS |= {
    "format field with an attribute": _format("{0.__class__}", "''"),
    "format field with an index": _format("{0[a]}", "dict(a=1)"),
    "format of a function": _format("{0.call.__globals__}", "len"),
    "a property named like a dunder": xacro('<xacro:property name="__class__" value="1"/>', "xacro-failed"),
    "a property named by code": xacro('<xacro:property name="${open}" value="1"/>', "xacro-failed"),
    "a macro named by code": xacro('<xacro:call macro="${().__class__}"/>', "xacro-failed"),
    "an element with markup in its name": xacro("<xacro:element xacro:name=\"${'a&gt;&lt;b'}\"/>", "xacro-failed"),
    "an attribute with markup in its name": xacro(
        '<link name="a"><xacro:attribute name="x=\'1\' y" value="2"/></link>', "xacro-failed"
    ),
    "control characters": xacro(LINK.format("${'a' + '\\0' + 'b'}"), "xacro-failed"),
    "an argument named like a dunder": xacro(LINK.format("$(arg __class__)"), "xacro-failed"),
    "a function as a value": xacro(LINK.format("${open if 0 else sin}"), "xacro-failed"),
}
