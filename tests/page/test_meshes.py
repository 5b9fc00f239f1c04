"""Mesh files: those of real robots as they are, colours of files and models, and files that mean harm."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.formats.meshes import mesh_process
from gearwright.model.geometry import Mesh
from gearwright.page.glb import painted
from gearwright.page.meshes import RobotMeshes
from tests.tolerances import ROUNDING

trimesh = pytest.importorskip("trimesh")
ROBOTS = {  # DAE, STL and OBJ; package:// and relative
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "anymal": "anymal_c_simple_description/urdf/anymal.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
}
QUICK = ("ur5", "solo12")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """One for all, with its process: a file that takes that down must not touch the next."""
    file = tmp_path_factory.mktemp("meshes") / "robot.urdf"
    file.write_text('<robot name="r"><link name="a"/></robot>')
    found = RobotMeshes(str(file))
    yield found, file.parent
    found.close()


@pytest.fixture
def meshes(reader) -> RobotMeshes:
    reader[0].diagnostics.clear()
    return reader[0]


@pytest.fixture
def folder(reader) -> Path:
    return reader[1]


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in ROBOTS])
def test_robots_are_shown_as_they_are(name: str, robot_data_folder: Path) -> None:
    robot = gw.load(robot_data_folder / ROBOTS[name])
    found = RobotMeshes(str(robot_data_folder / ROBOTS[name]))
    shapes = [g.shape for link in robot.links.values() for g in link.visuals if isinstance(g.shape, Mesh)]
    loaded = [found.load(shape.uri) for shape in shapes]
    found.close()
    assert len(shapes) >= 7 and None not in loaded and found.diagnostics == []
    sizes = np.array([np.ptp(m.bounds * s.scale, axis=0).max() for m, s in zip(loaded, shapes, strict=True)])
    assert ((sizes > 1e-3) & (sizes < 3.0)).all()  # metres: a unit that is not heeded is a factor of ten or more


def tree(glb: bytes) -> dict:
    (length,) = struct.unpack_from("<I", glb, 12)
    return json.loads(glb[20 : 20 + length])


def test_the_models_colour_comes_before_the_files(folder: Path, meshes: RobotMeshes) -> None:
    (folder / "red.mtl").write_text("newmtl red\nKd 1.0 0.5 0.0\n")
    (folder / "red.obj").write_text("mtllib red.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n")
    own = meshes.load("red.obj")
    (material,) = tree(own.coloured(None))["materials"]
    surface = material["pbrMetallicRoughness"]
    assert surface["baseColorFactor"][:3] == pytest.approx([1, 0.214, 0], abs=5e-3)  # 0.5 on a screen, in 1/255 of it
    assert surface["metallicFactor"] == 0.0
    (material,) = tree(own.coloured((0.5, 0.5, 1.0, 0.4)))["materials"]
    # four digits
    assert material["pbrMetallicRoughness"]["baseColorFactor"] == pytest.approx([0.2140, 0.2140, 1.0, 0.4], abs=1e-4)
    assert material["alphaMode"] == "BLEND"


def test_units_of_collada(folder: Path, meshes: RobotMeshes) -> None:
    trimesh.creation.box((100, 100, 100)).export(folder / "cm.dae")
    text = (folder / "cm.dae").read_text()
    assert "<unit" not in text and text.count("<asset>") == 1
    (folder / "cm.dae").write_text(text.replace("<asset>", '<asset><unit name="centimeter" meter="0.01"/>'))
    assert np.ptp(meshes.load("cm.dae").bounds, axis=0) == pytest.approx([1, 1, 1], rel=ROUNDING)


BILLION = (
    '<!DOCTYPE c [<!ENTITY a "'
    + "x" * 1000
    + '">'
    + "".join(f'<!ENTITY {b} "{("&" + a + ";") * 100}">' for a, b in zip("abcde", "bcdef", strict=True))
    + ']><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>&f;</asset></COLLADA>'
)
HOSTILE = {
    "empty.stl": b"",
    "short.stl": b"\0" * 80 + struct.pack("<I", 2**32 - 1) + b"\0" * 50,
    "nan.stl": b"\0" * 80 + struct.pack("<I", 1) + struct.pack("<12f", *[float("nan")] * 12) + b"\0\0",
    "faces.obj": b"v 0 0 0\nf 1 999999999 -7\n",
    "zip.glb": b"glTF" + struct.pack("<III4s", 2, 2**31, 2**31 - 20, b"JSON") + b"{}",
    "buffer.gltf": b'{"asset":{"version":"2.0"},"buffers":[{"uri":"/dev/zero","byteLength":99999999999}]}',
    "rows.ply": b"ply\nformat binary_little_endian 1.0\nelement vertex 99999999999\nproperty double x\nend_header\n",
    "bomb.dae": BILLION.encode(),
    "deep.dae": b"<a>" * 200_000,
    "bytes.obj": bytes(range(256)) * 100,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_diagnostics(name: str, folder: Path, meshes: RobotMeshes) -> None:
    (folder / name).write_bytes(HOSTILE[name])
    started = time.monotonic()
    assert meshes.load(name) is None
    assert [d.code for d in meshes.diagnostics] == ["mesh-missing"]
    assert time.monotonic() - started < mesh_process.PATIENCE + 10


def test_a_file_that_takes_too_long_is_given_up(folder: Path, meshes: RobotMeshes, monkeypatch) -> None:
    """And the next one is read as if nothing had happened."""
    trimesh.creation.box((1, 1, 1)).export(folder / "good.stl")
    assert meshes.load("good.stl") is not None  # the process is there
    monkeypatch.setattr(mesh_process, "PATIENCE", 0.02)
    (folder / "slow.obj").write_text("".join(f"v {k} 0 0\n" for k in range(600_000)))
    assert meshes.load("slow.obj") is None
    assert "takes longer than 0.02 s" in meshes.diagnostics[0].message
    monkeypatch.setattr(mesh_process, "PATIENCE", 30.0)
    trimesh.creation.box((1, 1, 1)).export(folder / "next.stl")
    assert meshes.load("next.stl") is not None


@pytest.mark.parametrize("uri", ["../../etc/passwd", "/dev/zero", "file:///dev/zero", "http://h/a.stl", "a\0b.stl"])
def test_what_is_no_mesh_is_not_opened(uri: str, meshes: RobotMeshes) -> None:
    assert meshes.load(uri) is None and len(meshes.diagnostics) == 1


def test_paint_needs_a_glb() -> None:
    with pytest.raises(ValueError, match="binary glTF"):
        painted(b"x" * 40, (1, 1, 1, 1))
