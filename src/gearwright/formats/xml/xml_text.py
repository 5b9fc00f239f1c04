"""Bytes to text: detects the encoding, and ends where other readers do."""

from __future__ import annotations

import re
from typing import NamedTuple

from gearwright.diagnostics import Report, Source
from gearwright.formats.xml.lenient_xml import until_nul, without_declaration

_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_ENCODINGS = {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1", "latin1", "windows-1252", "utf-16"}


class ParsedText(NamedTuple):
    """A file's text, and as the parser takes it; both have the same number of characters."""

    text: str
    encoding: str
    parsed: str


def parsed_text(data: bytes, file: str, report: Report) -> ParsedText | None:
    """The decoded text; None with the reason in the report."""
    decoded = _decode(data, file, report)
    if decoded is None:
        return None
    text, encoding = decoded
    return ParsedText(text, encoding, without_declaration(until_nul(text, file, report), file, report))


def _decode(data: bytes, file: str, report: Report) -> tuple[str, str] | None:
    """The text and its encoding."""
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
    read, nul, rest = (data, b"", b"") if encoding == "utf-16" else data.partition(b"\0")
    try:
        text = read.decode(encoding) + (nul + rest).decode(encoding, errors="replace")
    except UnicodeError as e:
        start = getattr(e, "start", 0)
        line = data[:start].count(b"\n") + 1
        report.error("xml-malformed", f"the text is not {encoding.removesuffix('-sig')}", Source(file=file, line=line))
        return None
    return text, encoding
