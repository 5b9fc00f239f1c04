"""Elements of a xacro file, before and after expansion. Unlike located elements they keep the order of their text."""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from gearwright.diagnostics import Report, Source
from gearwright.formats.xml.lenient_xml import comments_mended
from gearwright.formats.xml.located_xml import MAX_DEPTH, Document, Element, UnsafeError
from gearwright.formats.xml.xml_text import parsed_text


class Verbatim(str):
    """Text of a CDATA section, which is not evaluated."""


class XacroNode:
    """An element: text and children in document order. Expansion makes new ones, and changes none that was read."""

    __slots__ = ("attributes", "children", "document", "line", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], document: Document, line: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.document = document
        self.line = line
        self.children: list[XacroNode | str] = []

    @property
    def source(self) -> Source:
        name = self.attributes.get("name", "")[:80]
        return Source(file=self.document.file, line=self.line, element=f"{self.tag}[{name}]" if name else self.tag)

    @property
    def elements(self) -> Iterator[XacroNode]:
        return (c for c in self.children if isinstance(c, XacroNode))

    def like(self, tag: str, attributes: dict[str, str]) -> XacroNode:
        """An empty element at the same place of the file."""
        return XacroNode(tag, attributes, self.document, self.line)


def parse_tree(data: bytes, file: str, report: Report, most: int) -> XacroNode | None:
    """The root element, or None with the reason in the report; as `located_xml.parse`, with the text in its order."""
    found = parsed_text(data, file, report)
    return None if found is None else _build(found.parsed, file, report, most)


def _build(text: str, file: str, report: Report, most: int) -> XacroNode | None:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    document = Document(file, report)
    top = XacroNode("", {}, document, 0)
    ahead = [top]
    verbatim = [False]

    def start(tag: str, attributes: dict[str, str]) -> None:
        document.count += 1
        if len(ahead) > MAX_DEPTH or document.count > most:
            raise UnsafeError("elements are nested too deeply, or there are too many")
        node = XacroNode(tag, attributes, document, parser.CurrentLineNumber)
        ahead[-1].children.append(node)
        ahead.append(node)

    def text_of(data: str) -> None:
        if not data.isspace():
            ahead[-1].children.append(Verbatim(data) if verbatim[0] else data)

    def enter_cdata() -> None:
        verbatim[0] = True

    def leave_cdata() -> None:
        verbatim[0] = False

    def end(_: str) -> None:
        ahead.pop()

    def refuse(*_: object) -> None:
        raise UnsafeError("a DTD or an entity is declared; robots need none")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text_of
    parser.StartCdataSectionHandler = enter_cdata
    parser.EndCdataSectionHandler = leave_cdata
    parser.CommentHandler = lambda _: None  # text on either side of a comment stays apart, as in xacro
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.lstrip("\ufeff"), True)
    except UnsafeError as e:
        report.error("xml-unsafe", str(e), Source(file=file, line=parser.CurrentLineNumber))
        return None
    except expat.ExpatError as e:
        mended = comments_mended(text, file, report)
        if mended is not None:
            return _build(mended, file, report, most)
        report.error("xml-malformed", f"not XML: {expat.ErrorString(e.code)}", Source(file=file, line=e.lineno))
        return None
    except ValueError as e:
        report.error("xml-malformed", f"not XML: {e}", Source(file=file, line=parser.CurrentLineNumber))
        return None
    root = next(top.elements)
    return root


def located(root: XacroNode, declared: set[str]) -> Element:
    """The expanded tree as readers want it: each element at the file and line that it was written in."""
    top = Element("", {}, root.document, 0, None)
    todo = [(root, top)]
    while todo:
        node, parent = todo.pop()
        tag, attributes = node.tag, node.attributes
        if ":" in tag or ":" in "".join(attributes):
            node.document.declared |= declared
            tag, attributes = node.document.taken_off(tag, attributes, node.line)
        e = Element(tag, attributes, node.document, node.line, parent)
        e.text = " ".join(c for c in node.children if isinstance(c, str))
        if e.text:
            root.document.worded.append(e)
        parent.children.append(e)
        todo += [(c, e) for c in reversed(list(node.elements))]
    return top.children[0].as_root()
