"""SRDF: pairs of links that never touch, from a file that is given or that lies beside the robot."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.model.contacts.finding import find_contacts

SHAPE = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
NAMES = ("a", "b", "c", "d")
LINKS = "".join(f"<link name='{n}'>{SHAPE}</link>" for n in NAMES)
JOINTS = "".join(
    f"<joint name='j{b}' type='continuous'><parent link='{a}'/><child link='{b}'/></joint>" for a, b in pairwise(NAMES)
)
ROBOT = f"<robot name='r'>{LINKS}{JOINTS}</robot>"
EXCLUDED = "".join(f"<disable_collisions link1='{a}' link2='{b}' reason='Never'/>" for a, b in ("ab", "bc", "cd", "ad"))
SRDF = f"<robot name='r'><group name='arm'><chain base_link='a' tip_link='d'/></group>{EXCLUDED}</robot>"


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    file = tmp_path / "urdf" / "r.urdf"
    file.parent.mkdir()
    file.write_text(ROBOT)
    return file


def touching(m: gw.Mechanism) -> set[frozenset[str]]:
    return {frozenset(p.links) for p in find_contacts(m).contacts}


@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
def test_what_is_not_excluded_touches(robot: Path, tmp_path: Path) -> None:
    file = tmp_path / "moveit.srdf"
    file.write_text(SRDF)
    assert touching(gw.load(robot)) == set()
    assert touching(gw.load(robot, srdf=file)) == {frozenset("ac"), frozenset("bd")}


@pytest.mark.parametrize("place", ["urdf/r.srdf", "srdf/r.srdf"])
@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
def test_one_beside_the_robot_excludes_only(robot: Path, tmp_path: Path, place: str) -> None:
    file = tmp_path / place
    file.parent.mkdir(exist_ok=True)
    file.write_text(SRDF)
    m = gw.load(robot)
    assert touching(m) == set()
    assert m.no_contact == (("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"))
    assert m.self_collide == ()


@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
def test_what_is_wrong_with_one(robot: Path, tmp_path: Path) -> None:
    with pytest.raises(gw.LoadError, match="cannot be read"):
        gw.load(robot, srdf=tmp_path / "none.srdf")
    with pytest.raises(gw.ModelError, match="srdf must be the path"):
        gw.load(robot, srdf=3)  # type: ignore[arg-type]
    file = tmp_path / "x.srdf"
    file.write_text("<sdf/>")
    with pytest.raises(gw.LoadError, match="an SRDF begins with <robot>"):
        gw.load(robot, srdf=file)
    file.write_text(SRDF.replace("link2='d'", "link2='e'"))
    assert any(
        "did you mean" in d.message or "'e' does not exist" in d.message for d in gw.load(robot, srdf=file).diagnostics
    )
