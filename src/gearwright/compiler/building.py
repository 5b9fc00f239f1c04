"""From a program to executable code: loaded from the cache, or compiled and stored there.

An entry's key covers the program, the back end and this package's own source. It holds the program's
outline (its slots), a note of the caller's own and the code, so that the program itself is not even made
for code that is on the disk.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gearwright.compiler import cache as disk
from gearwright.compiler.backend import Backend, Executable, Precision
from gearwright.compiler.backends import find_backend
from gearwright.compiler.program import Program
from gearwright.compiler.program_text import from_text, to_text


def build(
    make: Callable[[], Program],
    backend: Backend,
    *,
    identity: str | None = None,
    note: Callable[[], str] = str,
    precision: Precision = "double",
    batch: int | None = None,
    cache: bool = True,
) -> Executable:
    """The program that `make` returns, compiled.

    `identity`: a digest of everything that decides the program; None takes the program's own, which has to be made
    for that. `note`: one line about the program, which `identity` has to decide, too; it is stored with the code.
    `cache`: load the code from disk if it is there, and store it.
    """
    if not cache:
        with _without_garbage_collection():
            return backend.compile(make(), precision=precision, batch=batch)
    program = make() if identity is None else None
    key = disk.entry_key(identity or program.content_hash(), backend, precision, batch)  # type: ignore[union-attr]
    entry = disk.load(key)
    if entry is not None:
        outline, noted, code = entry.split(b"\n", 2)
        found = backend.load(program or from_text(outline.decode()), code, precision, batch)
        found.from_cache, found.kept_code, found.note = True, code, noted.decode()
        return found
    with _without_garbage_collection():
        program = program or make()
        code = backend.code(program, precision, batch)
    disk.save(key, b"\n".join((to_text(program.outline()).encode(), note().encode(), code)))
    made = backend.load(program, code, precision, batch)
    made.kept_code = code
    return made


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Compiling makes millions of tuples and no cycles; looking for cycles among them takes a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def compile_program(
    program: Program,
    *,
    device: str = "cpu",
    precision: Precision = "double",
    batch: int | None = None,
    cache: bool = True,
    **options: Any,
) -> Executable:
    """A program for a device. `options` are the back end's own: `lanes` of "cpu"."""
    return build(lambda: program, find_backend(device, **options), precision=precision, batch=batch, cache=cache)
