"""Names from files, for a page that reads Markdown and HTML."""

from __future__ import annotations

from gearwright.display.visible import visible

MARKS = "\\*_`#[]()!|~$"
STAND_INS = {"<": "‹", ">": "›", "&": "+"}


def plain(text: str) -> str:
    """Without the marks of Markdown and HTML."""
    return "".join(f"\\{c}" if c in MARKS else STAND_INS.get(c, c) for c in visible(text))
