"""Families of kinds by name: one row each, imported when it is first used, open to other packages.

A row is `"name": "package.module:Class"`. Other packages add theirs by an entry point of the family's group:

    [project.entry-points."gearwright.transmissions"]
    strain_wave = "my_package.strain_wave:StrainWaveGear"

A script adds one by `REGISTRY["name"] = Class`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gearwright.errors import GearwrightError, warn

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(MutableMapping[str, T], Generic[T]):
    """Name → kind. Entry points are looked for only where a name has no row: that takes milliseconds."""

    def __init__(self, group: str, rows: Mapping[str, str], prepare: Callable[[Any], T] | None = None) -> None:
        self.group = group
        self.rows: Mapping[str, str] = rows  # of this package: name → where it is
        self.added: dict[str, T] = {}  # by scripts
        self._prepare = prepare
        self._loaded: dict[str, T] = {}
        self._outside: dict[str, EntryPoint] = {}
        self._shadowed: dict[str, str] = {}  # entry points that have names of rows
        self._reported: set[str] = set()
        self._searched: tuple[str, ...] | None = None  # the import path at the last search

    def __getitem__(self, name: str) -> T:
        if name in self.added:
            return self.added[name]
        if name not in self._loaded:
            found = self._find(name)
            self._loaded[name] = found if self._prepare is None else self._prepare(found)
        return self._loaded[name]

    def __setitem__(self, name: str, kind: T) -> None:
        self.added[name] = kind

    def __delitem__(self, name: str) -> None:
        """Takes off what a script added; rows and entry points stay."""
        del self.added[name]

    def __contains__(self, name: object) -> bool:
        return name in self.added or name in self.rows or name in self._points()

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.rows, *self.added, *self._points())))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return f"<{self.group}: {', '.join(self)}>"

    def where(self, name: str) -> str:
        """`package.module:Class` of a row or an entry point."""
        return self.rows[name] if name in self.rows else self._points()[name].value

    def name_of(self, kind: object) -> str | None:
        """The name of a class, without an import of the others; None if it has none."""
        place = f"{getattr(kind, '__module__', '')}:{getattr(kind, '__qualname__', '')}"
        rows = (name for name, where in self.rows.items() if where == place and name not in self.added)
        added = (name for name, known in self.added.items() if known is kind)
        found = next(chain(rows, added), None)
        if found is None and not place.startswith("gearwright."):
            points = ((name, point) for name, point in self._points().items() if name not in self.added)
            found = next((name for name, point in points if point.value == place or _leads_to(point, kind)), None)
        return found

    def _find(self, name: str) -> Any:
        if name in self.rows:
            module, _, attribute = self.rows[name].partition(":")
            return getattr(import_module(module), attribute)
        point = self._points()[name]
        try:
            return point.load()
        except Exception as error:  # another package's code may raise anything
            raise GearwrightError(f"{name!r} of {self.group!r}, {point.value}, cannot be loaded: {error!r}") from error

    def _points(self) -> dict[str, EntryPoint]:
        """Searched again where the import path has changed."""
        path = tuple(sys.path)
        if self._searched != path:
            from importlib import metadata  # takes as long as a search

            for name in self._outside:
                self._loaded.pop(name, None)
            found = {point.name: point for point in sorted(metadata.entry_points(group=self.group))}
            self._outside = {name: point for name, point in found.items() if name not in self.rows}
            self._shadowed = {name: found[name].value for name in sorted(found.keys() & self.rows.keys())}
            self._searched = path
            for message in set(self._shadow_messages()) - self._reported:
                self._reported.add(message)
                warn(message, UserWarning)
        return self._outside

    def shadowed(self) -> list[str]:
        """A message for each installed kind that has a name of this package's, and is not used. Takes a search."""
        with warnings.catch_warnings(action="ignore"):
            self._points()
        return self._shadow_messages()

    def _shadow_messages(self) -> list[str]:
        return [
            f"{name!r} of {self.group!r} is {self.rows[name]}; {place} of an installed package is not used: "
            "give it another name"
            for name, place in self._shadowed.items()
        ]


def _leads_to(point: EntryPoint, kind: object) -> bool:
    """Whether an entry point's module, where it is imported already, has the class from another of its package."""
    found: Any = sys.modules.get(point.module)
    for name in point.attr.split("."):
        found = getattr(found, name, None)
    return found is kind
