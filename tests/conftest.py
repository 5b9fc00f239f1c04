"""Fixtures that several folders share: where the robots' files are. Tests are skipped where those are absent."""

from __future__ import annotations

import gc
import os
import signal
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # `tests.…` imports under a bare `pytest` too

from tests.corpus.files import SDF, URDF, VARIABLE, RobotFile, corpus, robot_data, robot_files
from tests.corpus.refused import REFUSED


def _loadable(suffixes: tuple[str, ...]) -> list[RobotFile]:
    return [f for f in robot_files(suffixes) if f.name not in REFUSED]


PER_FILE: dict[str, Callable[[], Sequence[RobotFile]]] = {
    "robot_file": lambda: robot_files((*URDF, *SDF)),  # all of them
    "urdf_file": lambda: _loadable(URDF),
    "sdf_file": lambda: _loadable(SDF),
    "mimic_file": lambda: [f for f in _loadable(URDF) if b"<mimic" in f.path.read_bytes()],
}


# folders of readers, whose files are odd on purpose: a warning of anything else is an error there too
ODD_FILES = ("attacks", "corpus", "formats", "migration", "oracles", "xacro")
REAL_FILES = {*PER_FILE, "corpus_folder", "robot_data_folder"}


def pytest_sessionstart() -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell's background jobs have it, and all they start
        signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()


def pytest_collection_finish() -> None:
    """What collecting has made stays: looking for garbage in it again and again takes 3 % of the suite's time."""
    gc.enable()
    gc.freeze()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for one of the fixtures of PER_FILE runs once for each file.

    With the mark `sampled(n)` every n-th file is in the default suite and the others are slow. Each test begins with
    another file, so that together they see most of them.
    """
    for fixture in PER_FILE.keys() & set(metafunc.fixturenames):
        absent = pytest.mark.skip(reason=f"neither the corpus (${VARIABLE}) nor example-robot-data is here")
        files = PER_FILE[fixture]()
        sampled = metafunc.definition.get_closest_marker("sampled")
        every = sampled.args[0] if sampled else 1
        first = zlib.crc32(metafunc.function.__name__.encode()) % every
        each = [pytest.param(f, marks=[pytest.mark.slow] * (i % every != first)) for i, f in enumerate(files)]
        metafunc.parametrize(fixture, each or [pytest.param(None, marks=absent)], ids=str)


def _watch_warnings(item: pytest.Item) -> None:
    """A file that is odd is warned of. Before what a test's own marks say."""
    odd = item.path.relative_to(Path(__file__).parent).parts[0] in ODD_FILES
    if odd or REAL_FILES & set(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.filterwarnings("ignore::gearwright.LoadWarning"), append=False)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of other tests with the mark `sampled(n)` every n-th case is in the default suite, the others are slow.

    An n that has no factor in common with the numbers of the parameters' values meets each value.
    """
    seen: Counter[str] = Counter()
    for item in items:
        _watch_warnings(item)
        mark = item.get_closest_marker("sampled")
        if mark is None or PER_FILE.keys() & set(getattr(item, "fixturenames", ())):
            continue
        name = item.nodeid.partition("[")[0]
        if seen[name] % mark.args[0]:
            item.add_marker(pytest.mark.slow)
        seen[name] += 1


@pytest.fixture(scope="session", autouse=True)
def code_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Code compiled once for all tests, workers and the processes they start; the user's own cache and key are left
    alone."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "code"
    folder.mkdir(mode=0o700, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEARWRIGHT_CACHE", str(folder))
        patch.setenv("XDG_DATA_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session")
def corpus_folder() -> Path:
    folder = corpus()
    if folder is None:
        pytest.skip(f"no corpus beside the repository, nor at ${VARIABLE}")
    return folder


@pytest.fixture(scope="session")
def robot_data_folder() -> Path:
    folder = robot_data()
    if folder is None:
        pytest.skip("the package example-robot-data is not installed")
    return folder


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Seeded by the test's own name, so that tests do not depend on each other's order."""
    return np.random.default_rng(list(request.node.nodeid.encode()))
