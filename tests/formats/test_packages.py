"""Packages below the search path: found through links, and looked for once."""

from __future__ import annotations

from pathlib import Path

import pytest

import gearwright as gw
from gearwright.formats.paths import packages
from gearwright.formats.paths.packages import MAX_FOLDERS, Packages

XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}</robot>'
MAIN = XACRO.format('<xacro:include filename="$(find parts)/part.xacro"/>')
MODEL = '<sdf version="1.9"><model name="part"><link name="l"/></model></sdf>'
OUTER = '<sdf version="1.9"><model name="m"><include><uri>package://parts/part.sdf</uri></include></model></sdf>'


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A package outside of the workspace."""
    folder = tmp_path / "elsewhere" / "group" / "folder"
    folder.mkdir(parents=True)
    (folder / "package.xml").write_text("<package><name>parts</name></package>")
    (folder / "part.xacro").write_text(XACRO.format('<link name="l"/>'))
    (folder / "part.sdf").write_text(MODEL)
    (folder / "part.stl").write_bytes(b"")
    (tmp_path / "ws" / "src").mkdir(parents=True)
    (tmp_path / "robot").mkdir()
    return folder


def links(tmp_path: Path, text: str, name: str) -> list[str]:
    file = tmp_path / "robot" / name
    file.write_text(text)
    return list(gw.load(file, search_path=[tmp_path / "ws"]).links)


LINKED = {
    "the package": ("ws/src/parts", "elsewhere/group/folder"),
    "the package, by another name": ("ws/src/linked", "elsewhere/group/folder"),
    "beside the path": ("ws/parts", "elsewhere/group/folder"),
    "a folder above it": ("ws/src/linked", "elsewhere"),
}


@pytest.mark.parametrize("case", LINKED)
def test_packages_are_found_through_links(tmp_path: Path, elsewhere: Path, case: str) -> None:
    link, target = LINKED[case]
    (tmp_path / link).symlink_to(tmp_path / target)
    assert links(tmp_path, MAIN, "main.xacro") == ["l"]
    assert links(tmp_path, OUTER, "main.sdf") == ["part::l"]
    (found,) = [Packages([], [tmp_path / "ws"]).find("parts")]
    assert found is not None and (found / "part.stl").is_file()


def test_the_path_itself_may_be_a_link(tmp_path: Path, elsewhere: Path) -> None:
    (tmp_path / "ws" / "src").rmdir()
    (tmp_path / "ws").rmdir()
    (tmp_path / "ws").symlink_to(tmp_path / "elsewhere")
    assert links(tmp_path, MAIN, "main.xacro") == ["l"]
    assert links(tmp_path, OUTER, "main.sdf") == ["part::l"]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").symlink_to(tmp_path)
    (tmp_path / "a" / "c").symlink_to(tmp_path / "a" / "c")
    assert Packages([], [tmp_path]).find("parts") is None
    assert len(list(packages._folders_below([tmp_path]))) == 2


def test_a_link_to_a_folder_that_is_no_package_opens_nothing(tmp_path: Path, elsewhere: Path) -> None:
    (elsewhere / "package.xml").unlink()
    (tmp_path / "ws" / "parts").symlink_to(elsewhere)
    for text, name in ((MAIN, "main.xacro"), (OUTER, "main.sdf")):
        with pytest.raises(gw.LoadError, match="include-unsafe"):
            links(tmp_path, text, name)


def test_a_way_out_of_a_linked_package_is_refused(tmp_path: Path, elsewhere: Path) -> None:
    (tmp_path / "ws" / "parts").symlink_to(elsewhere)
    (tmp_path / "elsewhere" / "secret.xacro").write_text(XACRO.format('<link name="secret"/>'))
    (elsewhere / "away.xacro").symlink_to(tmp_path / "elsewhere" / "secret.xacro")
    for inside in ("../../secret.xacro", "away.xacro"):
        with pytest.raises(gw.LoadError, match="include-unsafe"):
            links(tmp_path, MAIN.replace("part.xacro", inside), "main.xacro")


def test_unknown_packages_are_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(30):
        (tmp_path / f"p{i}").mkdir()
        (tmp_path / f"p{i}" / "package.xml").write_text(f"<package><name>name{i}</name></package>")
    walks = 0
    whole = packages._folders_below

    def counted(roots: object) -> object:
        nonlocal walks
        walks += 1
        return whole(roots)  # type: ignore[arg-type]

    monkeypatch.setattr(packages, "_folders_below", counted)
    found = Packages([], [tmp_path])
    assert [found.find(f"unknown{i}") for i in range(200)] == [None] * 200
    assert found.find("name7") == tmp_path / "p7"
    assert walks == 1


def test_no_more_folders_are_looked_through_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "MAX_FOLDERS", 10)
    for i in range(20):
        (tmp_path / f"p{i:02}").mkdir()
    assert len(list(packages._folders_below([tmp_path]))) == 10 < MAX_FOLDERS
