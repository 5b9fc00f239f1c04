"""Where a slot's elements stand in a robot's memory, as an expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gearwright.compiler.program import Slot

Memory = Callable[[str, str], str]  # slot, element as text → an expression that can be read and written


def slot_offsets(slots: Iterable[Slot], start: int = 0) -> dict[str, int]:
    """Slots one behind the other: where each begins."""
    offsets = {}
    for slot in slots:
        offsets[slot.name] = start
        start += slot.size
    return offsets


def flat(offsets: dict[str, int], array: str = "a") -> Memory:
    """All slots in one array."""

    def place(slot: str, element: str) -> str:
        if element.isdigit():
            return f"{array}[{offsets[slot] + int(element)}]"
        return f"{array}[{offsets[slot]} + {element}]"

    return place
