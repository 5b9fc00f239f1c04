"""Writes docs/reference/mjcf.md: the table of MJCF's elements, from the reader's own."""

from __future__ import annotations

from gearwright.formats.mjcf.grammar import ELEMENTS, REASONS, Row

HEAD = """\
# Elements of MJCF

<!-- written by docs/generate.py -->

This page lists every element and attribute of MuJoCo 4.0, and how it is read. [MJCF](../mjcf.md) says what they
mean. An element in `<default>` has the attributes that it has elsewhere.

| why | reported as | meaning |
|---|---|---|
"""


def mjcf_page() -> str:
    lines = [HEAD + "\n".join(f"| {name} | {r.severity} | {r.words} |" for name, r in REASONS.items()), ""]
    lines += ["| element | read | without effect |", "|---|---|---|"]
    lines += [f"| `{path}` | {_read(row)} | {_left(row)} |" for path, row in ELEMENTS.items()]
    return "\n".join(lines) + "\n"


def _read(row: Row) -> str:
    if row.whole is not None:
        return f"**{row.whole}**: {row.why}"
    return _names(sorted(row.read)) or "what is in it"


def _left(row: Row) -> str:
    by_reason: dict[str, list[str]] = {}
    for name, reason in row.left.items():
        by_reason.setdefault(reason, []).append(name)
    return "; ".join(f"{reason}: {_names(sorted(names))}" for reason, names in by_reason.items())


def _names(names: list[str]) -> str:
    return ", ".join(f"`{n}`" for n in names)
