# ruff: noqa: E501
"""Small documents, one or more for each feature that xacro documents. Each is the content of a <robot>."""

from __future__ import annotations

PROPERTY = '<xacro:property name="{}" value="{}"/>'
A = '<a v="{}"/>'


def _values(*expressions: str) -> str:
    return "".join(f'<a v="{e}"/>' for e in expressions)


NUMBERS = (
    "1+1", "1/3", "7//2", "-7//2", "7%3", "-7 % 3", "2**10", "2**-1", "2**0.5", "1e-3", "1e16", "1e22", "0.1+0.2", "1.0",
    "10", "3.", "-0.0", "1/3*3", "100*1.1", "5e-324", "1.7976931348623157e308", "float('inf')", "0x1f", "0b101", "1_000",
    "True", "False", "None", "not 1", "1 if 2>1 else 3", "1 &lt; 2 &lt; 3", "3 > 2 > 2", "1 == 1.0", "1 != 2", "1 and 0 or 5",
    "'' or 'x'", "1 in [1,2]", "3 not in (1,2)", "1 is None", "~5", "5 &amp; 3", "5 | 3", "5 ^ 3", "1 &lt;&lt; 4",
    "16 >> 2", "+3", "--3", "(1,)", "1,2", "()", "[]", "[1,2][0]", "[1,2,3][-1]", "[1,2,3][1:]", "[1,2,3][::-1]",
    "'abc'[1]", "'abc'[::-1]", "'a'+'b'", "'ab'*3", "[1]*3", "[1]+[2]", "(1,2)+(3,)", "'%.3f' % 3.14159",
    "'%d-%s' % (3, 'x')", "'%5.1f|' % 2.25", "'%s' % [1, 'a']", "'a' 'b'", "1 if '' else 2", "'x' == 'x'", "'a' &lt; 'b'",
    "1e400", "-1e400", "1e400-1e400", "round(2.5)", "round(2.567, 2)", "round(1234.5, -2)", "round(-0.5)",
)  # fmt: skip
FUNCTIONS = (
    "sin(pi/2)", "cos(0)", "tan(0.5)", "asin(1)", "acos(0.5)", "atan2(1, 2)", "atan(1)", "sqrt(2)", "radians(180)",
    "degrees(pi)", "pi", "e", "tau", "inf", "nan", "hypot(3,4)", "floor(2.7)", "ceil(2.1)", "fabs(-2)", "exp(1)",
    "log(10)", "log10(1000)", "log(8, 2)", "pow(2, 0.5)", "copysign(1, -2)", "fmod(7, 3)", "trunc(2.9)", "gcd(12, 18)",
    "factorial(5)", "isnan(nan)", "isinf(inf)", "modf(2.5)", "sinh(1)", "erf(0.5)", "gamma(5)", "comb(5, 2)",
    "fsum([0.1]*10)", "prod([1,2,3])", "dist([0,0],[3,4])", "isclose(0.1+0.2, 0.3)", "math.pi", "math.sin(1)",
    "math.floor(2.5)", "abs", "len([1,2])", "len('abc')", "min(1,2)", "max(1,2.5)", "min([3,1,2])", "max('abc')",
    "min([], default=3)", "max([1,-3], key=lambda x: x*x)", "str(1.0)", "str(3)+'x'", "int('12')", "int(3.9)", "int('ff', 16)",
    "float('1e3')", "float(3)", "bool(0)", "bool('x')", "list((1,2))", "list('abc')", "list(map(int, ['1','2']))",
    "dict(a=1)", "dict(a=1)['a']", "dict([(1,2)])", "list(dict(a=1, b=2).keys())", "list(range(3))", "range(3)", "sorted([3,1,2])",
    "sorted([3,1,2], reverse=True)", "sorted(['b','A'], key=lambda s: s.lower())", "python.abs(-3)", "python.sum([1,2,3])",
    "python.all([1,0])", "python.any([1,0])", "list(python.zip([1,2],'ab'))", "list(python.enumerate('ab'))",
    "python.divmod(7,2)", "python.tuple([1,2])", "python.set([1])", "python.ord('a')", "python.repr('a')",
    "list(python.reversed([1,2]))", "python.isinstance(1, int)", "python.isinstance('a', (int, str))", "python.round(2.5)",
    "list(python.filter(lambda x: x > 1, [1,2,3]))", "python.len('abc')", "[x*2 for x in [1,2]]",
    "[x for x in range(5) if x % 2]", "[(x,y) for x in [1,2] for y in [3,4]]", "[a+b for a,b in [(1,2),(3,4)]]",
    "python.sum(x for x in [1,2])", "(lambda x: x+1)(2)", "xacro.tokenize('a, b;c')", "xacro.tokenize('a,,b', ',', False)",
    "xacro.dotify(dict(a=1)).a", "xacro.message('hello')", "xacro.warning('x', 1)", "xacro.error('x')",
)  # fmt: skip
METHODS = (
    "'aB'.upper()", "'aB'.lower()", "' a '.strip()", "'a,b'.split(',')", "'a b c'.split()", "','.join(['a','b'])",
    "'abc'.replace('b','x')", "'abc'.startswith('a')", "'abc'.endswith('x')", "'abc'.find('c')", "'abca'.count('a')",
    "'abc'.title()", "'7'.zfill(3)", "'a'.ljust(3) + '|'", "'a'.rjust(3)", "'a'.center(3)", "'12'.isdigit()",
    "'a.b'.partition('.')", "[1,2,1].count(1)", "[1,2].index(2)", "dict(a=1).get('a')", "dict(a=1).get('b', 3)",
    "list(dict(a=1).items())", "list(dict(a=1).values())", "'abc'.capitalize()", "(2.0).is_integer()", "(5).bit_length()",
    "'abc'.removeprefix('a')", "'ab'.isalpha()", "'a b'.rsplit(' ', 1)", "'%s_%02d' % ('leg', 3)",
)  # fmt: skip
TEXTS = (
    "plain", "$", "a$b", "100$", "$${x}", "$$${x}", "$$(arg x)", "${1}${2}", "a${1}b", "${1} ${2.0}", " ${1}", "${'a'}b", "",
    "${1 }", "${ 1}", "${'a b'}", "${[1, 2]}", "$(arg x)", "$(arg x)$(arg y)", "${$(arg y)+1}", "a$(arg x)b", "${xacro.arg('y')}",
    "${xacro.arg('x') + '!'}", "$( arg x )", "$(eval 1+2)", "$(eval y*2)", "$(eval x == 'ex')", "$(eval not b)", "$(eval pi)",
    "$(optenv GEARWRIGHT_NOT_SET)", "$(optenv GEARWRIGHT_NOT_SET a b)", "é ${'ü'}", "&lt;${1}&gt;", "${'&lt;'}", "${x1}", "$()", "a$()b",
)  # fmt: skip
ARGUMENTS = (
    '<xacro:arg name="x" default="ex"/><xacro:arg name="y" default="3"/><xacro:arg name="b" default="false"/>'
    '<xacro:property name="x1" value="one"/>'
)

SNIPPETS: dict[str, str] = {f"number {e}": _values(f"${{{e}}}") for e in NUMBERS}
SNIPPETS |= {f"function {e}": _values(f"${{{e}}}") for e in FUNCTIONS if e != "abs"}
SNIPPETS |= {f"method {e}": _values(f"${{{e}}}") for e in METHODS}
SNIPPETS |= {f"text {e}": f'{ARGUMENTS}<a v="{e}"/><b>{e}</b>' for e in TEXTS}

_LITERALS = (
    "1",
    "1.5",
    " 2 ",
    "1e3",
    "true",
    "True",
    "false",
    "'3'",
    "'a b'",
    "''",
    "1_0",
    "abc",
    "0x10",
    "nan",
    "-1",
    "1 2",
)
SNIPPETS |= {
    f"property {v!r}": f'<xacro:property name="p" value="{v}"/><a v="${{p}}" w="x${{p}}y" t="${{python.isinstance(p, str)}}"/>'
    for v in _LITERALS
}
SNIPPETS |= {
    "lazy": PROPERTY.format("a", "${b+1}") + PROPERTY.format("b", "1") + A.format("${a}"),
    "lazy, once": PROPERTY.format("b", "1") + PROPERTY.format("a", "${b}") + A.format("${a}")
    + PROPERTY.format("b", "2") + A.format("${a} ${b}"),
    "lazy, not yet used": PROPERTY.format("b", "1") + PROPERTY.format("a", "${b}") + PROPERTY.format("b", "2") + A.format("${a}"),
    "greedy": PROPERTY.format("b", "1") + '<xacro:property name="a" value="${b}" lazy_eval="false"/>'
    + PROPERTY.format("b", "2") + A.format("${a}"),
    "redefined by itself": PROPERTY.format("a", "1") + '<xacro:property name="a" value="${a+1}" lazy_eval="false"/>' + A.format("${a}"),
    "typed list": PROPERTY.format("l", "${[1, 2, 3]}") + A.format("${l[1]} ${len(l)}"),
    "list as text": PROPERTY.format("l", "[1, 2, 3]") + A.format("${l[1]}"),
    "list changed": PROPERTY.format("l", "${[1]}") + A.format("${l.append(2)}") + A.format("${l}"),
    "dictionary": PROPERTY.format("d", "${dict(a=1, b=dict(c=2))}") + A.format("${d['a']} ${d['b']['c']} ${d}"),
    "lambda": PROPERTY.format("f", "${lambda x: x*2}") + A.format("${f(3)}"),
    "name of a property": PROPERTY.format("n", "p") + '<xacro:property name="${n}_1" value="5"/>' + A.format("${p_1}"),
    "default": '<xacro:property name="p" default="1"/>' + A.format("${p}") + '<xacro:property name="p" default="2"/>' + A.format("${p}"),
    "default of a given": PROPERTY.format("p", "3") + '<xacro:property name="p" default="1"/>' + A.format("${p}"),
    "removed": PROPERTY.format("p", "3") + '<xacro:property name="p" remove="true"/><xacro:property name="p" default="4"/>' + A.format("${p}"),
    "global hidden": PROPERTY.format("pi", "3") + A.format("${pi}"),
    "block property": '<xacro:property name="b"><c v="${q}"/><d>text ${q}</d></xacro:property>' + PROPERTY.format("q", "1")
    + '<e><xacro:insert_block name="b"/></e>' + PROPERTY.format("q", "2") + '<e><xacro:insert_block name="b"/></e>',
    "empty block property": '<xacro:property name="b"/><e><xacro:insert_block name="b"/></e>',
    "if": '<xacro:if value="1"><a/></xacro:if><xacro:if value="0"><b/></xacro:if><xacro:unless value="false"><c/></xacro:unless>',
    "if expressions": "".join(f'<xacro:if value="{v}"><a n="{i}"/></xacro:if>' for i, v in enumerate(
        ("true", "True", "${1 == 1}", "${'x' == 'y'}", "${0.0}", "${[]}", "${[0]}", "2", "-1", "${None}", "${'1'}", "$(eval 1 > 2)"))),
    "if nested": '<xacro:if value="1"><xacro:if value="1"><a/></xacro:if>t</xacro:if><xacro:unless value="1"><xacro:nothing/></xacro:unless>',
    "if with text": "<p>one<xacro:if value=\"1\">two</xacro:if>three</p><p><xacro:if value=\"1\">only</xacro:if></p>",
    "property in if": '<xacro:if value="1"><xacro:property name="p" value="7"/></xacro:if>' + A.format("${p}"),
    "macro": '<xacro:macro name="m"><a/></xacro:macro><xacro:m/><xacro:m/>',
    "macro with values": '<xacro:macro name="m" params="x y"><a v="${x} ${y}"/></xacro:macro><xacro:m x="1" y="${1+1}"/><xacro:m y="a" x="b"/>',
    "macro defaults": '<xacro:macro name="m" params="x:=1 y:=${2*3} z:=\'a b\' w:=$(arg q) v=9 u:=\'\'"><a v="${x} ${y} ${z} ${w} ${v} [${u}]"/></xacro:macro>'
    '<xacro:arg name="q" default="queue"/><xacro:m/><xacro:m x="5" z="Z"/>',
    "macro default with spaces": '<xacro:macro name="m" params="x:=${[1, 2]} y := 4"><a v="${x[1]} ${y}"/></xacro:macro><xacro:m/>',
    "macro default of another": PROPERTY.format("k", "8") + '<xacro:macro name="m" params="x:=${k}_b"><a v="${x}"/></xacro:macro><xacro:m/>',
    "macro forwarded": '<xacro:macro name="m" params="x:=^ y:=^|7 z:=^|${1+1}"><a v="${x} ${y} ${z}"/></xacro:macro>'
    + PROPERTY.format("x", "3") + "<xacro:m/>" + PROPERTY.format("y", "4") + '<xacro:m/><xacro:m x="0"/>',
    "macro block": '<xacro:macro name="m" params="*b"><w><xacro:insert_block name="b"/></w></xacro:macro><xacro:m><c v="${1+1}"><d/></c></xacro:m>',
    "macro blocks": '<xacro:macro name="m" params="x *b **c"><w><xacro:insert_block name="c"/><xacro:insert_block name="b"/></w></xacro:macro>'
    '<xacro:m x="1"><o xyz="0 0 1"/><k><l/><n>t</n></k></xacro:m>',
    "block twice": '<xacro:macro name="m" params="*b"><w><xacro:insert_block name="b"/><xacro:insert_block name="b"/></w></xacro:macro><xacro:m><c/></xacro:m>',
    "block in the caller's scope": '<xacro:macro name="m" params="p *b"><w><xacro:insert_block name="b"/></w></xacro:macro>'
    + PROPERTY.format("p", "outer") + '<xacro:m p="inner"><c v="${p}"/></xacro:m>',
    "block escaped once": '<xacro:macro name="m" params="p *b"><w><xacro:insert_block name="b"/></w></xacro:macro>'
    + PROPERTY.format("p", "outer") + '<xacro:m p="inner"><c v="$${p}"/></xacro:m>',
    "macro calls in blocks": '<xacro:macro name="i" params="n"><j v="${n}"/></xacro:macro>'
    '<xacro:macro name="m" params="**b"><w><xacro:insert_block name="b"/></w></xacro:macro><xacro:m><k><xacro:i n="1"/><xacro:i n="2"/></k></xacro:m>',
    "macro recursion": '<xacro:macro name="m" params="n"><a v="${n}"/><xacro:if value="${n > 0}"><xacro:m n="${n-1}"/></xacro:if></xacro:macro><xacro:m n="60"/>',
    "macro sees the caller": '<xacro:macro name="m"><a v="${p}"/></xacro:macro><xacro:macro name="o" params="p"><xacro:m/></xacro:macro><xacro:o p="4"/>',
    "macro in a macro": '<xacro:macro name="o"><xacro:macro name="i"><a/></xacro:macro><xacro:i/></xacro:macro><xacro:o/>',
    "macro redefined": '<xacro:macro name="m"><a/></xacro:macro><xacro:m/><xacro:macro name="m"><b/></xacro:macro><xacro:m/>',
    "macro with prefix": '<xacro:macro name="xacro:m"><a/></xacro:macro><xacro:m/>',
    "local property": PROPERTY.format("p", "1") + '<xacro:macro name="m"><xacro:property name="p" value="2"/><a v="${p}"/></xacro:macro><xacro:m/>' + A.format("${p}"),
    "scope parent": '<xacro:macro name="m"><xacro:property name="p" value="${1+1}" scope="parent"/></xacro:macro><xacro:m/>' + A.format("${p}"),
    "scope parent, twice": '<xacro:macro name="i"><xacro:property name="p" value="5" scope="parent"/></xacro:macro>'
    '<xacro:macro name="m"><xacro:i/><a v="${p}"/></xacro:macro>' + PROPERTY.format("p", "1") + "<xacro:m/>" + A.format("${p}"),
    "scope global": '<xacro:macro name="i"><xacro:property name="p" value="5" scope="global"/></xacro:macro>'
    '<xacro:macro name="m"><xacro:i/></xacro:macro><xacro:m/>' + A.format("${p}"),
    "scope global at the top": PROPERTY.format("b", "1") + '<xacro:property name="p" value="${b}" scope="global"/>' + PROPERTY.format("b", "2") + A.format("${p}"),
    "removed where there is none": '<xacro:property name="p" remove="true"/><xacro:property name="p" default="4"/>' + A.format("${p}"),
    "scope global of a block": '<xacro:macro name="m"><xacro:property name="b" scope="global"><c/></xacro:property></xacro:macro><xacro:m/><xacro:insert_block name="b"/>',
    "call": '<xacro:macro name="m1" params="x"><a v="${x}"/></xacro:macro>' + PROPERTY.format("n", "1") + '<xacro:call macro="m${n}" x="3"/>',
    "element": PROPERTY.format("n", "link") + '<xacro:element xacro:name="${n}_x" name="${n}"><c/></xacro:element>',
    "element as macro": '<xacro:macro name="m" params="x"><a v="${x}"/></xacro:macro><xacro:element xacro:name="xacro:m" x="2"/>',
    "attribute": '<c a="1"><xacro:attribute name="b" value="x${1}"/><xacro:attribute name="${\'k\'}" value="y"/><d/></c>',
    "attribute in if": '<c><xacro:if value="1"><xacro:attribute name="b" value="x"/></xacro:if></c>',
    "xacro attributes": '<c xacro:note="x" b="1"/>',
    "comments": "<c>a<!-- ${nothing} -->b</c><!-- xacro:eval-comments --><!-- ${1} --><d/>",
    "cdata": "<c><![CDATA[a < ${1+1}]]></c>",
    "mixed content": "<c>one <b/> two ${1} <b/> three</c>",
    "deep": "<c>" * 50 + "${1}" + "</c>" * 50,
    "arg over property": '<xacro:arg name="x" default="${1+1}"/><xacro:property name="x" value="$(arg x)"/>' + A.format("${x*2}"),
    "arg twice": '<xacro:arg name="x" default="1"/><xacro:arg name="x" default="2"/>' + A.format("$(arg x)"),
    "yaml": PROPERTY.format("c", "${xacro.load_yaml('values.yaml')}") + _values(
        "${c.joints.elbow.upper}", "${c['joints']['elbow']['lower']}", "${c.list[1]}", "${c.list[2].name}", "${c.text}", "${c.flag}",
        "${c.degrees}", "${c.radians}", "${c.expression}", "${c.none}", "${c.inches} ${c.foot} ${c.millimeters} ${c.meters}",
        "${c.date}", "${c.octal} ${c.exp} ${c.big}", "${c.joints}", "${'elbow' in c.joints}", "${list(c.joints.keys())}", "${c.merged.b}",
        "${c.get('nothing', 4)}", "${[j for j in c.joints]}", "${len(c.list)}", "${c.list}", "${c.quoted + '!'}"),
    "yaml to a macro": PROPERTY.format("c", "${load_yaml('values.yaml')}")
    + '<xacro:macro name="m" params="j"><a v="${j.upper}"/></xacro:macro><xacro:m j="${c.joints.elbow}"/>',
    "abs_filename": A.format("${xacro.abs_filename('x.yaml')}"),
    "include": '<xacro:include filename="part.xacro"/>' + A.format("${from_part}") + "<xacro:part_macro/>",
    "include by property": PROPERTY.format("f", "part") + '<xacro:include filename="${f}.xacro"/><xacro:part_macro/>',
    "include in a folder": '<xacro:include filename="sub/outer.xacro"/><xacro:outer_macro/>',
    "include twice": '<xacro:include filename="part.xacro"/><xacro:include filename="part.xacro"/>',
    "include with namespace": '<xacro:include filename="part.xacro" ns="p"/><xacro:p.part_macro/>' + A.format("${p.from_part}"),
    "namespace and scope": PROPERTY.format("from_part", "mine") + '<xacro:include filename="part.xacro" ns="p"/>'
    + A.format("${from_part} ${p.from_part}") + "<xacro:p.part_macro/>",
    "include pattern": '<xacro:include filename="sub/piece_*.xacro"/>',
    "include pattern without a match": '<xacro:include filename="sub/nothing_*.xacro"/><a/>',
    "include optional": '<xacro:include filename="nowhere.xacro" optional="true"/><a/>',
    "include in if": '<xacro:if value="0"><xacro:include filename="nowhere.xacro"/></xacro:if><xacro:if value="1"><xacro:include filename="part.xacro"/></xacro:if>',
    "include of a package": '<xacro:include filename="$(find helper)/urdf/thing.xacro"/><xacro:thing/>',
    "find in text": '<mesh filename="file://$(find helper)/meshes/x.stl"/>',
    "macro folder": '<xacro:include filename="sub/relative.xacro"/><xacro:relative/>',
}  # fmt: skip

FILES: dict[str, str] = {
    "values.yaml": """
joints: {elbow: {upper: 1.5, lower: -1.5}, wrist: {upper: 2, lower: 0}}
list: [1, two, {name: three}]
text: some words
flag: true
none: null
quoted: "12"
degrees: !degrees 90
radians: !radians 1.5
expression: !degrees 45 * 2 + sin(pi/2)
inches: !inches 10
foot: !foot 2
millimeters: !millimeters 5
meters: !meters 1.5
date: 2020-01-02
octal: 010
exp: 1.0e+3
big: 123456789012345678901234567890
base: &base {a: 1, b: 2}
merged: {<<: *base, a: 3}
""",
    "part.xacro": "<part>"
    '<xacro:property name="from_part" value="${1+2}"/><xacro:macro name="part_macro"><p v="${from_part}"/></xacro:macro><q/></part>',
    "sub/outer.xacro": '<r><xacro:include filename="inner.xacro"/><xacro:macro name="outer_macro"><o><xacro:inner_macro/></o></xacro:macro></r>',
    "sub/inner.xacro": '<r><xacro:macro name="inner_macro"><i/></xacro:macro></r>',
    "sub/piece_b.xacro": '<r><b v="${1}"/></r>',
    "sub/piece_a.xacro": '<r><a v="${2}"/></r>',
    "sub/relative.xacro": '<r><xacro:macro name="relative"><a v="${xacro.load_yaml(\'values.yaml\').text}"/></xacro:macro></r>',
    "helper/package.xml": "<package><name>helper</name></package>",
    "helper/urdf/thing.xacro": '<r><xacro:macro name="thing"><t v="$(find helper)"/></xacro:macro></r>',
}  # fmt: skip
