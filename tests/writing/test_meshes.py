"""Mesh files beside the new file, and what the report says of them."""

import pytest

import gearwright as gw

ARM = """<robot name="arm"><link name="base"><visual><geometry><mesh filename="parts/base.obj"/></geometry></visual>
<collision><geometry><mesh filename="parts/base.stl" scale="2 2 2"/></geometry></collision></link>
<link name="tip"><visual><geometry><mesh filename="other/base.dae"/></geometry></visual></link>
<joint name="j" type="fixed"><parent link="base"/><child link="tip"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path):
    for name in ("parts/base.obj", "parts/base.stl", "other/base.dae"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(name)
    (tmp_path / "in" / "arm.urdf").write_text(ARM)
    return tmp_path / "in" / "arm.urdf"


@pytest.mark.parametrize("meshes", ["reference", "copy"])
@pytest.mark.parametrize("ending", [".sdf", ".urdf", ".usda"])
def test_an_address_that_moves_is_no_loss(arm, ending, meshes, tmp_path):
    done = gw.save(gw.load(arm), tmp_path / "out" / f"arm{ending}", meshes=meshes)
    assert done.lost == ()
    copied = {p.relative_to(tmp_path / "out").as_posix() for p in done.files}
    assert copied == ({"meshes/base.obj", "meshes/base.stl", "meshes/base.dae"} if meshes == "copy" else set())


def test_files_that_mujoco_cannot_read_are_not_copied(arm, tmp_path):
    done = gw.save(gw.load(arm), tmp_path / "out" / "arm.xml", meshes="copy")
    assert sorted(p.name for p in done.files) == ["base.obj", "base.stl"]
    assert ["'other/base.dae'" in str(x) for x in done.lost] == [True]
    assert sorted(p.name for p in (tmp_path / "out").rglob("*.*")) == ["arm.xml", "base.obj", "base.stl"]


@pytest.mark.parametrize("link", ["meshes", "meshes/base.stl"])
def test_links_do_not_lead_copies_elsewhere(arm, link, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    place, goal = tmp_path / "out" / link, tmp_path / "elsewhere" / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(goal.parent if link == "meshes" else goal)
    with pytest.raises(gw.ModelError, match="leads elsewhere"):
        gw.save(gw.load(arm), tmp_path / "out" / "arm.sdf", meshes="copy")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert not (tmp_path / "out" / "arm.sdf").exists()


def test_a_link_as_the_target_leads_to_its_own_folder_only(arm, tmp_path):
    """Within it, it stays a link and its file is replaced; a link out of it is refused, and its file stays."""
    folder, robot = tmp_path / "out", gw.load(arm)
    folder.mkdir()
    (folder / "linked.sdf").symlink_to("real.sdf")
    gw.save(robot, folder / "linked.sdf")
    assert (folder / "linked.sdf").is_symlink() and gw.load(folder / "real.sdf").name == "arm"
    (tmp_path / "precious").write_text("kept")
    (folder / "outwards.sdf").symlink_to(tmp_path / "precious")
    with pytest.raises(gw.ModelError, match="out of its folder"):
        gw.save(robot, folder / "outwards.sdf")
    assert (tmp_path / "precious").read_text() == "kept"
