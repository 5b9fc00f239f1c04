"""Text that is not strictly XML but that common tools accept: corrected before parsing, with a warning."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gearwright.diagnostics import Report, Source

_DECLARATION = re.compile(r"<\?xml(?:\s[^<>]{0,300})?\?>")
_VERSION = re.compile(r"""version\s*=\s*["']([^"']*)["']""")
_OPEN, _CLOSE = "<!--", "-->"
_CDATA, _CDATA_END = "<![CDATA[", "]]>"


def until_nul(text: str, file: str, report: Report) -> str:
    """The text with everything from its first NUL character on blanked: there C strings end, and so TinyXML's text."""
    end = text.find("\0")
    if end < 0:
        return text
    rest = text[end:]
    lost = len(rest.strip("\0 \t\r\n"))
    message = "the text ends at a NUL character" + (f"; the {lost} characters behind it are not read" if lost else "")
    if report.first(("NUL", file)):
        report.warning("xml-lenient", message, Source(file=file, line=text.count("\n", 0, end) + 1))
    return text[:end] + _blanked(rest)


def without_declaration(text: str, file: str, report: Report) -> str:
    """Blanks XML declarations: the encoding is known by then, and a parser accepts them only at the start."""

    def blank(match: re.Match[str]) -> str:
        version = _VERSION.search(match[0])
        flaw = "the XML declaration is not at the start" if match.start() > 0 else ""
        if not flaw and version and not version[1].startswith("1."):
            flaw = f"there is no XML version {version[1][:20]}"
        if flaw and report.first(("declaration", file)):
            line = text.count("\n", 0, match.start()) + 1
            report.warning("xml-lenient", flaw, Source(file=file, line=line))
        return _blanked(match[0])

    return _DECLARATION.sub(blank, text)


def _blanked(text: str) -> str:
    """As many characters, on as many lines."""
    return re.sub(r"[^\n]", " ", text)


def comments_mended(text: str, file: str, report: Report) -> str | None:
    """The text with the hyphens inside its comments blanked; None where that changes nothing.

    XML forbids `--` inside a comment; TinyXML ends a comment at the first `-->`, and Gazebo's own worlds rely on it.
    """
    pieces: list[str] = []
    done = 0  # what is before it has been copied
    for start, end in _comments(text):
        inside = text[start:end]
        plain = inside.replace("--", "  ")
        if plain.endswith("-"):
            plain = plain[:-1] + " "
        if plain == inside:
            continue
        if not pieces and report.first(("comment", file)):
            mark = inside.find("--") % len(inside)  # or the last character
            line = text.count("\n", 0, start + mark) + 1
            message = "a comment holds '--', which XML forbids; it is read as TinyXML does, to the first '-->'"
            report.warning("xml-lenient", message, Source(file=file, line=line))
        pieces += (text[done:start], plain)
        done = end
    return "".join((*pieces, text[done:])) if pieces else None


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """Where the insides of comments begin and end. Every search starts where the last one ended: linear."""
    at = 0
    data = text.find(_CDATA)
    while (start := text.find(_OPEN, at)) >= 0:
        if 0 <= data < start:  # not a comment, whatever it looks like
            at = text.find(_CDATA_END, data)
            if at < 0:
                return
            data = text.find(_CDATA, at)
            continue
        start += len(_OPEN)
        end = text.find(_CLOSE, start)
        if end < 0:
            return
        yield start, end
        at = end + len(_CLOSE)
        if 0 <= data < at:
            data = text.find(_CDATA, at)
