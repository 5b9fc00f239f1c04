"""Runs a client in a process of its own against a bench in this one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any

from gearwright.hardware.bench import Bench

HERE = Path(__file__).parent


# Clients' deadlines are on the wall clock (canopen gives up after 0.2 s, moteus' watchdog after 0.1 s), and a busy
# machine takes longer pauses than that. A fault of the code fails all tries; a pause of the machine fails one.
TRIES = 4

Check = Callable[[dict[str, Any]], None]


def run_client(
    bench: Bench, script: str, *arguments: object, check: Check = lambda found: None, seconds: float = 90.0
) -> dict[str, Any]:
    """All results that the client gave, after `check` has asserted on them; fails where every try does."""
    problems: list[str] = []
    while len(problems) < TRIES:
        results, problem = _run(bench, script, arguments, seconds)
        problem = problem or _checked(check, results)
        if not problem:
            return results
        problems.append(problem)
        bench.faults.clear()
        bench.reset()
    raise AssertionError("\n".join(problems))


def _checked(check: Check, results: dict[str, Any]) -> str:
    try:
        check(results)
    except (AssertionError, KeyError, TypeError) as error:
        return f"{error!r} in {results}"
    return ""


def _run(bench: Bench, script: str, arguments: tuple[object, ...], seconds: float) -> tuple[dict[str, Any], str]:
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
    return results, f"{script} ended with {code} after {list(results)}:\n{errors[-3000:]}" if code else ""


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
