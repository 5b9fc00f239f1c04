"""USD: frames, units and zeros by the documented meaning of each attribute."""

from math import degrees, inf, pi, radians

import numpy as np
import pytest

import gearwright as gw
from tests.formats.usd.stages import HEAD, arm, joint, link, two

pytestmark = pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")


def codes(robot):
    return {d.code for d in robot.diagnostics}


def errors(text):
    with pytest.raises(gw.LoadError) as caught:
        gw.loads(text)
    return [(d.code, d.line) for d in caught.value.diagnostics if d.severity == "error"]


# --- joints -----------------------------------------------------------------------------------------------------------


def test_limits_and_dynamics_of_a_turning_joint_are_in_degrees():
    robot = gw.loads(
        two(
            "float physics:lowerLimit = -90\nfloat physics:upperLimit = 45\nfloat newton:velocityLimit = 180\n"
            "float newton:effortLimit = 7\nfloat newton:damping = 2\nfloat newton:armature = 0.5\n"
            "float newton:friction = 0.25"
        )
    )
    axis = robot.joints["second"].axes[0]
    assert (axis.limits.lower, axis.limits.upper) == pytest.approx((-pi / 2, pi / 4))
    assert (axis.limits.velocity, axis.limits.effort) == pytest.approx((pi, 7.0))
    assert axis.dynamics.damping == pytest.approx(2 * degrees(1))  # 2 N·m per degree a second
    assert (axis.dynamics.armature, axis.dynamics.friction) == (0.5, 0.25)
    assert axis.xyz == (0.0, 0.0, 1.0)
    assert robot.joints["first"].kind == "continuous"


def test_a_sliding_joint_is_in_metres():
    more = "float physics:lowerLimit = -0.5\nfloat newton:velocityLimit = 2\nfloat newton:damping = 3"
    axis = gw.loads(two(more, kind="PhysicsPrismaticJoint")).joints["second"].axes[0]
    assert (axis.limits.lower, axis.limits.upper, axis.limits.velocity) == (-0.5, inf, 2.0)
    assert axis.dynamics.damping == 3.0


def test_physx_attributes_where_newton_has_none():
    axis = gw.loads(two("float physxJoint:maxJointVelocity = 90\nfloat physxJoint:armature = 0.1")).joints["second"]
    assert axis.axes[0].limits.velocity == pytest.approx(pi / 2)
    assert axis.axes[0].dynamics.armature == 0.1


def test_centimetres_and_grams():
    """Lengths, masses, inertias and efforts are in the stage's units; angles are not."""
    head = HEAD.replace("metersPerUnit = 1", "metersPerUnit = 0.01").replace(
        "kilogramsPerUnit = 1", "kilogramsPerUnit = 1e-3"
    )
    more = "float newton:armature = 1e4\nfloat newton:effortLimit = 1e7\npoint3f physics:localPos1 = (0, 50, 0)"
    robot = gw.loads(two(more, head=head))
    inertia, second = robot.links["b"].inertia, robot.joints["second"]
    assert inertia.mass == pytest.approx(1e-3)
    assert inertia.moments == pytest.approx((1e-7,) * 3)
    assert second.axes[0].dynamics.armature == pytest.approx(1e4 * 1e-7)
    assert second.axes[0].limits.effort == pytest.approx(1e7 * 1e-7)  # g·cm²/s²
    np.testing.assert_allclose(second.X_CJ.p, (0, 0.5, 0))
    slides = gw.loads(two("float physics:upperLimit = 20", kind="PhysicsPrismaticJoint", head=head)).joints["second"]
    assert slides.axes[0].limits.upper == pytest.approx(0.2)


def test_without_units_a_stage_is_in_centimetres_with_y_up():
    robot = gw.loads(arm(link("a", at=(0, 100, 0)), head="#usda 1.0\n"))
    np.testing.assert_allclose(robot.forward_kinematics()["a"][:3, 3], (0, 1, 0))
    assert robot.gravity == (0.0, -9.81, 0.0)


@pytest.mark.parametrize(
    ("scene", "gravity"),
    [
        ("", (0, 0, -9.81)),
        ("vector3f physics:gravityDirection = (0, 2, 0)\nfloat physics:gravityMagnitude = 3", (0, 3, 0)),
        ("vector3f physics:gravityDirection = (0, 0, 0)\nfloat physics:gravityMagnitude = -inf", (0, 0, -9.81)),
        ("float physics:gravityMagnitude = 0", (0, 0, 0)),
    ],
)
def test_gravity(scene, gravity):
    robot = gw.loads(arm(f'def PhysicsScene "s" {{ {scene} }}', link("a")))
    assert robot.gravity == pytest.approx(gravity)


def test_both_frames_of_a_joint():
    """The joint's frame is given on both bodies; a pose of the bodies themselves is only where they start."""
    more = (
        "point3f physics:localPos0 = (1, 2, 3)\nquatf physics:localRot0 = (0, 1, 0, 0)\n"
        "point3f physics:localPos1 = (0, 0, 4)\nquatf physics:localRot1 = (1, 0, 0, 0)"
    )
    found = gw.loads(two(more)).joints["second"]
    np.testing.assert_allclose(found.X_PJ.p, (1, 2, 3))
    np.testing.assert_allclose(found.X_PJ.R, np.diag([1, -1, -1]), atol=1e-15)
    np.testing.assert_allclose(found.X_CJ.p, (0, 0, 4))


def test_a_joint_without_a_first_body_is_on_the_world():
    robot = gw.loads(arm(link("a", at=(0, 0, 2)), joint("mount", None, "a", "point3f physics:localPos0 = (0, 0, 2)")))
    assert (robot.joints["mount"].parent, robot.joints["mount"].child) == ("world", "a")
    back = gw.loads(arm(link("a"), joint("mount", "a", None, "float physics:lowerLimit = 0")))
    q = back.forward_kinematics({"mount": 0.3})["a"]
    np.testing.assert_allclose(q[:2, 0], (np.cos(-0.3), np.sin(-0.3)))  # the world turns by 0.3 as the body sees it


def test_a_joint_to_a_prim_below_a_body():
    inside = """def Xform "flange" { double3 xformOp:translate = (0, 0, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate"] }"""
    robot = gw.loads(arm(link("a", inside=inside), link("b"), joint("j", "a/flange", "b")))
    assert robot.joints["j"].parent == "a"
    np.testing.assert_allclose(robot.joints["j"].X_PJ.p, (0, 0, 0.5))


D6 = "PhysicsJoint"


def locked(*freedoms):
    lines = [f"float limit:{f}:physics:low = 1\nfloat limit:{f}:physics:high = -1" for f in freedoms]
    return "\n".join(lines), tuple(f"PhysicsLimitAPI:{f}" for f in freedoms)


@pytest.mark.parametrize(
    ("freedoms", "kind", "axis"),
    [
        ("transX transY transZ rotX rotY rotZ", "fixed", None),
        ("transX transY transZ rotX rotZ", "continuous", (0, 1, 0)),
        ("transX transY rotX rotY rotZ", "prismatic", (0, 0, 1)),
        ("transX transY transZ", "ball", None),
    ],
)
def test_a_joint_by_its_freedoms(freedoms, kind, axis):
    more, apis = locked(*freedoms.split())
    found = gw.loads(two(more, apis=apis, axis="").replace('PhysicsRevoluteJoint "second"', f'{D6} "second"')).joints
    assert found["second"].kind == kind
    assert axis is None or found["second"].axes[0].xyz == axis


def test_a_freedom_may_be_bounded():
    more, apis = locked("transX", "transY", "transZ", "rotX", "rotY")
    more += "\nfloat limit:rotZ:physics:low = -90\nfloat limit:rotZ:physics:high = 30"
    text = two(more, apis=(*apis, "PhysicsLimitAPI:rotZ")).replace('PhysicsRevoluteJoint "second"', f'{D6} "second"')
    limits = gw.loads(text).joints["second"].axes[0].limits
    assert (limits.lower, limits.upper) == pytest.approx((-pi / 2, radians(30)))


def test_what_has_no_counterpart_is_refused_by_name():
    assert errors(two(kind="PhysicsDistanceJoint"))[0][0] == "element-refused"
    assert errors(two(kind=D6))[0][0] == "element-refused"


def test_a_joint_that_is_switched_off():
    robot = gw.loads(two("bool physics:jointEnabled = 0"))
    assert list(robot.joints) == ["first"]
    assert "element-ignored" in codes(robot)


def test_a_joint_outside_of_the_articulation_closes_the_loop():
    close = joint("close", "a", "c", "uniform bool physics:excludeFromArticulation = 1")
    other = joint("second", "b", "c")
    robot = gw.loads(arm(link("a"), link("b"), link("c"), close, joint("first", "a", "b"), other))
    assert robot.cut == ("close",)
    alone = gw.loads(
        arm(link("a"), link("b"), joint("j", "a", "b", "uniform bool physics:excludeFromArticulation = 1"))
    )
    assert alone.cut == ()


# --- mimics -----------------------------------------------------------------------------------------------------------

NEWTON = "rel newton:mimicJoint = </arm/first>\nfloat newton:mimicCoef0 = 30\nfloat newton:mimicCoef1 = -2"
PHYSX = (
    "rel physxMimicJoint:rotZ:referenceJoint = </arm/first>\nfloat physxMimicJoint:rotZ:gearing = 2\n"
    "float physxMimicJoint:rotZ:offset = -30"
)


@pytest.mark.parametrize(("more", "api"), [(NEWTON, "NewtonMimicAPI"), (PHYSX, "PhysxMimicJointAPI:rotZ")])
def test_mimics(more, api):
    """Newton: q = 30° − 2·leader. PhysX: q + 2·leader − 30° = 0. They are the same."""
    coupling = gw.loads(two(more, apis=(api,))).couplings["second"]
    assert (coupling.multiplier, coupling.offset) == pytest.approx((-2.0, radians(30)))
    sim = gw.compile(gw.loads(arm(*[two(more, apis=(api,)).split("{", 1)[1].rsplit("}", 1)[0]])), gravity=(0, 0, 0))
    sim.reset(position={"first": 0.1})
    assert sim.position["second"] == pytest.approx(radians(30) - 0.2)


def test_a_sliding_mimic_has_its_offset_in_metres():
    text = two(NEWTON, apis=("NewtonMimicAPI",), kind="PhysicsPrismaticJoint")
    assert gw.loads(text).couplings["second"].offset == 30.0


def test_a_soft_mimic_of_physx():
    more = f"{PHYSX}\nfloat physxMimicJoint:rotZ:naturalFrequency = 40\nfloat physxMimicJoint:rotZ:dampingRatio = 0.5"
    coupling = gw.loads(two(more, apis=("PhysxMimicJointAPI:rotZ",))).couplings["second"]
    assert (coupling.mode, coupling.natural_frequency, coupling.damping_ratio) == ("compliant", 40.0, 0.5)


def test_one_mimic_of_two_dialects():
    """Two importers that each apply one of them freeze the leader."""
    robot = gw.loads(two(f"{NEWTON}\n{PHYSX}", apis=("NewtonMimicAPI", "PhysxMimicJointAPI:rotZ")))
    assert len(robot.couplings) == 1
    assert any("PhysX's mimic is not used" in d.message for d in robot.diagnostics)


def test_faults_of_mimics():
    assert errors(two(NEWTON.replace("first", "third"), apis=("NewtonMimicAPI",)))[0][0] == "mimic-leader-not-found"
    assert errors(two(NEWTON.replace("first", "second"), apis=("NewtonMimicAPI",)))[0][0] == "mimic-self"
    assert not gw.loads(two(f"{NEWTON}\nbool newton:mimicEnabled = 0", apis=("NewtonMimicAPI",))).couplings


# --- drives -----------------------------------------------------------------------------------------------------------


def test_a_drive_is_an_actuator_with_gains():
    more = (
        "float drive:angular:physics:stiffness = 2\nfloat drive:angular:physics:damping = 0.5\n"
        "float drive:angular:physics:maxForce = 9\nfloat drive:angular:physics:targetPosition = 10"
    )
    robot = gw.loads(two(more, apis=("PhysicsDriveAPI:angular",)))
    motor = robot.actuators["second"]
    assert (motor.command, motor.effort_limit) == ("position", 9.0)
    assert (motor.stiffness, motor.damping_gain) == pytest.approx((2 * degrees(1), 0.5 * degrees(1)))
    assert any("target is a command" in d.message for d in robot.diagnostics)
    speed = gw.loads(two("float drive:angular:physics:damping = 0.5", apis=("PhysicsDriveAPI:angular",)))
    assert speed.actuators["second"].command == "velocity"


def test_a_drive_of_accelerations_is_not_simulated():
    more = 'float drive:angular:physics:stiffness = 2\nuniform token drive:angular:physics:type = "acceleration"'
    robot = gw.loads(two(more, apis=("PhysicsDriveAPI:angular",)))
    assert not robot.actuators
    assert "not-simulated" in codes(robot)


# --- masses and shapes ------------------------------------------------------------------------------------------------

CUBE = 'def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"{more}]) {{ double size = 2 {text} }}'


def body(more="", inside=""):
    return arm(f'def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{ {more}\n{inside} }}')


def test_principal_axes():
    more = """float physics:mass = 2\npoint3f physics:centerOfMass = (0, 0, 1)
        float3 physics:diagonalInertia = (1, 2, 3)
        quatf physics:principalAxes = (0.70710678118654757, 0, 0, 0.70710678118654757)"""
    inertia = gw.loads(body(more)).links["a"].inertia
    np.testing.assert_allclose(inertia.tensor, np.diag([2, 1, 3]), atol=1e-15)
    np.testing.assert_allclose(inertia.center, (0, 0, 1))


def test_masses_from_shapes():
    """Water where no density is given; a mass without an inertia scales the shapes'."""
    box = CUBE.format(more="", text="")
    inertia = gw.loads(body(inside=box)).links["a"].inertia
    assert inertia.mass == pytest.approx(8000.0)
    assert inertia.moments == pytest.approx((8000 * (4 + 4) / 12,) * 3)
    assert gw.loads(body("float physics:density = 500", box)).links["a"].inertia.mass == pytest.approx(4000.0)
    own = CUBE.format(more=', "PhysicsMassAPI"', text="float physics:mass = 6")
    assert gw.loads(body(inside=own)).links["a"].inertia.mass == pytest.approx(6.0)
    scaled = gw.loads(body("float physics:mass = 2", box)).links["a"].inertia
    assert (scaled.mass, scaled.moments) == (2.0, pytest.approx((2 * 8 / 12,) * 3))
    assert "inertia-missing" in codes(gw.loads(body("float physics:mass = 2")))


SHAPES = [
    ("Cube", "double size = 2\ndouble3 xformOp:scale = (1, 2, 3)", "Box(size=(2.0, 4.0, 6.0))"),
    ("Sphere", "double radius = 2", "Sphere(radius=2.0)"),
    ("Sphere", "double3 xformOp:scale = (1, 2, 3)", "Ellipsoid(radii=(1.0, 2.0, 3.0))"),
    ("Cylinder", "", "Cylinder(radius=1.0, length=2.0)"),
    ("Cylinder", 'uniform token axis = "X"\ndouble3 xformOp:scale = (3, 2, 2)', "Cylinder(radius=2.0, length=6.0)"),
    ("Capsule", "", "Capsule(radius=0.5, length=1.0)"),
    ("Cone", "double height = 4", "Cone(radius=1.0, length=4.0)"),
    ("Plane", "", "Plane(normal=(0.0, 0.0, 1.0), size=(2.0, 2.0))"),
]


@pytest.mark.parametrize(("kind", "text", "shape"), SHAPES)
def test_shapes(kind, text, shape):
    order = 'uniform token[] xformOpOrder = ["xformOp:scale"]' if "scale" in text else ""
    robot = gw.loads(arm(link("a", inside=f'def {kind} "s" {{ {text}\n{order} }}')))
    assert repr(robot.links["a"].visuals[0].shape) == shape
    assert robot.links["a"].collisions == ()


def test_a_shape_along_x_is_turned_to_it():
    inside = 'def Cylinder "s" { uniform token axis = "X" }'
    shape = gw.loads(arm(link("a", inside=inside))).links["a"].visuals[0]
    np.testing.assert_allclose(shape.pose.R[:, 2], (1, 0, 0))


def test_an_oval_cylinder_is_left_out():
    inside = """def Cylinder "s" { double3 xformOp:scale = (1, 2, 1)
        uniform token[] xformOpOrder = ["xformOp:scale"] }"""
    robot = gw.loads(arm(link("a", inside=inside)))
    assert robot.links["a"].visuals == ()
    assert "not-simulated" in codes(robot)


def test_shapes_outside_of_bodies_are_the_worlds():
    ground = 'def Plane "ground" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }'
    robot = gw.loads(arm(ground, link("a")))
    assert [g.name for g in robot.links["world"].collisions] == ["ground"]


def test_what_physics_says_and_nobody_reads_is_reported():
    found = gw.loads(two("float physics:breakForce = 5\nfloat physics:breakForce2 = 5\ncolor3f primvars:x = (1, 1, 1)"))
    said = [d.message for d in found.diagnostics if d.code == "element-ignored"]
    assert len(said) == 2
    assert "physics:breakForce of a PhysicsRevoluteJoint" in said[0]
