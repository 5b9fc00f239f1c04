"""Changes of single elements and attributes in a file's text, as minimal edits."""

from __future__ import annotations

from gearwright.formats.parts.mimic_text import Lines, indented, inline, quoted
from gearwright.formats.xml.located_xml import Element
from gearwright.formats.xml.source_text import Edit, SourceText

BLANK = " \t"


class TextChanges:
    """Collects changes of one text; children added to an element come in the order in which they were added."""

    def __init__(self, text: SourceText) -> None:
        self.text = text
        self._edits: list[Edit] = []
        self._children: dict[int, tuple[Element, Lines]] = {}

    def __bool__(self) -> bool:
        return bool(self._edits or self._children)

    def result(self) -> bytes:
        """The file's bytes with all changes."""
        added = [self._added(e, lines) for e, lines in self._children.values()]
        return self.text.apply([*self._edits, *added])

    # --- attributes ----------------------------------------------------------------------------------------------

    def set_attribute(self, e: Element, name: str, value: str) -> None:
        """A new value between the quotes that are there, or a new attribute at the end of the tag."""
        found = self.text.attribute(e, name)
        if found is not None:
            self._edits.append(Edit(found[1].start, found[1].stop, quoted(value)[1:-1]))
            return
        tag = self.text.start_tag(e)
        written = self.text.text[tag.start : tag.stop]
        at = tag.start + len(written.rstrip("/>").rstrip())
        self._edits.append(Edit(at, at, f" {name}={quoted(value)}"))

    def rename_attribute(self, e: Element, name: str, new: str) -> None:
        found = self.text.attribute(e, name)
        if found is not None:
            self._edits.append(Edit(found[0].start, found[0].stop, new))

    # --- elements ------------------------------------------------------------------------------------------------

    def remove(self, e: Element) -> None:
        """The element, with its lines where nothing else stands on them."""
        text, span = self.text.text, self.text.span(e)
        start, stop = self.text.line_start(span.start), span.stop
        while stop < len(text) and text[stop] in BLANK:
            stop += 1
        if start is not None and text.startswith("\r\n", stop):
            self._edits.append(Edit(start, stop + 2))
        elif start is not None and stop < len(text) and text[stop] in "\r\n":
            self._edits.append(Edit(start, stop + 1))
        else:
            self._edits.append(Edit(span.start, span.stop))

    def add_child(self, e: Element, lines: Lines) -> None:
        """A new last child."""
        self._children.setdefault(id(e), (e, []))[1].extend(lines)

    def _added(self, e: Element, lines: Lines) -> Edit:
        text = self.text.text
        if self.text.is_empty(e):
            tag = self.text.start_tag(e)
            written = text[tag.start : tag.stop]
            name = written[1:-2].split(None, 1)[0]
            at = tag.start + len(written[:-2].rstrip())
            return Edit(at, tag.stop, f">{inline(lines)}</{name}>")
        end = self.text.end_tag(e)
        start = self.text.line_start(end)
        if start is None:
            return Edit(end, end, inline(lines))
        closing = text[start:end]
        indent = self._indent(e, closing)
        unit = indent.removeprefix(closing) or "  "
        return Edit(start, start, indented(lines, indent, unit, self.text.newline))

    def _indent(self, e: Element, closing: str) -> str:
        """Indentation of its first child that begins a line; without one, two spaces more than its end tag."""
        for child in e.children:
            at = self.text.span(child).start
            start = self.text.line_start(at)
            if start is not None and at - start > len(closing):
                return self.text.text[start:at]
        return f"{closing}  "
