"""Numbers in the text of `dynamics`, as all programs have them."""

import ast
from pathlib import Path

import gearwright.dynamics

FOLDER = Path(gearwright.dynamics.__file__).parent


def test_numbers_of_equations_are_normal_in_single_precision() -> None:
    """One that is rounded to 0 no longer keeps a quotient finite."""
    small = {}
    for path in sorted(FOLDER.rglob("*.py")):
        values = [n.value for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Constant)]
        if found := [x for x in values if isinstance(x, float) and 0.0 < x < 2.0**-126]:
            small[path.name] = found
    assert small == {}
