"""Text for drawings: escaped, cut to size, and measured without a font at hand."""

from __future__ import annotations

import unicodedata
from xml.sax.saxutils import escape

from gearwright.display.visible import visible

LONGEST = 36  # characters of a name; the whole name is in the tooltip

_NARROW = frozenset("iljtfr.,:;'|!()[]{}/ I-·")
_WIDE = frozenset("mwMW@%_…⇄")


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """A little more than any common sans-serif font takes [px]."""
    em = 0.0
    for c in text:
        if c in _NARROW:
            em += 0.37
        elif c in _WIDE:
            em += 0.86 if c != "_" else 0.54
        elif not c.isascii():
            em += 1.0 if unicodedata.east_asian_width(c) in "WF" else 0.66
        else:
            em += 0.7 if c.isupper() else 0.6
    return em * size * (1.13 if bold else 1.0)


def short(name: str, most: int = LONGEST) -> str:
    """A name that may come from anywhere, fit to print; shortened in the middle, since names differ at their ends."""
    name = visible(name)
    if len(name) <= most:
        return name
    head = (most - 1) // 2
    return f"{name[:head]}…{name[head - most + 1 :]}"


def text(x: float, y: float, content: str, kind: str, anchor: str = "") -> str:
    at = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"{at}>{escape(content)}</text>'


def tooltip(*lines: str) -> str:
    return f"<title>{escape(chr(10).join(visible(line) for line in lines if line))}</title>"
