"""The solver, the stages of a step and the constraints have unit tests by their own names, which import them.

Where a module is used only through others, or its tests have another name, a table says so.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("dynamics/solve", "dynamics/steps", "dynamics/constraints")
ELSEWHERE = {
    "dynamics/solve/floors.py": "dynamics/solve/test_rows.py",  # two numbers, by what they decide
    "dynamics/steps/slots.py": "contracts/test_slots.py",
    "dynamics/steps/constrained_step.py": "dynamics/steps/test_euler.py",
    "dynamics/steps/loop_rows.py": "sim/test_fast_loops.py",
    "dynamics/steps/energy_balance.py": "sim/test_dead_centres.py",  # what a whole simulation keeps
    "dynamics/steps/constraint_groups.py": "contracts/test_outside_kinds.py",  # the table of row types
    "dynamics/constraints/rows.py": "dynamics/constraints/test_coupling_rows.py",
}
# no import: the tests are of what comes out of a whole step, in whose inputs the module has a name of its own
THROUGH_A_STEP = {
    "dynamics/steps/direct.py": "its loops, in the stages of Equations",
    "dynamics/steps/constrained_step.py": "what acts, in the stages of Equations",
    "dynamics/steps/euler.py": 'integrator="euler" of Equations',
    "dynamics/steps/midpoint.py": 'integrator="midpoint" of Equations',
    "dynamics/steps/landing.py": "a stage of its own",
    "dynamics/steps/loop_rows.py": "what a fast loop does in a whole simulation",
    "dynamics/steps/projection.py": "loops that a step of Equations finds open",
    "dynamics/constraints/loop_joint_readings.py": 'observer("cut_joints") of Equations',
}


def _imports(test: str, module: str) -> bool:
    """Whether a line of a test imports from a module."""
    name = "gearwright." + module.removesuffix(".py").replace("/", ".")
    text = (ROOT / "tests" / test).read_text(encoding="utf-8")
    return re.search(rf"^\s*from {re.escape(name)} import ", text, re.MULTILINE) is not None


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_has_its_tests(room: str) -> None:
    modules = [p for p in (ROOT / "src/gearwright" / room).glob("*.py") if p.stem != "__init__"]
    assert modules
    tests = {f"{room}/{p.name}": ELSEWHERE.get(f"{room}/{p.name}", f"{room}/test_{p.name}") for p in modules}
    assert {module: test for module, test in tests.items() if not (ROOT / "tests" / test).is_file()} == {}
    without = {module for module, test in tests.items() if not _imports(test, module)}
    assert without == {module for module in THROUGH_A_STEP if module.startswith(f"{room}/")}


def test_tests_elsewhere_are_of_modules_that_are_there() -> None:
    tables = [*ELSEWHERE, *THROUGH_A_STEP]
    assert [module for module in tables if not (ROOT / "src/gearwright" / module).is_file()] == []
