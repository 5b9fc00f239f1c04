"""Writes docs/reference/commands.md: every command with its arguments and options, from the functions themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, get_args, get_type_hints

from typer import Context
from typer.models import ArgumentInfo, OptionInfo

from gearwright.cli import COMMANDS

COMPLETION = """\
## Completion

```sh
gearwright --install-completion     # bash, zsh, fish and PowerShell; then open a new shell
```

Tab then completes commands, options and the names of bundled robots; if none fits, the shell offers files.
`gearwright --show-completion` prints the script.
"""
HEAD = """\
# Command line

<!-- written by docs/generate.py -->

Every command has `--help`, and `gearwright --version` prints the version. Exit codes: 0 success, 1 a file or a
simulation that failed, 2 a wrong command. `GEARWRIGHT_TRACEBACK=1` shows tracebacks.

| command | |
|---|---|
"""


def commands_page() -> str:
    lines = []
    for function in COMMANDS:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        command = typed(function)
        lines.append(f"| [`gearwright {command}`](#gearwright-{command}) | {_cell(summary)} |")
    lines.append("")
    for function, example in COMMANDS.items():
        lines += _command(function, example)
    return HEAD + "\n".join([*lines, COMPLETION])


def typed(function: Callable[..., Any]) -> str:
    """A command as it is typed."""
    return function.__name__.replace("_", "-")


def options(function: Callable[..., Any]) -> Iterator[tuple[str, str, str]]:
    """Of each argument and option: its names ("" of an argument), what it takes, and its text."""
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if hints[name] is Context:
            continue
        base, info = get_args(hints[name])[:2]
        if isinstance(info, ArgumentInfo):
            yield "", info.metavar or name.upper(), info.help or ""
        elif isinstance(info, OptionInfo):
            yield _names(name, info), _takes(base, info), _text(info, parameter.default)


def _names(name: str, info: OptionInfo) -> str:
    """Of `Annotated`, typer has the first name in the place of the default."""
    first = (info.default,) if isinstance(info.default, str) and info.default.startswith("-") else ()
    return ", ".join((*first, *(info.param_decls or ()))) or f"--{name.replace('_', '-')}"


def _takes(base: Any, info: OptionInfo) -> str:
    """What stands behind an option; nothing behind a flag."""
    kinds = [k for k in (get_args(base) or (base,)) if k is not type(None)]
    if info.metavar or kinds[0] is bool:
        return info.metavar or ""
    if inspect.isclass(kinds[0]) and issubclass(kinds[0], Enum):
        return "|".join(str(choice.value) for choice in kinds[0])
    return {int: "INT", float: "NUMBER"}.get(kinds[0], "TEXT")


def _text(info: OptionInfo, default: Any) -> str:
    if default is inspect.Parameter.empty:
        return f"{info.help or ''} Required."
    shown = default.value if isinstance(default, Enum) else default
    if shown is None or shown == "" or isinstance(shown, bool):
        return info.help or ""
    return (
        f"{info.help or ''} Default: {shown:g}." if isinstance(shown, int | float) else f"{info.help} Default: {shown}."
    )


def _command(function: Callable[..., Any], example: str) -> list[str]:
    rows = list(options(function))
    arguments = [takes for names, takes, _ in rows if not names]
    title = f"gearwright {typed(function)}"
    lines = [f"## {title}", "", "```sh", " ".join([title, *arguments, "[OPTIONS]"]), "```", ""]
    lines += [f"For example, `gearwright {example}`.", ""]
    for part in (inspect.getdoc(function) or "").split("\n\n"):
        lines += [*(_escaped(line) for line in part.splitlines()), ""]
    lines += ["| | |", "|---|---|"]
    for names, takes, text in rows:
        left = f"{names} {takes}".strip().replace("|", "\\|")
        lines.append(f"| `{left}` | {_cell(text)} |")
    return [*lines, ""]


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")


def _cell(text: str) -> str:
    return " ".join(_escaped(text).replace("|", "\\|").split())
