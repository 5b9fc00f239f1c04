"""The object cache: hits, damage, strangers, races, and directories that cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import time

import numpy as np
import pytest

from gearwright.compiler import Executable, Program, compile_program
from gearwright.compiler import cache as disk
from gearwright.compiler.backends.cpu.backend import Cpu
from gearwright.compiler.backends.cpu.target import host
from gearwright.compiler.backends.interpreter import Interpreter
from gearwright.errors import CacheWarning
from tests.compiler.building import op_tape, program_of

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="file modes")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "deep" / "cache"
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(path))
    return path


def program(op: str = "add") -> Program:
    return program_of(op_tape(op), 2)


def build(op: str = "add") -> Executable:
    kernel = compile_program(program(op), lanes=4)
    expected = {"add": 5.0, "mul": 6.0}[op]
    assert (kernel.evaluate({"x": np.array([[2.0, 3.0]] * 5)})["y"] == expected).all()
    return kernel


def entry(folder: Path) -> Path:
    (path,) = folder.glob("*.gwo")
    return path


def test_the_second_time_comes_from_disk(folder: Path) -> None:
    assert not build().from_cache
    assert build().from_cache
    assert not build("mul").from_cache
    assert not compile_program(program(), lanes=2).from_cache
    assert not compile_program(program(), lanes=4, precision="single").from_cache


def test_no_caching_when_told_so(folder: Path) -> None:
    compile_program(program(), cache=False)
    assert not folder.exists()


def test_the_key_depends_on_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    target, identity = host(), program().content_hash()
    keys = {
        disk.entry_key(identity, Cpu(lanes=4), "double", None),
        disk.entry_key(program("mul").content_hash(), Cpu(lanes=4), "double", None),
        disk.entry_key(identity, Cpu(lanes=16), "double", None),
        disk.entry_key(identity, Cpu(lanes=4), "single", None),
        disk.entry_key(identity, Interpreter(), "double", None),
    }
    for other in (
        type(target)(target.triple, "another", target.features),
        type(target)(target.triple, target.cpu, "+some"),
    ):
        monkeypatch.setattr("gearwright.compiler.backends.cpu.target.host", lambda other=other: other)
        keys.add(disk.entry_key(identity, Cpu(lanes=4), "double", None))
    assert len(keys) == 7
    assert disk.entry_key(identity, Cpu(), "double", 1) == disk.entry_key(identity, Cpu(lanes=1), "double", 64)


def flip_a_bit(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [flip_a_bit, lambda c: c[: len(c) // 2], lambda c: b"", lambda c: b"\x7fELF" + c, lambda c: c + b"x"],
    ids=["flipped bit", "truncated", "empty", "foreign", "longer"],
)
def test_a_damaged_entry_is_rebuilt(folder: Path, damage) -> None:  # type: ignore[no-untyped-def]
    build()
    path = entry(folder)
    sound = path.read_bytes()
    path.write_bytes(damage(sound))
    assert not build().from_cache
    assert path.read_bytes() == sound
    assert build().from_cache


def test_an_entry_under_another_s_name_is_rebuilt(folder: Path) -> None:
    build("mul")
    other = entry(folder).read_bytes()
    entry(folder).unlink()
    build("add")
    entry(folder).write_bytes(other)
    assert not build("add").from_cache


@POSIX
def test_what_others_may_write_is_not_trusted(folder: Path) -> None:
    build()
    assert folder.stat().st_mode & 0o777 == 0o700
    entry(folder).chmod(0o666)
    assert not build().from_cache
    assert build().from_cache
    folder.chmod(0o777)
    with pytest.warns(CacheWarning, match="others may write there, or own it"):
        assert not build().from_cache


@POSIX
def test_what_belongs_to_others_is_not_trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    with pytest.warns(CacheWarning, match="others may write there, or own it"):
        assert not build().from_cache


def test_a_directory_that_cannot_be_written_only_means_no_caching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a file, not a directory"
    file.write_text("")
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(file / "cache"))
    with pytest.warns(CacheWarning, match="cannot be written") as notes:
        assert not build().from_cache
        assert not build().from_cache
    assert len(notes) == 1


@POSIX
def test_a_read_only_directory_is_still_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build()

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError("read-only")

    for name in ("utime", "replace"):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr(disk.tempfile, "mkstemp", refuse)
    assert build().from_cache
    with pytest.warns(CacheWarning, match="cannot be written"):
        assert not build("mul").from_cache


def test_old_entries_are_pruned(folder: Path) -> None:
    folder.mkdir(parents=True)
    for age in range(5):
        path = folder / f"{age}.gwo"
        path.write_bytes(bytes(100))
        os.utime(path, (1000 - age, 1000 - age))
    disk.prune(folder, largest_total=250)
    assert sorted(p.name for p in folder.iterdir()) == ["0.gwo", "1.gwo"]


def test_half_a_gigabyte_is_kept(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, age in (("old", 5), ("new", 0)):
        with (folder / f"{name}.gwo").open("wb") as file:
            file.truncate(250 * 2**20)  # has a size and no contents
        os.utime(folder / f"{name}.gwo", (1000 - age, 1000 - age))
    disk.prune(folder)
    assert len(list(folder.iterdir())) == 2
    with (folder / "new.gwo").open("r+b") as file:
        file.truncate(300 * 2**20)
    disk.prune(folder)
    assert [p.name for p in folder.iterdir()] == ["new.gwo"]


def test_a_process_prunes_at_its_first_entry_and_after_sixteen_megabytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pruned = []
    monkeypatch.setattr(disk, "prune", pruned.append)
    for n, size in enumerate((1, 8 * 2**20, 7 * 2**20, 2**20 - 1)):
        disk.save(f"{n}", bytes(size))
    assert pruned == [folder]
    disk.save("last", b".")
    assert pruned == [folder, folder]


RACE = """
from gearwright.compiler import compile_program
from tests.compiler.test_cache import program
import numpy as np
for _ in range(8):
    kernel = compile_program(program(), lanes=4)
    assert (kernel.evaluate({"x": np.array([[2.0, 3.0]] * 5)})["y"] == 5).all()
    for path in __import__("pathlib").Path(__import__("os").environ["GEARWRIGHT_CACHE"]).glob("*.gwo"):
        path.unlink(missing_ok=True)
"""


def test_processes_do_not_disturb_each_other(folder: Path) -> None:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), "GEARWRIGHT_CACHE": str(folder)}
    running = [subprocess.Popen([sys.executable, "-c", RACE], cwd=root, env=environment) for _ in range(3)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    assert not list(folder.glob("*.partial"))
    assert not build().from_cache
    assert build().from_cache


def test_importing_the_package_is_light() -> None:
    check = "import sys, gearwright.compiler; assert not {'casadi', 'llvmlite', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True, cwd=Path(__file__).parents[2])


def test_the_exported_names_exist() -> None:
    import gearwright.compiler as package

    assert all(getattr(package, name) is not None for name in package.__all__)


# --- where there is no home -----------------------------------------------------------------------------------------


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No home that can be used, and a folder of temporary files of its own."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(disk.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    monkeypatch.setattr(disk.tempfile, "tempdir", str(tmp_path / "tmp"))
    for name in ("GEARWRIGHT_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "file" / "home"))
    (tmp_path / "file").write_text("not a folder")
    disk._temporary.cache_clear()
    disk._note.cache_clear()
    yield tmp_path / "tmp"
    disk._temporary.cache_clear()


@POSIX
def test_without_a_home_code_is_kept_among_the_temporary_files(homeless: Path) -> None:
    with pytest.warns(CacheWarning, match="GEARWRIGHT_CACHE names a better place") as notes:
        assert not build().from_cache
        assert build().from_cache
    assert len(notes) == 1
    (folder,) = homeless.iterdir()
    assert folder.name == f"gearwright-{os.getuid()}" and folder.stat().st_mode & 0o777 == 0o700


@POSIX
@pytest.mark.parametrize("trick", ["open to all", "a link", "a file"])
def test_a_temporary_folder_that_somebody_else_made_is_not_used(homeless: Path, trick: str) -> None:
    taken = homeless / f"gearwright-{os.getuid()}"
    if trick == "a file":
        taken.write_text("")
    elif trick == "a link":
        (homeless / "elsewhere").mkdir(mode=0o700)
        taken.symlink_to(homeless / "elsewhere")
    else:
        taken.mkdir()
        taken.chmod(0o777)
    with pytest.warns(CacheWarning):
        folder = disk.directory()
    assert folder != taken and folder.parent == homeless and folder.stat().st_mode & 0o777 == 0o700


@POSIX
def test_a_user_that_the_system_does_not_know(homeless: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in containers: no HOME, and no entry in the list of users."""

    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(disk.Path, "home", unknown)
    with pytest.warns(CacheWarning, match="since a home folder cannot be used"):
        assert not build().from_cache
    assert build().from_cache


@POSIX
def test_a_home_that_cannot_be_written(homeless: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = homeless.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    assert disk.directory() == home / ".cache" / "gearwright"
    monkeypatch.setattr(os, "access", lambda path, mode: mode & os.W_OK == 0)
    with pytest.warns(CacheWarning):
        assert disk.directory().parent == homeless


def test_what_is_left_half_written_is_pruned(folder: Path) -> None:
    folder.mkdir(parents=True)
    old, new = folder / ".old.gwo.1.ab.partial", folder / ".new.gwo.1.ab.partial"
    for path, age in ((old, 5000), (new, 2000)):  # an hour is 3600 s
        path.write_bytes(b"half")
        os.utime(path, (time() - age, time() - age))
    disk.prune(folder)
    assert not old.exists() and new.exists()


def test_a_signal_leaves_nothing_half_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build()
    assert not list(folder.iterdir())


@POSIX
def test_a_pipe_in_the_place_of_an_entry_is_not_waited_for(folder: Path) -> None:
    build()
    path = entry(folder)
    path.unlink()
    os.mkfifo(path, 0o600)
    assert not build().from_cache
    assert path.is_file() and build().from_cache  # the next entry has replaced it
