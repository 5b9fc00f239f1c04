"""Where a slot's elements stand in a robot's memory, as an expression."""

from __future__ import annotations

from collections.abc import Callable

Memory = Callable[[str, str], str]  # slot, element as text → an expression that can be read and written


def flat(offsets: dict[str, int], array: str = "a") -> Memory:
    """All slots in one array."""

    def place(slot: str, element: str) -> str:
        if element.isdigit():
            return f"{array}[{offsets[slot] + int(element)}]"
        return f"{array}[{offsets[slot]} + {element}]"

    return place
