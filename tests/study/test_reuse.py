"""Nothing is used again unless everything that decides it is the same: tables, chunks, simulations of workers."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.migration.proof import changed_part
from gearwright.sim.programs.function_content import NoKeyError
from gearwright.sim.programs.keys import content_digest
from gearwright.study import engines
from gearwright.study.chunks import Job

pytest.importorskip("polars")

LIFT = """<robot name="lift"><link name="base"/><link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="{mass}"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="lift" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 -1 0"/>
<dynamics damping="0.5" friction="0"/></joint>{more}</robot>"""
GEAR = """<actuator name="m" type="ideal"/><transmission name="t"><type>gearwright/custom_functions</type>
<mapping_plugin name="p" filename="plug.py"/><actuator>m</actuator><joint>lift</joint></transmission>"""
VARY, METRICS = {"lift.damping": [0.1, 1.0]}, {"angle": "lift.position:min"}
RUN: dict[str, Any] = {"duration": 0.05}
SCALE = 2.0  # that a metric takes from its module


def lift(mass: float) -> gw.Mechanism:
    return gw.loads(LIFT.format(mass=mass, more=""))


def geared(folder: Path, mass: float, ratio: float = 2.0) -> gw.Mechanism:
    """A robot with a user's function in it."""
    folder.mkdir(exist_ok=True)
    (folder / "plug.py").write_text(f"def position(q):\n    return [{ratio} * q[0]]\n")
    (folder / "lift.urdf").write_text(LIFT.format(mass=mass, more=GEAR))
    return gw.load(folder / "lift.urdf", plugins="trust")


class Unknown:
    """A user's class: what its methods compute is written nowhere."""

    def __call__(self, rec: gw.Recording) -> Any:
        return rec.position["lift"][-1]


def scaled(rec: gw.Recording) -> Any:
    return SCALE * rec.position["lift"][-1]


@pytest.mark.parametrize("change", [{"mass": 5.0}, {"mass": 1.0, "ratio": 3.0}])
def test_a_table_of_another_robot_with_a_users_function_is_not_given_back(change, tmp_path: Path) -> None:
    out = tmp_path / "t.csv"
    first = gw.sweep(geared(tmp_path / "a", 1.0), VARY, METRICS, out=out, **RUN)
    assert gw.sweep(geared(tmp_path / "b", 1.0), VARY, METRICS, out=out, **RUN).equals(first)
    with pytest.raises(gw.GearwrightError, match="another state of the robot"):
        gw.sweep(geared(tmp_path / "c", **change), VARY, METRICS, out=out, **RUN)


def test_a_metric_is_known_by_what_its_module_gives_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "t.csv"
    gw.sweep(lift(1.0), VARY, {"end": scaled}, out=out, **RUN)
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 3.0)
    with pytest.raises(gw.GearwrightError, match="holds this sweep of another state"):
        gw.sweep(lift(1.0), VARY, {"end": scaled}, out=out, **RUN)


def test_what_cannot_be_compared_is_never_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, metrics = tmp_path / "t.csv", {"end": Unknown()}
    with pytest.warns(
        gw.SweepWarning, match="starts again from the beginning .it depends on an object of the class 'Unknown'"
    ):
        first = gw.sweep(lift(1.0), VARY, metrics, out=out, **RUN)
    with pytest.raises(gw.GearwrightError, match="'Unknown', which cannot be compared"):
        gw.sweep(lift(1.0), VARY, metrics, out=out, **RUN)
    monkeypatch.setattr("gearwright.study.store.ResultStore.finish", lambda self, columns: None)
    with pytest.warns(gw.SweepWarning):
        gw.sweep(lift(1.0), VARY, metrics, out=out, overwrite=True, **RUN)  # leaves its chunks
    monkeypatch.undo()
    out.unlink()
    with pytest.warns(gw.SweepWarning), pytest.raises(gw.GearwrightError, match="holds chunks of another sweep"):
        gw.sweep(lift(5.0), VARY, metrics, out=out, **RUN)
    with pytest.warns(gw.SweepWarning):
        assert not gw.sweep(lift(5.0), VARY, metrics, out=out, overwrite=True, **RUN).equals(first)


def _add(x: float) -> float:
    return x + SCALE


def _again(x: float) -> float:
    return _again(x - 1) if x > 0 else _add(x)


def test_functions_by_their_content(monkeypatch: pytest.MonkeyPatch) -> None:
    def power(n: int) -> Any:
        return lambda x: np.sin(x) ** n + max(x, 0)

    assert content_digest(power(2)) == content_digest(power(2)) != content_digest(power(3))
    before = content_digest(_again)
    assert before == content_digest(_again)
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 7.0)  # that _again takes through _add
    assert content_digest(_again) != before
    for unknown in (Unknown(), Unknown, sys.modules[__name__], Unknown().__call__, [].append):
        with pytest.raises(NoKeyError):
            content_digest(unknown)


def test_a_migration_sees_a_function_that_changed(tmp_path: Path) -> None:
    old, same = geared(tmp_path / "a", 1.0), geared(tmp_path / "b", 1.0)
    assert changed_part(old, same, {}) is None
    assert changed_part(old, geared(tmp_path / "c", 1.0, ratio=3.0), {}) == "transmission 't'"


def test_files_of_others_stay_where_chunks_are_kept(tmp_path: Path) -> None:
    out, parts = tmp_path / "t.csv", tmp_path / "t.csv.parts"
    parts.mkdir()
    mine = {"notes.txt": "mine", "7.npz": "mine too", "00.npz": "and this", "data.npz": "this as well"}
    for name, text in mine.items():
        (parts / name).write_text(text)
    for overwrite in (False, True):
        gw.sweep(lift(1.0 + overwrite), VARY, METRICS, out=out, overwrite=overwrite, **RUN)
        assert {p.name: p.read_text() for p in parts.iterdir()} == mine
    (parts / "0.npz").write_text("named as a chunk")
    out.unlink()
    with pytest.raises(gw.GearwrightError, match=r"0\.npz, which no sweep has written"):
        gw.sweep(lift(1.0), VARY, METRICS, out=out, **RUN)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[120] ^= 1
    path.write_bytes(data)


def _shorten(path: Path) -> None:
    np.savez(path, np.zeros(1), np.zeros(1))


def _objects(path: Path) -> None:
    np.savez(path, np.array([None, None]), np.array([None, None]))


@pytest.mark.parametrize("damage", [_cut, _flip, _shorten, _objects])
def test_damaged_chunks(damage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is damaged before it is used again is made again; one that is while the sweep goes on, named."""
    from gearwright.study import store

    metrics, vary = METRICS | {"file": "lift.position:max"}, {"lift.damping": (0.1, 1.0, 4)}
    whole = gw.sweep(lift(1.0), vary, metrics, **RUN)
    out = tmp_path / "t.csv"
    first = tmp_path / "t.csv.parts" / "0.npz"
    add = store.ResultStore.add

    def damaged(self: store.ResultStore, number: int, columns: Any) -> None:
        add(self, number, columns)
        if number == 1:
            damage(first)

    monkeypatch.setattr(store.ResultStore, "add", damaged)
    with pytest.raises(gw.GearwrightError, match=r"0\.npz is damaged: run the same sweep again"):
        gw.sweep(lift(1.0), vary, metrics, out=out, chunk=2, **RUN)
    monkeypatch.undo()
    assert gw.sweep(lift(1.0), vary, metrics, out=out, chunk=2, **RUN).equals(whole)
    assert not first.parent.exists()


def fake_ray(monkeypatch: pytest.MonkeyPatch, address: str = "127.0.0.1") -> list[tuple[str | None, bool]]:
    """A `ray` that does its tasks in this process; the list gets what it saw when it was started."""
    ray, private, constants = (ModuleType(n) for n in ("ray", "ray._private", "ray._private.ray_constants"))
    started: list[tuple[str | None, bool]] = []
    constants.ENABLE_RAY_CLUSTERS_ENV_VAR, constants.ENABLE_RAY_CLUSTER = "RAY_SWITCH", True  # type: ignore[attr-defined]
    private.ray_constants = constants  # type: ignore[attr-defined]
    parts: dict[str, Any] = {
        "_private": private,
        "__version__": "0",
        "is_initialized": lambda: False,
        "init": lambda **_: started.append((os.environ.get("RAY_SWITCH"), constants.ENABLE_RAY_CLUSTER)),  # type: ignore[attr-defined]
        "shutdown": lambda: started.append((os.environ.get("RAY_SWITCH"), constants.ENABLE_RAY_CLUSTER)),  # type: ignore[attr-defined]
        "util": SimpleNamespace(get_node_ip_address=lambda: address),
        "put": lambda job: job,
        "get": lambda done: done,
        "wait": lambda waiting, num_returns: (waiting[:1], waiting[1:]),
        "remote": lambda **_: lambda task: SimpleNamespace(remote=task),
        "cluster_resources": lambda: {"CPU": 1},
    }
    for name, part in parts.items():
        setattr(ray, name, part)
    for module in (ray, private, constants):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return started


def test_a_worker_at_its_second_sweep_has_the_second_robot(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_ray(monkeypatch)
    for mass in (1.0, 5.0):
        expected = gw.sweep(lift(mass), VARY, METRICS, **RUN)
        assert gw.sweep(lift(mass), VARY, METRICS, engine="ray", chunk=1, **RUN).equals(expected)


def test_a_cluster_that_is_started_listens_on_the_loopback_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    started = fake_ray(monkeypatch)
    gw.sweep(lift(1.0), VARY, METRICS, engine="ray", **RUN)
    assert started == [("0", False), (None, True)]  # and nothing stays set
    fake_ray(monkeypatch, address="192.0.2.7")
    with pytest.raises(gw.GearwrightError, match=r"to other machines, on 192\.0\.2\.7"):
        gw.sweep(lift(1.0), VARY, METRICS, engine="ray", **RUN)


def _listening() -> set[str]:
    """Addresses and ports of this machine that are listened at, as the kernel writes them."""
    lines = [x for f in ("tcp", "tcp6") for x in Path("/proc/net", f).read_text(encoding="ascii").splitlines()[1:]]
    return {line.split()[1] for line in lines if line.split()[3] == "0A"}


@pytest.mark.slow
def test_ray_itself_listens_on_the_loopback_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    before, seen = _listening(), set()
    tasks = engines._tasks

    def watched(*given: Any) -> Any:
        for result in tasks(*given):
            seen.update(_listening() - before)
            yield result

    monkeypatch.setattr(engines, "_tasks", watched)
    gw.sweep(lift(1.0), VARY, METRICS, engine="ray", **RUN)
    assert seen and all("0100007F:" in address for address in seen)


def test_jobs_are_told_apart_though_their_robots_have_one_name() -> None:
    job = Job(robot=lift(1.0), options={}, names=("lift.damping",), size=1, duration=0.05, every=1, reductions=METRICS)
    other = replace(job, robot=lift(5.0))
    rows = np.array([[0.1]])
    first, second = (
        engines._remote(j, sweep, gw.__version__, 0, rows)[1]["angle"] for j, sweep in ((job, "a"), (other, "b"))
    )
    assert first != second
