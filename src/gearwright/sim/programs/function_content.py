"""Users' functions as bytes: their instructions, and everything that they take from their surroundings.

Code of Python and of installed packages is known by its name and its package's version. A class or a module of the
user's own is not known at all, and neither is a package that is installed in editable mode.
"""

from __future__ import annotations

import dis
import platform
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache, partial, reduce
from importlib.metadata import packages_distributions, version
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

Write = Callable[[Any], Iterator[bytes]]
OWN = "gearwright"


class NoKeyError(Exception):
    """Something cannot be written down; the message says what."""


def code_parts(value: Any, write: Write) -> Iterator[bytes]:
    """A function, a class or a module as bytes; `write` does the rest. Raises NoKeyError."""
    if (known := _installed(value)) is not None:
        yield known.encode()
    elif isinstance(value, FunctionType):
        yield from _function_parts(value, write)
    elif isinstance(value, MethodType):
        yield from write((value.__func__, value.__self__))
    elif isinstance(value, partial):
        yield from write((value.func, value.args, value.keywords))
    else:
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        raise NoKeyError(f"{name!r}" if name else f"an object of the class {type(value).__qualname__!r}")


def _function_parts(function: FunctionType, write: Write) -> Iterator[bytes]:
    yield from _instructions(function.__code__)
    yield from write((function.__defaults__, function.__kwdefaults__))
    for cell in function.__closure__ or ():
        yield from write(cell.cell_contents)
    for name in sorted(set(_global_names(function.__code__))):
        if name in function.__globals__:  # else one of Python's own
            yield name.encode()
            yield from write(function.__globals__[name])


def _instructions(code: CodeType) -> Iterator[bytes]:
    yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars)).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _instructions(constant)
        else:
            yield repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant).encode()


def _global_names(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


def _installed(value: Any) -> str | None:
    """Name and version of something that Python or an installed package has under that name."""
    if isinstance(value, ModuleType):
        module, name = value.__name__, ""
    else:
        module, name = getattr(value, "__module__", None) or "", getattr(value, "__qualname__", None) or ""
        name = name or getattr(value, "__name__", "")  # NumPy's functions of arrays
        found = reduce(lambda part, n: getattr(part, n, None), name.split("."), sys.modules.get(module))
        if found is not value:
            return None
    release = _release(module.partition(".")[0])
    return None if release is None else f"{module}:{name} {release}"


@cache
def _release(package: str) -> str | None:
    """The version of an installed package, whose text does not change; None for the user's own modules."""
    python = platform.python_version()
    if package in sys.builtin_module_names or package == OWN:  # the key of an installation has our own text
        return python
    file = getattr(sys.modules.get(package), "__file__", None)
    places = [sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    if file is None or not any(Path(file).is_relative_to(place) for place in places):
        return None
    distributions = packages_distributions().get(package)
    return version(distributions[0]) if distributions else python
