"""What other projects' tests say about reading a file, and about how coupled and closed mechanisms move, holds here.

Or the difference is listed in `differences`. One function per case, or a few cases alike, in `peer_checks`;
`CHECKS` finds it by "project/file: case".
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.differences import DIFFERENCES, ELSEWHERE, OTHER_FILES
from tests.corpus.files import VARIABLE
from tests.corpus.peer_files import Case

PROJECTS = (
    "sdformat",
    "ros2_control",
    "ros_control",
    "drake",
    "dart",
    "simulators",
    "gazebo",
    "physx",
    "motion",
    "linkages",
)

pytest.register_assert_rewrite("tests.corpus.peer_checks")
CHECKS = import_module("tests.corpus.peer_checks.asking").CHECKS
for project in PROJECTS:
    import_module(f"tests.corpus.peer_checks.{project}")


def all_cases() -> tuple[Case, ...]:
    pytest.importorskip("yaml")
    from tests.corpus.peer_files import cases

    return cases()


def reading() -> list[Any]:
    chosen = [c for c in all_cases() if c.file not in OTHER_FILES and str(c) not in ELSEWHERE]
    absent = pytest.mark.skip(reason=f"no corpus beside the repository, nor at ${VARIABLE}")
    return [pytest.param(c, id=str(c)) for c in chosen] or [pytest.param(None, marks=absent)]


@pytest.mark.filterwarnings("ignore:contact between a cylinder and a cylinder:gearwright.NotSimulatedWarning")
@pytest.mark.parametrize("case", reading())
def test_peer_case(case: Case) -> None:
    CHECKS[str(case)](case)


def test_every_case_is_checked_or_listed(corpus_folder: Path) -> None:
    names, files = {str(c) for c in all_cases()}, {c.file for c in all_cases()}
    assert set(CHECKS) | set(ELSEWHERE) == {n for n in names if n.split(":")[0] not in OTHER_FILES}
    assert set(OTHER_FILES) <= files
    assert {c for d in DIFFERENCES for c in d.cases} <= set(CHECKS)
