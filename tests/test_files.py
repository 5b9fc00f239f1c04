"""Files that are replaced atomically, and what is refused to be read."""

import os
import subprocess
import sys
from time import time

import pytest

from gearwright.files import replacing

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and limits of POSIX")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_writer_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "old" and names(tmp_path) == ["run.csv"]
    with replacing(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new" and names(tmp_path) == ["run.csv"]


@POSIX
def test_modes_and_links_stay(tmp_path):
    path, link = tmp_path / "run.csv", tmp_path / "link.csv"
    with replacing(path) as temporary:
        temporary.write_text("1")
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask
    path.chmod(0o640)
    link.symlink_to(path)
    with replacing(link) as temporary:
        temporary.write_text("2")
    assert link.is_symlink() and path.read_text() == "2" and path.stat().st_mode & 0o777 == 0o640
    with replacing(tmp_path / os.devnull) as temporary:  # what is no file is written to
        assert str(temporary) == os.devnull


def test_what_killed_processes_left_is_removed(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / f".run.csv.{ended.pid}.abcd.partial"
    busy = tmp_path / f".run.csv.{os.getpid()}.abcd.partial"
    other = tmp_path / f".another.csv.{ended.pid}.abcd.partial"
    for path in (left, busy, other):
        path.write_text("half")
    with replacing(tmp_path / "run.csv") as temporary:
        temporary.write_text("whole")
    assert not left.exists() and busy.exists() and other.exists()
    os.utime(busy, (time() - 2000, time() - 2000))  # an hour is 3600 s
    with replacing(tmp_path / "run.csv") as temporary:
        temporary.write_text("whole")
    assert busy.exists()
    os.utime(busy, (time() - 5000, time() - 5000))
    with replacing(tmp_path / "run.csv") as temporary:
        temporary.write_text("whole")
    assert names(tmp_path) == [other.name, "run.csv"]


def test_long_names(tmp_path):
    path = tmp_path / ("ü" * 120 + ".csv")
    with replacing(path) as temporary:
        temporary.write_text("x")
    assert path.read_text() == "x"
