"""Hostile files: no code runs, nothing outside the allowed folders comes out, time and memory are bounded."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gearwright.formats.xacro import budget
from tests.attacks import bombs, escapes, plugins, reading
from tests.attacks.attack import SECRET, Attack, Place, Result, carry_out, set_up
from tests.formats.guarded import guarded

ATTACKS: dict[str, Attack] = {**escapes.ATTACKS, **bombs.ATTACKS, **reading.ATTACKS, **plugins.ATTACKS}
SECONDS = 5.5  # of processor time for one attack; the expansion's own limit is 5 s, and most end at once
MEGABYTES = 600  # of address space beyond that of the test itself
GROUP = 20  # attacks in one process
GROUPS = [list(ATTACKS)[i : i + GROUP] for i in range(0, len(ATTACKS), GROUP)]


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) >= 60


def wrong_with(name: str, result: Result, seconds: float, place: Place) -> str:
    """Empty if the attack came to nothing."""
    attack = ATTACKS[name]
    if place.canary.exists():
        return "code of the file was run"
    if SECRET in result.text:
        return "a file outside, or the environment, was read"
    if seconds > SECONDS:
        return f"took {seconds:.1f} s"
    if result.loaded != (not attack.codes) or not (set(result.codes) & set(attack.codes) or result.loaded):
        return f"loaded: {result.loaded}, {result.codes}: {result.text[:300]}"
    return ""


def test_the_longest_attack_within_the_limits_of_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_harmless(["macros that double nothing"], tmp_path, monkeypatch)


@pytest.mark.parametrize("share", [0.1, pytest.param(1.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: f"{group[0]} … {group[-1]}")
def test_attacks_do_no_harm(group: list[str], share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a tenth of the steps: what an attack does without drawing from the budget shows at once."""
    monkeypatch.setattr(budget, "MAX_STEPS", int(share * budget.MAX_STEPS))
    assert_harmless(group, tmp_path, monkeypatch)


def assert_harmless(group: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEARWRIGHT_SECRET", SECRET)
    running = tmp_path / "running"  # which one it was, should the process not come back
    places, files = {}, {}
    for i, name in enumerate(group):
        folder = tmp_path / str(i)
        folder.mkdir()
        places[name] = Place(model=folder / "model", outside=folder / "outside", canary=folder / "canary")
        files[name] = set_up(ATTACKS[name], places[name])

    def work() -> dict[str, tuple[Result, float]]:
        results = {}
        for name in group:
            running.write_text(name)
            monkeypatch.chdir(places[name].canary.parent)  # where a relative `touch canary` would leave it
            started = time.process_time()
            result = carry_out(files[name], ATTACKS[name].options(places[name]))
            results[name] = result, time.process_time() - started
        return results

    outcome = guarded(work, seconds=int(SECONDS * 4), megabytes=MEGABYTES)
    assert outcome.kind == "loaded", f"{running.read_text()}: {outcome.kind}: {outcome.detail}"
    wrong = {name: wrong_with(name, *outcome.value[name], places[name]) for name in group}
    assert not {name: w for name, w in wrong.items() if w}
