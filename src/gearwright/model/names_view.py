"""The names of a mapping, which print as names: `KeysView` itself prints all that the mapping holds."""

from __future__ import annotations

from collections.abc import KeysView


class NamesView(KeysView[str]):
    """The result of `.keys()` of mappings by name."""

    def __repr__(self) -> str:
        return f"keys({list(self)!r})"
