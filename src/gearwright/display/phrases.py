"""Text that is wrapped between phrases: a number keeps its unit beside it."""

from __future__ import annotations

import re
from typing import Any

from rich.containers import Lines
from rich.text import Text

_AFTER_NUMBER = re.compile(r"(?<=[0-9∞⁰¹²³⁴⁵⁶⁷⁸⁹]) (?=\S)")
_GLUE = "\ue000"  # as wide as a space, and no space


class Phrases(Text):
    """`held to 12 mN·m` breaks after `held` or `to`, not after `12`."""

    def wrap(self, *arguments: Any, **options: Any) -> Lines:
        glued = Text(style=self.style).append_text(self)
        glued.plain = _AFTER_NUMBER.sub(_GLUE, self.plain)
        lines = glued.wrap(*arguments, **options)
        for line in lines:
            line.plain = line.plain.replace(_GLUE, " ")
        return lines
