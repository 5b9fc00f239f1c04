"""Real robots expand to the same document as with the real xacro package."""

from __future__ import annotations

import pytest

from tests.corpus.files import RobotFile, robot_data, robot_files
from tests.xacro.compare import difference, ours, theirs
from tests.xacro.real import Case, expanded

FILES = robot_files((".urdf", ".xacro"))
# What both refuse: macros that are not there, or files that are not in the package.
REFUSED = {"valkyrie_sim.urdf", "quadrotor_base.xacro"}


def _compare(files: list[RobotFile]) -> None:
    data = robot_data()
    packages = {p.name: str(p) for p in data.iterdir()} if data is not None else {}
    cases = [Case(f.path, packages=packages) for f in files]
    for case, (ok, text) in zip(cases, expanded(cases), strict=True):
        made, report = ours(case)
        if not ok:  # a late XML declaration, which we take; or one of the list
            assert "ExpatError" in text or case.file.name in REFUSED, f"{case.file}: {text}"
            continue
        assert made is not None, [str(d) for d in report]
        real = theirs(text)
        assert made == real, f"{case.file}: {difference(made, real)}"


@pytest.mark.skipif(not FILES, reason="neither the corpus nor example-robot-data is here")
def test_xacro_robots() -> None:
    _compare([f for f in FILES if f.path.suffix == ".xacro" or b"<xacro:" in f.path.read_bytes()])


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="neither the corpus nor example-robot-data is here")
def test_all_robots() -> None:
    """Plain URDF files, too: what is no directive comes through as it is."""
    _compare(list(FILES))
