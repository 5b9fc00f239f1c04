"""What other projects' tests and manuals say of motors, drives and encoders holds here; see `peer_checks.actuation`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.files import VARIABLE
from tests.corpus.peer_files import Case

ACTUATION = import_module("tests.corpus.peer_checks.actuation").ACTUATION
FILES = {name.split(":")[0] for name in ACTUATION}
ELSEWHERE = {"cassie/actuators_encoders: loop_closures"}  # closed loops: tests/sim/test_cassie.py


def known() -> list[Case]:
    pytest.importorskip("yaml")
    from tests.corpus.peer_files import cases

    return [c for c in cases() if c.file in FILES and str(c) not in ELSEWHERE]


def parameters() -> list[Any]:
    absent = pytest.mark.skip(reason=f"no corpus beside the repository, nor at ${VARIABLE}")
    return [pytest.param(c, id=str(c)) for c in known()] or [pytest.param(None, marks=absent)]


@pytest.mark.parametrize("case", parameters())
def test_peer_case(case: Case) -> None:
    ACTUATION[str(case)](case)


def test_every_case_is_checked(corpus_folder: Path) -> None:
    assert {str(c) for c in known()} == set(ACTUATION)
