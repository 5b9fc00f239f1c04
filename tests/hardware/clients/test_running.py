"""A client that fails is a failure at once; only a pause of the machine gives it another try."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from tests.hardware.clients import running
from tests.hardware.clients.pauses import Pauses
from tests.hardware.clients.running import PAUSE, TRIES, TriedAgain, Try, run_client


@pytest.fixture
def bench():
    return SimpleNamespace(faults=SimpleNamespace(clear=lambda: None), reset=lambda: None)


def trying(monkeypatch, *tries):
    left = list(tries)
    monkeypatch.setattr(running, "_run", lambda *_: left.pop(0))
    monkeypatch.setattr(running, "Pauses", SteadyMachine)
    return left


class SteadyMachine:
    longest = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_a_failure_without_a_pause_is_one(bench, monkeypatch):
    left = trying(monkeypatch, Try({}, "broken", 0.9 * PAUSE), Try({"x": 1}, "", 0.0))
    with pytest.raises(AssertionError, match="broken"):
        run_client(bench, "client.py")
    assert len(left) == 1


def test_a_pause_gives_another_try_and_is_reported(bench, monkeypatch):
    trying(monkeypatch, Try({}, "late", 1.1 * PAUSE), Try({"x": 1}, "", 0.0))
    with pytest.warns(TriedAgain, match="late"):
        assert run_client(bench, "client.py") == {"x": 1}


def test_a_check_that_fails_is_a_failure_too(bench, monkeypatch):
    trying(monkeypatch, Try({"x": 2}, "", 0.0))

    def check(found):
        assert found["x"] == 1

    with pytest.raises(AssertionError, match="'x': 2"):
        run_client(bench, "client.py", check=check)


@pytest.mark.filterwarnings("ignore::tests.hardware.clients.running.TriedAgain")
def test_pauses_do_not_excuse_for_ever(bench, monkeypatch):
    left = trying(monkeypatch, *[Try({}, "late", 1.0)] * (TRIES + 1))
    with pytest.raises(AssertionError):
        run_client(bench, "client.py")
    assert len(left) == 1


def test_a_pause_is_seen(monkeypatch):
    """The thread's own clock jumps by a tenth of a second."""
    jumps = iter([0.0, 0.005, 0.11])
    monkeypatch.setattr(time, "monotonic", lambda: next(jumps, 0.115))
    pauses = Pauses()
    waits = iter([False, False, True])
    pauses._ended = SimpleNamespace(wait=lambda _: next(waits))
    pauses.run()
    assert pauses.longest == pytest.approx(0.1)
