"""Text from untrusted files, safe to print: control and bidirectional characters are shown as escapes."""

from __future__ import annotations

import unicodedata

_STEERING = {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}  # controls, formats (bidi), surrogates, line separators


def visible(text: str, most: int = 2000) -> str:
    """Non-printing characters as escapes (`\\x1b`, `\\u202e`); cut at `most`."""
    if len(text) > most:
        text = text[: most - 1] + "…"
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _STEERING else c for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
