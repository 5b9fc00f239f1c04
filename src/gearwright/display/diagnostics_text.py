"""Diagnostics for the terminal, one line each: `file:line: severity: message [code]`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rich.text import Text

from gearwright.diagnostics import Diagnostic
from gearwright.display.visible import visible
from gearwright.errors import counted

STYLES = {"error": "bold red", "warning": "bold yellow", "info": "dim"}


def diagnostic_line(d: Diagnostic) -> Text:
    place = f"{visible(d.file)}:{d.line}: " if d.line else f"{visible(d.file)}: " if d.file else ""
    quiet = "dim" if d.severity == "info" else ""
    return Text.assemble(
        (place, "dim" if quiet else "bold"), (f"{d.severity}: ", STYLES[d.severity]), (visible(d.message), quiet),
        (f" [{d.code}]", "dim"),
    )  # fmt: skip


def counts(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    """Severity → how many, all three of them."""
    found = Counter(d.severity for d in diagnostics)
    return {"error": found["error"], "warning": found["warning"], "info": found["info"]}


def count_text(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; nothing where there are none."""
    found = counts(diagnostics)
    nouns = (("error", "errors"), ("warning", "warnings"), ("info", "infos"))
    return ", ".join(counted(found[one], one, many) for one, many in nouns if found[one])
