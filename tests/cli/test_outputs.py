"""Every command that writes a file makes the folder that it is to be in."""

from __future__ import annotations

from pathlib import Path

import pytest

from gearwright.cli.outputs import make_folders
from gearwright.errors import GearwrightError
from tests.cli.commands import called

SHORT = ("--duration", "0.01")
VARIED = ("--vary", "palm.mass=0.9:1.1:2", "--metric", "energy:last")
COMMANDS = {
    "run --out": ("run", "gripper", *SHORT, "--out", "run.npz"),
    "run --plot": ("run", "gripper", *SHORT, "--plot", "run.svg"),
    "run --report": ("run", "gripper", *SHORT, "--report", "run.html"),
    "show --svg": ("show", "gripper", "--svg", "graph.svg"),
    "sweep --out": ("sweep", "gripper", *SHORT, *VARIED, "--out", "table.csv"),
    "export --out": ("export", "gripper", "--target", "cuda", "--out", "gripper"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_missing_folder_is_made(name: str, tmp_path: Path) -> None:
    *words, file = COMMANDS[name]
    target = tmp_path / "made" / "for it" / file
    ran = called(*words, target)
    assert ran.code == 0, ran.err
    assert [p for p in target.parent.iterdir() if p.stem == target.stem]


def test_a_folder_that_cannot_be_made_is_said_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for file in (tmp_path / "file" / "x.csv", f"{tmp_path}/\0/x.csv"):
        with pytest.raises(GearwrightError, match="its folder cannot be made"):
            make_folders(None, str(file))
