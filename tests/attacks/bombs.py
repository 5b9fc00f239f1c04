"""Small files that ask for much time or memory."""

# ruff: noqa: E501  (hostile texts stay on one line)

from __future__ import annotations

from tests.attacks.attack import HEAD, LINK, Attack, expression, xacro

_LIMIT = ("xacro-limit",)

EXPRESSIONS: dict[str, str] = {
    "power": "${10**10**10}",
    "power of a power": "${9**9**9}",
    "negative power": "${2**-(10**10)}",
    "shift": "${1 << 10**10}",
    "repeated text": "${'a'*10**9}",
    "repeated list": "${[0]*10**9}",
    "repeated tuple": "${10**9*(1,)}",
    "range": "${list(range(10**9))}",
    "sum of a range": "${python.sum(range(10**11))}",
    "a number in a range": "${0.5 in range(10**11)}",
    "factorial": "${factorial(10**7)}",
    "choices": "${comb(10**6, 5*10**5)}",
    "rounding": "${round(10, -10**9)}",
    "digits": "${int('9'*100000)}",
    "binary digits": "${int('1'*199999, 2)}",
    "product": "${prod([2**16000]*40000)}",
    "lcm": "${lcm(*[2**8000+i for i in range(2000)])}",
    "width": "${'%999999999d' % 1}",
    "width by value": "${'%*d' % (10**9, 1)}",
    "precision": "${'%.999999999f' % 1}",
    "padding": "${'a'.ljust(10**9)}",
    "replacement": "${('a'*100000).replace('a', 'b'*100000)}",
    "join": "${('a'*100000).join(list('b'*40000))}",
    "nested loops": "${[0 for a in range(40000) for b in range(40000)]}",
    "loop over texts": "${[str(i)*1000 for i in range(40000)]}",
    "sorting": "${[sorted(range(40000)) for i in range(40000)]}",
    "minus signs": "${" + "-" * 4900 + "1}",
    "parentheses": "${" + "(" * 2000 + "1" + ")" * 2000 + "}",
    "long sum": "${" + "1+" * 2400 + "1}",
    "long expression": "${" + "1 + " * 20000 + "1}",
    "nested lists": "${" + "[" * 150 + "]" * 150 + "}",
    "dictionary of texts": "${dict([(i, 'a'*150000) for i in range(40000)])}",
    "map of texts": "${len(list(map(lambda i: 'a'*150000, range(40000))))}",
    "split by a list": "${xacro.tokenize('b', ['bbbbbbbbbbbb','b','b','b','b','b','b','b','b','b'])}",
    "a method called many times": "${map(('x'*199999).replace, ['x']*20000, ['y']*20000)}",
    "a method that filters": "${python.filter(('x '*99999).split, [' ']*50000)}",
    "formatted many times": "${'%s' * 50000 % (('a'*100,)*50000)}",
}
ATTACKS: dict[str, Attack] = {
    name: expression(text, "xacro-limit", "xacro-failed") for name, text in EXPRESSIONS.items()
}


def _chain(first: str, then: str, n: int) -> str:
    """Properties p0 … pn, each made of the one before it, `{}`."""
    rest = "".join(f'<xacro:property name="p{i}" value="{then.format(f"p{i - 1}")}"/>' for i in range(1, n + 1))
    return f'<xacro:property name="p0" value="{first}"/>{rest}'


_DOUBLED = _chain("${[0]}", "${{[{0}, {0}]}}", 40)
_TUPLES = _chain("${(0,)}", "${{({0}, {0})}}", 40)
_OTHER = _DOUBLED.replace('name="p', 'name="q').replace("[p", "[q").replace(", p", ", q")
YAML_ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10)
)
YAML_MERGES = "a0: &a0 {x: 1, y: 2}\n" + "".join(
    f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}], k{i}: 1}}\n" for i in range(1, 12)
)
_LOAD = '<xacro:property name="y" value="${xacro.load_yaml(\'bomb.yaml\')}"/>' + LINK.format("${y}")


def _yaml(text: str, *codes: str) -> Attack:
    return xacro(_LOAD, *(codes or ("xacro-limit", "xacro-failed")), beside={"bomb.yaml": text})


_TWO = "<xacro:m{0}/><xacro:m{0}/>"


def _repeated(content: str) -> str:
    """The content 1,000 times."""
    again = '<xacro:if value="${n}"><xacro:m n="${n-1}"/></xacro:if>'
    return f'<xacro:macro name="m" params="n">{content}{again}</xacro:macro><xacro:m n="1000"/>'


ATTACKS |= {
    "doubled text": xacro(_chain("a" * 100, "${{{0}}}${{{0}}}", 60) + LINK.format("${p60}"), *_LIMIT),
    "doubled list": xacro(_DOUBLED + LINK.format("${len(p40)}"), *_LIMIT),
    "compared lists": xacro(_DOUBLED + _OTHER + LINK.format("${p40 == q40}"), *_LIMIT),
    "hashed tuples": xacro(_TUPLES + LINK.format("${len(dict([(p40, 1)]))}"), *_LIMIT),
    "a list that holds itself": xacro(
        '<xacro:property name="l" value="${[]}"/>' + LINK.format("${l.append(l)}") + LINK.format("${l}"), *_LIMIT
    ),
    "a list that grows": xacro(
        '<xacro:property name="l" value="${[0]}"/>' + LINK.format("${[l.extend(l) for i in range(60)]}"), *_LIMIT
    ),
    "properties in a circle": xacro(
        '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/>' + LINK.format("${a}"),
        "xacro-failed",
    ),
    "a long chain of properties": xacro(_chain("1", "${{{0}+1}}", 3000) + LINK.format("${p3000}"), *_LIMIT),
    "a lambda that calls itself": xacro(
        '<xacro:property name="f" value="${lambda n: f(n+1)}"/>' + LINK.format("${f(0)}"), *_LIMIT
    ),
    "a macro that calls itself": xacro('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', *_LIMIT),
    "macros that call each other": xacro(
        '<xacro:macro name="a"><xacro:b/></xacro:macro><xacro:macro name="b"><a><xacro:a/></a></xacro:macro><xacro:a/>',
        *_LIMIT,
    ),
    "macros that double": xacro(
        '<xacro:macro name="m0"><link name="x"/></xacro:macro>'
        + "".join(f'<xacro:macro name="m{i}">{_TWO.format(i - 1)}</xacro:macro>' for i in range(1, 60))
        + "<xacro:m59/>",
        *_LIMIT,
    ),
    "macros that double nothing": xacro(
        '<xacro:macro name="m0"/>'
        + "".join(f'<xacro:macro name="m{i}">{_TWO.format(i - 1)}</xacro:macro>' for i in range(1, 60))
        + "<xacro:m59/>",
        *_LIMIT,
    ),
    "blocks that double": xacro(
        '<xacro:macro name="m" params="n **b"><xacro:if value="${n > 0}"><xacro:m n="${n-1}"><k><xacro:insert_block name="b"/>'
        '<xacro:insert_block name="b"/></k></xacro:m></xacro:if></xacro:macro><xacro:m n="60"><k><link name="x"/></k></xacro:m>',
        *_LIMIT,
    ),
    "deep output": xacro(
        '<xacro:macro name="m" params="n"><a><xacro:if value="${n > 0}"><xacro:m n="${n-1}"/></xacro:if></a></xacro:macro>'
        '<xacro:m n="100000"/>',
        *_LIMIT,
    ),
    "much text": xacro(
        '<xacro:property name="t" value="${\'a\'*190000}"/>'
        '<xacro:macro name="m" params="n"><link name="${t}${n}"/><xacro:if value="${n > 0}"><xacro:m n="${n-1}"/></xacro:if></xacro:macro>'
        '<xacro:m n="3000"/>',
        *_LIMIT,
    ),
    "many attributes many times": xacro(
        _repeated(f"<link {' '.join(f'a{i}=&quot;&quot;' for i in range(20000))}/>".replace("&quot;", '"')), *_LIMIT
    ),
    "plain text many times": xacro(_repeated("<a>" + "x" * 50000 + "<b/>" + "x" * 50000 + "</a>"), *_LIMIT),
    "verbatim text many times": xacro(_repeated("<a><![CDATA[" + "x" * 100000 + "]]></a>"), *_LIMIT),
    "parameters that invite backtracking": xacro(
        f'<xacro:macro name="m" params="x:={"a" * 5000}\'"/>', "link-not-found"
    ),
    "many macros of many parameters": xacro(
        f'<xacro:macro name="m" params="{" ".join(f"p{i}:=1" for i in range(5000))}"><a/></xacro:macro>'
        + "<xacro:m/>" * 3000,
        *_LIMIT,
    ),
    "an include of itself": xacro('<xacro:include filename="robot.xacro"/>', "include-cycle"),
    "includes that double": xacro(
        '<xacro:include filename="i0.xacro"/>',
        "xacro-limit",
        beside={f"i{i}.xacro": HEAD + f'<xacro:include filename="i{i + 1}.xacro"/>' * 2 + "</robot>" for i in range(30)}
        | {"i30.xacro": HEAD + "</robot>"},
    ),
    "yaml aliases": _yaml(YAML_ALIASES),
    "yaml merges": _yaml(YAML_MERGES),
    "yaml that holds itself": _yaml("&a [*a, *a]\n"),
    "yaml merged with itself": _yaml("&a {<<: *a}\n"),
    "deep yaml": _yaml("[" * 50_000),
    "a long number of yaml": _yaml("k: " + ":".join(["59"] * 50_000) + "\n"),
    "much yaml": _yaml("- {a: 1, b: [1, 2, 3]}\n" * 11_000),
    "huge yaml": _yaml("a: 1\n" * 200_000, "xacro-limit"),
    "yaml python object": _yaml("!!python/object/apply:os.system ['touch canary']\n", "xacro-failed"),
    "yaml python name": _yaml("!!python/name:os.system\n", "xacro-failed"),
    "yaml python module": _yaml("!!python/module:os\n", "xacro-failed"),
    "yaml unit with code": _yaml("!degrees __import__('os').system('touch canary')\n", "xacro-failed"),
    "yaml unit with a power": _yaml("!degrees 9**9**9\n", "xacro-limit"),
    "yaml binary": _yaml("!!binary aGVsbG8=\n", "xacro-failed"),
}
