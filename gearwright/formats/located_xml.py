"""XML elements that know their file and line, and what of them has been read.

Text is hostile: it is decoded here, bounded in size, and parsed with entities, DTDs and the network off. Every child
and attribute that a reader asks for is ticked off, so that `unread` can report the rest: nothing is dropped silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite, isnan

from lxml import etree

from gearwright.diagnostics import Report, Source
from gearwright.model.poses import Vector3

MAX_BYTES = 32 * 2**20
MAX_DEPTH = 200  # libxml2 stops at 256 by itself
MAX_ELEMENTS = 1_000_000
OWN_PREFIX = "gearwright:"

_DECLARATION = re.compile(r"<\?xml(\s[^>]*?)?\?>")
_VERSION = re.compile(r"""version\s*=\s*["']([^"']*)["']""")
_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_OUTSIDE = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>", re.DOTALL)
_ENCODINGS = {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1", "latin1", "windows-1252", "utf-16"}


class Element:
    """An element with its place in a file. Readers ask for children and attributes by name."""

    __slots__ = ("_asked", "_read", "attributes", "children", "file", "line", "parent", "report", "tag", "text")

    def __init__(self, tag: str, file: str, line: int, report: Report, parent: Element | None = None) -> None:
        self.tag = tag
        self.file = file
        self.line = line
        self.report = report
        self.parent = parent
        self.attributes: dict[str, str] = {}
        self.text = ""
        self.children: list[Element] = []
        self._asked: set[str] = set()  # names of children and (with @) attributes that readers know
        self._read = False

    # --- where it is -------------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """`joint[shoulder]/axis/mimic`, below the root."""
        parts: list[str] = []
        e: Element | None = self
        while e is not None and e.parent is not None:
            name = e.attributes.get("name")
            parts.append(f"{e.tag}[{name}]" if name else e.tag)
            e = e.parent
        return "/".join(reversed(parts)) or self.tag

    @property
    def source(self) -> Source:
        return Source(file=self.file, line=self.line, element=self.path)

    def error(self, code: str, message: str) -> None:
        self.report.error(code, message, self.source)

    def warning(self, code: str, message: str) -> None:
        self.report.warning(code, message, self.source)

    def info(self, code: str, message: str) -> None:
        self.report.info(code, message, self.source)

    # --- children and attributes -------------------------------------------------------------------------------

    def all(self, *tags: str) -> list[Element]:
        """Children with one of these tags, in document order."""
        self._asked.update(tags)
        found = [c for c in self.children if c.tag in tags]
        for c in found:
            c._read = True
        return found

    def child(self, tag: str) -> Element | None:
        """The first child with this tag; a second one stays unread, and is reported."""
        self._asked.add(tag)
        for c in self.children:
            if c.tag == tag:
                c._read = True
                return c
        return None

    def get(self, name: str, default: str | None = None) -> str | None:
        """An attribute."""
        self._asked.add("@" + name)
        return self.attributes.get(name, default)

    def consume(self) -> None:
        """Ticks off the whole subtree: it is known, and kept or left aside as a whole."""
        self._asked.add("*")

    @property
    def words(self) -> str:
        return self.text.strip()

    # --- values ------------------------------------------------------------------------------------------------

    def number(self, name: str, default: float, *, infinite: bool = False) -> float:
        """A number from an attribute."""
        text = self.get(name)
        return default if text is None else self._number(text, f"attribute {name}", default, infinite)

    def vector(self, name: str, default: Vector3) -> Vector3:
        """Three numbers from an attribute."""
        text = self.get(name)
        return default if text is None else self._vector(text, f"attribute {name}", default)

    def child_text(self, tag: str, default: str = "") -> str:
        c = self.child(tag)
        return default if c is None else c.words

    def child_number(self, tag: str, default: float, *, infinite: bool = False) -> float:
        c = self.child(tag)
        return default if c is None else c._number(c.text, f"<{tag}>", default, infinite)

    def child_vector(self, tag: str, default: Vector3) -> Vector3:
        c = self.child(tag)
        return default if c is None else c._vector(c.text, f"<{tag}>", default)

    def child_truth(self, tag: str, default: bool) -> bool:
        c = self.child(tag)
        return default if c is None else c.truth(c.words, f"<{tag}>", default)

    def numbers(self, text: str | None = None, what: str | None = None) -> list[float] | None:
        """As many numbers as there are, from the text or from a given string; None if one cannot be read."""
        words = (self.text if text is None else text).split()
        values = [parse_number(w) for w in words]
        if any(v is None or not isfinite(v) for v in values):
            self.error("number-invalid", f"{what or f'<{self.tag}>'}: cannot read numbers from {_shown(' '.join(words))}")
            return None
        return [v for v in values if v is not None]

    def truth(self, text: str, what: str, default: bool) -> bool:
        value = {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())
        if value is None:
            self.error("number-invalid", f"{what}: expected true or false, not {_shown(text)}")
            return default
        return value

    def _number(self, text: str, what: str, default: float, infinite: bool) -> float:
        value = parse_number(text)
        if value is None or isnan(value) or not (infinite or isfinite(value)):
            self.error("number-invalid", f"{what}: expected a number, not {_shown(text)}")
            return default
        return value

    def _vector(self, text: str, what: str, default: Vector3) -> Vector3:
        words = text.split()
        values = [parse_number(w) for w in words]
        if len(values) != 3 or any(v is None or not isfinite(v) for v in values):
            self.error("number-invalid", f"{what}: expected three numbers, not {_shown(text)}")
            return default
        x, y, z = values
        return (x, y, z)  # type: ignore[return-value]

    # --- what was not read -------------------------------------------------------------------------------------

    def unread(self) -> Iterator[tuple[Element, str | None]]:
        """Elements, and attributes as (element, name), that no reader asked for."""
        todo = [self]
        while todo:
            e = todo.pop()
            if "*" in e._asked:
                continue
            for name in e.attributes:
                if "@" + name not in e._asked:
                    yield e, name
            for c in e.children:
                if not c._read:
                    yield c, None
            todo += [c for c in reversed(e.children) if c._read]

    @property
    def asked(self) -> set[str]:
        """Names that readers know here."""
        return self._asked


def parse_number(text: str) -> float | None:
    """A number as C reads it: no underscores, no digits of other scripts."""
    text = text.strip()
    if not text.isascii() or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _shown(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 60 else text[:57] + "…")


def parse(data: bytes, file: str, report: Report) -> Element | None:
    """The root element, or None with the reason in the report."""
    at_start = Source(file=file, line=1)
    if len(data) > MAX_BYTES:
        report.error("xml-unsafe", f"the file is larger than {MAX_BYTES // 2**20} MiB", at_start)
        return None
    text = _decode(data, file, report)
    if text is None:
        return None
    text = _without_declaration(text, file, report)
    if _has_dtd(text, file, report):
        return None
    root = _parse(text, file, report)
    return None if root is None else _located(root, file, report)


def _decode(data: bytes, file: str, report: Report) -> str | None:
    declared = _ENCODING.match(data)
    encoding = "utf-8-sig"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif declared:
        name = declared[1].decode().lower()
        if name not in _ENCODINGS:
            report.error("xml-malformed", f"the encoding {name!r} is not known", Source(file=file, line=1))
            return None
        encoding = "utf-8-sig" if name in ("utf-8", "utf8") else name
    try:
        text = data.decode(encoding)
    except UnicodeError as e:
        start = getattr(e, "start", 0)
        line = data[:start].count(b"\n") + 1
        report.error("xml-malformed", f"the text is not {encoding.removesuffix('-sig')}", Source(file=file, line=line))
        return None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        report.error("xml-malformed", "the text holds a NUL character", Source(file=file, line=line))
        return None
    return text


def _without_declaration(text: str, file: str, report: Report) -> str:
    """Blanks XML declarations: they have done their work, and libxml2 takes them at the very start only."""
    for match in list(_DECLARATION.finditer(text)):
        line = text.count("\n", 0, match.start()) + 1
        version = _VERSION.search(match[0])
        if match.start() > 0:
            report.warning("xml-lenient", "the XML declaration is not at the start", Source(file=file, line=line))
        elif version and not version[1].startswith("1."):
            report.warning("xml-lenient", f"there is no XML version {version[1][:20]}", Source(file=file, line=line))
        blank = re.sub(r"[^\n]", " ", match[0])
        text = text[: match.start()] + blank + text[match.end() :]
    return text


def _has_dtd(text: str, file: str, report: Report) -> bool:
    if "<!DOCTYPE" not in text and "<!ENTITY" not in text:
        return False
    bare = _OUTSIDE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    at = min((i for i in (bare.find("<!DOCTYPE"), bare.find("<!ENTITY")) if i >= 0), default=-1)
    if at < 0:
        return False
    line = bare.count("\n", 0, at) + 1
    report.error("xml-unsafe", "a DTD or an entity is declared; robots need none", Source(file=file, line=line))
    return True


def _parser(recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False,
        remove_comments=True, remove_pis=True, recover=recover,
    )  # fmt: skip


def _parse(text: str, file: str, report: Report) -> etree._Element | None:
    data = text.encode("utf-8", errors="surrogatepass")
    parser = _parser(recover=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as e:
        errors = list(parser.error_log)
        if errors and all(entry.type_name == "NS_ERR_UNDEFINED_NAMESPACE" for entry in errors):
            return _parse_with_loose_prefixes(data, file, report)
        line = e.lineno or (errors[0].line if errors else 0)
        message = (e.msg or "not XML").split(" (")[0]
        limit = any("MAX" in x.type_name or "LOOP" in x.type_name or "Excessive depth" in x.message for x in errors)
        code = "xml-unsafe" if limit or "xcessive depth" in message or "huge" in message else "xml-malformed"
        report.error(code, f"not XML that can be read: {_clean(message)}", Source(file=file, line=line))
        return None


def _clean(message: str) -> str:
    return re.sub(r"\s+", " ", message.replace("\0", ""))[:200]


def _parse_with_loose_prefixes(data: bytes, file: str, report: Report) -> etree._Element | None:
    parser = _parser(recover=True)
    root: etree._Element | None = etree.fromstring(data, parser)
    for entry in parser.error_log:
        if report.first(("prefix", file, entry.message.split(" on ")[0])):
            message = _clean(entry.message[0].lower() + entry.message[1:])
            report.warning("xml-lenient", message, Source(file=file, line=entry.line))
    return root


def _located(root: etree._Element, file: str, report: Report) -> Element | None:
    """Copies lxml's tree into ours: plain names, `prefix:name` where a prefix was written."""
    top = _copied(root, file, report, None)
    todo = [(root, top, 1)]
    count = 1
    while todo:
        node, element, depth = todo.pop()
        for child in node:
            if not isinstance(child.tag, str):  # an entity reference that was left standing
                report.error("xml-unsafe", "an entity that is not declared", element.source)
                return None
            count += 1
            e = _copied(child, file, report, element)
            element.children.append(e)
            if child.tail and child.tail.strip():
                element.text += " " + child.tail
            if len(child):
                if depth >= MAX_DEPTH or count > MAX_ELEMENTS:
                    report.error("xml-unsafe", "elements are nested too deep, or there are too many", e.source)
                    return None
                todo.append((child, e, depth + 1))
    top._read = True
    return top


def _copied(node: etree._Element, file: str, report: Report, parent: Element | None) -> Element:
    tag = node.tag
    if tag[0] == "{":
        local = tag.rpartition("}")[2]
        tag = f"{node.prefix}:{local}" if node.prefix else local
    e = Element(tag.removeprefix(OWN_PREFIX), file, node.sourceline or 0, report, parent)
    if node.attrib:
        e.attributes = {_attribute(str(k), node): str(v) for k, v in node.attrib.items()}
    e.text = node.text or ""
    return e


def _attribute(name: str, node: etree._Element) -> str:
    if name[0] != "{":
        return name.removeprefix(OWN_PREFIX)
    uri, _, local = name[1:].rpartition("}")
    prefix = next((p for p, u in node.nsmap.items() if u == uri and p), "")
    return f"{prefix}:{local}".removeprefix(OWN_PREFIX) if prefix else local
