"""Our expansion beside the real one, as trees: tags, attributes, text and order, whitespace aside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gearwright.diagnostics import Report
from gearwright.formats.xacro import XacroOptions, expand
from gearwright.formats.xml.located_xml import Element, parse
from tests.xacro.real import Case

Tree = tuple[str, tuple[tuple[str, str], ...], str, tuple[Any, ...]]


def tree(e: Element) -> Tree:
    """Comparable with `==`; attributes sorted, as the real one writes them."""
    attributes = tuple(
        sorted((k, " ".join(v.split())) for k, v in e.attributes.items() if k.partition(":")[0] != "xmlns")
    )
    return e.tag, attributes, " ".join(e.text.split()), tuple(tree(c) for c in e.children)


def ours(case: Case, **options: Any) -> tuple[Tree | None, Report]:
    report = Report()
    search = [str(Path(p).parent) for p in case.packages.values()]
    given = XacroOptions(arguments=case.arguments, search_path=search, **options)
    root = expand(case.file.read_bytes(), str(case.file), case.file, report, given)
    return None if root is None else tree(root), report


def theirs(text: str) -> Tree:
    report = Report()
    root = parse(text.encode(), "xacro", report)
    assert root is not None, list(report)
    return tree(root)


def difference(a: Tree, b: Tree, path: str = "") -> str:
    """The first place where two trees differ."""
    here = f"{path}/{a[0]}"
    for x, y in zip(a[:3], b[:3], strict=True):
        if x != y:
            return f"{here}: {x!r} is not {y!r}"
    for x, y in zip(a[3], b[3], strict=False):
        if x != y:
            return difference(x, y, here)
    return f"{here}: {len(a[3])} children, not {len(b[3])}"
