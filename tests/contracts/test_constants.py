"""Every constant that decides something has a test that fails when it is changed, or a reason why none can."""

import ast
import os
import re
import subprocess
import sys

import pytest

from tests.contracts.constants import ROOT, changed_run, constants
from tests.contracts.guards import ARGUED, GUARDS
from tests.contracts.mutating import VARIABLE, after_assignment, scaled
from tests.tolerances import ROUNDING

HERE = "tests/contracts/test_constants.py"


def test_every_constant_is_guarded_or_argued():
    """A new one gets a row in `guards.py`: the test that notices it, or why no outcome depends on it."""
    found = set(constants())
    listed = [*GUARDS, *ARGUED]
    assert sorted(found - set(listed)) == []
    assert sorted(set(listed) - found) == []
    assert len(listed) == len(set(listed))


def test_guards_are_there():
    for guard in GUARDS.values():
        path, _, name = guard.test.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        assert f"def {name}" in text, guard.test
        assert guard.factor != 1.0


def test_numbers_of_equations_are_normal_in_single_precision():
    """One that is rounded to 0 no longer keeps a quotient finite."""
    small = {}
    for path in sorted((ROOT / "src/gearwright/dynamics").rglob("*.py")):
        values = [n.value for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Constant)]
        if found := [x for x in values if isinstance(x, float) and 0.0 < x < 2.0**-126]:
            small[path.name] = found
    assert small == {}


@pytest.mark.slow
@pytest.mark.parametrize("constant", GUARDS)
def test_a_changed_constant_is_noticed(constant):
    done = changed_run(constant, GUARDS[constant].factor, GUARDS[constant].test)
    assert done.returncode == 1, done.stdout + done.stderr  # 0: all passed; above 1: nothing ran


def test_code_made_with_another_constant_is_not_found(tmp_path, monkeypatch):
    """Nor by a run that a worker of pytest-xdist starts, as `make slow` does."""
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    folders = set()
    for constant in ("sim.running.reporting.RARE", "sim.reset.assembly.AGREEMENT"):
        done = changed_run(
            constant, 1.0, f"{HERE}::test_where_code_is_kept", "-s", "--basetemp", str(tmp_path / constant)
        )
        folders |= set(re.findall("code is kept in (.*)", done.stdout))
    assert len(folders) == 2


def test_where_code_is_kept():
    print("code is kept in", os.environ["GEARWRIGHT_CACHE"])
    assert os.environ["GEARWRIGHT_CACHE"]


def test_a_module_is_changed_while_it_is_imported():
    code = "import tests.contracts.mutating; from gearwright.sim.running.reporting import RARE; print(RARE)"
    environment = os.environ | {VARIABLE: "gearwright.sim.running.reporting:RARE:10.0"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert float(done.stdout) == pytest.approx(1e-2, rel=ROUNDING)


def test_the_change_itself():
    assert scaled({"a": 2, "b": (1.0, 3)}, 10.0) == {"a": 20, "b": (10.0, 30)}
    assert after_assignment("A, B = 1, 2\nC = A", "B", "B = 5") == "A, B = 1, 2\nB = 5\nC = A"
    with pytest.raises(ValueError, match="D"):
        after_assignment("A = 1", "D", "")
