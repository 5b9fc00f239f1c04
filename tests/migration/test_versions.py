"""The version is raised where <mimic> needs it, and nothing else in the file means something else then."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright import ModelError
from tests.formats.test_older_spellings import LINKS, gearbox, joint
from tests.tolerances import ROUNDING

PLAIN = (joint("ji", "frame", "in", "0 0 1") + joint("jo", "frame", "out", "0 0 1") + gearbox()).replace(
    ' expressed_in="__model__"', ""
)


def migrated(text: str, folder: Path, *, verify: bool = False) -> str:
    (folder / "old.sdf").write_text(text)
    assert gw.migrate(folder / "old.sdf", folder / "new.sdf", verify=verify).ok
    return (folder / "new.sdf").read_text()


def sdf(parts: str, version: str) -> str:
    return f'<sdf version="{version}"><model name="m">{LINKS}{parts}</model></sdf>'


def axes(text: str) -> dict[str, np.ndarray]:
    """Directions of the joints' axes in the model's frame."""
    robot = gw.loads(text)
    poses = robot.forward_kinematics()
    return {n: poses[j.child][:3, :3] @ j.X_CJ.R @ np.array(j.axes[0].xyz) for n, j in robot.joints.items()}


@pytest.mark.parametrize(
    ("before", "after"),
    [("1.4", "1.11"), ("1.6", "1.11"), ("1.10", "1.11"), ("1.11", "1.11"), ("1.12", "1.12"), ("7.0", "7.0")],
)
def test_the_version(before: str, after: str, tmp_path: Path) -> None:
    text = sdf(PLAIN if before == "1.4" else PLAIN.replace("<xyz>", '<xyz expressed_in="__model__">'), before)
    assert migrated(text, tmp_path).startswith(f'<sdf version="{after}">')


def test_a_bare_model_has_none(tmp_path: Path) -> None:
    text = sdf(PLAIN.replace("<xyz>", '<xyz expressed_in="__model__">'), "1.11")
    bare = text[text.index("<model") : -len("</sdf>")]
    assert migrated(bare, tmp_path).startswith('<model name="m">')


def test_axes_before_15_are_in_the_model_frame(tmp_path: Path) -> None:
    old = sdf(PLAIN, "1.4")
    new = migrated(old, tmp_path, verify=True)
    assert new.count('<xyz expressed_in="__model__">0 0 1</xyz>') == 2
    for name, axis in axes(old).items():
        np.testing.assert_allclose(axis, (0, 0, 1), atol=ROUNDING, rtol=ROUNDING)
        np.testing.assert_array_equal(axes(new)[name], axis)


@pytest.mark.parametrize("said", ["true", "1", "false", "0", None])
def test_use_parent_model_frame(said: str | None, tmp_path: Path) -> None:
    """True is written as expressed_in; false stays as it is, since it is what later versions mean anyhow."""
    element = "" if said is None else f"\n<use_parent_model_frame>{said}</use_parent_model_frame>\n"
    lone = (
        joint("lone", "in", "tip", "0 1 0")
        .replace(' expressed_in="__model__"', "")
        .replace("</xyz>", f"</xyz>{element}")
    )
    tip = '<link name="tip"><pose>0 0 2 0.3 0 0.1</pose><inertial><mass>1</mass></inertial></link>'
    gears = PLAIN.replace("</xyz>", "</xyz><use_parent_model_frame>1</use_parent_model_frame>")
    old = sdf(tip + lone + gears, "1.6")
    new = migrated(old, tmp_path)
    assert (element in new if element else True) == (said not in ("true", "1"))
    np.testing.assert_array_equal(axes(new)["lone"], axes(old)["lone"])
    in_model = abs(axes(old)["lone"] @ (0, 1, 0)) == pytest.approx(1)
    assert in_model == (said in ("true", "1"))


def test_an_axis_without_a_direction(tmp_path: Path) -> None:
    old = sdf(PLAIN.replace("<axis><xyz>0 0 1</xyz></axis></joint>", "<axis/></joint>", 2), "1.4")
    assert migrated(old, tmp_path).count('<axis><xyz expressed_in="__model__">0 0 1</xyz>') == 2


def test_the_frame_of_a_pose(tmp_path: Path) -> None:
    tip = "<link name='tip'><pose frame='in'>0 0 2 0.3 0 0.1</pose><inertial><mass>1</mass></inertial></link>"
    parts = tip + joint("lone", "in", "tip", "0 1 0") + PLAIN.replace("<xyz>", '<xyz expressed_in="__model__">')
    new = migrated(sdf(parts, "1.6"), tmp_path)
    assert "<pose relative_to='in'>0 0 2 0.3 0 0.1</pose>" in new


@pytest.mark.parametrize("shared", ["in", "out"])
def test_a_joint_with_a_links_name(shared: str, tmp_path: Path) -> None:
    """Allowed before 1.7; the new name is the one that libsdformat gives it, and <mimic> uses it."""
    name = {"in": "ji", "out": "jo"}[shared]
    old = sdf(PLAIN.replace(f'"{name}"', f'"{shared}"'), "1.4")
    (tmp_path / "old.sdf").write_text(old)
    done = gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf")
    assert done.difference == 0
    new = gw.load(tmp_path / "new.sdf")
    assert set(new.joints) == {"ji", "jo"} - {name} | {f"{shared}_joint"}
    assert (done.changes[0].joint, done.changes[0].leader) == (
        ("out_joint", "ji") if shared == "out" else ("jo", "in_joint")
    )
    assert any("a link's name, becomes" in line for line in done.rewritten)


@pytest.mark.parametrize(
    ("parts", "version", "why"),
    [
        (
            '<link name="s"><sensor name="i" type="imu"><imu><noise/></imu></sensor></link>',
            "1.5",
            "<noise> of an <imu>",
        ),
        ('<link name="a::b"/>', "1.6", "'a::b' of a link would mean"),
        ("", "1.3", "only 1.4 and later"),
        ('<frame name="ji"/>', "1.6", "would not load"),
    ],
)
def test_what_a_higher_version_would_read_otherwise_is_refused(
    parts: str, version: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "old.sdf").write_text(sdf(PLAIN.replace("<xyz>", '<xyz expressed_in="__model__">') + parts, version))
    with pytest.raises(ModelError, match=why):
        gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf", verify=False)
    assert not (tmp_path / "new.sdf").exists()


def test_an_included_file_keeps_its_version(tmp_path: Path) -> None:
    """The included file is read by its own version, whatever the version of the file that includes it."""
    (tmp_path / "part.sdf").write_text(
        '<sdf version="1.4"><model name="part"><link name="p"><pose>0 0 0 1 0 0</pose></link><link name="q">'
        '<pose>0 0 0 1 0 0</pose></link><joint name="pq" type="revolute"><parent>p</parent><child>q</child>'
        "<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"
    )
    migrated(sdf(PLAIN + "<include><uri>part.sdf</uri></include>", "1.4"), tmp_path)
    new = gw.load(tmp_path / "new.sdf")
    assert new.joints["part::pq"].axes[0].xyz[1] == pytest.approx(np.sin(1), rel=ROUNDING)
