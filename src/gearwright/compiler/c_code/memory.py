"""Where a slot's elements stand in a robot's memory, as an expression."""

from __future__ import annotations

from collections.abc import Callable

Memory = Callable[[str, int], str]  # slot, element → an expression that can be read and written


def flat(offsets: dict[str, int], array: str = "a") -> Memory:
    """All slots in one array."""
    return lambda slot, element: f"{array}[{offsets[slot] + element}]"
