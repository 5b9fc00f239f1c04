"""Files that are replaced atomically, and what is refused to be read."""

import errno
import os
import subprocess
import sys
from time import time

import pytest

from gearwright.errors import ModelError
from gearwright.files import checked_path, making_folder, open_regular, replacing, write_together, write_whole

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


def test_missing_folders_are_made_and_errors_name_the_file(tmp_path):
    write_whole(tmp_path / "a" / "b" / "x.svg", "é")
    assert (tmp_path / "a" / "b" / "x.svg").read_bytes() == "é".encode()
    for path in (tmp_path / "a" / "b" / "x.svg" / "inside", tmp_path / "a"):
        with pytest.raises(OSError) as error:
            write_whole(path, "new")
        assert error.value.filename == str(path)
    assert names(tmp_path) == ["a"] and names(tmp_path / "a" / "b") == ["x.svg"]


def test_an_error_without_a_file_gets_the_target_s_name(tmp_path):
    with pytest.raises(OSError) as error, replacing(tmp_path / "run.csv"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(tmp_path / "run.csv"))
    assert names(tmp_path) == []


def test_files_that_belong_together_are_replaced_when_all_are_written(tmp_path):
    for name in ("a.c", "a.h"):
        (tmp_path / name).write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_together({tmp_path / "a.c": "new", tmp_path / "a.h": "\udc80"})
    assert [(tmp_path / name).read_text() for name in names(tmp_path)] == ["old", "old"]
    write_together({tmp_path / "a.c": "new", tmp_path / "a.h": "new"})
    assert [(tmp_path / name).read_text() for name in names(tmp_path)] == ["new", "new"]


def test_a_folder_is_there_whole_or_not_at_all(tmp_path):
    target = tmp_path / "sets" / "dataset"
    with pytest.raises(KeyboardInterrupt), making_folder(target) as folder:
        (folder / "half").write_text("")
        raise KeyboardInterrupt
    assert names(tmp_path / "sets") == []
    target.mkdir()  # an empty one is taken
    with making_folder(target) as folder:
        (folder / "whole").write_text("")
    assert names(target) == ["whole"] and names(tmp_path / "sets") == ["dataset"]
    with pytest.raises(OSError), making_folder(target) as folder:
        (folder / "other").write_text("")
    assert names(target) == ["whole"] and names(tmp_path / "sets") == ["dataset"]


@POSIX
def test_what_is_not_a_regular_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/null"):
        with pytest.raises(OSError, match="not a regular file"):
            open_regular(path)
    (tmp_path / "file").write_text("x")
    with open_regular(tmp_path / "file") as file:
        assert file.read() == b"x"


@pytest.mark.parametrize("path", [None, "", 3, True, b"run.csv", "run\0.csv", "\0"])
def test_what_is_no_path_is_an_error_of_ours(path):
    with pytest.raises(ModelError, match="path"):
        checked_path(path)
