"""Meshes are read from the model's folder, its package and the search path, however they are spelled, and so is what
they name themselves: materials, textures, buffers."""

from __future__ import annotations

import base64
import json
import os
import re
import struct
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.formats.paths.mesh_files import MeshFiles, missing_meshes
from gearwright.page import meshes as page_meshes
from gearwright.page.meshes import RobotMeshes
from tests.corpus.files import REPOSITORY

trimesh = pytest.importorskip("trimesh")
SECRET = b"TOP-SECRET-"
BOX = trimesh.creation.box((0.1, 0.2, 0.3)).export(file_type="stl")


class Place:
    """A model in a folder of its own, with files beside that folder."""

    def __init__(self, folder: Path, name: str = "model") -> None:
        self.root, self.model, self.outside = folder, folder / name, folder / "outside"
        self.model.mkdir(parents=True)
        self.outside.mkdir()
        (self.outside / "s.stl").write_bytes(BOX)
        (folder / "s.stl").write_bytes(BOX)
        self.file = self.model / "robot.urdf"
        self.file.write_text('<robot name="r"><link name="a"/></robot>')

    def shape(self, uri: str) -> None:
        visual = f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>'
        self.file.write_text(f'<robot name="r"><link name="a">{visual}</link></robot>')


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "place")


PACKAGE = "<package><name>mine</name></package>"
SPELLINGS = {
    "file://": "file://{outside}/s.stl",
    "file:// with dots": "file://{model}/../outside/s.stl",
    "a path": "{outside}/s.stl",
    "above": "../outside/s.stl",
    "above and below": "x/../../outside/s.stl",
    "above, escaped": "%2e%2e/outside/s.stl",
    "above, all escaped": "%2E%2E%2Foutside%2Fs%2Estl",
    "file:// escaped": "file://%2F{outside}/s.stl",
    "just above": "../s.stl",
    "a link": "link.stl",
    "a linked folder": "linked/s.stl",
    "a link to a link": "again.stl",
    "a neighbour's package": "package://outside/s.stl",
    "a neighbour's model": "model://outside/s.stl",
    "a folder above as a package": "package://place/outside/s.stl",
    "a folder above as a package, just there": "package://place/s.stl",
    "a folder high above": "package://{high}/place/outside/s.stl",
    "out of its own package": "package://mine/../outside/s.stl",
    "out of its own package, escaped": "package://mine/%2e%2e/outside/s.stl",
    "a package that is dots": "package://../outside/s.stl",
    "a package that is dots, escaped": "package://%2e%2e/outside/s.stl",
    "a package that is a path": "package://{outside}/s.stl",
    "a linked package": "package://linked/s.stl",
}


@pytest.mark.parametrize("packaged", [False, True], ids=["", "in a package"])
@pytest.mark.parametrize("name", SPELLINGS)
def test_no_spelling_leads_out(place: Place, name: str, packaged: bool) -> None:
    os.symlink(place.outside / "s.stl", place.model / "link.stl")
    os.symlink("link.stl", place.model / "again.stl")
    os.symlink(place.outside, place.model / "linked")
    if packaged:
        (place.model / "package.xml").write_text(PACKAGE)
    words = {"outside": place.outside, "model": place.model, "high": place.root.parent.name}
    uri = SPELLINGS[name].format(**words)
    meshes = RobotMeshes(str(place.file))
    assert meshes.load(uri) is None and MeshFiles(place.file).find(uri) is None
    meshes.close()
    (found,) = meshes.diagnostics
    assert found.code == "mesh-missing" and "a box stands for it" in found.message


@pytest.mark.parametrize("uri", ["../outside/s.stl", "link.stl", "package://outside/s.stl"])
def test_what_is_there_and_may_not_be_read_is_said(place: Place, uri: str) -> None:
    os.symlink(place.outside / "s.stl", place.model / "link.stl")
    place.shape(uri)
    outside = "lies outside the model's folder, its package and the search path"
    (found,) = missing_meshes(gw.load(place.file), place.file)
    assert outside in found.message and "--path" in found.message
    meshes = RobotMeshes(str(place.file))
    assert meshes.load(uri) is None and outside in meshes.diagnostics[0].message
    meshes.close()


@pytest.mark.parametrize(
    "uri", ["../outside/s.stl", "{outside}/s.stl", "package://outside/s.stl", "file://{outside}/s.stl"]
)
def test_the_search_path_opens_its_folders(place: Place, uri: str) -> None:
    uri = uri.format(outside=place.outside)
    assert MeshFiles(place.file, [place.root]).find(uri) == place.outside / "s.stl"
    meshes = RobotMeshes(str(place.file), [place.root])
    assert meshes.load(uri) is not None and meshes.diagnostics == []
    meshes.close()


def test_a_package_with_a_package_xml_is_read_as_a_whole(tmp_path: Path) -> None:
    place = Place(tmp_path, "mine/urdf/deep")
    (tmp_path / "mine" / "package.xml").write_text(PACKAGE)
    (tmp_path / "mine" / "a.stl").write_bytes(BOX)
    files = MeshFiles(place.file)
    for uri in ("../../a.stl", "package://mine/a.stl", f"file://{tmp_path}/mine/a.stl"):
        assert files.find(uri) == tmp_path / "mine" / "a.stl"
    assert files.find("../../../s.stl") is None


@pytest.mark.parametrize("folder", ["urdf", "robots/left", "sdf"])
def test_a_package_without_one_is_known_by_its_folders(tmp_path: Path, folder: str) -> None:
    """`urdf` beside `meshes`: then of the rest of it, nothing is read."""
    place = Place(tmp_path, f"mine/{folder}")
    (tmp_path / "mine" / "meshes").mkdir()
    (tmp_path / "mine" / "meshes" / "a.stl").write_bytes(BOX)
    (tmp_path / "mine" / "b.stl").write_bytes(BOX)
    files, up = MeshFiles(place.file), "../" * len(Path(folder).parts)
    assert files.find(f"{up}meshes/a.stl") == files.find("package://mine/meshes/a.stl") is not None
    assert files.find(f"{up}b.stl") is None and files.find("package://mine/b.stl") is None
    assert files.find(f"{up}meshes/../b.stl") is None


@pytest.mark.parametrize("folder", ["meshes", "assets"])
@pytest.mark.parametrize("uri", ["../{folder}/s.stl", "package://mine/{folder}/s.stl", "file://{outside}/s.stl"])
def test_a_linked_folder_of_meshes_opens_nothing_outside(tmp_path: Path, folder: str, uri: str) -> None:
    place = Place(tmp_path, "mine/urdf")
    os.symlink(place.outside, tmp_path / "mine" / folder)
    assert MeshFiles(place.file).find(uri.format(folder=folder, outside=place.outside)) is None


def test_a_link_within_the_package_is_followed(tmp_path: Path) -> None:
    place = Place(tmp_path, "mine/urdf")
    (tmp_path / "mine" / "high").mkdir()
    (tmp_path / "mine" / "high" / "a.stl").write_bytes(BOX)
    os.symlink("high", tmp_path / "mine" / "meshes")
    assert MeshFiles(place.file).find("../meshes/a.stl") == tmp_path / "mine" / "high" / "a.stl"


def test_a_linked_model_is_read_with_what_lies_beside_it(place: Place) -> None:
    """As `colcon build --symlink-install` makes them."""
    (place.model / "a.stl").write_bytes(BOX)
    os.symlink(place.file, place.outside / "robot.urdf")
    os.symlink(place.model / "a.stl", place.outside / "a.stl")
    assert MeshFiles(place.outside / "robot.urdf").find("a.stl") == place.model / "a.stl"


# --- what a mesh names ----------------------------------------------------------------------------------------------


def gltf(uri: str, size: int) -> bytes:
    """One triangle, whose numbers are at the start of a buffer in a file."""
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 1, "byteLength": 6}],
        "buffers": [
            {"uri": uri, "byteLength": size},
            {"uri": "data:application/octet-stream;base64," + base64.b64encode(struct.pack("<3H", 0, 1, 2)).decode(),
             "byteLength": 6},
        ],
    }).encode()  # fmt: skip


def png(path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (4, 4), (1, 200, 3)).save(path)


NAMES = [
    "{outside}/{name}",
    "../outside/{name}",
    "%2e%2e/outside/{name}",
    "link",
    "linked/{name}",
    "file://{outside}/{name}",
]


@pytest.mark.parametrize("uri", NAMES)
def test_a_buffer_of_gltf(place: Place, uri: str) -> None:
    """Its bytes are shown as they are, whatever they are."""
    numbers = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    name = uri.format(outside=place.outside, name="secret.bin")
    (place.outside / "secret.bin").write_bytes(SECRET + numbers)
    os.symlink(place.outside / "secret.bin", place.model / "link")
    os.symlink(place.outside, place.model / "linked")
    (place.model / "a.gltf").write_bytes(gltf(name, len(SECRET + numbers)))
    (place.model / "own.bin").write_bytes(numbers)
    (place.model / "own.gltf").write_bytes(gltf("own.bin", len(numbers)))
    meshes = RobotMeshes(str(place.file))
    assert meshes.load("a.gltf") is None
    assert "cannot be read" in meshes.diagnostics[0].message
    own = meshes.load("own.gltf")
    assert own is not None and numbers[12:24] in own.glb
    meshes.close()


@pytest.mark.parametrize("uri", NAMES)
def test_a_material_and_a_texture_of_obj(place: Place, uri: str) -> None:
    pytest.importorskip("PIL")
    os.symlink(place.outside / "secret.mtl", place.model / "link")
    os.symlink(place.outside, place.model / "linked")
    (place.outside / "secret.mtl").write_text("newmtl m\nKd 0.125 0.25 0.5\n")
    (place.model / "own.mtl").write_text("newmtl m\nKd 0.125 0.25 0.5\n")
    for name, library in (("a", uri.format(outside=place.outside, name="secret.mtl")), ("own", "own.mtl")):
        text = f"mtllib {library}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n"
        (place.model / f"{name}.obj").write_text(text)
    meshes = RobotMeshes(str(place.file))
    colours = {name: materials(meshes.load(f"{name}.obj").glb) for name in ("a", "own")}
    meshes.close()
    assert "baseColorFactor" in colours["own"] and colours["own"] != colours["a"]


def materials(glb: bytes) -> str:
    (length,) = struct.unpack_from("<I", glb, 12)
    return json.dumps(json.loads(glb[20 : 20 + length]).get("materials", ""))


@pytest.mark.parametrize("uri", NAMES)
def test_a_texture(place: Place, uri: str) -> None:
    pytest.importorskip("PIL")
    os.symlink(place.outside / "secret.png", place.model / "link")
    os.symlink(place.outside, place.model / "linked")
    png(place.outside / "secret.png")
    (place.model / "textures").mkdir()
    png(place.model / "textures" / "own.png")
    for name, image in (("a", uri.format(outside=place.outside, name="secret.png")), ("own", "textures/own.png")):
        (place.model / f"{name}.mtl").write_text(f"newmtl m\nKd 1 1 1\nmap_Kd {image}\n")
        text = f"mtllib {name}.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n"
        (place.model / f"{name}.obj").write_text(text)
    meshes = RobotMeshes(str(place.file))
    pictures = {name: b"\x89PNG" in meshes.load(f"{name}.obj").glb for name in ("a", "own")}
    meshes.close()
    assert pictures == {"a": False, "own": True}


DAE = """{head}<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">{body}</COLLADA>"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-7", "cp037"])
def test_a_collada_file_has_no_document_type(place: Place, encoding: str) -> None:
    """In no encoding: entities read files."""
    whole = trimesh.creation.box((1, 1, 1)).export(file_type="dae").decode()
    body = whole[whole.index(">", whole.index("<COLLADA")) + 1 : whole.rindex("</COLLADA>")]
    (place.outside / "secret.txt").write_bytes(SECRET)
    entity = f'<!DOCTYPE COLLADA [<!ENTITY x SYSTEM "file://{place.outside}/secret.txt">]>'
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    evil = DAE.format(head=head + entity, body=body.replace("</asset>", "<title>&x;</title></asset>"))
    (place.model / "evil.dae").write_bytes(evil.encode(encoding))
    (place.model / "good.dae").write_bytes(DAE.format(head=head, body=body).encode(encoding))
    meshes = RobotMeshes(str(place.file))
    assert meshes.load("evil.dae") is None
    assert "cannot be read: " in meshes.diagnostics[0].message
    assert (meshes.load("good.dae") is not None) == encoding.startswith(("utf-8", "utf-16"))
    meshes.close()


# --- together -------------------------------------------------------------------------------------------------------


def test_meshes_have_a_limit_together(place: Place, monkeypatch) -> None:
    """As often as they are shown: a thousand shapes of one file are a thousand times its bytes."""
    (place.model / "a.stl").write_bytes(BOX)
    meshes = RobotMeshes(str(place.file))
    size = len(meshes.load("a.stl").glb)
    monkeypatch.setattr(page_meshes, "MOST", int(3.5 * size))
    shown = [meshes.load("a.stl") is not None for _ in range(5)]
    assert shown == [True, True, False, False, False]
    assert len(meshes.diagnostics) == 1 and "MiB of other meshes" in meshes.diagnostics[0].message
    meshes.close()


def test_reading_has_a_limit_together(place: Place, monkeypatch) -> None:
    for k in range(4):
        (place.model / f"{k}.stl").write_bytes(BOX)
    meshes = RobotMeshes(str(place.file))
    assert meshes.load("0.stl") is not None
    monkeypatch.setattr(page_meshes, "LONGEST", 0.0)
    assert meshes.load("1.stl") is None and "s of reading meshes" in meshes.diagnostics[0].message
    assert meshes.load("0.stl") is not None  # it was read before
    meshes.close()


def test_the_oldest_trimesh_that_is_taken() -> None:
    """Older ones let a mesh name any file."""
    text = (REPOSITORY / "pyproject.toml").read_text()
    (least,) = re.findall(r'"trimesh>=(\d+)', text)
    assert int(least) >= 5
