"""`make mutate` finds constants and their tests, and changes a module while it is imported."""

import ast
import os
import subprocess
import sys

import pytest

from tests.mutate import ROOT, VARIABLE, constants, numeric_names, scaled, suite_of
from tests.tolerances import ROUNDING


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("A = 1", ["A"]),
        ("A: float = -2e-3 * 4", ["A"]),
        ("A, B = 1, 2", ["A", "B"]),
        ("A = {'x': 1, 'y': (2, 3)}", ["A"]),
        ("a = 1", []),
        ("A = 'text'", []),
        ("A = True", []),
        ("A = f(1)", []),
    ],
)
def test_what_a_constant_is(statement: str, names: list[str]) -> None:
    assert numeric_names(ast.parse(statement).body[0]) == names


def test_suite_of_a_module() -> None:
    assert "FARTHEST" in {c.name for c in constants("given_numbers")}
    assert "tests/compiler/test_cache.py" in suite_of("compiler.cache")
    assert suite_of("model.nothing_has_this_name") == ["tests/model"]


def test_fields_of_a_table_of_numbers() -> None:
    assert {"TUNING.far", "TUNING.iterations"} <= {c.name for c in constants("dynamics.steps.tuning")}


@pytest.mark.parametrize(
    ("module", "name", "changed"),
    [("given_numbers", "FARTHEST", 1e13), ("dynamics.steps.tuning", "TUNING.far", 1.5)],
)
def test_a_module_is_changed_while_it_is_imported(module: str, name: str, changed: float) -> None:
    code = f"import tests.mutate, gearwright.{module} as module; print(module.{name})"
    environment = os.environ | {VARIABLE: f"gearwright.{module}:{name}:10.0"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert float(done.stdout) == pytest.approx(changed, rel=ROUNDING)
    assert scaled({"a": 2, "b": (1.0, 3)}, 10.0) == {"a": 20, "b": (10.0, 30)}
