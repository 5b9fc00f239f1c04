"""USD text (.usda) as elements: a prim is an element, and its properties and metadata are attributes.

    def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { double3 xformOp:translate = (0, 0, 1) }

becomes <Xform name="arm" @apiSchemas="PhysicsRigidBodyAPI" xformOp:translate="0 0 1"/>. Names of metadata begin with
"@", numbers are separated by blanks, and paths have no brackets. The text is hostile: its size, its nesting and its
number of words are bounded.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from gearwright.diagnostics import Report, Source
from gearwright.formats.xml.file_bytes import MAX_BYTES
from gearwright.formats.xml.located_xml import MAX_DEPTH, MAX_ELEMENTS, Document, Element

MAX_WORDS = 3_000_000  # twenty times what the largest robot seen has; arrays of numbers count as one
LISTS = ("prepend", "append", "add", "delete", "reorder")
COMPOSING = ("references", "payload", "inherits", "specializes", "variantSets", "variants", "subLayers")
SPECIFIERS = ("def", "over", "class")
VECTORS = "(?:float|double|half|int|color|point|normal|vector|texCoord|quat|matrix)"
NUMERIC = re.compile(rf"(?:u?int|uchar|half|float|double|u?int64|bool|{VECTORS}\d?[dfhi]?)\[\]")
SKIP = re.compile(r"(?:[ \t\r\n;]+|#[^\n]*|//[^\n]*|/\*.*?\*/)*", re.S)
WORD = re.compile(
    r'''(?P<string>"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')'''
    r"|(?P<asset>@@@.*?@@@|@[^@\n]*@)|(?P<path><[^<>\n]*>)"
    r"|(?P<number>[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf\b|nan\b))"
    r"|(?P<name>[^\W\d][\w:]*(?:\.[^\W\d]\w*)?)|(?P<sign>[=(){}\[\],:])",
    re.S,
)
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.S)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
BRACKETS = str.maketrans("(),\n\t\r", "      ")


class Word(NamedTuple):
    kind: str  # "string", "asset", "path", "number", "name", "sign"; "" at the end
    text: str
    at: int


class _TextError(Exception):
    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


class _UnsafeError(_TextError):
    """A text beyond the limits for a robot."""


def parse_usd(data: bytes, file: str, report: Report) -> Element | None:
    """The layer as an element <usd>, whose children are its prims; None with the reason in the report."""
    if len(data) > MAX_BYTES:
        report.error("xml-unsafe", f"the file is larger than {MAX_BYTES // 2**20} MiB", Source(file=file, line=1))
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        report.error("usd-malformed", "not USD text: a byte that is not UTF-8", Source(file=file, line=line))
        return None
    parser = _Parser(text, Document(file, report))
    try:
        return parser.layer()
    except _TextError as error:
        code = "xml-unsafe" if isinstance(error, _UnsafeError) else "usd-malformed"
        report.error(code, f"not USD text: {error}", Source(file=file, line=parser.line(error.at)))
        return None


class _Parser:
    """Recursive descent over the words of a text."""

    def __init__(self, text: str, document: Document) -> None:
        self.text, self.document = text, document
        self.lines = [m.start() for m in re.finditer("\n", text)]
        self.words = 0
        self.word = Word("", "", 0)
        self.end = 0  # of the word
        self._next()

    def line(self, at: int) -> int:
        return bisect_right(self.lines, at - 1) + 1

    # --- words -----------------------------------------------------------------------------------------------------

    def _next(self) -> Word:
        """Goes on to the next word; returns the one before."""
        before = self.word
        skipped = SKIP.match(self.text, self.end)
        at = self.end if skipped is None else skipped.end()
        self.words += 1
        if self.words > MAX_WORDS:
            raise _UnsafeError(f"there are more than {MAX_WORDS} words", at)
        found = WORD.match(self.text, at)
        if found is None:
            if at < len(self.text):
                raise _TextError(f"{self.text[at : at + 20]!r} has no meaning here", at)
            self.word, self.end = Word("", "", at), at
        else:
            self.word, self.end = Word(found.lastgroup or "", found[0], at), found.end()
        return before

    def _is(self, text: str) -> bool:
        return self.word.text == text and self.word.kind in ("sign", "name")

    def _take(self, text: str) -> bool:
        if self._is(text):
            self._next()
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise _TextError(f"{text!r} is expected, not {self._shown}", self.word.at)

    def _expect_kind(self, kind: str) -> str:
        if self.word.kind != kind:
            raise _TextError(f"a {kind} is expected, not {self._shown}", self.word.at)
        return self._next().text

    @property
    def _shown(self) -> str:
        return repr(self.word.text[:40]) if self.word.kind else "the end of the text"

    # --- layers and prims ------------------------------------------------------------------------------------------

    def layer(self) -> Element:
        root = Element("usd", {}, self.document, 1, None)
        if self._take("("):
            self._metadata(root)
        while self.word.kind:
            if self.word.text in SPECIFIERS:
                self._prim(root, 1)
            elif self._take("reorder"):
                self._reordered()
            else:
                raise _TextError(f"def, over or class is expected, not {self._shown}", self.word.at)
        return root.as_root()

    def _prim(self, parent: Element, depth: int) -> None:
        self.document.count += 1
        if depth > MAX_DEPTH or self.document.count > MAX_ELEMENTS:
            raise _UnsafeError("prims are nested too deeply, or there are too many", self.word.at)
        first = self._next()
        tag = self._next().text if self.word.kind == "name" else "Scope"
        prim = Element(tag, {}, self.document, self.line(first.at), parent)
        prim.attributes["name"] = _string(self._expect_kind("string"))
        if first.text == "class":
            prim.attributes["@abstract"] = "true"
        if self._take("("):
            self._metadata(prim)
        self._expect("{")
        while not self._take("}"):
            if self.word.text in SPECIFIERS and self.word.kind == "name":
                self._prim(prim, depth + 1)
            elif self._take("variantSet"):
                prim.attributes["@variantSets"] = _string(self._expect_kind("string"))
                self._expect("=")
                self._value(depth)
            elif self._take("reorder"):
                self._reordered()
            else:
                self._property(prim, depth)
        parent.children.append(prim)

    def _reordered(self) -> None:
        self._expect_kind("name")
        self._expect("=")
        self._value(0)

    def _metadata(self, element: Element) -> None:
        """`prepend apiSchemas = [...]`, or a comment by itself, until the bracket closes."""
        while not self._take(")"):
            if self.word.kind == "string":
                self._next()
                continue
            operation = self._next().text if self.word.text in LISTS else ""
            name = "@" + self._expect_kind("name")
            self._expect("=")
            value = self._value(0)
            if operation != "delete":
                element.attributes[name] = f"{element.attributes.get(name, '')} {value}".strip() if operation else value

    def _property(self, prim: Element, depth: int) -> None:
        while self.word.text in ("custom", "uniform", "varying", "config", *LISTS):
            self._next()
        kind = self._expect_kind("name")
        if self._take("["):
            self._expect("]")
            kind += "[]"
        name = self._expect_kind("name")
        while self._take(":"):  # before a part of a name that begins with a digit
            name += f":{self._next().text}"
        if self._take("="):
            numeric = NUMERIC.fullmatch(kind) is not None
            value = self._array() if numeric and self._is("[") else self._value(depth)
            prim.attributes[name if name != "name" else "property:name"] = value
        if self._take("("):
            self._metadata(Element("metadata", {}, self.document, 0, None))

    # --- values, as text -------------------------------------------------------------------------------------------

    def _array(self) -> str:
        """Numbers between brackets, which may be very many."""
        closing = self.text.find("]", self.end)
        inner = self.text[self.end : closing]
        if closing < 0 or "#" in inner or "/" in inner:
            return self._value(0)
        self.end = closing + 1
        self._next()
        return " ".join(inner.translate(BRACKETS).split())

    def _value(self, depth: int) -> str:
        if depth > MAX_DEPTH:
            raise _UnsafeError("values are nested too deeply", self.word.at)
        if self._is("(") or self._is("["):
            return " ".join(self._listed({"(": ")", "[": "]"}[self._next().text], depth))
        if self._take("{"):
            self._skip_braces()
            return ""
        word = self._next()
        if word.kind == "string":
            return _string(word.text)
        if word.kind == "asset":
            asset = word.text.strip("@")
            self._layer_offset(depth, path=True)
            return asset
        if word.kind == "path":
            self._layer_offset(depth, path=False)
            return word.text[1:-1]
        if word.kind in ("number", "name"):
            return "" if word.text == "None" else word.text
        raise _TextError(f"a value is expected, not {word.text[:40]!r}", word.at)

    def _listed(self, closing: str, depth: int) -> list[str]:
        found: list[str] = []
        while not self._take(closing):
            found.append(self._value(depth + 1))
            if not self._take(",") and not self._is(closing):
                raise _TextError(f"{closing!r} or a comma is expected, not {self._shown}", self.word.at)
        return found

    def _layer_offset(self, depth: int, *, path: bool) -> None:
        """What may follow the address in a reference: a prim's path, and an offset in time."""
        if path and self.word.kind == "path":
            self._next()
        if self._is("("):
            self._next()
            self._metadata(Element("offset", {}, self.document, 0, None))

    def _skip_braces(self) -> None:
        """To the end of a dictionary, of samples in time or of variants, none of which is used."""
        depth = 1
        while depth:
            if not self.word.kind:
                raise _TextError("'}' is missing", self.word.at)
            depth += {"{": 1, "}": -1}.get(self._next().text, 0)


def _string(quoted: str) -> str:
    ends = 3 if quoted[:3] in ('"""', "'" * 3) and len(quoted) >= 6 else 1
    return ESCAPE.sub(_unescaped, quoted[ends:-ends])


def _unescaped(m: re.Match[str]) -> str:
    code = m[1]
    if code[0] == "x" and len(code) == 3:
        return chr(int(code[1:], 16))
    if code.isdigit() and code.isascii():
        return chr(int(code, 8)) if set(code) <= set("01234567") else code
    return ESCAPES.get(code, code)
