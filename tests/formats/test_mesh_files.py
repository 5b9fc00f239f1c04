"""Mesh files that a robot names: found beside it, in its package and on the search path, or reported by `check`."""

from __future__ import annotations

from pathlib import Path

import pytest

import gearwright as gw
from gearwright.formats.paths.mesh_files import MeshFiles, missing_meshes
from tests.cli.commands import called


def urdf(*uris: str) -> str:
    visuals = "".join(f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>' for uri in uris)
    return f'<robot name="r">\n<link name="a">{visuals}</link>\n</robot>'


def written(folder: Path, *uris: str) -> Path:
    file = folder / "robot.urdf"
    file.write_text(urdf(*uris))
    return file


def messages(file: Path, *search: Path) -> list[str]:
    return [d.message for d in missing_meshes(gw.load(file), file, search)]


def test_what_is_there_is_not_reported(tmp_path: Path) -> None:
    package = tmp_path / "arm_description"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm_description</name></package>")
    (package / "hand.stl").write_bytes(b"")
    (package / "urdf" / "foot part.stl").write_bytes(b"")
    file = written(package / "urdf", "package://arm_description/hand.stl", "foot%20part.stl", "https://x.org/far.stl")
    assert messages(file) == []
    assert messages(written(package, f"file://{package}/hand.stl", "hand.stl")) == []


def test_a_file_a_folder_and_a_package(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    gone = ("meshes/a.stl", "meshes/b.stl", "there/c.stl", "package://p/d.stl", "package://p/e.stl", "model://q/f.dae")
    file = written(tmp_path, *gone)
    found = missing_meshes(gw.load(file), file)
    assert [str(d).removeprefix(f"{file}:2: warning: ").partition(";")[0] for d in found] == [
        "2 meshes were not found, nor was their folder 'meshes'",
        "mesh 'there/c.stl' was not found",
        "2 meshes were not found, nor was their package 'p'",
        "mesh 'model://q/f.dae' was not found, nor was its package 'q'",
    ]
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "d.stl").write_bytes(b"")
    assert "mesh 'package://p/e.stl' was not found; give its folder" in " ".join(messages(file, tmp_path))


def test_a_package_that_says_nothing_may_be_eight_folders_up(tmp_path: Path) -> None:
    folder = tmp_path / "arm" / "urdf" / "1" / "2" / "3" / "4" / "5"
    folder.mkdir(parents=True)
    (tmp_path / "arm" / "meshes").mkdir()
    (tmp_path / "arm" / "meshes" / "hand.stl").write_bytes(b"")
    file = written(folder, "package://arm/meshes/hand.stl")
    assert MeshFiles(file).find("package://arm/meshes/hand.stl") == tmp_path / "arm" / "meshes" / "hand.stl"


def test_of_many_the_first_twenty_are_shown(tmp_path: Path) -> None:
    found = messages(written(tmp_path, *(f"{k}.stl" for k in range(25))))
    assert len(found) == 21
    assert found[-1] == "5 more packages, folders or meshes were not found"


@pytest.mark.parametrize(
    "uri", ["a&#x7f;b.stl", "x" * 5000, "file://", "package://", "package://..", "../" * 3000 + "x"]
)
def test_hostile_addresses_are_only_missing(tmp_path: Path, uri: str) -> None:
    (message,) = messages(written(tmp_path, uri))
    assert len(message) < 500


def test_check_reports_them_and_a_load_does_not(tmp_path: Path) -> None:
    file = written(tmp_path, "gone.stl")
    ran = called("check", file)
    assert ran.code == 0
    assert f"{file}:2: warning: mesh 'gone.stl' was not found; give its folder with search_path= or --path " in ran.out
    assert "(1 warning" in ran.out
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "gone.stl").write_bytes(b"")
    assert "mesh" not in called("check", file, "--path", tmp_path / "more").out
    assert not [d for d in gw.load(file).diagnostics if d.code == "mesh-missing"]
    assert gw.loads(urdf("gone.stl")).links
