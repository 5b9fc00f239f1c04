"""The mutation fuzzer: a short run, and that it would notice."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from lxml import etree

import gearwright
from tests.formats import fuzz


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_mutated_files_load_or_are_refused(seed: int) -> None:
    assert fuzz.run(500, seed, jobs=1) == {}


def test_a_file_is_the_same_on_every_run() -> None:
    assert [fuzz.case(3, i) for i in range(20)] == [fuzz.case(3, i) for i in range(20)]
    assert len({fuzz.case(3, i).data for i in range(50)}) > 40  # a mutation may change nothing


def test_unchanged_seeds_load(tmp_path: Path) -> None:
    """Mutations of files that never loaded would test little."""
    folder = fuzz.part_folder(str(tmp_path))
    for text in fuzz.INLINE:
        options = {"model": "driven"} if "driven" in text else {}
        m = gearwright.loads(text, search_path=[folder], **options)
        assert m.dof > 0
        assert fuzz.timed(text.encode(), options, folder) is None


def test_fragments_are_well_formed() -> None:
    for fragment in fuzz.FRAGMENTS:
        assert etree.fromstring(fragment.replace("{name}", "a").replace("{number}", "1")).tag


def test_a_traceback_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(data: bytes, **options: object) -> None:
        if b"mimic" in data:
            raise ZeroDivisionError("oops")
        raise gearwright.LoadError([])

    monkeypatch.setattr(gearwright, "loads", broken)
    assert "ZeroDivisionError" in (fuzz.timed(b"<mimic/>", {}, str(tmp_path)) or "")
    assert "without an error" in (fuzz.timed(b"<x/>", {}, str(tmp_path)) or "")
    assert fuzz.run(20, 1, jobs=1)


def test_a_hang_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gearwright, "loads", lambda data, **options: [0 for _ in iter(int, 1)])
    started = time.process_time()
    assert "more than 0.2 s" in (fuzz.timed(b"<x/>", {}, str(tmp_path), seconds=0.2) or "")
    assert time.process_time() - started < 5
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_process_that_dies_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gearwright, "loads", lambda data, **options: os._exit(9))
    failures = fuzz.run(3, 1, jobs=1)
    assert sorted(failures) == [0, 1, 2]
    assert all("died" in problem for problem in failures.values())


def test_memory_without_bound_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gearwright, "loads", lambda data, **options: bytearray(2 * 2**30))
    failures = fuzz.run(2, 1, jobs=1)
    assert len(failures) == 2
    assert all("MemoryError" in problem for problem in failures.values())


def test_failing_files_are_made_smaller() -> None:
    data = (
        b'<robot name="r"><link name="a"><inertial><mass value="1"/></inertial></link><joint name="j" '
        b'type="fixed"><x y="1"/></joint></robot>'
    )
    small = fuzz.minimised(data, lambda d: b"<x" in d, seconds=2)
    assert b"<x" in small
    assert len(small) < 10
