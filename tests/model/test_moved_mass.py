"""Coordinates without an equation of motion: named, and given an armature that makes the mass matrix regular."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.diagnostics import Diagnostic

X, Y, Z = "1 0 0", "0 1 0", "0 0 1"
HINGE, SLIDE = "continuous", "prismatic"


def mass(mass: float = 1.0, com: str = "0 0.1 0", moments: tuple[float, ...] = (0.01, 0.01, 0.01)) -> str:
    ixx, iyy, izz = moments
    tensor = f'<inertia ixx="{ixx!r}" iyy="{iyy!r}" izz="{izz!r}"/>'
    return f'<inertial><origin xyz="{com}"/><mass value="{mass!r}"/>{tensor}</inertial>'


POINT = mass(com="0.1 0.05 -0.3", moments=(0, 0, 0))
ROD = mass(com="0 0 0.1", moments=(0.01, 0.01, 0))
ROTOR = '<actuator name="m"><joint>j0</joint><rotor_inertia>1e-5</rotor_inertia></actuator>'


def chain(*joints: tuple[str, ...], more: str = "", **links: str) -> str:
    """Joints j0, j1, … of a kind, an axis, and an origin; links l0, l1, … without mass unless given."""
    text = '<link name="base"/>'
    for k, (kind, axis, *rest) in enumerate(joints):
        origin = f'<origin xyz="{rest[0] if rest else "0 0 0"}" rpy="{rest[1] if len(rest) > 1 else "0 0 0"}"/>'
        parent = f"l{k - 1}" if k else "base"
        ends = f'<parent link="{parent}"/><child link="l{k}"/><axis xyz="{axis}"/><limit effort="9" velocity="9"/>'
        text += f'\n<link name="l{k}">{links.get(f"l{k}", "")}</link>'
        text += f'<joint name="j{k}" type="{kind}">{origin}{ends}{rest[2] if len(rest) > 2 else ""}</joint>'
    return f'<robot name="r">{text}{more}</robot>'


def found(text: str) -> list[Diagnostic]:
    return [d for d in gw.loads(text).diagnostics if d.severity == "warning" and d.code != "limit-missing"]


# what is singular → the joints that are named, the last one first to be given an armature
SINGULAR = {
    "hinges along one line": (chain((HINGE, X), (HINGE, X, "0.3 0 0"), l1=mass()), ["j0", "j1"]),
    "turned frames": (chain((HINGE, Z), (HINGE, Y, "0 0 0", "1.5707963 0 0"), l1=mass()), ["j0", "j1"]),
    "angles of five digits": (chain((HINGE, Z), (HINGE, Y, "0 0 0", "1.5708 0 0"), l1=mass()), ["j0", "j1"]),
    "three hinges and a point mass": (chain((HINGE, Z), (HINGE, X), (HINGE, Y), l2=POINT), ["j0", "j1", "j2"]),
    "hinges in one plane at the start": (
        chain((HINGE, Z), (HINGE, X), (HINGE, "0.005 0 1"), l2=mass()),
        ["j0", "j1", "j2"],
    ),
    "parallel slides": (chain((SLIDE, X), (SLIDE, X, "0 1 0"), l1=mass()), ["j0", "j1"]),
    "a ball and a hinge": (chain(("ball", X), (HINGE, Y), l1=mass()), ["j0", "j1"]),
    "a hinge and a ball": (chain((HINGE, Y), ("spherical", X), l1=mass()), ["j1", "j0"]),
    "a plane and a hinge across": (chain(("planar", Z), (HINGE, Z, "1 0 0"), l1=mass()), ["j0", "j1"]),
    "four hinges": (chain((HINGE, Z), (HINGE, X), (HINGE, Y), (HINGE, Z), l3=mass()), ["j0", "j3"]),
    "a light link far out": (chain((HINGE, X), (HINGE, X), (HINGE, Z), l1=mass(), l2=mass(1e-3)), ["j0", "j1"]),
    "a rod about itself": (chain((HINGE, Z), l0=ROD), ["j0"]),
    "a rod about itself, further out": (chain((HINGE, X), (HINGE, Z), l1=ROD), ["j1"]),
    "nothing at the end": (chain((HINGE, X), (HINGE, Z), l0=mass()), ["j1"]),
    "a moment of minus nothing": (chain((HINGE, Z), l0=mass(com="0 0 0.3", moments=(-2e-35, 0, 0))), ["j0"]),
    "behind a fixed joint": (chain((HINGE, X), ("fixed", X, "1 0 0"), (HINGE, X), l2=mass()), ["j0", "j2"]),
    "hinges that are parallel at the start": (chain((HINGE, Z), (HINGE, X), (HINGE, Z), l2=mass()), ["j0", "j2"]),
}
# what looks like it, and is regular
REGULAR = {
    "hinges side by side": chain((HINGE, X), (HINGE, X, "0 0.3 0"), l1=mass()),
    "hinges across": chain((HINGE, X), (HINGE, Y), (HINGE, Z), l2=mass()),
    "a free base of six joints": chain(*((kind, axis) for kind in (SLIDE, HINGE) for axis in (X, Y, Z)), l5=mass()),
    "axes a little apart": chain((HINGE, X), (HINGE, "1 6e-5 0"), l1=mass()),
    "a link between": chain((HINGE, X), (HINGE, X), l0=mass(1e-6, moments=(1e-9, 1e-9, 1e-9)), l1=mass()),
    "a point mass beside its hinges": chain((HINGE, Z), (HINGE, X), l1=POINT),
    "an armature": chain((HINGE, X), (HINGE, X, "0 0 0", "0 0 0", '<dynamics armature="1e-4"/>'), l1=mass()),
    "a rotor": chain((HINGE, X), (HINGE, X), l1=mass(), more=ROTOR),
    "a follower": chain((HINGE, X), (HINGE, X, "0 0 0", "0 0 0", '<mimic joint="j0"/>'), l1=mass()),
}  # fmt: skip


def scaled_eigenvalues(sim: Any) -> np.ndarray:
    M = sim.mass_matrix()
    d = np.sqrt(M.diagonal())
    return np.linalg.eigvalsh(M / np.outer(d, d))


@pytest.mark.parametrize("case", SINGULAR)
def test_singular_mass_matrices_are_named_and_mended(case: str) -> None:
    text, names = SINGULAR[case]
    (d,) = found(text)
    assert d.code == "inertia-missing" and d.line and "an armature of 1e-06 is used" in d.message
    said, _, given = d.message.partition(";")
    assert [n for n in said.split("'")[1::2] if n.startswith("j")] == names
    assert ("the mass matrix is singular" in said) == (len(names) > 1)
    assert ("in the initial configuration" in said) == ("start" in case)
    mended = [n for n in given.split("'")[1::2] if n in names] or names
    with pytest.warns(gw.LoadWarning, match="inertia-missing"):
        sim = gw.compile(gw.loads(text), integrator="euler")
    assert scaled_eigenvalues(sim)[0] > 3e-7  # 1e-6 beside some kg, or 0.01 kg·m²
    sim.reset(velocity=dict.fromkeys(mended, 0.3))
    sim.step(n=50)
    assert np.isfinite(sim.state).all()


@pytest.mark.parametrize("case", REGULAR)
def test_regular_mass_matrices_are_left_alone(case: str) -> None:
    assert found(REGULAR[case]) == []


def test_three_hinges_and_a_point_mass_swing_like_a_pendulum() -> None:
    """Energy stays, and the mass moves as it does on a ball joint: a small armature decides the rest."""
    text, _ = SINGULAR["three hinges and a point mass"]
    with pytest.warns(gw.LoadWarning):
        sim = gw.compile(gw.loads(text))
    sim.reset(position={"j0": 0.2, "j1": 0.1}, velocity={"j0": 1.0, "j1": 0.3, "j2": -0.5})
    before = sim.energy
    sim.step(n=1000)
    assert sim.energy == pytest.approx(before, abs=1e-6)  # the integrator's, at 1 ms
    assert sim.unsettled == 0


def test_joints_without_axes_cannot_be_mended() -> None:
    """A ball joint turns its point mass about the line to it, and has no axis for an armature."""
    text = chain(("ball", X), l0=POINT)
    (d,) = found(text)
    assert d.code == "not-simulable" and "'j0' can move without moving any mass" in d.message
    with pytest.raises(gw.CompileError, match="mass matrix is singular"):
        gw.compile(gw.loads(text))


def test_a_free_body_without_mass_is_refused_with_its_name() -> None:
    text = '<robot name="r"><link name="a"/></robot>'
    robot = gw.loads(text, base="floating")
    assert [d.code for d in robot.diagnostics] == ["not-simulable"]
    with pytest.raises(gw.CompileError, match="joint 'base' moves no mass"):
        gw.compile(robot)


@pytest.mark.parametrize("integrator", [None, "euler"])
def test_the_error_names_a_pose_in_which_the_mass_matrix_is_singular(integrator: str | None) -> None:
    """Regular where the file has it; `reset` puts the first and the last hinge in line. A shorter step is no remedy."""
    turned = chain((HINGE, Z), (HINGE, X, "0 0 0", "0.5 0 0"), (HINGE, Z), l2=mass())
    assert found(turned) == []
    sim = gw.compile(gw.loads(turned), integrator=integrator)
    sim.reset(position={"j1": -0.5}, velocity={"j0": 1.0})
    with pytest.raises(gw.SimulationError) as caught:
        sim.step(n=10)
    assert "The mass matrix is singular there: 'j0' and 'j2' can move together" in str(caught.value)
    assert "smaller dt" not in str(caught.value)
