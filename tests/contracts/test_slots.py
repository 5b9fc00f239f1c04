"""Slots of a step have their names in `model.slots` and `dynamics.steps.slots`: elsewhere none is a bare string.

In dynamics a slot's name is a type of its own, so that mypy finds what this test does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from gearwright.dynamics.steps.slots import Numbers, Slots
from gearwright.model.layout.slots import StepSlot

SOURCE = Path(__file__).parents[2] / "src/gearwright"
DECLARED = ("model/layout/slots.py", "dynamics/steps/slots.py")
SHARED = {value for name, value in vars(StepSlot).items() if name.isupper()}
NAMES = SHARED | {name for name, value in vars(Slots).items() if isinstance(value, Numbers)}
HOLDERS = ("state", "instance", "inputs", "layout", "build")  # of numbers by slot; the last word of an expression
BY_SLOT = ("build", "given", "slots", "parts", "symbols")  # mappings
TAKE_A_SLOT = {"SlotElement", "reader", "_reader", "_motion", "_channel", "_from_state", "solved", "started"}
KEYWORDS = {"until"}  # the slot that ends a loop


def last_word(node: ast.expr) -> str:
    return ast.unparse(node).split(".")[-1].strip("_").split("_")[-1]


def slots_named_in(node: ast.AST) -> list[ast.expr]:
    """Expressions in the place of a slot's name."""
    if isinstance(node, ast.Subscript):
        return [node.slice] if last_word(node.value) in BY_SLOT else []
    if isinstance(node, ast.Compare):
        mapped = any(last_word(x) in BY_SLOT for x in node.comparators)
        return [node.left] if mapped and isinstance(node.ops[0], ast.In | ast.NotIn) else []
    if not isinstance(node, ast.Call):
        return []
    found = [k.value for k in node.keywords if k.arg in KEYWORDS]
    function = node.func
    if isinstance(function, ast.Attribute) and last_word(function.value) in HOLDERS:
        return found if function.attr in ("stage", "again") else found + node.args[:1]
    return found + node.args if ast.unparse(function).split(".")[-1] in TAKE_A_SLOT else found


def bare(source: str) -> Iterator[tuple[int, str]]:
    """Line and slot of every place that names one by a string."""
    for node in ast.walk(ast.parse(source)):
        for x in slots_named_in(node):
            if isinstance(x, ast.Constant) and x.value in NAMES:
                yield x.lineno, x.value


def test_no_slot_is_a_bare_string() -> None:
    paths = [p for p in sorted(SOURCE.rglob("*.py")) if str(p.relative_to(SOURCE)) not in DECLARED]
    found = [(str(p.relative_to(SOURCE)), *place) for p in paths for place in bare(p.read_text(encoding="utf-8"))]
    assert not found, "write build.NAME, Slots.NAME or StepSlot.NAME: " + ", ".join(map(str, found))


@pytest.mark.parametrize(
    "line",
    [
        'state.fill("target", 1, 2.0)', 'sim.batch_state.parts["sensor"]', 'build["rhs"] = pushes', 'given["dt"][0]',
        'build.loop(8, until="settled")', 'build.carry("system")', '"aim" in self.build', 'SlotElement("actuator", 3)',
        'layout.place("command", i)', 'sim.batch_state.get("parameter")',
    ],
)  # fmt: skip
def test_the_rule_finds(line: str) -> None:
    assert len([*bare(line)]) == 1


@pytest.mark.parametrize(
    "line",
    [
        'reads["command"] = words.fill("other")', 'build.stage("mass")', 'build.again("mass")', "build.rhs = pushes",
        "state.fill(StepSlot.TARGET, 1, 2.0)", 'family == "position"', "build.loop(8, until=Slots.settled)",
    ],
)  # fmt: skip
def test_the_rule_leaves(line: str) -> None:
    assert not [*bare(line)]


def test_every_name_is_declared_once() -> None:
    """A slot of both files has its name from the layout: of a scratch slot no other layer knows."""
    scratch = {name for name, value in vars(Slots).items() if type(value) is Numbers}
    assert not scratch & SHARED
    assert Slots.rhs == "rhs"
