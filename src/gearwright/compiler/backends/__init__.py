"""The table of back ends: one row each, imported when it is first used.

Packages add theirs by an entry point of the group `gearwright.backends`, whose name is the device's and whose value
the class:

    [project.entry-points."gearwright.backends"]
    cuda = "my_package.cuda:Cuda"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gearwright.errors import CompileError
from gearwright.registry import Registry

if TYPE_CHECKING:
    from gearwright.compiler.backend import Backend

BACKENDS: Registry[type[Backend]] = Registry(
    "gearwright.backends",
    {
        "cpu": "gearwright.compiler.backends.cpu.backend:Cpu",
        "interpreter": "gearwright.compiler.backends.interpreter:Interpreter",
        "cuda": "gearwright.compiler.backends.cuda.backend:Cuda",
    },
)


def names() -> tuple[str, ...]:
    """All devices that programs can be compiled for, those of other packages too."""
    return tuple(BACKENDS)


def is_known(name: str) -> bool:
    return name in BACKENDS


def find_backend(name: str, **options: Any) -> Backend:
    """The back end of that name; `options` are its own, such as `lanes` of "cpu"."""
    if name not in BACKENDS:
        raise CompileError(f"there is no device {name!r}; valid: {', '.join(map(repr, names()))}")
    try:
        kind = BACKENDS[name]
        return kind(**options)
    except Exception as error:  # whatever another package does when it is imported or called
        if name in BACKENDS.rows:
            raise
        where = BACKENDS.where(name)
        cause = error.__cause__ or error
        raise CompileError(f"the device {name!r} of {where} cannot be used: {type(cause).__name__}: {cause}") from error
