"""Slots that several layers name have their names in `model.layout`: outside dynamics none is a bare string."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from gearwright.model.layout import StepSlot

SOURCE = Path(__file__).parents[2] / "src/gearwright"
ROOMS = ("sim", "export", "page", "hardware", "learning", "study", "cli", "demo", "bench")
NAMES = {value for name, value in vars(StepSlot).items() if name.isupper()}
TAKE_A_SLOT = {"fill", "slot", "has", "hold", "group", "independent", "buffer"}  # methods


def bare(source: str) -> Iterator[tuple[int, str]]:
    """Line and slot of every call that names one by a string, and of every look-up among a state's parts."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TAKE_A_SLOT:
            given = node.args[:1]
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(("parts", "inputs.slots")):
            given = [node.slice]
        else:
            continue
        yield from ((x.lineno, x.value) for x in given if isinstance(x, ast.Constant) and x.value in NAMES)


def test_no_slot_is_a_bare_string() -> None:
    paths = [p for room in ROOMS for p in sorted((SOURCE / room).rglob("*.py"))]
    assert not [(str(p.relative_to(SOURCE)), *place) for p in paths for place in bare(p.read_text(encoding="utf-8"))]


def test_the_rule_itself() -> None:
    assert [*bare('state.fill("target", 1, 2.0)\nstate.parts["sensor"]')] == [(1, "target"), (2, "sensor")]
    assert [*bare('reads["command"] = words.fill("other")')] == []
