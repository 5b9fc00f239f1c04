"""Runs a piece of work in a process of its own, with a clock and a memory limit: hostile files may do neither harm."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gearwright import LoadError

SECONDS = 5  # of processor time
PATIENCE = 20.0  # of the clock on the wall: a busy machine is no hang, a read that waits for ever is
MEGABYTES = 1024
KINDS = ("loaded", "refused", "raised", "hung", "died")


@dataclass(frozen=True)
class Outcome:
    """What became of it. `codes` are those of the errors where it was refused."""

    kind: str  # one of KINDS
    codes: tuple[str, ...] = ()
    detail: str = ""
    value: Any = None  # what the work returned
    seconds: float = 0.0

    @property
    def fine(self) -> bool:
        return self.kind in ("loaded", "refused")


def limit_memory(megabytes: int = MEGABYTES) -> None:
    """Address space beyond what this process has already; what asks for more gets a MemoryError."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * os.sysconf("SC_PAGE_SIZE") + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def attempt(work: Callable[[], Any]) -> Outcome:
    """The work's outcome, in this process."""
    started = time.perf_counter()
    try:
        value = work()
        outcome = Outcome("loaded", value=value)
    except LoadError as error:
        shown = [str(d) for d in error.diagnostics] + [str(error)]
        codes = tuple(d.code for d in error.diagnostics if d.severity == "error")
        outcome = Outcome("refused", codes=codes, detail="\n".join(s[:300] for s in shown[:5]))
    except BaseException as error:
        lines = traceback.format_exc().splitlines()
        outcome = Outcome(
            "raised", detail=f"{type(error).__name__}: {str(error)[:300]}\n" + "\n".join(lines[-12:])[:2000]
        )
    return Outcome(outcome.kind, outcome.codes, outcome.detail, outcome.value, time.perf_counter() - started)


def guarded(work: Callable[[], Any], seconds: int = SECONDS, megabytes: int = MEGABYTES) -> Outcome:
    """The work's outcome in a forked process: "hung" after so many seconds, "died" if a signal ended it."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(theirs, work, seconds, megabytes))
    process.start()
    assert process.pid is not None
    theirs.close()
    try:
        if not ours.poll(max(PATIENCE, 4 * seconds)):
            return Outcome("hung", detail="it waits for ever", seconds=seconds)
        outcome: Outcome = ours.recv()
        return outcome
    except EOFError:
        process.join()
        if process.exitcode == -signal.SIGXCPU:
            return Outcome("hung", detail=f"more than {seconds} s of processor time", seconds=seconds)
        return Outcome("died", detail=f"exit code {process.exitcode}")
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # either: it may have ended
            os.killpg(process.pid, signal.SIGKILL)  # and what it started
        process.kill()
        process.join()
        ours.close()


def _child(pipe: Connection, work: Callable[[], Any], seconds: int, megabytes: int) -> None:
    os.setsid()  # a group of its own, to be ended as a whole
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + seconds + 1  # a fork starts at zero; whole seconds only
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    limit_memory(megabytes)
    pipe.send(attempt(work))
    pipe.close()
    os._exit(0)
