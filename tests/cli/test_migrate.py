"""`gearwright migrate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import called, gearwright
from tests.migration.test_gearboxes import OLD, PROPOSAL


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.sdf"
    path.write_text(OLD)
    return path


def test_the_seeds_gearbox(old: Path, tmp_path: Path) -> None:
    ran = gearwright("migrate", old, tmp_path / "new.sdf")
    assert ran.code == 0, ran.err
    assert "line 1: gearbox 'gearbox_demo' → <axis> of joint 'gearbox_output_joint': <mimic" in ran.out
    assert "line 1: version 1.10 becomes 1.11" in ran.out
    assert "1 joint migrated; largest trajectory difference 0, within the tolerance 1e-09" in ran.out
    assert "<multiplier>-5</multiplier>" in (tmp_path / "new.sdf").read_text()
    again = called("migrate", tmp_path / "new.sdf", tmp_path / "newer.sdf")
    assert again.code == 0 and "nothing to migrate" in again.out
    assert (tmp_path / "newer.sdf").read_bytes() == (tmp_path / "new.sdf").read_bytes()


def test_the_proposals_rewriting_is_above_the_tolerance(old: Path, tmp_path: Path) -> None:
    (tmp_path / "proposal.sdf").write_text(PROPOSAL)
    ran = called("migrate", "--check", old, tmp_path / "proposal.sdf")
    assert ran.code == 1
    assert "✗" in ran.out and "above the tolerance 1e-09" in ran.out


def test_json(old: Path, tmp_path: Path) -> None:
    data = json.loads(called("migrate", "--json", old, tmp_path / "new.sdf").out)
    assert data["ok"] and data["written"] and data["difference"] == 0
    assert data["changes"][0]["joint"] == "gearbox_output_joint" and data["changes"][0]["multiplier"] == -5


def test_in_place(old: Path) -> None:
    ran = called("migrate", "--in-place", "--no-verify", old)
    assert ran.code == 0 and "not simulated" in ran.out
    assert "<mimic" in old.read_text()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["old.sdf"], "--in-place"),
        (["old.sdf", "new.sdf", "--in-place"], "not both"),
        (["old.sdf", "old.sdf"], "IN itself"),
        (["old.sdf", "--in-place", "--check"], "give OUT"),
        (["old.sdf", "new.sdf", "--tolerance", "nan"], "--tolerance"),
    ],
)
def test_a_wrong_command(arguments: list[str], why: str, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(old.parent)
    ran = called("migrate", *arguments)
    assert ran.code == 2 and why in ran.err
    assert [p.name for p in old.parent.iterdir()] == ["old.sdf"]


def test_what_cannot_be_migrated(old: Path, tmp_path: Path) -> None:
    old.write_text(OLD.replace("<gearbox_reference_body>gearbox_base", "<gearbox_reference_body>nothing"))
    ran = called("migrate", old, tmp_path / "new.sdf")
    assert ran.code == 1 and "[gearbox-unresolved]" in ran.out and "nothing was written" in ran.err
    old.write_text(OLD.replace("<gearbox_reference_body>gearbox_base</gearbox_reference_body>", ""))
    ran = called("migrate", old, tmp_path / "new.sdf")
    assert ran.code == 1 and "old.sdf:1: gearbox joint 'gearbox_demo' cannot become a <mimic>" in ran.err
    ran = called("migrate", tmp_path / "none.sdf", tmp_path / "new.sdf")
    assert ran.code == 1 and "does not exist" in ran.out
    ran = called("migrate", "--no-verify", old.with_name("old.sdf"), tmp_path / "no" / "folder.sdf")
    assert ran.code == 1
    assert [p.name for p in tmp_path.iterdir()] == ["old.sdf"]


def test_a_folder_that_does_not_exist_is_made(old: Path, tmp_path: Path) -> None:
    ran = called("migrate", "--no-verify", old, tmp_path / "new" / "folder" / "robot.sdf")
    assert ran.code == 0 and (tmp_path / "new" / "folder" / "robot.sdf").is_file()
    ran = called("migrate", "--no-verify", old, old / "robot.sdf")
    assert ran.code == 1 and "cannot write" in ran.err
