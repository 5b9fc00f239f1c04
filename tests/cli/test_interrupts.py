"""Ctrl-C: 130 for a command that it stops before it is done, 0 where it is how a command ends; no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SWEEP = ("sweep", "gripper", "--vary", "motor.stall_torque=0.01:0.05:4000", "--metric", "right_finger.position:last",
         "--duration", "50", "--chunk", "10")  # fmt: skip


def started(*words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "gearwright", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip


def interrupted(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def wait_for(ready, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while not ready() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    assert process.poll() is None, process.stderr.read()


@pytest.mark.parametrize("words", [SWEEP, ("run", "gripper", "--duration", "1e6")], ids=["sweep", "run"])
def test_a_command_that_is_not_done(words: tuple[str, ...], tmp_path: Path) -> None:
    out = tmp_path / ("table.csv" if words[0] == "sweep" else "run.npz")
    process = started(*words, "--out", out)
    wait_for(lambda: list(tmp_path.iterdir()) and any(tmp_path.rglob("*.*")), process)
    time.sleep(0.5)
    code, errors = interrupted(process)
    assert code == 130 and "Traceback" not in errors
    assert ("interrupted; the same command resumes" in errors) == (words[0] == "sweep")


@pytest.mark.parametrize(
    ("words", "ready"),
    [
        (("serve", "desk_arm", "--tcp", "0", "--no-table"), "ready"),
        (("view", "gripper", "--port", "0"), "Ctrl-C ends it"),
    ],
    ids=["serve", "view"],
)
def test_a_command_that_runs_until_it(words: tuple[str, ...], ready: str) -> None:
    process = started(*words)
    assert process.stdout is not None
    assert any(ready in line for line in iter(process.stdout.readline, ""))
    assert interrupted(process) == (0, "")


def test_a_command_that_is_still_being_imported() -> None:
    code = """
import runpy, sys
class Interrupt:
    def find_spec(self, name, *_):
        if name == "gearwright.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
runpy.run_module("gearwright", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")
