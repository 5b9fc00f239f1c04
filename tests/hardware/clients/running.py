"""Runs a client in a process of its own against a bench in this one."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

from gearwright.hardware.bench import Bench
from tests.hardware.clients.pauses import Pauses

HERE = Path(__file__).parent


# Deadlines of clients are on the wall clock (a watchdog of 0.05 s, heartbeats with 0.07 s to spare, answers in 0.2 s).
# A busy machine takes longer pauses. Only a try in which one was seen, here or in the client, is made again.
TRIES = 4
PAUSE = 0.01  # [s], of the watched threads; those that serve a bus may wait several times as long

Check = Callable[[dict[str, Any]], None]


class TriedAgain(UserWarning):
    """A client failed while the machine was busy; shown at the end of a test run."""


class Try(NamedTuple):
    """What became of one run of a client."""

    results: dict[str, Any]
    problem: str  # empty if there is none
    pause: float  # [s], the longest of both processes


def run_client(
    bench: Bench, script: str, *arguments: object, check: Check = lambda found: None, seconds: float = 90.0
) -> dict[str, Any]:
    """All results that the client gave, after `check` has asserted on them.

    A failure is one at once, unless the machine took a pause in that try; then a later try may do better.
    """
    problems: list[str] = []
    while len(problems) < TRIES:
        with Pauses() as here:
            results, problem, pause = _run(bench, script, arguments, seconds)
        problem, pause = problem or _checked(check, results), max(pause, here.longest)
        if not problem:
            return results
        problems.append(f"{problem}\n(longest pause of the machine: {pause:.3f} s)")
        if pause < PAUSE:
            break
        warnings.warn(f"{script} is tried again after a pause of {pause:.2f} s: {problem}", TriedAgain, stacklevel=2)
        bench.faults.clear()
        bench.reset()
    raise AssertionError("\n".join(problems))


def _checked(check: Check, results: dict[str, Any]) -> str:
    try:
        check(results)
    except (AssertionError, KeyError, TypeError) as error:
        return f"{error!r} in {results}"
    return ""


def _run(bench: Bench, script: str, arguments: tuple[object, ...], seconds: float) -> Try:
    command = [sys.executable, "-W", "ignore", str(HERE / script), *map(str, arguments)]
    results: dict[str, Any] = {}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=HERE
    ) as client:
        late = Timer(seconds, client.kill)
        late.start()
        assert client.stdout is not None and client.stdin is not None and client.stderr is not None
        for line in client.stdout:
            if line.startswith("> "):
                _do(bench, line[2:].split())
                client.stdin.write("\n")
                client.stdin.flush()
            elif line.startswith("{"):
                results |= json.loads(line)
        errors = client.stderr.read()
        code = client.wait()
        late.cancel()
    pause = results.pop("pause", 0.0)
    return Try(results, f"{script} ended with {code} after {list(results)}:\n{errors[-3000:]}" if code else "", pause)


def _do(bench: Bench, words: list[str]) -> None:
    if words[0] == "run":
        bench.run(float(words[1]))
        return
    with bench.lock:
        if words[0] == "inject":
            target = words[2] if len(words) > 2 and words[2] != "-" else None
            bench.faults.inject(words[1], target, *map(float, words[3:]))
        elif words[0] == "clear":
            bench.faults.clear()
        elif words[0] == "reset":
            bench.reset()
        elif words[0] == "clock":
            bench.pacer.set_mode(words[1])
            bench.pacer.arm()
        elif words[0] == "position":
            bench.sim.reset(position={words[1]: float(words[2])})
            bench.rig.plant.latch()
