"""Docstrings begin with what a thing is: a noun or a verb, not a riddle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src/gearwright"
ROOMS = sorted(p.name for p in SOURCE.iterdir() if (p / "__init__.py").is_file())
RIDDLES = ("What ", "Of ")


def docstrings(room: str) -> Iterator[tuple[str, str]]:
    for path in sorted((SOURCE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                yield f"{path.relative_to(SOURCE)}: {getattr(node, 'name', 'module')}", text


@pytest.mark.parametrize("room", ROOMS)
def test_no_docstring_is_a_riddle(room: str) -> None:
    assert not [place for place, text in docstrings(room) if text.startswith(RIDDLES)]
