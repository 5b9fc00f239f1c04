"""Every robot file loads, or fails with a diagnostic that is the file's own fault: see `refused`."""

from __future__ import annotations

import gearwright as gw
from tests.corpus.files import SDF, URDF, RobotFile, corpus, robot_files
from tests.corpus.refused import REFUSED


def test_file_loads_or_is_listed(robot_file: RobotFile) -> None:
    refusal = REFUSED.get(robot_file.name)
    try:
        gw.load(robot_file.path, model="*" if robot_file.path.suffix.lower() in SDF else None)
        found: set[str] = set()
    except gw.LoadError as error:
        errors = [d for d in error.diagnostics if d.severity == "error"]
        found = {d.code for d in errors}
        assert all(d.line > 0 and d.file for d in errors), "an error without its place"
    assert found == (set() if refusal is None else refusal.codes)


def test_table_holds_no_file_that_is_gone() -> None:
    """But for robots that the installed version of example-robot-data does not have at all."""
    present = {f.name for f in robot_files((*URDF, *SDF))}
    robots = {name.split("/")[1] for name in present if name.startswith("example-robot-data/")}
    for name in REFUSED:
        origin, robot = name.split("/")[:2]
        if (origin == "corpus" and corpus() is not None) or (origin != "corpus" and robot in robots):
            assert name in present
