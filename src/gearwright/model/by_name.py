"""Read-only mappings by name."""

from __future__ import annotations

from collections.abc import KeysView, Mapping
from typing import Any, TypeVar

from gearwright.errors import UnknownNameError

_T = TypeVar("_T")


class NamesView(KeysView[str]):
    """The result of `.keys()`, which prints as names: `KeysView` itself prints all that the mapping holds."""

    def __repr__(self) -> str:
        return f"keys({list(self)!r})"


class ByName(Mapping[str, _T]):
    """A read-only mapping in document order; an unknown name raises with the nearest valid one."""

    def __init__(self, kind: str, items: Mapping[str, _T] | None = None) -> None:
        self._kind = kind
        self._items = dict(items or {})

    def __getitem__(self, name: str) -> _T:
        try:
            return self._items[name]
        except (KeyError, TypeError):  # a list cannot be looked for
            raise UnknownNameError(self._kind, name, self._items) from None

    def __contains__(self, name: object) -> bool:  # nor `get`: without a search for the nearest name
        return name in self._items

    def get(self, name: str, default: Any = None) -> Any:
        return self._items.get(name, default)

    def __iter__(self) -> Any:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def keys(self) -> NamesView:
        return NamesView(self)

    def __repr__(self) -> str:
        return f"<{len(self)} by name: {', '.join(list(self)[:8])}{', …' if len(self) > 8 else ''}>"
