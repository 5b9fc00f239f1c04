"""What a kind does is a method of its class or a row of a table, no ladder of `isinstance` over kinds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src/gearwright"
# ladders that stay, and why
ARGUED = {
    "demo/run_film.py: run_film": "which drawing a robot's shapes allow",
    "dynamics/actuation/gears.py: _gears_of": "the three ways to give a map: ratios, efforts, positions",
    "dynamics/tree/frames.py: carried_vectors": "turning and sliding, of which every joint is made: there is no third",
    "formats/xacro/expressions.py: _attribute": "values of xacro's own language",
    "formats/xacro/expressions.py: _kind": "values of xacro's own language",
    "hardware/protocols/dynamixel_servo.py: _set": "the modes of one servo, each with registers of its own",
    "hardware/protocols/feetech_servo.py: _set": "the modes of one servo, each with registers of its own",
    "hardware/protocols/mit/__init__.py: dbc": "one message with feedback ids of its own",
    "hardware/rig.py: __init__": "devices of a CAN bus and of a serial line, which are separate lists",
    "model/checks/simulation_checks.py: _map_problems": "a series asks its stages; the matrix alone bounds efforts",
    "sim/programs/function_content.py: code_parts": "the forms that Python's functions have",
    "sim/programs/keys.py: parts": "Python's and NumPy's values, and the one class that is no dataclass",
    "sim/saving/as_data.py: _of_class": "a map that is no matrix has functions to write",
    "sim/saving/as_data.py: to_data": "Python's and NumPy's values, and the two classes that are no dataclasses",
    "page/subject.py: subject": "arguments that users give",
}
# classes of Python and of libraries, which are no kinds
PLAIN = {"Mapping", "Sequence", "Iterable", "Collection", "Path", "SX", "Callable"}


def _own_classes(node: ast.expr) -> set[str]:
    """Names of classes in the second argument of `isinstance`, but for those that are no kinds."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return {n for n in names if n[0].isupper() and n not in PLAIN and not n.endswith("Error")}


def _asked(function: ast.AST) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            yield ast.unparse(node.args[0]), _own_classes(node.args[1])
        elif isinstance(node, ast.Match):
            for case in node.cases:
                if isinstance(case.pattern, ast.MatchClass):
                    yield ast.unparse(node.subject), _own_classes(case.pattern.cls)


def ladders(source: str) -> Iterator[str]:
    """Functions that tell two or more kinds apart by their classes."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            kinds: dict[str, set[frozenset[str]]] = {}
            for what, classes in _asked(function):
                kinds.setdefault(what, set()).update([frozenset(classes)] if classes else [])
            if any(len(found) > 1 for found in kinds.values()):
                yield function.name


def test_no_ladders_over_kinds() -> None:
    found = {
        f"{path.relative_to(SOURCE).as_posix()}: {name}"
        for path in sorted(SOURCE.rglob("*.py"))
        for name in ladders(path.read_text(encoding="utf-8"))
    }
    assert sorted(found - {*ARGUED}) == []
    assert sorted({*ARGUED} - found) == []


def test_the_rule_itself() -> None:
    assert [*ladders("def f(x):\n if isinstance(x, A): pass\n elif isinstance(x, B): pass")] == ["f"]
    assert [*ladders("def f(x):\n match x:\n  case A(): pass\n  case B(): pass")] == ["f"]
    assert [*ladders("def f(x, y):\n return isinstance(x, A | B) or isinstance(y, B) or isinstance(x, str)")] == []
