"""The GPU's benchmark, both halves, with kernels that run on the CPU."""

from pathlib import Path

import pytest

from benchmarks import gpu
from tests.cli.commands import called
from tests.compiler.cuda_on_cpu import CudaOnCpu
from tests.compiler.cuda_on_cpu import gpu as gpu_there
from tests.tolerances import ROUNDING


class OnCpu(CudaOnCpu):
    description = "none"


def test_both_halves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "cases", lambda: iter([gpu.Case("gripper", "euler", "double")]))
    monkeypatch.setattr(gpu, "SECONDS", 0.02)
    gpu.prepare(tmp_path)
    (tmp_path / "broken-euler-double.json").write_text("{}")
    broken, row = gpu.measure(tmp_path, 4, OnCpu())
    assert broken["error"].startswith("KeyError")
    assert row["difference_1"] < 1e-14 and row["difference_200"] < ROUNDING and row["failed"] == 0
    assert row["registers"] == row["local_bytes"] == 0  # there are none on a CPU
    # a step of the gripper reads and writes tens of numbers; a call of one step moves them all
    assert 50 < row["operations"] < 500 and 8 * 10 < row["bytes"] < 8 * 100  # found: 99, 200
    assert row["steps_per_s_1"] > 0 and "gripper-euler-double" in (tmp_path / "measured.md").read_text()


def test_a_robot_with_contacts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(gpu, "SECONDS", 0.02)
    gpu.report(4, OnCpu(), [gpu.Case(gpu.QUADRUPED, "euler", "single")])
    printed = capsys.readouterr().out
    assert '"failed": 0' in printed and "error" not in printed and "billion" in printed


def test_without_a_gpu_the_command_says_so() -> None:
    if gpu_there():
        pytest.skip("there is one")
    done = called("bench", "--gpu")
    assert done.code == 1 and "the device 'cuda' needs" in done.err
