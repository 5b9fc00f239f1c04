"""A file's text with the place of every element in it, for programs that change some elements and nothing else.

Places are characters of the decoded text. `apply` cuts the file's own bytes at these places, so that everything
between two edits keeps its bytes: encoding, line ends, quotes, comments and all.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.parsers import expat

from gearwright.diagnostics import Report, Source
from gearwright.errors import LoadError, ModelError
from gearwright.formats.xml.lenient_xml import comments_mended
from gearwright.formats.xml.located_xml import MAX_SHOWN, Element, descendants, parse
from gearwright.formats.xml.xml_text import parsed_text

_ATTRIBUTE = re.compile(r"""([^\s=/>"'<]+)\s*=\s*("[^"]*"|'[^']*')""")
_START_TAG = re.compile(r"""<[^\s/>]+(?:\s+[^\s=/>"'<]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*/?>""")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, order=True)
class Edit:
    """New text for the characters from `start` to `stop`."""

    start: int
    stop: int
    text: str = ""


@dataclass(frozen=True)
class Span:
    start: int
    stop: int


class SourceText:
    """The text of a file, and where its elements stand. Raises LoadError for what is not XML."""

    def __init__(self, data: bytes, file: str) -> None:
        report = Report()
        root = parse(data, file, report)
        found = parsed_text(data, file, report) if root is not None else None
        if root is None or found is None:
            raise LoadError(report)
        self.data, self.file, self.root = data, file, root
        self.text, encoding, parsed = found
        self.mark, self.codec = _mark_and_codec(data, encoding)
        elements, spans = list(descendants(root)), _spans(comments_mended(parsed, file, report) or parsed)
        aligned = len(spans) == len(elements) and len(parsed) == len(self.text)
        if not aligned or self.mark + self.text.encode(self.codec) != data:
            raise ModelError(f"{file}: the positions of its elements cannot be found, so it cannot be changed")
        self._spans = {id(e): span for e, span in zip(elements, spans, strict=True)}
        self._on_line: dict[tuple[int, str], list[Element]] = {}  # by line, tag and name
        for e in elements:
            self._on_line.setdefault((e.line, _last_part(e)), []).append(e)
        self._by_path: dict[tuple[int, str], dict[str, list[Element]]] = {}

    @property
    def elements(self) -> Iterator[Element]:
        """All of them, in document order."""
        return descendants(self.root)

    def element_at(self, source: Source | None) -> Element | None:
        """The element that a part of a mechanism was read from; None if it is in another file, or not the only one."""
        if source is None or source.file != self.file:
            return None
        for place in self._places(source):
            if place not in self._by_path:
                self._by_path[place] = {}
                for e in self._on_line[place]:
                    self._by_path[place].setdefault(e.path, []).append(e)
            found = self._by_path[place].get(source.element, [])
            if len(found) == 1:
                return found[0]
        return None

    def _places(self, source: Source) -> Iterator[tuple[int, str]]:
        """Where to look: a name may hold a slash itself."""
        last = source.element
        while last:
            if (source.line, last) in self._on_line:
                yield source.line, last
            last = last.partition("/")[2]

    # --- places ------------------------------------------------------------------------------------------------------

    def span(self, e: Element) -> Span:
        return self._spans[id(e)]

    def start_tag(self, e: Element) -> Span:
        start = self.span(e).start
        match = _START_TAG.match(self.text, start)
        if match is None:
            raise ModelError(f"{self.file}:{e.line}: <{e.tag}> is written in a way that cannot be changed")
        return Span(start, match.end())

    def is_empty(self, e: Element) -> bool:
        """Whether it is written `<tag/>`."""
        tag = self.start_tag(e)
        return tag.stop == self.span(e).stop and self.text.endswith("/>", tag.start, tag.stop)

    def end_tag(self, e: Element) -> int:
        """Where `</tag>` begins."""
        return self.text.rindex("</", 0, self.span(e).stop)

    def attribute(self, e: Element, name: str) -> tuple[Span, Span] | None:
        """The places of an attribute's name, and of its value within the quotes."""
        tag = self.start_tag(e)
        for match in _ATTRIBUTE.finditer(self.text, tag.start, tag.stop):
            if match[1] == name:
                return Span(*match.span(1)), Span(match.start(2) + 1, match.end(2) - 1)
        return None

    def line_start(self, place: int) -> int | None:
        """Where the line begins, if only white space stands on it before the place."""
        start = place
        while start and self.text[start - 1] in " \t":
            start -= 1
        return start if not start or self.text[start - 1] in "\r\n" else None

    @cached_property
    def newline(self) -> str:
        return next((n for n in ("\r\n", "\n", "\r") if n in self.text), "\n")

    # --- the changed bytes -------------------------------------------------------------------------------------------

    def apply(self, edits: Sequence[Edit]) -> bytes:
        """The file's bytes with these edits; characters that its encoding lacks become references."""
        pieces = [self.mark]
        at, byte = 0, len(self.mark)
        for edit in sorted(edits):
            if edit.start < at:
                raise ModelError(f"{self.file}: two changes of one place in the text")
            kept = byte + self._size(at, edit.start)
            pieces += [self.data[byte:kept], edit.text.encode(self.codec, "xmlcharrefreplace")]
            byte = kept + self._size(edit.start, edit.stop)
            at = edit.stop
        return b"".join([*pieces, self.data[byte:]])

    def _size(self, start: int, stop: int) -> int:
        return len(self.text[start:stop].encode(self.codec))


def _last_part(e: Element) -> str:
    """The end of its path."""
    name = e.attributes.get("name", "")[:MAX_SHOWN]
    return f"{e.tag[:MAX_SHOWN]}[{name}]" if name and e.parent is not None else e.tag[:MAX_SHOWN]


def _mark_and_codec(data: bytes, encoding: str) -> tuple[bytes, str]:
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return mark, codec
    return b"", encoding.removesuffix("-sig")


def _spans(text: str) -> list[Span]:
    """Spans of all elements, in document order. The text has been parsed before, and is well-formed."""
    stripped = text.lstrip("\ufeff")
    data = stripped.encode("utf-8")
    parser = expat.ParserCreate()
    starts: list[int] = []
    stops: list[int] = []
    opened: list[int] = []

    def start(*_: object) -> None:
        opened.append(len(starts))
        starts.append(parser.CurrentByteIndex)
        stops.append(0)

    def end(*_: object) -> None:
        i, at = opened.pop(), parser.CurrentByteIndex
        # expat stands at `</tag>`, or behind `<tag/>`, which has no children
        childless = i == len(starts) - 1
        empty = childless and data.endswith(b"/>", starts[i], at) and _ends_tag(data[starts[i] : at])
        stops[i] = at if empty else data.index(b">", at) + 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(stripped, True)
    shift = len(text) - len(stripped)
    if len(data) == len(stripped):
        return [Span(a + shift, b + shift) for a, b in zip(starts, stops, strict=True)]
    character = _characters(data, sorted({*starts, *stops}))
    return [Span(character[a] + shift, character[b] + shift) for a, b in zip(starts, stops, strict=True)]


def _ends_tag(tag: bytes) -> bool:
    """Whether the bytes are one whole tag, and not a tag with text that ends like one."""
    match = _START_TAG.match(tag.decode("utf-8"))
    return match is not None and match.end() == len(tag.decode("utf-8"))


def _characters(data: bytes, places: list[int]) -> dict[int, int]:
    """Bytes to characters, in one pass."""
    found: dict[int, int] = {}
    byte = character = 0
    for place in places:
        character += len(data[byte:place].decode("utf-8"))
        byte = place
        found[place] = character
    return found
