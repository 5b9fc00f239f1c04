"""What python-can's socketcan and pyserial open in a driver that `gearwright with-bus` has started."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

INTERFACES = ("socketcan", "socketcan_native", "socketcan_ctypes")


def table(variable: str) -> dict[str, str]:
    """Names and places of an environment variable, one pair a line."""
    lines = os.environ.get(variable, "").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def install() -> None:
    """Changes modules as they are imported; those that a driver never imports cost nothing."""
    sys.meta_path.insert(0, AfterImport({"can.interfaces": _alias_can, "serial.serialposix": _alias_serial}))


class AfterImport(MetaPathFinder):
    """Calls a function with a module once it has been imported."""

    def __init__(self, changes: dict[str, Callable[[ModuleType], None]]) -> None:
        self._changes = changes

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self._changes:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = ChangingLoader(spec.loader, self._changes[name])
        return spec


class ChangingLoader(Loader):
    """A module's own loader, and a change afterwards."""

    def __init__(self, theirs: Any, change: Callable[[ModuleType], None]) -> None:
        self._theirs, self._change = theirs, change

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._theirs.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        self._theirs.exec_module(module)
        self._change(module)


def _alias_can(module: ModuleType) -> None:
    """`interface="socketcan"` is ours; its channel is looked up where the bus is opened."""
    for name in INTERFACES:
        module.BACKENDS[name] = ("gearwright.hardware.with_bus.socketcan", "SocketcanBus")


def _alias_serial(module: ModuleType) -> None:
    ports, theirs = table("GEARWRIGHT_WITH_PORTS"), module.Serial.open

    def open(self: Any) -> None:
        self._port = self.portstr = ports.get(self._port, self._port)
        theirs(self)

    module.Serial.open = open
