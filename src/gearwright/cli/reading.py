"""How a file is to be read: the same options for every command that reads one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from gearwright.cli.loading import LoadOptions, assignments
from gearwright.cli.options import (
    BaseChoice,
    ClosureList,
    CutJoints,
    FitFile,
    ModelName,
    PluginFolders,
    SearchPath,
    Strict,
    XacroArguments,
    XacroVariables,
)


def _read(
    model: ModelName = None,
    base: BaseChoice = None,
    path: SearchPath = None,
    plugins: PluginFolders = None,
    cut: CutJoints = None,
    closures: ClosureList = None,
    xacro_arg: XacroArguments = None,
    xacro_env: XacroVariables = None,
    strict: Strict = False,
    fit: FitFile = None,
) -> LoadOptions:
    return LoadOptions(
        model=model, base=base, path=tuple(path or ()), plugins=tuple(plugins or ()), cut=tuple(cut or ()),
        closures=closures, xacro_args=assignments(xacro_arg), xacro_env=tuple(xacro_env or ()), strict=strict, fit=fit,
    )  # fmt: skip


SHARED = inspect.signature(_read, eval_str=True).parameters


def reads_file(command: Callable[..., None]) -> Callable[..., None]:
    """A command with these options behind its own; it is handed them as one, in its argument `reading`.

    An option of the same name that the command has itself is left out.
    """
    own = inspect.signature(command, eval_str=True)
    shared = {name: p for name, p in SHARED.items() if name not in own.parameters}

    @wraps(command)
    def run(**given: Any) -> None:
        reading = _read(**{name: given.pop(name) for name in shared})
        command(**given, reading=reading)

    parameters = [*(p for p in own.parameters.values() if p.name != "reading"), *shared.values()]
    kept = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    run.__signature__ = own.replace(parameters=kept)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run
