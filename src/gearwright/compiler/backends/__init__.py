"""The table of back ends: one row each, imported when it is first used.

Packages add theirs by an entry point of the group `gearwright.backends`, whose name is the device's and whose value
the class:

    [project.entry-points."gearwright.backends"]
    cuda = "my_package.cuda:Cuda"
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from gearwright.errors import CompileError

if TYPE_CHECKING:
    from gearwright.compiler.backend import Backend

GROUP = "gearwright.backends"
BACKENDS: dict[str, str] = {
    "cpu": "gearwright.compiler.backends.cpu.backend:Cpu",
    "interpreter": "gearwright.compiler.backends.interpreter:Interpreter",
}


def names() -> tuple[str, ...]:
    """All devices that programs can be compiled for, those of other packages too."""
    return tuple(dict.fromkeys([*BACKENDS, *(point.name for point in _from_outside())]))


def is_known(name: str) -> bool:
    """Looks among other packages only for what is not in the table: that takes milliseconds."""
    return name in BACKENDS or name in names()


def find_backend(name: str, **options: Any) -> Backend:
    """The back end of that name; `options` are its own, such as `lanes` of "cpu"."""
    if name in BACKENDS:
        module, _, attribute = BACKENDS[name].partition(":")
        made: Backend = getattr(import_module(module), attribute)(**options)
        return made
    for point in _from_outside():
        if point.name == name:
            return _loaded(point, options)
    raise CompileError(f"there is no device {name!r}; valid: {', '.join(map(repr, names()))}")


def _loaded(point: EntryPoint, options: dict[str, Any]) -> Backend:
    try:
        found: Backend = point.load()(**options)
    except Exception as error:  # whatever another package does when it is imported
        raise CompileError(
            f"the device {point.name!r} of {point.value} cannot be used: {type(error).__name__}: {error}"
        ) from error
    return found


def _from_outside() -> list[EntryPoint]:
    return sorted(entry_points(group=GROUP))
