"""The one exception of an expansion; it becomes a diagnostic with its file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gearwright.formats.xacro.tree import XacroNode


class XacroError(Exception):
    """An error of an expansion. `place` is the faulty element, if it is not the current one."""

    def __init__(self, message: str, code: str = "xacro-failed", place: XacroNode | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.place = place


def too_much(message: str) -> XacroError:
    return XacroError(message, "xacro-limit")


def shown(text: object, most: int = 80) -> str:
    """A piece of the file in a message: quoted, and short."""
    text = str(text)
    return repr(text if len(text) <= most else text[: most - 1] + "…")
