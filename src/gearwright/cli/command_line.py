"""The command that is running, as it was typed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import typer


def command_line(context: typer.Context) -> str:
    """`gearwright run arm.urdf --duration 1`: all that was given, without defaults."""
    given = [p for p in context.command.params if p.name and _is_given(context, p.name)]
    given.sort(key=lambda p: p.param_type_name != "argument")
    words = [word for p in given for word in _words(p, context.params[str(p.name)])]
    return shlex.join(["gearwright", context.command.name or "", *words])


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _words(parameter: Any, value: Any) -> Iterator[str]:
    option = parameter.param_type_name == "option"
    for each in value if isinstance(value, list | tuple) else [value]:
        if option:
            negative = each is False and parameter.secondary_opts
            yield (parameter.secondary_opts if negative else parameter.opts)[0]
        if not isinstance(each, bool):
            yield str(each)
