"""The proof finds what is wrong, and finds nothing where nothing is."""

from dataclasses import replace

import pytest

import gearwright as gw
from gearwright.conversion.checks import Check
from gearwright.conversion.proof import prove
from gearwright.writing.report import LossLog
from gearwright.writing.saving import FORMATS, text_of

PROGRAMS = {".sdf": {"Drake"}, ".urdf": {"MuJoCo", "Pinocchio", "Drake"}, ".xml": {"MuJoCo"}}


@pytest.mark.parametrize("ending", PROGRAMS)
@pytest.mark.parametrize("name", ("gripper", "wrist"))
def test_verified(name, ending, tmp_path):
    for package in ("mujoco", "pinocchio", "pydrake"):
        pytest.importorskip(package)
    done = gw.convert(name, tmp_path / f"out{ending}", verify=True)
    assert done.verified, done.table
    compared = {c.program for c in done.checks if c.difference is not None}
    assert compared >= PROGRAMS[ending]
    assert all(c.difference < 1e-12 for c in done.checks if c.difference is not None), done.table


def wrong(robot, change):
    text = text_of(robot, FORMATS[".urdf"], LossLog())
    assert change[0] in text
    return text.replace(*change)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (('multiplier="1"', 'multiplier="-1"'), "motion"),
        (('xyz="0.006 0 0.08"', 'xyz="0.006 0 0.081"'), "poses"),
    ],
)
def test_our_own_reading_finds_changes(change, what):
    """A sign or a length that a writer got wrong."""
    robot = gw.load("gripper")
    checks = prove(robot, wrong(robot, change), ".urdf", 1e-9)
    assert any(c.program == "Gearwright" and c.what == what and not c.ok for c in checks), [str(c) for c in checks]


def test_a_peer_finds_changes(monkeypatch):
    """A mass that is doubled on the way is seen by every program that reads the file."""
    for package in ("mujoco", "pinocchio", "pydrake"):
        pytest.importorskip(package)
    robot = gw.load("wrist")
    write = FORMATS[".urdf"].write

    def doubled(m, losses, mesh_path):
        links = {n: replace(x, inertia=replace(x.inertia, mass=2 * x.inertia.mass)) for n, x in m.links.items()}
        return write(replace(m, links=links), losses, mesh_path)

    monkeypatch.setitem(FORMATS, ".urdf", replace(FORMATS[".urdf"], write=doubled))
    checks = prove(robot, write(robot, LossLog(), lambda mesh: mesh.uri), ".urdf", 1e-9)
    bad = {c.program for c in checks if c.what in ("mass matrix", "bias") and not c.ok}
    assert bad == {"MuJoCo", "Pinocchio", "Drake"}


@pytest.mark.parametrize("change", [{"moments": (1e-3, 1e-4, 1e-4)}, {"mass": 0.0}])
def test_an_inertia_that_drake_replaces_is_said(change):
    """One that no body can have: no program is wrong, and Drake takes another."""
    pytest.importorskip("pydrake")
    robot = gw.load("wrist")
    links = dict(robot.links)
    hand = links["hand"]
    links["hand"] = replace(hand, inertia=replace(hand.inertia, products=(0.0, 0.0, 0.0), **change))
    odd = replace(robot, links=links)
    checks = prove(odd, text_of(odd, FORMATS[".urdf"], LossLog()), ".urdf", 1e-9)
    of_drake = {c.what: c for c in checks if c.program == "Drake"}
    assert of_drake["poses"].difference < 1e-12
    assert "inertia of link 'hand'" in of_drake["mass matrix"].note
    assert all(c.ok for c in checks)
    assert any(c.program == "Pinocchio" and c.what == "mass matrix" and c.difference < 1e-12 for c in checks)


def test_what_is_not_compared_is_no_proof():
    from gearwright.conversion.converting import Conversion

    nothing = Check(program="MuJoCo", what="reading", note="it is not installed")
    assert Conversion(source="a", target="b", checks=(nothing,)).verified is None
    assert Conversion(source="a", target="b").verified is None
    assert nothing.ok
    assert not Check(program="x", what="y", difference=float("nan"), tolerance=1.0).ok


@pytest.mark.parametrize("gravity", [9.81, 1.62])
def test_joints_that_have_a_links_name(gravity):
    """SDFormat allows no two parts of a name; the proof knows what else such a joint is called.

    Drake counts a joint to the nested model that its child is in.
    """
    pytest.importorskip("pydrake")
    part = """<link name="{1}"><inertial><mass value="1"/><origin xyz="0.1 0 0"/><inertia ixx="0.01" iyy="0.01"
      izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="{0}" type="revolute"><parent link="{2}"/>
      <child link="{1}"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/>
      </joint>"""
    named = (
        ("arm", "arm", "base"), ("hold", "hand::palm", "arm"), ("hand::tip", "hand::tip", "hand::palm"),
        ("cup", "cup", "hand::palm"),
    )  # fmt: skip
    parts = "".join(part.format(*names) for names in named)
    robot = gw.loads(f"""<robot name="r"><link name="base"/>{parts}</robot>""")
    robot = replace(robot, gravity=(0.0, 0.0, -gravity))  # another one than usual is that of a world around the model
    checks = prove(robot, text_of(robot, FORMATS[".sdf"], LossLog()), ".sdf", 1e-12)
    assert {c.what for c in checks if c.program == "Drake"} == {"poses", "mass matrix", "bias"}
    assert all(c.ok and c.difference is not None for c in checks), [str(c) for c in checks]


@pytest.mark.parametrize("ending", [".urdf", ".sdf", ".xml"])
def test_what_other_programs_have_otherwise_is_no_difference(ending):
    """In a URDF, links have the frames of their joints; and only MuJoCo has links without gravity, in MJCF."""
    for package in ("mujoco", "pinocchio", "pydrake"):
        pytest.importorskip(package)
    b = gw.build("r").link("base").link("arm", mass=2.0, inertia=(0.1, 0.2, 0.15))
    b.link("float", mass=1.0, inertia=(0.1, 0.2, 0.15))
    b.joint("j", "revolute", "base", "arm", child_pose=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), axis=(0, 1, 0))
    b.joint("k", "prismatic", "arm", "float", pose=(0, 0, 1, 0.3, 0, 0), child_pose=(0.2, 0.1, 0))
    robot = b.finish()
    links = dict(robot.links) | {"float": replace(robot.links["float"], gravity=False)}
    robot, losses = replace(robot, links=links), LossLog()
    checks = prove(robot, text_of(robot, FORMATS[ending], losses), ending, 1e-9)
    assert all(c.ok and c.difference < 1e-12 for c in checks), [str(c) for c in checks]
    assert {c.program for c in checks} >= PROGRAMS[ending]
    assert any("gravity does not act" in note for note in losses.notes) == (ending == ".urdf")
