"""Spans of blocks on threads: one call steps the whole batch, and comes back when every span is done.

Nothing of Python runs between the start of a call and its end. So a signal cannot part the spans from each other, nor
the states from the count of steps, and no pool of threads is there to be lost in a fork. Threads are the system's own
(`pthread_create`); where there are none, or no more, the calling thread does the work.

A batch is stepped by one call at a time: a call takes the lock of its memory first, and gives up after `ATTEMPTS` where
another thread's call has it. `run_in_turn` tries again, with pauses in which Python hears signals. Python itself takes
the lock and gives it back by calls with `ACQUIRE` and `RELEASE` in the place of a number of steps.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from time import sleep
from typing import Any

HEAD = ("stops", "clock", "lock", "create", "join", "count")
SPAN = ("table", "thread", "started")
WORDS = {name: i for i, name in enumerate(HEAD)}
BUSY = 2  # answer of a call that another thread's call keeps out; 1: some robot failed, 0: none did
ACQUIRE, RELEASE = -1, -2  # in the place of a number of steps
STEPPING, HELD = 1, 2  # values of the lock while a call steps, and while Python has it; 0: free
ATTEMPTS = 5000  # at the lock before a call gives up: some 0.1 ms, so that short steps of two threads take turns
PAUSE = 1e-4  # [s] between two calls that wait
_waiting: list[int] = []  # locks that calls wait for
Run = Callable[[int, int], int]  # the address of `Spans.words` and a number of steps to its answer


class Spans:
    """The words that `run_spans` reads and writes.

    stops   1 of a single robot: the count of steps ends at its last good state
    clock   address of the count of steps made, which the call adds to
    lock    address of a word that is not 0 while a call steps this memory, or Python has it
    """

    def __init__(self, tables: Sequence[Any], clock: ctypes.c_int64, lock: ctypes.c_int64, *, stops: bool) -> None:
        create, join = _threads()
        self._kept = (tables, clock, lock)
        self.words = (ctypes.c_int64 * (len(HEAD) + len(SPAN) * len(tables)))()
        self.address = ctypes.addressof(self.words)
        values = {
            "stops": int(stops), "clock": ctypes.addressof(clock), "lock": ctypes.addressof(lock), "create": create,
            "join": join, "count": len(tables),
        }  # fmt: skip
        for name, value in values.items():
            self.words[WORDS[name]] = value
        for n, table in enumerate(tables):
            self.words[len(HEAD) + len(SPAN) * n] = ctypes.addressof(table)


def divided(blocks: int, threads: int) -> list[tuple[int, int]]:
    """Equal, contiguous spans of blocks: which thread does what depends on nothing else."""
    threads = max(1, min(threads, blocks))
    return list(pairwise(blocks * k // threads for k in range(threads + 1)))


def function(address: int) -> Run:
    """`run_spans` at this address. A call releases Python's own lock."""
    word = ctypes.c_void_p  # also the number of steps: ctypes converts it in half the time of a c_int64
    run: Run = ctypes.CFUNCTYPE(ctypes.c_int64, word, word)(address)
    return run


@contextmanager
def held(run: Run, spans: int, lock: ctypes.c_int64) -> Iterator[None]:
    """Keeps calls of other threads out. Two threads of Python must not do so at once."""
    try:
        run_in_turn(run, spans, ACQUIRE, lock)
        yield
    finally:
        if lock.value == HELD:  # Ctrl-C may come while it waits
            run(spans, RELEASE)
        give_way(lock)


def run_in_turn(run: Run, spans: int, steps: int, lock: ctypes.c_int64) -> int:
    """Calls until no other thread has the memory."""
    if (answer := run(spans, steps)) != BUSY:
        return answer
    _waiting.append(id(lock))
    try:
        while (answer := run(spans, steps)) == BUSY:
            sleep(PAUSE)
    finally:
        _waiting.remove(id(lock))
    return answer


def give_way(lock: ctypes.c_int64) -> None:
    """Lets a thread in that waits for this memory: one that asks again at once would keep it out for good."""
    if id(lock) in _waiting:
        sleep(2.0 * PAUSE)


@cache
def _threads() -> tuple[int, int]:
    """Addresses of `pthread_create` and `pthread_join`; zeros where the system has none."""
    try:
        system = ctypes.CDLL(None)
        functions = (system.pthread_create, system.pthread_join)
    except (TypeError, OSError, AttributeError):
        return 0, 0
    create, join = (ctypes.cast(function, ctypes.c_void_p).value or 0 for function in functions)
    return create, join


def run_spans(table: dict[str, int]) -> str:
    """LLVM text of `run_spans`; `table` says which word of a span's own table holds what."""
    word = {name: f"getelementptr i64, ptr %spans, i64 {i}" for name, i in WORDS.items()}
    return f"""
define i64 @run_spans(ptr %spans, i64 %steps) {{
entry:
  %lock.at = {word["lock"]}
  %lock = load ptr, ptr %lock.at
  %to.release = icmp eq i64 %steps, {RELEASE}
  %to.acquire = icmp eq i64 %steps, {ACQUIRE}
  %taken = select i1 %to.acquire, i64 {HELD}, i64 {STEPPING}
  br i1 %to.release, label %release, label %acquire
release:
  store atomic i64 0, ptr %lock release, align 8
  ret i64 0
acquire:
  %attempt = phi i64 [ 1, %entry ], [ %attempt.next, %again ]
  %acquired = cmpxchg ptr %lock, i64 0, i64 %taken acquire monotonic
  %ours = extractvalue {{ i64, i1 }} %acquired, 1
  br i1 %ours, label %locked, label %again
again:
  %attempt.next = add i64 %attempt, 1
  %patient = icmp ule i64 %attempt.next, {ATTEMPTS}
  br i1 %patient, label %acquire, label %busy
busy:
  ret i64 {BUSY}
locked:
  br i1 %to.acquire, label %held, label %begin
held:
  ret i64 0
begin:
  %count.at = {word["count"]}
  %count = load i64, ptr %count.at
  %create.at = {word["create"]}
  %create = load ptr, ptr %create.at
  %threads = icmp ne ptr %create, null
  br label %start
start:
  %i = phi i64 [ 0, %begin ], [ %i.next, %prepared ]
  {_span("i")}
  %i.steps = getelementptr i64, ptr %i.table, i64 {table["steps"]}
  store i64 %steps, ptr %i.steps
  store i64 0, ptr %i.started
  %other = icmp ugt i64 %i, 0
  %apart = and i1 %other, %threads
  br i1 %apart, label %thread, label %prepared
thread:
  %error = call i32 %create(ptr %i.thread, ptr null, ptr @run, ptr %i.table)
  %ok = icmp eq i32 %error, 0
  %ok.word = zext i1 %ok to i64
  store i64 %ok.word, ptr %i.started
  br label %prepared
prepared:
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %start, label %finish
finish:
  %j = phi i64 [ 0, %prepared ], [ %j.next, %done ]
  %failed = phi i64 [ 0, %prepared ], [ %failed.next, %done ]
  {_span("j")}
  %j.running = load i64, ptr %j.started
  %wait = icmp ne i64 %j.running, 0
  br i1 %wait, label %join, label %own
join:
  %join.at = {word["join"]}
  %join.function = load ptr, ptr %join.at
  %j.handle = load i64, ptr %j.thread
  %ignored = call i32 %join.function(i64 %j.handle, ptr null)
  br label %done
own:
  call void @run(ptr %j.table)
  br label %done
done:
  %j.failed.at = getelementptr i64, ptr %j.table, i64 {table["any_failed"]}
  %j.failed = load i64, ptr %j.failed.at
  %failed.next = or i64 %failed, %j.failed
  %j.next = add i64 %j, 1
  %left = icmp ult i64 %j.next, %count
  br i1 %left, label %finish, label %report
report:
  %stops.at = {word["stops"]}
  %stops = load i64, ptr %stops.at
  %ended = and i64 %stops, %failed.next
  %early = icmp ne i64 %ended, 0
  br i1 %early, label %stopped, label %count.up
stopped:
  %good.at = getelementptr i64, ptr %j.table, i64 {table["failed_step"]}
  %good.step = load ptr, ptr %good.at
  %good.all = load i64, ptr %good.step
  %first.at = getelementptr i64, ptr %j.table, i64 {table["first_step"]}
  %first = load i64, ptr %first.at
  %good.here = sub i64 %good.all, %first
  %now = icmp sgt i64 %good.here, 0
  %good = select i1 %now, i64 %good.here, i64 0
  br label %count.up
count.up:
  %made = phi i64 [ %steps, %report ], [ %good, %stopped ]
  %clock.at = {word["clock"]}
  %clock = load ptr, ptr %clock.at
  %before = load i64, ptr %clock
  %after = add i64 %before, %made
  store i64 %after, ptr %clock
  store atomic i64 0, ptr %lock release, align 8
  ret i64 %failed.next
}}
"""


def _span(i: str) -> str:
    """Addresses of the words of span number %i."""
    table, thread, started = range(len(SPAN))
    return f"""%{i}.offset = mul i64 %{i}, {len(SPAN)}
  %{i}.first = add i64 %{i}.offset, {len(HEAD)}
  %{i}.span = getelementptr i64, ptr %spans, i64 %{i}.first
  %{i}.table.at = getelementptr i64, ptr %{i}.span, i64 {table}
  %{i}.table = load ptr, ptr %{i}.table.at
  %{i}.thread = getelementptr i64, ptr %{i}.span, i64 {thread}
  %{i}.started = getelementptr i64, ptr %{i}.span, i64 {started}"""
