"""USD text, as usd-core opens it: frames, degrees, and mimics by the formulas of Newton and PhysX."""

from math import degrees, pi

import numpy as np
import pytest

import gearwright as gw
from gearwright.comparing import diff
from gearwright.model import AxisDynamics, Limits
from gearwright.writing.report import LossLog
from gearwright.writing.saving import USD, text_of
from tests.writing.every_field import PLACES, robot, variants

BODY = {"mass": 1, "inertia": (1, 1.5, 2)}
SINGLE = 1e-6  # of numbers of order one, which UsdPhysics keeps in single precision
VARIANTS = list(variants())


def opened(made, tmp_path, mimics="newton"):
    Usd = pytest.importorskip("pxr.Usd")
    path = tmp_path / f"robot{len(list(tmp_path.iterdir()))}.usda"  # a stage of one name is kept open
    report = gw.save(made, path, mimics=mimics)
    return Usd.Stage.Open(str(path)), report


def pair(kind="revolute", **coupling):
    """A joint that follows another: `follower = 2·(leader − 0.25) + 0.5`."""
    return (
        gw.build("pair").link("a", **BODY).link("b", **BODY).link("c", **BODY)
        .joint("leader", kind, "a", "b", pose=(0, 0, 1, 0.3, 0, 0), axis=(0, 1, 0), lower=-0.5, upper=pi / 2,
               velocity=3.0,
               damping=0.4, friction=0.2, armature=0.01, spring_stiffness=5.0, spring_reference=0.1)
        .joint("follower", kind, "b", "c", pose=(0.5, 0, 0), axis=(1, 2, 2))
        .couple("follower", "leader", 2.0, 0.5, reference=0.25, **coupling)
        .finish()
    )  # fmt: skip


def values(stage, path):
    return {a.GetName(): a.Get() for a in stage.GetPrimAtPath(path).GetAttributes()}


def test_units_of_a_turning_joint(tmp_path):
    stage, _ = opened(pair(), tmp_path)
    found = values(stage, "/pair/leader")
    assert found["physics:lowerLimit"] == pytest.approx(-degrees(0.5))
    assert found["physics:upperLimit"] == pytest.approx(90.0)
    assert found["newton:velocityLimit"] == pytest.approx(degrees(3.0))
    assert found["newton:damping"] == pytest.approx(0.4 * pi / 180)  # per degree a second
    assert found["newton:armature"] == pytest.approx(0.01)
    assert found["newton:friction"] == pytest.approx(0.2)
    assert found["drive:angular:physics:stiffness"] == pytest.approx(5.0 * pi / 180)
    assert found["drive:angular:physics:targetPosition"] == pytest.approx(degrees(0.1))


def test_units_of_a_sliding_joint(tmp_path):
    stage, _ = opened(pair("prismatic"), tmp_path)
    found = values(stage, "/pair/leader")
    assert found["physics:upperLimit"] == pytest.approx(pi / 2)
    assert found["newton:damping"] == pytest.approx(0.4)
    assert found["drive:linear:physics:stiffness"] == pytest.approx(5.0)


def test_newton_mimic(tmp_path):
    """q = coef0 + coef1·q_leader, coef0 in degrees: 0.5 − 2·0.25 = 0, so take another reference, too."""
    stage, report = opened(pair().with_coupling("follower", reference=0.0), tmp_path)
    found, prim = values(stage, "/pair/follower"), stage.GetPrimAtPath("/pair/follower")
    assert "NewtonMimicAPI" in prim.GetPrimTypeInfo().GetAppliedAPISchemas() or "NewtonMimicAPI" in str(
        prim.GetMetadata("apiSchemas")
    )
    assert found["newton:mimicEnabled"] is True
    assert prim.GetRelationship("newton:mimicJoint").GetTargets() == ["/pair/leader"]
    assert found["newton:mimicCoef1"] == 2.0
    assert found["newton:mimicCoef0"] == pytest.approx(degrees(0.5))
    folded, _ = opened(pair(), tmp_path)
    assert values(folded, "/pair/follower")["newton:mimicCoef0"] == pytest.approx(0.0)
    slides, _ = opened(pair("prismatic").with_coupling("follower", reference=0.0), tmp_path)
    assert values(slides, "/pair/follower")["newton:mimicCoef0"] == 0.5
    assert not report.lost


def test_physx_mimic(tmp_path):
    """q + gearing·q_leader + offset = 0: both numbers have the other sign."""
    stage, _ = opened(pair().with_coupling("follower", reference=0.0), tmp_path, "physx")
    found = values(stage, "/pair/follower")
    q, leader = 2.0 * 0.3 + 0.5, 0.3
    residual = (
        degrees(q) + found["physxMimicJoint:rotX:gearing"] * degrees(leader) + found["physxMimicJoint:rotX:offset"]
    )
    assert residual == pytest.approx(0.0, abs=1e-4)
    assert "newton:mimicCoef0" not in found


def test_a_mimic_of_two_kinds_is_lost(tmp_path):
    made = (
        gw.build("r").link("a", **BODY).link("b", **BODY).link("c", **BODY)
        .joint("turn", "revolute", "a", "b").joint("slide", "prismatic", "b", "c").couple("slide", "turn", 0.01)
        .finish()
    )  # fmt: skip
    _, report = opened(made, tmp_path)
    assert [loss.part for loss in report.lost] == ["coupling 'slide'"]


def local(found, side):
    from pxr import Gf

    X = np.eye(4)
    X[:3, :3] = np.array(Gf.Matrix3d(Gf.Quatd(found[f"physics:localRot{side}"]))).T
    X[:3, 3] = found[f"physics:localPos{side}"]
    return X


@pytest.mark.parametrize("name", ("gripper", "hand", "ankle", "reference_arm"))
def test_links_and_joint_frames(name, tmp_path):
    """Links stand where ours do, and both frames of a joint are one, with x along its axis."""
    pytest.importorskip("pxr")
    from pxr import UsdGeom, UsdPhysics

    made = gw.load(name)
    stage, _ = opened(made, tmp_path)
    X_W, cache = made.forward_kinematics(), UsdGeom.XformCache()
    for prim in stage.Traverse():
        if prim.HasAPI(UsdPhysics.RigidBodyAPI):
            link = prim.GetMetadata("displayName") or prim.GetName()
            np.testing.assert_allclose(np.array(cache.GetLocalToWorldTransform(prim)).T, X_W[link], atol=1e-12)
    tree = {b.joint.name for b in made.tree.branches}
    for prim in stage.Traverse():
        own = prim.GetMetadata("displayName") or prim.GetName()
        if not prim.IsA(UsdPhysics.Joint) or own not in tree:
            continue
        found, joint = values(stage, prim.GetPath()), made.joint(own)
        ends = [np.eye(4) if link == "world" else X_W[link] for link in (joint.parent, joint.child)]
        zero, one = (X @ local(found, i) for i, X in enumerate(ends))
        np.testing.assert_allclose(zero, one, atol=SINGLE)
        if joint.axes:
            np.testing.assert_allclose(
                zero[:3, 0], (ends[0] @ joint.X_PJ.matrix)[:3, :3] @ joint.axes[0].xyz, atol=SINGLE
            )


def test_principal_inertia(tmp_path):
    """Products of inertia become principal axes."""
    tensor = np.array([[1.0, 0.1, 0.2], [0.1, 1.5, 0.05], [0.2, 0.05, 2.0]])
    stage, _ = opened(gw.build("r").link("a", mass=1, inertia=tensor).finish(), tmp_path)
    from pxr import Gf

    found = values(stage, "/r/a")
    R = np.array(Gf.Matrix3d(Gf.Quatd(found["physics:principalAxes"]))).T
    np.testing.assert_allclose(R @ np.diag(found["physics:diagonalInertia"]) @ R.T, tensor, atol=SINGLE)


HOSTILE = ('a "quoted" one', "a::b", "größe", "1st", "back\\slash", "</a>", "new\nline", "#sdf", "@a@")


@pytest.mark.parametrize("name", HOSTILE, ids=repr)
def test_names(name, tmp_path):
    made = gw.build(name).link(name, **BODY).link("b", **BODY).joint(name, "revolute", name, "b").finish()
    stage, _ = opened(made, tmp_path)
    shown = {p.GetMetadata("displayName") or p.GetName() for p in stage.Traverse()}
    assert name in shown


@pytest.mark.parametrize("name", ("nul\0", "bell\x07", "\ud800"), ids=repr)
def test_what_usd_cannot_write_is_refused(name, tmp_path):
    with pytest.raises(gw.ModelError, match="no way to write"):
        gw.save(gw.build("r").link(name, **BODY).finish(), tmp_path / "r.usda")


def ids(value):
    return getattr(value, "__name__", value) if isinstance(value, type | str) else ""


@pytest.mark.parametrize(("kind", "field", "made"), VARIANTS, ids=ids)
def test_every_field_is_written_or_lost(kind, field, made):
    if not diff(robot(), made):
        return
    plain, losses = LossLog(), LossLog()
    text = text_of(made, USD, losses)
    assert text != text_of(robot(), USD, plain) or losses.lost != plain.lost


def test_limits_and_dynamics_of_other_sorts_are_lost():
    made = PLACES[Limits](Limits(stiffness=10.0))
    losses = LossLog()
    text_of(made, USD, losses)
    assert [x.field for x in losses.lost] == ["axes.1.limits.stiffness"]
    assert PLACES[AxisDynamics](AxisDynamics(damping=1.0))
