"""XML elements with file and line, which record what has been read of them.

Text is hostile: it is decoded here, bounded in size, and parsed by expat with DTDs refused, so that there are no
entities and nothing is fetched. Every child and attribute that a reader asks for is ticked off, so that `unread` can
report the rest: nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from math import isfinite, isnan, nan
from xml.parsers import expat

from gearwright.diagnostics import Report, Source
from gearwright.formats.xml.file_bytes import MAX_BYTES
from gearwright.formats.xml.lenient_xml import comments_mended
from gearwright.formats.xml.xml_text import parsed_text
from gearwright.model.poses import Vector3

MAX_DEPTH = 200
MAX_ELEMENTS = 100_000  # in a file and all that it includes; forty times the largest robot seen
MAX_NAME = 1_000  # characters; names are repeated in every message and every scope below them
MAX_SHOWN = 80  # characters of a name in an element's path
OWN_PREFIX = "gearwright:"
MANY_COLONS = 10_000  # that are looked at one by one, for the sake of speed


_NONE: set[str] = set()  # never added to: an empty set for each element would be a tenth of the time of a load


class Document:
    """Data shared by all elements of a file."""

    __slots__ = ("count", "declared", "file", "report", "tags", "worded")

    def __init__(self, file: str, report: Report) -> None:
        self.file = file
        self.report = report
        self.count = 0  # elements
        self.declared = {"xml", "xmlns"}  # prefixes
        self.tags: set[str] = set()  # names of elements with a prefix that is not ours
        self.worded: list[Element] = []  # those with text

    def taken_off(self, tag: str, attributes: dict[str, str], line: int) -> tuple[str, dict[str, str]]:
        """The tag without our own prefix. Other prefixes are part of the name: files use them undeclared."""
        self.declared.update(a[6:] for a in attributes if a.startswith("xmlns:"))
        for name in (tag, *attributes):
            prefix, colon, _ = name.partition(":")
            if colon and prefix not in self.declared and self.report.first(("prefix", self.file, prefix)):
                message = f"the prefix {prefix[:40]!r} is not declared"
                self.report.warning("xml-lenient", message, Source(file=self.file, line=line))
        if ":" in tag:
            self.tags.add(tag)
        own = {k: v for k, v in attributes.items() if k.partition(":")[0] not in ("xmlns", "xml")}
        return tag.removeprefix(OWN_PREFIX), {k.removeprefix(OWN_PREFIX): v for k, v in own.items()}


class Element:
    """An element with its place in a file. Readers ask for children and attributes by name."""

    __slots__ = (
        "attributes", "children", "document", "is_read", "known_attributes", "known_tags", "line", "parent", "tag",
        "text",
    )  # fmt: skip

    def __init__(
        self, tag: str, attributes: dict[str, str], document: Document, line: int, parent: Element | None
    ) -> None:
        self.tag = tag
        self.attributes = attributes
        self.text = ""
        self.children: list[Element] = []
        self.document = document
        self.line = line
        self.parent = parent
        self.known_tags = _NONE  # children that readers asked for; "*" for all
        self.known_attributes = _NONE  # attributes that readers asked for
        self.is_read = False

    # --- where it is -------------------------------------------------------------------------------------------

    @property
    def file(self) -> str:
        return self.document.file

    @property
    def report(self) -> Report:
        return self.document.report

    @property
    def path(self) -> str:
        """`joint[shoulder]/axis/mimic`, below the root."""
        parts: list[str] = []
        e: Element | None = self
        while e is not None and e.parent is not None:
            name = e.attributes.get("name", "")[:MAX_SHOWN]
            parts.append(f"{e.tag[:MAX_SHOWN]}[{name}]" if name else e.tag[:MAX_SHOWN])
            e = e.parent
        return "/".join(reversed(parts)) or self.tag

    @property
    def source(self) -> Source:
        return Source(file=self.file, line=self.line, element=self.path)

    def error(self, code: str, message: str) -> None:
        """Reports an error here. Elements that are left unread because of it are not reported again."""
        self.consume()
        self.report.error(code, message, self.source)

    def recoverable(self, code: str, message: str) -> None:
        """A warning if the mechanism does not depend on this element; an error if strict."""
        self.report.recoverable(code, message, self.source)

    def warning(self, code: str, message: str) -> None:
        self.report.warning(code, message, self.source)

    def info(self, code: str, message: str) -> None:
        self.report.info(code, message, self.source)

    # --- children and attributes -------------------------------------------------------------------------------

    def all(self, *tags: str) -> list[Element]:
        """Children with one of these tags, in document order."""
        if self.known_tags:
            self.known_tags.update(tags)
        else:
            self.known_tags = set(tags)
        found = [c for c in self.children if c.tag in tags]
        for c in found:
            c.is_read = True
        return found

    def every(self) -> list[Element]:
        """All children, whatever their tags."""
        for c in self.children:
            c.is_read = True
        return self.children

    def child(self, tag: str) -> Element | None:
        """The first child with this tag; a second one stays unread, and is reported."""
        if self.known_tags:
            self.known_tags.add(tag)
        else:
            self.known_tags = {tag}
        for c in self.children:
            if c.tag == tag:
                c.is_read = True
                return c
        return None

    def get(self, name: str) -> str | None:
        """An attribute."""
        self._asked_for(name)
        return self.attributes.get(name)

    def _asked_for(self, name: str) -> None:
        if self.known_attributes:
            self.known_attributes.add(name)
        else:
            self.known_attributes = {name}

    def misspelt(self, wanted: str) -> str:
        """Message part after something is missing: an unknown attribute or child with a similar name."""
        strange = [n for n in self.attributes if n not in self.known_attributes]
        strange += [c.tag for c in self.children if c.tag not in self.known_tags]
        near = get_close_matches(wanted, strange, n=1, cutoff=0.6)
        return f"; {near[0]!r} is not known, did you mean {wanted!r}?" if near else ""

    def consume(self) -> None:
        """Marks the whole subtree as read."""
        self.known_tags = {*self.known_tags, "*"}

    def as_root(self) -> Element:
        self.parent = None
        self.is_read = True
        return self

    @property
    def words(self) -> str:
        return self.text.strip()

    # --- values ------------------------------------------------------------------------------------------------

    def number(self, name: str, default: float, *, infinite: bool = False) -> float:
        """A number from an attribute."""
        self._asked_for(name)
        text = self.attributes.get(name)
        if text is None:
            return default
        return self.as_number(text, f"attribute {name}", default, infinite)

    def vector(self, name: str, default: Vector3) -> Vector3:
        """Three numbers from an attribute."""
        self._asked_for(name)
        text = self.attributes.get(name)
        return default if text is None else self.as_vector(text, f"attribute {name}", default)

    def child_text(self, tag: str) -> str:
        c = self.child(tag)
        return "" if c is None else c.words

    def child_number(self, tag: str, default: float, *, infinite: bool = False) -> float:
        c = self.child(tag)
        return default if c is None else c.as_number(c.text, f"<{tag}>", default, infinite)

    def child_vector(self, tag: str, default: Vector3) -> Vector3:
        c = self.child(tag)
        return default if c is None else c.as_vector(c.text, f"<{tag}>", default)

    def child_truth(self, tag: str, default: bool) -> bool:
        c = self.child(tag)
        return default if c is None else c.truth(c.words, f"<{tag}>", default)

    def numbers(self, text: str | None = None, what: str | None = None) -> list[float] | None:
        """As many numbers as there are, from the text or from a given string; None if one cannot be read."""
        words = (self.text if text is None else text).split()
        values = [parse_number(w) for w in words]
        if any(v is None or not isfinite(v) for v in values):
            shown = _shown(" ".join(words))
            self.error("number-invalid", f"{what or f'<{self.tag}>'}: cannot read numbers from {shown}")
            return None
        return [v for v in values if v is not None]

    def truth(self, text: str, what: str, default: bool) -> bool:
        value = {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())
        if value is None:
            self.error("number-invalid", f"{what}: expected true or false, not {_shown(text)}")
            return default
        return value

    def as_number(self, text: str, what: str, default: float, infinite: bool) -> float:
        value = parse_number(text)
        if value is None or not (isfinite(value) or (infinite and not isnan(value))):
            self.error("number-invalid", f"{what}: expected a number, not {_shown(text)}")
            return default
        return value

    def as_vector(self, text: str, what: str, default: Vector3) -> Vector3:
        try:
            x, y, z = map(float, text.split())
        except ValueError:
            x = y = z = nan
        if not isfinite(abs(x) + abs(y) + abs(z)) or not text.isascii() or "_" in text:
            self.error("number-invalid", f"{what}: expected three numbers, not {_shown(text)}")
            return default
        return (x, y, z)

    # --- what was not read -------------------------------------------------------------------------------------

    def unread(self) -> Iterator[tuple[Element, str | None]]:
        """Elements, and attributes as (element, name), that no reader asked for."""
        todo = [self]
        while todo:
            e = todo.pop()
            if "*" in e.known_tags:
                continue
            if not e.attributes.keys() <= e.known_attributes:
                yield from ((e, name) for name in e.attributes if name not in e.known_attributes)
            for c in e.children:
                if not c.is_read:
                    yield c, None
                else:
                    todo.append(c)


def parse_number(text: str) -> float | None:
    """A number as C reads it: no underscores, no digits of other scripts."""
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def _shown(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 60 else text[:57] + "…")


def parse(data: bytes, file: str, report: Report, most: int = MAX_ELEMENTS) -> Element | None:
    """The root element, or None with the reason in the report; `most` elements are taken."""
    if len(data) > MAX_BYTES:
        report.error("xml-unsafe", f"the file is larger than {MAX_BYTES // 2**20} MiB", Source(file=file, line=1))
        return None
    found = parsed_text(data, file, report)
    return None if found is None else _build(found.parsed, file, report, most)


class UnsafeError(Exception):
    """Raised inside the parser to stop it."""


def _has_prefixes(text: str) -> bool:
    """Whether names may have prefixes, declarations apart: a colon with a name behind it. Most files have none."""
    at = -1
    for _ in range(MANY_COLONS):
        at = text.find(":", at + 1)
        if at < 0:
            return False
        behind = text[at + 1 : at + 2]
        if (behind.isalnum() or behind in "_-.") and not text.endswith("xmlns", 0, at):
            return True
    return True


def _build(text: str, file: str, report: Report, most: int) -> Element | None:
    """Turns the parser's events into elements.

    The handlers are closures: they run for every tag and every piece of text, and make up half the time of a load.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    document = Document(file, report)
    worded = document.worded
    top = Element("", {}, document, 0, None)
    ahead = [top]  # the elements that are open
    prefixed = _has_prefixes(text)
    pieces: dict[Element, list[str]] = {}  # of texts that come in several: joined once, at the end
    counts: dict[Element, int] = {}  # children there were at the last piece

    def start(tag: str, attributes: dict[str, str]) -> None:
        document.count += 1
        if len(ahead) > MAX_DEPTH or document.count > most:
            raise UnsafeError("elements are nested too deeply, or there are too many")
        line = parser.CurrentLineNumber
        if prefixed and (":" in tag or ":" in "".join(attributes)):
            tag, attributes = document.taken_off(tag, attributes, line)
        parent = ahead[-1]
        e = Element(tag, attributes, document, line, parent)
        parent.children.append(e)
        ahead.append(e)

    def text_of(data: str) -> None:
        if data.isspace():
            return
        e = ahead[-1]
        if not e.text:
            e.text = data
            worded.append(e)
        else:
            if len(e.children) != counts.get(e, 0):
                data = " " + data  # pieces around a child stay apart
            pieces.setdefault(e, [e.text]).append(data)
        if e.children:
            counts[e] = len(e.children)

    def refuse(*_: object) -> None:
        raise UnsafeError("a DTD or an entity is declared; robots need none")

    def end(_: str) -> None:
        del ahead[-1]

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text_of
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.lstrip("\ufeff"), True)
    except UnsafeError as error:
        report.error("xml-unsafe", str(error), Source(file=file, line=parser.CurrentLineNumber))
        return None
    except expat.ExpatError as error:
        mended = comments_mended(text, file, report)
        if mended is not None:
            return _build(mended, file, report, most)
        inside = f"; <{ahead[-1].tag[:MAX_SHOWN]}> of line {ahead[-1].line} is open there" if len(ahead) > 1 else ""
        message = f"not XML: {expat.ErrorString(error.code)}{inside}"
        report.error("xml-malformed", message, Source(file=file, line=error.lineno))
        return None
    except ValueError as error:
        report.error("xml-malformed", f"not XML: {error}", Source(file=file, line=parser.CurrentLineNumber))
        return None
    for e, texts in pieces.items():
        e.text = "".join(texts)
    return top.children[0].as_root()


def descendants(e: Element) -> Iterator[Element]:
    """The element and all below it, in document order."""
    todo = [e]
    while todo:
        e = todo.pop()
        yield e
        todo += reversed(e.children)
