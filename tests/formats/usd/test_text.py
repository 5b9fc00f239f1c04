"""USD text: what its grammar allows, places by usd-core, and texts that are wrong on purpose."""

import contextlib
import random
import time

import numpy as np
import pytest

import gearwright as gw
from gearwright.diagnostics import Report
from gearwright.formats.usd.text import parse_usd
from tests.formats.usd.stages import HEAD, arm, joint, link, two

pytestmark = pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")


def parsed(text):
    report = Report()
    root = parse_usd(text.encode(), "text", report)
    return root, list(report)


RICH = '''#usda 1.0
(
    """A comment"""
    customLayerData = { dictionary inner = { int a = 1 string[] b = ["x", "}"] } }
    defaultPrim = "a"
    timeCodesPerSecond = 24
)
/* over
   lines */
reorder rootPrims = ["a", "b"]
def Xform "a" ( kind = "component" delete references = @x.usd@</P> prepend apiSchemas = ["One", "Two"] )
{
    custom string note = 'single \\'quoted\\' \\x41\\n'
    string long = """three "quotes" and
a line"""
    float3[] many = [(1, 2, 3), (4, 5, 6)] ( interpolation = "vertex" )
    rel targets = [</a/b>, </a/c>]
    prepend rel more = </a/b>
    float x.timeSamples = { 0: 1, 1: 2, }
    token y.connect = </a/b.z>
    asset file = @@@a@b@@@
    double empty
    float none = None
    int[] nothing = []
    matrix4d m = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 6, 7, 1) )
    variantSet "kind" = { "one" { def "z" { } } "two" ( active = true ) { int k = 1 } }
    uniform bool on = true; uniform bool off = 0
    over "b" { }
    class "abstract" { }
}
'''


def test_the_grammar():
    root, found = parsed(RICH)
    assert not found
    a = root.children[0]
    assert (a.tag, a.get("name"), a.get("@apiSchemas")) == ("Xform", "a", "One Two")
    assert a.get("note") == "single 'quoted' A\n"
    assert a.get("long") == 'three "quotes" and\na line'
    assert a.get("many") == "1 2 3 4 5 6"
    assert a.get("targets") == "/a/b /a/c"
    assert a.get("file") == "a@b"
    assert (a.get("none"), a.get("nothing"), a.get("empty")) == ("", "", None)
    assert a.get("m").split()[12:15] == ["5", "6", "7"]
    assert a.get("@references") is None
    assert a.get("@variantSets") == "kind"
    assert [c.get("name") for c in a.children] == ["b", "abstract"]
    assert a.line == 11


@pytest.mark.parametrize("k", range(8))
def test_places_as_usd_core_has_them(k):
    """Random stacks of operations on nested prims."""
    Usd, UsdGeom = pytest.importorskip("pxr.Usd"), pytest.importorskip("pxr.UsdGeom")
    rng = random.Random(k)
    kinds = ["translate", "rotateX", "rotateY", "rotateZ", "rotateXYZ", "rotateZYX", "rotateYXZ", "orient", "scale"]

    def quoted(name):
        return f'"{name}"'

    def numbers(n):
        found = np.array([rng.uniform(-2, 2) for _ in range(n)])
        return ", ".join(map(repr, (found / np.linalg.norm(found) if n == 4 else found).tolist()))

    def operations(depth):
        ops, lines = [], []
        for i in range(4):
            kind = rng.choice(kinds[: 9 if depth == 2 else 8])
            name, n = (
                f"xformOp:{kind}:n{i}",
                {"orient": 4}.get(kind, 1 if len(kind) == 7 and kind != "translate" else 3),
            )
            if kind.startswith("rotate") and len(kind) == 7:
                n = 1
            kind_of = {4: "quatd", 3: "double3", 1: "double"}[n]
            value = "(0.7, 0.7, 0.7)" if kind == "scale" else f"({numbers(n)})" if n > 1 else numbers(n)
            lines.append(f"{kind_of} {name} = {value}")
            ops.append(("!invert!" if rng.random() < 0.3 else "") + name)
        if depth == 1 and rng.random() < 0.3:
            ops.insert(0, "!resetXformStack!")
        return "\n".join(lines) + f"\nuniform token[] xformOpOrder = [{', '.join(map(quoted, ops))}]"

    text = "#usda 1.0\n(metersPerUnit = 1)\n"
    text += f'def Xform "a" {{ {operations(0)}\ndef Xform "b" {{ {operations(1)}\n'
    text += f'def Xform "c" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{ {operations(2)}\n}}\n}}\n}}'
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)
    there = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath("/a/b/c"))).T
    here = gw.loads(text).forward_kinematics()["c"]
    np.testing.assert_allclose(here[:3, 3], there[:3, 3], atol=1e-9)
    scale = np.linalg.norm(there[:3, :3], axis=0)
    np.testing.assert_allclose(here[:3, :3], there[:3, :3] / scale, atol=1e-9)


FAULTS = [
    ("def", 2), ("def Xform", 2), ('def Xform "a"', 2), ('def Xform "a" {', 2), ('def Xform "a" { float x = }', 2),
    ('def Xform "a" { float x = (1, 2 }', 2), ('def "a" ( prepend apiSchemas = "x', 2), ('def "a" { rel x = <a }', 2),
    ("nonsense", 2), ('def "a" { $ }', 2), ("(", 2), ('def "a" { float[ x = 1 }', 2), ('def "a" {\n a b = {', 3),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line"), FAULTS, ids=repr)
def test_faults_have_a_line(text, line):
    root, found = parsed("#usda 1.0\n" + text)
    assert root is None
    assert [(d.code, d.line) for d in found] == [("usd-malformed", line)]


def test_a_text_without_a_robot():
    with pytest.raises(gw.LoadError, match="PhysicsRigidBodyAPI"):
        gw.loads("#usda 1.0\n")


def test_hostile_texts_end_soon():
    start = time.monotonic()
    deep = "#usda 1.0\n" + 'def "a" {' * 5000 + "}" * 5000
    assert parsed(deep)[1][0].code == "xml-unsafe"
    assert parsed('#usda 1.0\ndef "a" { float x = ' + "(" * 5000)[1][0].code == "xml-unsafe"
    assert parsed('#usda 1.0\ndef "a" { dictionary x = ' + "{" * 5000)[1][0].code in ("xml-unsafe", "usd-malformed")
    assert parsed("#usda 1.0\n" + '"' * 50_001)[1]
    assert parsed('#usda 1.0\ndef "a" { string x = """' + "\\" * 100_001)[1]
    many = "#usda 1.0\n" + 'def "a" { }\n' * 120_000
    assert parsed(many)[1][0].code == "xml-unsafe"
    assert time.monotonic() - start < 20


def test_mutated_texts_never_end_in_a_traceback():
    rng = random.Random(0)
    text = two("float physics:lowerLimit = -90", apis=("NewtonMimicAPI",))
    for _ in range(300):
        changed = list(text)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(changed))
            changed[at : at + rng.randint(0, 6)] = rng.choice(
                ['"', "(", ")", "{", "}", "nan", "1e400", "<", "é", "", "]"]
            )
        with contextlib.suppress(gw.LoadError, gw.ModelError):
            gw.loads("".join(changed))


def test_numbers_that_are_none():
    with pytest.raises(gw.LoadError) as caught:
        gw.loads(arm(link("a", more="point3f physics:centerOfMass = (1, 2)")))
    assert [d.code for d in caught.value.diagnostics if d.severity == "error"] == ["number-invalid"]


# --- files ------------------------------------------------------------------------------------------------------------


BODY = """
def Xform "b" (
    prepend variantSets = "size"
    variants = { string size = "big" }
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{
    float3 physics:diagonalInertia = (1, 1, 1)
    variantSet "size" = {
        "big" {
            float physics:mass = 7
        }
        "small" {
            float physics:mass = 1
        }
    }
}
"""


def stage_files(tmp_path):
    """A robot in two files: the first refers to a body in the second, which has a variant."""
    (tmp_path / "body.usda").write_text(HEAD.replace("arm", "b") + BODY)
    referring = '\ndef "b" (prepend references = @./body.usda@)\n{\n}\n'
    path = tmp_path / "robot.usda"
    path.write_text(arm(link("a"), referring, joint("j", "a", "b")))
    return path


def test_composed_files_go_through_usd_core(tmp_path):
    pytest.importorskip("pxr")
    robot = gw.load(stage_files(tmp_path))
    assert robot.links["b"].inertia.mass == 7.0
    assert robot.joints["j"].child == "b"


@pytest.mark.parametrize("ending", ("usdc", "usd", "usdz"))
def test_binary_files(ending, tmp_path):
    Usd = pytest.importorskip("pxr.Usd")
    from pxr import UsdUtils

    made = gw.load("gripper")
    gw.save(made, tmp_path / "gripper.usda")
    binary = tmp_path / f"gripper.{'usdc' if ending == 'usdz' else ending}"
    Usd.Stage.Open(str(tmp_path / "gripper.usda")).Export(str(binary))
    path = tmp_path / f"gripper.{ending}"
    if ending == "usdz":
        UsdUtils.CreateNewUsdzPackage(str(binary), str(path))
    robot = gw.load(path)
    assert list(robot.joints) == list(made.joints)
    assert robot.couplings["left_finger"].multiplier == pytest.approx(made.couplings["left_finger"].multiplier)
    X, Y = made.forward_kinematics(), robot.forward_kinematics()
    assert max(np.abs(X[n] - Y[n]).max() for n in X) < 1e-6  # single precision


def test_without_usd_core_the_reason_is_said(tmp_path, monkeypatch):
    path = stage_files(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "pxr", None)
    with pytest.raises(gw.LoadError, match=r"composed of several parts.*gearwright\[usd\]"):
        gw.load(path)


def test_broken_binary_files(tmp_path):
    pytest.importorskip("pxr")
    path = tmp_path / "broken.usdc"
    path.write_bytes(b"PXR-USDC" + bytes(200))
    with pytest.raises(gw.LoadError, match="usd-core cannot open"):
        gw.load(path)
    with pytest.raises(gw.LoadError, match="read from its path"):
        gw.loads(path.read_bytes())
