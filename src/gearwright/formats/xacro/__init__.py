"""Xacro files, expanded by an evaluator of our own that runs no code: `docs/xacro.md` says what it knows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gearwright.diagnostics import Report, Source
from gearwright.errors import LoadError, nearest
from gearwright.formats.xml.located_xml import MAX_ELEMENTS, Element

DEFINING = {f"xacro:{tag}" for tag in ("include", "macro", "property", "arg", "if", "unless", "insert_block")}


@dataclass(frozen=True, kw_only=True)
class XacroOptions:
    """The caller's arguments, folders to read from, and names of allowed environment variables."""

    arguments: Mapping[str, object] = field(default_factory=dict)
    search_path: Sequence[str | os.PathLike[str]] = ()
    environment: Sequence[str] = ()


def is_xacro(root: Element) -> bool:
    """Definitions make a file a xacro one; a stray call that some expansion left behind does not."""
    return not DEFINING.isdisjoint(root.document.tags)


def expand(data: bytes, name: str, file: Path | None, report: Report, options: XacroOptions) -> Element | None:
    """The expanded root element, each part at its own file and line; None with the reason in the report."""
    from gearwright.formats.xacro.calls import call_macro
    from gearwright.formats.xacro.directives import DIRECTIVES
    from gearwright.formats.xacro.errors import XacroError
    from gearwright.formats.xacro.expander import Expander
    from gearwright.formats.xacro.files import Files
    from gearwright.formats.xacro.substitutions import Arguments
    from gearwright.formats.xacro.tree import located, parse_tree

    root = parse_tree(data, name, report, MAX_ELEMENTS)
    if root is None:
        return None
    arguments = Arguments(options.arguments)
    allowed = {n: os.environ[n] for n in options.environment if n in os.environ}
    expander: Expander | None = None
    try:
        expander = Expander(DIRECTIVES, call_macro, Files(file, options.search_path), arguments, allowed, report)
        expander.library.take(root)
        made = expander.expand(root, None if file is None else file.absolute())
        for unused in sorted(arguments.unused):
            near = nearest(unused, set(arguments.values) - arguments.unused)
            report.warning(
                "xacro-argument", f"the file has no argument {unused[:80]!r}{near}", Source(file=name, line=0)
            )
        return located(made, expander.library.declared)
    except LoadError:  # an included file that is no XML; the report says so
        return None
    except XacroError as e:
        if e.code == "package-not-found":  # the error says what the warning of its $(find …) said
            report.drop(e.code, str(e))
        _report_failure(report, expander, e.code, str(e), name)
    except RecursionError:
        _report_failure(report, expander, "xacro-limit", "properties and expressions are nested too deeply", name)
    except MemoryError:
        _report_failure(report, expander, "xacro-limit", "there is too little memory to expand this file", name)
    return None


def _report_failure(report: Report, expander: object, code: str, message: str, name: str) -> None:
    """The place in the file, and the calls that lead there."""
    from gearwright.formats.xacro.expander import Expander

    source = Source(file=name, line=1)
    if isinstance(expander, Expander):
        if expander.place is not None:
            source = expander.place.source
        for call in reversed(expander.calls[-3:]):
            message += f"; in <{call.tag[:80]}> of {call.document.file}:{call.line}"
    report.error(code, message, source)
