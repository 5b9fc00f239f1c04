"""The plugin behind `make slack`: a slack tolerance that nobody argues for fails the run, and is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASES = {
    "approx(1 + 1e-9, rel=1e-8)": (1, 0, 0),
    "approx(1 + 1e-9)": (1, 1, 0),
    "approx(1 + 1e-9)  # slack: for a reason": (1, 1, 1),
    "approx(1 + 1e-14, rel=ROUNDING)": (0, 0, 0),
    "approx(1, rel=0.1) or 1 == approx(1 + 1e-9, rel=1e-8)": (1, 1, 0),
    "1 and np.allclose(1, 1 + 1e-9)": (1, 1, 0),
    "1 and np.allclose(1, 1 + 1e-9, rtol=0, atol=5e-9)": (1, 0, 0),
    "1 and np.abs(1e-9 - 0) < 1e-3": (1, 1, 0),
    "1 and np.abs(1e-9 - 0) < 5e-9": (1, 0, 0),
    "1 and abs(1e-12) < 1000 * ROUNDING": (1, 0, 0),
    "1 and 0.5 < 20.0": (0, 0, 0),
    "1 and 0 < abs(1e-9 - 0) < 5e-9": (1, 0, 0),
    "1 and not abs(2 - 0) < 1e-3 < 1 / 0": (1, 0, 0),  # the last is not evaluated
    "1 and abs(5 - 5) <= 1": (0, 0, 0),
    "1 and time.monotonic() - begun < 1e6": (0, 0, 0),
}


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One run of a file with a test of each case."""
    folder = tmp_path_factory.mktemp("slack") / "tests"
    folder.mkdir()
    head = "import time\nimport numpy as np\nfrom pytest import approx\nbegun, ROUNDING = 0.0, 1e-12\n"
    tests = [f"def test_{n}():\n    assert 1 == {case}\n" for n, case in enumerate(CASES)]
    (folder / "test_cases.py").write_text(head + "".join(tests))
    command = [sys.executable, "-m", "pytest", "-p", "tests.contracts.slack", "-p", "no:cacheprovider", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{len(CASES)} passed" in done.stdout
    return done.stdout


def test_each_case_is_counted(output: str) -> None:
    measured, slack, argued = (sum(counts) for counts in zip(*CASES.values(), strict=True))
    assert (
        f"{measured} tolerances measured: {slack} use less than a tenth of what they allow, "
        f"{argued} of these argued, {slack - argued} not"
    ) in output


def test_what_is_open_is_named_with_its_line(output: str) -> None:
    for n, (case, (_, slack, argued)) in enumerate(CASES.items()):
        assert (f"test_cases.py:{6 + 2 * n}  assert 1 == {case}" in output) == (slack > argued)


def test_everything_is_put_back(tmp_path: Path) -> None:
    """Also what was not there before: the watcher among the builtins."""
    (tmp_path / "test_one.py").write_text("def test_one():\n    assert abs(1e-9 - 0) < 5e-9\n")
    script = (
        "import builtins, pytest, numpy\n"
        "from tests.contracts.bounds import WATCHER\n"
        "close = numpy.allclose\n"
        f"code = pytest.main(['-p', 'tests.contracts.slack', '-p', 'no:cacheprovider', {str(tmp_path)!r}])\n"
        "print(int(code), hasattr(builtins, WATCHER), numpy.allclose is close)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 False True"
