"""A fuzzer for what loads: `python -m tests.sim.fuzz --count 20000 --seed 1 --processes 8`; `--first` goes on.

Each mechanism of `generated` is loaded, compiled and stepped, twice from the same start. Only documented errors may
come out; what `compile` refuses, the checks must have reported; no number may be NaN without an error; the same bits
must come out twice. Failures are printed with their number and a file that is made smaller.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import gearwright as gw
from gearwright.compiler.backends.cpu.llvm import loaded_code as llvm
from gearwright.sim.options import Options, coupled
from tests.formats.fuzz import minimised
from tests.sim.generated import Case, case

SECONDS = 60.0  # that a mechanism may take
STEPS = 20
MINIMISING = 60.0
PART = 100  # mechanisms that share a cache folder, and that a process takes at a time
REPORTS = {"inertia-missing", "inertia-invalid", "not-simulable", "loop-open", "encoder-value", "transmission-start"}
BY_OPTIONS = (
    "use a longer dt",
    "less than one sample",
    "already follows by coupling",
    "is beyond single precision",
)  # refused for the options: the file is sound without


class TooSlow(BaseException):
    """Not an Exception, so that nothing on the way swallows it."""


def probe(c: Case) -> tuple[str, str | None]:
    """How it ended, and what is wrong with that; None if nothing is."""
    try:
        robot = gw.loads(c.text)
    except gw.LoadError as error:
        told = any(d.severity == "error" and d.line for d in error.diagnostics)
        return "refused", None if told else f"a LoadError without an error and its line: {error}"
    if robot.dof < 0:
        return "refused", "fewer than no freedoms"
    try:
        sim = gw.compile(robot, **c.options)
    except gw.GearwrightError as error:
        chosen = any(word in str(error) for word in BY_OPTIONS)
        told = chosen or _reported(robot) or _reported_with(robot, c) or _pulled_open(robot, error)
        return "not compiled", None if told else f"compile refuses what check passes: {_signature(error)}"
    if not np.isfinite(sim.state).all():
        return "not compiled", None if _reported(robot) else "a state that is not finite right after compile"
    return _stepped(sim, c)


def _reported(robot: gw.Mechanism) -> bool:
    return any(d.code in REPORTS and d.line and d.severity != "info" for d in robot.diagnostics)


def _pulled_open(robot: gw.Mechanism, error: gw.GearwrightError) -> bool:
    """A compliant coupling that its loop contradicts lets the follower start where the loop may not close."""
    return "cannot be closed" in str(error) and any(d.code == "coupling-contradicted" for d in robot.diagnostics)


def _reported_with(robot: gw.Mechanism, c: Case) -> bool:
    """Whether the checks refuse or report it with its couplings as the options have them."""
    if "coupling" not in c.options:
        return False
    try:
        chosen = coupled(robot, Options(coupling=c.options["coupling"]))
    except gw.ModelError:
        return True
    return _reported(chosen) or any(d.code == "coupling-contradicted" for d in chosen.diagnostics)


def _stepped(sim: gw.Simulation, c: Case) -> tuple[str, str | None]:
    command = dict.fromkeys(sim.robot.actuators, c.push) if "command" in sim.inputs.slots else None
    effort = dict.fromkeys(sim.coordinates[:1], c.push)
    ends, states = [], []
    for _ in range(2):
        try:
            sim.reset()
            sim.step(command=command, effort=effort, n=STEPS)
            ends.append("stepped")
        except gw.GearwrightError as error:
            ends.append(f"{type(error).__name__}: {error}")
        states.append(np.array(sim.state))
    if not np.isfinite(states[0]).all():
        return "stepped", f"a state that is not finite, and {ends[0]}"
    if ends[0] != ends[1] or states[0].tobytes() != states[1].tobytes():
        return "stepped", "another end from the same start"
    alike = sim.batch > 1 and "<noise>" not in c.text
    if alike and any(row.tobytes() != states[0][0].tobytes() for row in states[0]):
        return "stepped", "robots of a batch that differ"
    return ("stepped" if ends[0] == "stepped" else "step failed"), None


def _signature(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "gearwright" in f.filename and "tests" not in f.filename]
    last = (ours or frames)[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.name}: {str(error)[:120]}"


def timed(c: Case, seconds: float = SECONDS) -> tuple[str, str | None]:
    """`probe` under an alarm, with whatever else comes out of it."""

    def ring(signum: int, frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gw.NotSimulatedWarning)
            warnings.simplefilter("ignore", gw.BeyondLimitsWarning)
            return probe(c)
    except TooSlow as slow:
        return "failed", f"more than {seconds:g} s, {_signature(slow)}"
    except Exception as error:
        return "failed", _signature(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run(count: int, seed: int, first: int = 0, say: bool = False) -> tuple[Counter[str], dict[int, str]]:
    """How many ended which way, and the failures. Code generation is quick but for a tenth of them."""
    ends: Counter[str] = Counter()
    failures: dict[int, str] = {}
    usual, cache = llvm.CODE_GENERATION_LEVEL, os.environ.get("GEARWRIGHT_CACHE")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for index in range(first, first + count):
            if index % PART == 0 or "GEARWRIGHT_CACHE" not in os.environ or os.environ["GEARWRIGHT_CACHE"] == cache:
                os.environ["GEARWRIGHT_CACHE"] = str(Path(folder) / str(index))
            llvm.CODE_GENERATION_LEVEL = usual if index % 10 == 0 else 0
            end, problem = timed(case(seed, index))
            ends[end] += 1
            if problem:
                failures[index] = problem
                if say:
                    print(f"{seed}:{index}: {problem}", flush=True)
            if say and (index + 1) % 500 == 0:
                rate = (index + 1 - first) / (time.monotonic() - started)
                print(f"{index + 1 - first} done, {len(failures)} failed, {rate:.1f}/s, {dict(ends)}", flush=True)
    llvm.CODE_GENERATION_LEVEL = usual
    os.environ.pop("GEARWRIGHT_CACHE")
    if cache is not None:
        os.environ["GEARWRIGHT_CACHE"] = cache
    return ends, failures


def run_parts(count: int, seed: int, first: int, processes: int) -> tuple[Counter[str], dict[int, str]]:
    """The same, a part at a time, in processes of their own."""
    ends: Counter[str] = Counter()
    failures: dict[int, str] = {}
    begins = range(first, first + count, PART)
    sizes = [min(PART, first + count - begin) for begin in begins]
    started = time.monotonic()
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for part, wrong in pool.map(run, sizes, [seed] * len(sizes), begins):
            ends += part
            failures |= wrong
            for index, problem in wrong.items():
                print(f"{seed}:{index}: {problem}", flush=True)
            done = sum(ends.values())
            if done % 500 == 0:
                rate = done / (time.monotonic() - started)
                print(f"{done} done, {len(failures)} failed, {rate:.1f}/s, {dict(ends)}", flush=True)
    return ends, failures


def shown(seed: int, failures: dict[int, str]) -> None:
    """The smallest file of each kind of failure."""
    kinds: dict[str, int] = {}
    for index, problem in failures.items():
        kinds.setdefault(problem.partition(":")[0], index)
    for kind, index in kinds.items():
        c = case(seed, index)

        def same(text: bytes, c: Case = c, kind: str = kind) -> bool:
            try:
                found = timed(Case(c.index, text.decode(), c.options, c.push))[1]
            except UnicodeDecodeError:
                return False
            return found is not None and found.partition(":")[0] == kind

        smaller = minimised(c.text.encode(), same, MINIMISING).decode()
        print(f"\n{seed}:{index}: {failures[index]}\n  {c.options}, push {c.push}\n  {smaller}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1, help="0: one a core")
    given = parser.parse_args()
    processes = given.processes or os.cpu_count() or 1
    if processes > 1:
        ends, failures = run_parts(given.count, given.seed, given.first, processes)
    else:
        ends, failures = run(given.count, given.seed, given.first, say=True)
    print(f"{sum(ends.values())} mechanisms: {dict(ends)}, {len(failures)} failed")
    shown(given.seed, failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
