"""`gearwright run FILE --view`: the page on a running simulation; Ctrl-C ends it with the summary."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gearwright as gw
from gearwright.cli import app
from tests.sim.robots import GRIPPER
from tests.tolerances import ROUNDING

pytest.importorskip("viser")


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_runs_until_it_is_ended(tmp_path: Path, ending: signal.Signals) -> None:
    out = tmp_path / "run.npz"
    command = [sys.executable, "-m", "gearwright", "run", str(GRIPPER), "--view", "--port", "0", "--base", "fixed"]
    command += ["--set", "right_finger=0.01", "--command", "motor=0.012", "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+/\S+", line)
        assert url, line + (process.stderr.read() if process.poll() is not None else "")
        assert b"<title>viser" in urllib.request.urlopen(url[0], timeout=30).read().lower()
        time.sleep(1.0)
        process.send_signal(ending)
        printed, complained = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, complained
    assert "Traceback" not in complained and "simulated" in printed and "run.npz" in printed.replace("\n", "")
    run = gw.Recording.open(out)
    assert run.position["right_finger"][0] == pytest.approx(0.01, rel=ROUNDING)
    assert run.position["right_finger"][-1] > 0.02 and run.command["motor"][-1] == 0.012


def test_it_pauses_after_its_duration() -> None:
    with gw.view(gw.load(GRIPPER, base="fixed"), port=0, block=False) as page:
        page.player.ends_at = 0.05
        page.player.playing = True
        end = time.monotonic() + 20
        while page.player.playing and time.monotonic() < end:
            time.sleep(0.02)
        assert page.sim.time == pytest.approx(0.05, abs=ROUNDING)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--plot", "a.png"), 2, "leave out --plot"),
        (("--report", "a.html"), 2, "leave out --report"),
        (("--batch", "2"), 1, "one robot"),
        (("--command", "motr=1"), 1, "did you mean 'motor'"),
    ],
)
def test_what_cannot_be_watched(arguments: tuple[str, ...], code: int, message: str) -> None:
    result = CliRunner().invoke(app, ["run", str(GRIPPER), "--view", *arguments])
    assert result.exit_code == code and message in result.output
