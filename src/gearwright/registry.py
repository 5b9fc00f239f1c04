"""Families of kinds by name: one row each, imported when it is first used, open to other packages.

A row is `"name": "package.module:Class"`. Other packages add theirs by an entry point of the family's group:

    [project.entry-points."gearwright.transmissions"]
    cycloidal = "my_package.cycloidal:CycloidalDrive"

A script adds one by `REGISTRY["name"] = Class`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module, metadata
from typing import Any, Generic, TypeVar

from gearwright.errors import GearwrightError

T = TypeVar("T")


class Registry(MutableMapping[str, T], Generic[T]):
    """Name → kind. Entry points are looked for only where a name has no row: that takes milliseconds."""

    def __init__(self, group: str, rows: Mapping[str, str], prepare: Callable[[Any], T] | None = None) -> None:
        self.group = group
        self.rows: Mapping[str, str] = rows  # of this package: name → where it is
        self._prepare = prepare
        self._loaded: dict[str, T] = {}
        self._outside: dict[str, metadata.EntryPoint] | None = None

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            self._loaded[name] = self._prepared(self._find(name))
        return self._loaded[name]

    def __setitem__(self, name: str, kind: T) -> None:
        self._loaded[name] = kind

    def __delitem__(self, name: str) -> None:
        """Takes off what a script added; rows and entry points stay."""
        del self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self.rows or name in self._points()

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.rows, *self._loaded, *self._points())))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return f"<{self.group}: {', '.join(self)}>"

    @property
    def added(self) -> tuple[str, ...]:
        """What scripts added, and what was loaded from other packages."""
        return tuple(name for name in self._loaded if name not in self.rows)

    def reload(self) -> None:
        """Looks for entry points again: after a package was installed into the running process."""
        self._outside = None

    def _find(self, name: str) -> Any:
        if name in self.rows:
            module, _, attribute = self.rows[name].partition(":")
            return getattr(import_module(module), attribute)
        point = self._points()[name]
        try:
            return point.load()
        except Exception as error:  # another package's code may raise anything
            raise GearwrightError(f"{name!r} of {self.group!r}, {point.value}, cannot be loaded: {error!r}") from error

    def _prepared(self, found: Any) -> T:
        return found if self._prepare is None else self._prepare(found)

    def _points(self) -> dict[str, metadata.EntryPoint]:
        if self._outside is None:
            self._outside = {point.name: point for point in sorted(metadata.entry_points(group=self.group))}
        return self._outside
