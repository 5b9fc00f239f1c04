"""The solver, the stages of a step and the constraints have unit tests by their own names."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("dynamics/solve", "dynamics/steps", "dynamics/constraints")
ELSEWHERE = {
    "dynamics/solve/floors.py": "dynamics/solve/test_rows.py",  # two numbers, by what they decide
    "dynamics/steps/slots.py": "contracts/test_slots.py",
    "dynamics/steps/constraint_groups.py": "contracts/test_outside_kinds.py",  # the table of row types
    "dynamics/constraints/rows.py": "dynamics/constraints/test_coupling_rows.py",
}


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_has_its_tests(room: str) -> None:
    modules = [p for p in (ROOT / "src/gearwright" / room).glob("*.py") if p.stem != "__init__"]
    assert modules
    tests = {f"{room}/{p.name}": ELSEWHERE.get(f"{room}/{p.name}", f"{room}/test_{p.name}") for p in modules}
    assert {module: test for module, test in tests.items() if not (ROOT / "tests" / test).is_file()} == {}


def test_tests_elsewhere_are_of_modules_that_are_there() -> None:
    assert [module for module in ELSEWHERE if not (ROOT / "src/gearwright" / module).is_file()] == []
