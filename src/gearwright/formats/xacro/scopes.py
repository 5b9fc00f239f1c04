"""Properties and their scopes. A property's text is evaluated when it is first used, in the scope it was set in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gearwright.formats.xacro.errors import XacroError
from gearwright.formats.xacro.values import NameTable, Value, literal

Evaluate = Callable[[str, "PropertyScope"], Value]


class PropertyScope:
    """The properties of a document, of a macro's call, or of an include with a namespace."""

    def __init__(
        self, parent: PropertyScope | None, *, globals_: dict[str, Value], evaluate: Evaluate, namespace: bool = False
    ):
        self.parent = parent
        self.namespace = namespace
        self._globals = globals_
        self._evaluate = evaluate
        self.values: dict[str, Value] = {}
        self._lazy: set[str] = set()  # names whose text has not been evaluated
        self._open: list[str] = []  # names that are being evaluated

    def __repr__(self) -> str:
        return "<namespace>"

    def inner(self, *, namespace: bool = False) -> PropertyScope:
        return PropertyScope(self, globals_=self._globals, evaluate=self._evaluate, namespace=namespace)

    def lookup(self, name: str) -> Value:
        for scope in self.upwards():
            if name in scope.values:
                return scope.resolved(name)
        return self._globals[name]

    def define(self, name: str, value: Value, *, lazy: bool) -> None:
        value = literal(value)
        self.values[name] = value
        if lazy and isinstance(value, str):
            self._lazy.add(name)
        else:
            self._lazy.discard(name)

    def remove(self, name: str) -> None:
        for scope in self.upwards():
            scope.values.pop(name, None)

    def is_global(self, name: str) -> bool:
        return name in self._globals

    def __contains__(self, name: str) -> bool:
        return any(name in scope.values for scope in self.upwards()) or name in self._globals

    @property
    def top(self) -> PropertyScope:
        *_, last = self.upwards()
        return last

    def upwards(self) -> Iterator[PropertyScope]:
        scope: PropertyScope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def names(self) -> set[str]:
        """For the nearest name in a message."""
        return set(self._globals).union(*(s.values for s in self.upwards()))

    def resolved(self, name: str) -> Value:
        if name in self._lazy:
            if name in self._open:
                raise XacroError(f"the properties {' → '.join([*self._open, name])[:300]} are defined by each other")
            self._open.append(name)
            self.values[name] = literal(self._evaluate(self.values[name], self))
            self._open.pop()
            self._lazy.discard(name)
        return self.values[name]


class Locals:
    """The parameters of a lambda or the variables of a loop."""

    def __init__(self, values: dict[str, Value], outer: NameTable) -> None:
        self.values = values
        self.outer = outer

    def lookup(self, name: str) -> Value:
        return self.values[name] if name in self.values else self.outer.lookup(name)

    def names(self) -> set[str]:
        outer = self.outer.names() if isinstance(self.outer, (PropertyScope, Locals)) else set()
        return outer | set(self.values)
