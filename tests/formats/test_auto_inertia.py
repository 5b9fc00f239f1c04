"""`<inertial auto="true">`: computed from collision shapes and densities, as SDFormat 1.11 says."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from gearwright.model.mass.solids import SOLIDS, solid
from tests.tolerances import ROUNDING

SHAPES = {
    "box": "<size>0.1 0.2 0.3</size>",
    "sphere": "<radius>0.2</radius>",
    "cylinder": "<radius>0.1</radius><length>0.5</length>",
    "capsule": "<radius>0.1</radius><length>0.5</length>",
    "ellipsoid": "<radii>0.1 0.2 0.3</radii>",
    "cone": "<radius>0.1</radius><length>0.5</length>",
}
MJCF = {
    "box": 'size="0.05 0.1 0.15"',
    "sphere": 'size="0.2"',
    "cylinder": 'size="0.1 0.25"',
    "capsule": 'size="0.1 0.25"',
    "ellipsoid": 'size="0.1 0.2 0.3"',
}


def collision(shape: str, more: str = "", name: str = "c") -> str:
    geometry = f"<geometry><{shape}>{SHAPES.get(shape, '<uri>a.stl</uri>')}</{shape}></geometry>"
    return f'<collision name="{name}">{more}{geometry}</collision>'


def load(collisions: str, inertial: str = "", attributes: str = 'auto="true"') -> gw.Mechanism:
    link = f'<link name="l">\n<inertial {attributes}>{inertial}</inertial>{collisions}</link>'
    return gw.loads(
        f'<sdf version="1.11"><model name="m"><frame name="f"><pose>1 0 0 0 0 0</pose></frame>{link}</model></sdf>'
    )


def said(robot: gw.Mechanism) -> list[tuple[str, str]]:
    return [(d.severity, d.message) for d in robot.diagnostics if d.code.startswith("inertia")]


# --- solids -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", MJCF)
def test_solids_are_those_of_mujoco(shape: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    pose = 'pos="0.3 -0.2 0.1" euler="0.4 0.5 0.6"'
    spec = f'<geom type="{shape}" {MJCF[shape]} density="700" {pose}/><geom type="sphere" size="0.2" density="300"/>'
    body = f'<worldbody><body name="l"><freejoint/>{spec}</body></worldbody>'
    text = f'<mujoco><compiler angle="radian" eulerseq="XYZ"/>{body}</mujoco>'
    theirs = mujoco.MjModel.from_xml_string(text)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, theirs.body_iquat[1])
    R = R.reshape(3, 3)
    first = collision(shape, "<density>700</density><pose>0.3 -0.2 0.1 0.4 0.5 0.6</pose>")
    ours = load(first + collision("sphere", "<density>300</density>", "d")).links["l"].inertia
    assert ours.mass == pytest.approx(theirs.body_mass[1], rel=1e-12)
    assert ours.center == pytest.approx(theirs.body_ipos[1], abs=1e-13)
    assert ours.tensor == pytest.approx(R @ np.diag(theirs.body_inertia[1]) @ R.T, abs=1e-12)


ROUND = {
    Sphere(radius=0.3): lambda z: 0.09 - z * z,
    Cylinder(radius=0.3, length=0.8): lambda z: 0.09 + 0 * z,
    Cone(radius=0.3, length=0.8): lambda z: (0.3 * (0.5 - z / 0.8)) ** 2,
    Capsule(radius=0.3, length=0.8): lambda z: 0.09 - np.maximum(np.abs(z) - 0.4, 0) ** 2,
}  # shape → the square of its radius at the height z


@pytest.mark.parametrize("shape", ROUND, ids=lambda s: type(s).__name__)
def test_bodies_of_revolution_are_the_sum_of_their_discs(shape: object) -> None:
    """Midpoint rule over n discs: an error of 1/n², or of n^(−3/2) where the radius ends upright."""
    half = {"Sphere": 0.3, "Capsule": 0.7}.get(type(shape).__name__, 0.4)
    n = 200_000
    z = (np.arange(n) + 0.5) / n * 2 * half - half
    r2 = ROUND[shape](z)  # type: ignore[index]
    discs = pi * r2 * (2 * half / n)
    volume = discs.sum()
    center = (discs @ z) / volume
    across = discs @ (r2 / 4 + (z - center) ** 2) / volume
    found = solid(shape)  # type: ignore[arg-type]
    assert found is not None
    assert found.volume == pytest.approx(volume, rel=1e-10)
    assert found.center == pytest.approx(center, abs=2e-11)
    assert found.moments == pytest.approx((across, across, discs @ (r2 / 2) / volume), rel=2.5e-10)


def test_every_solid_is_tested() -> None:
    assert set(SOLIDS) == {type(s) for s in ROUND} | {Box, Ellipsoid}


# --- what a file says -------------------------------------------------------------------------------------------------


def test_the_default_density_is_that_of_water() -> None:
    robot = load(collision("box"))
    assert robot.links["l"].inertia.mass == pytest.approx(6.0, rel=ROUNDING)
    assert said(robot) == [("info", "link 'l' gives no <density>; SDFormat's 1000 kg/m³ is used")]


def test_a_collisions_density_comes_before_the_links() -> None:
    both = collision("box") + collision("box", "<density>500</density>", "d")
    robot = load(both, "<density>2000</density>")
    assert robot.links["l"].inertia.mass == pytest.approx(12 + 3, rel=ROUNDING)
    assert not said(robot)


def test_a_mass_scales_what_the_shapes_say() -> None:
    free, scaled = (load(collision("cone"), m).links["l"].inertia for m in ("", "<mass>3</mass>"))
    assert scaled.mass == 3
    assert scaled.tensor == pytest.approx(free.tensor * 3 / free.mass, rel=1e-14)
    assert scaled.center.tolist() == [0, 0, -0.125]


def test_what_is_given_beside_it_is_not_used() -> None:
    robot = load(collision("box"), "<density>1</density><inertia><ixx>9</ixx></inertia><pose>1 1 1 0 0 0</pose>")
    assert robot.links["l"].inertia.center.tolist() == [0, 0, 0]
    assert [s for s, _ in said(robot)] == ["info", "info"]


def test_a_collision_in_another_frame() -> None:
    robot = load(collision("box", '<pose relative_to="f">0 1 0 0 0 0</pose>'))
    assert robot.links["l"].inertia.center == pytest.approx([1, 1, 0], rel=ROUNDING)


GIVEN = "<mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"


@pytest.mark.parametrize(
    ("collisions", "reason"),
    [
        ("", "it has no <collision>"),
        (collision("mesh"), "collision 'c' is a mesh"),
        (collision("box") + collision("plane", name="p"), "collision 'p' is a plane"),
        (collision("heightmap"), "collision 'c' is a heightmap"),
        ('<collision name="c"><geometry><box><size>1</size></box></geometry></collision>', "no shape that can be read"),
    ],
)
def test_what_cannot_be_computed_is_reported(collisions: str, reason: str) -> None:
    robot = load(collisions, GIVEN)
    ((severity, message),) = said(robot)
    assert severity == "warning"
    assert reason in message and "the given values are used" in message
    assert robot.links["l"].inertia.mass == 2
    assert [d.line for d in robot.diagnostics if d.code == "inertia-auto"] == [2]


def test_parameters_of_a_calculator_of_meshes_are_named() -> None:
    robot = load(collision("box", "<density>1</density>"), "<auto_inertia_params><a>1</a></auto_inertia_params>")
    assert [s for s, _ in said(robot)] == ["info"]


@pytest.mark.parametrize("density", ["0", "-1"])
def test_densities_are_positive(density: str) -> None:
    with pytest.raises(gw.LoadError, match="inertia-invalid"):
        load(collision("box", f"<density>{density}</density>"))


def test_auto_false_takes_what_is_given() -> None:
    assert load(collision("box"), GIVEN, 'auto="false"').links["l"].inertia.mass == 2
