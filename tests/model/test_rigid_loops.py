"""Loops that move to first order only, and those that merely pass a dead centre."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.couplings import Coupling, Term
from gearwright.model.joints import AxisRef
from gearwright.model.loops.mobility import mobility
from tests.tolerances import ROUNDING

INERTIAL = "<inertial><mass>0.3</mass><inertia><ixx>1e-3</ixx><iyy>1e-3</iyy><izz>1e-3</izz></inertia></inertial>"


def link(name, x, z=0.0):
    return f"<link name='{name}'><pose>{x} 0 {z} 0 0 0</pose>{INERTIAL}</link>"


def joint(name, kind, parent, child, axis="0 1 0", x=0.0, z=0.0):
    return (
        f"<joint name='{name}' type='{kind}'><pose>{x} 0 {z} 0 0 0</pose><parent>{parent}</parent>"
        f"<child>{child}</child><axis><xyz>{axis}</xyz></axis></joint>"
    )


def robot(*parts):
    """An arm that swings, with a loop on it."""
    arm = link("arm", 0.1) + joint("swing", "revolute", "world", "arm", x=-0.1)
    return gw.loads(f"<sdf version='1.11'><model name='m'>{arm}{''.join(parts)}</model></sdf>")


def held_by_a_slider(tilt=0.0):
    """Two links on hinges 0.2 m apart, and a slider between them: across the line through the hinges, or tilted."""
    return robot(
        link("a", 0.0),
        link("b", 0.2),
        joint("hinge_a", "revolute", "arm", "a"),
        joint("hinge_b", "revolute", "arm", "b"),
        joint("slider", "prismatic", "a", "b", f"{-np.sin(tilt)} 0 {np.cos(tilt)}"),
    )


def parallelogram(height):
    """Cranks of 0.1 m that reach up to a height; at 0 they lie along the rod: a dead centre."""
    x = np.sqrt(0.01 - height**2)
    return robot(
        link("a", 0.0),
        link("b", 0.2),
        link("rod", x, height),
        joint("hinge_a", "revolute", "arm", "a"),
        joint("hinge_b", "revolute", "arm", "b"),
        joint("pin_a", "revolute", "a", "rod"),
        joint("pin_b", "revolute", "rod", "b", x=x, z=height),
    )


@pytest.mark.parametrize("tilt", [0.0, 1e-5])
def test_a_slider_across_the_line_through_its_hinges_is_held(tilt):
    """With the rounding of a file, too: then its hinges would turn by twice that, and stop."""
    found = held_by_a_slider(tilt)
    assert found.rigid_loops == ("slider",)
    assert found.dof == 1
    (warning,) = [d for d in found.diagnostics if d.code == "loop-rigid"]
    assert "'slider'" in warning.message


@pytest.mark.parametrize("tilt", [0.3, np.pi / 2])
def test_one_that_is_held_to_first_order_is_none(tilt):
    assert held_by_a_slider(tilt).rigid_loops == ()


@pytest.mark.parametrize("height", [0.0, 0.05])
def test_a_parallelogram_moves_through_its_dead_centre(height):
    found = parallelogram(height)
    assert found.rigid_loops == ()
    assert found.dof == 2


def three_alike(third_tilt=0.0):
    """Three of the slider's loops, coupled by the arm's joint, which turns by the sum of one hinge of each."""
    parts = []
    for k, tilt in enumerate((0.0, 0.0, third_tilt)):
        parts += [
            link(f"a{k}", float(k)),
            link(f"b{k}", k + 0.2),
            joint(f"hinge_a{k}", "revolute", "arm", f"a{k}"),
            joint(f"hinge_b{k}", "revolute", "arm", f"b{k}"),
            joint(f"slider{k}", "prismatic", f"a{k}", f"b{k}", f"{-np.sin(tilt)} 0 {np.cos(tilt)}"),
        ]
    leaders = tuple(Term(AxisRef(f"hinge_a{k}"), 1.0) for k in range(3))
    return robot(*parts), [Coupling(name="sum", follower=AxisRef("swing"), leaders=leaders)]


@pytest.mark.parametrize(("third_tilt", "held"), [(0.0, 3), (0.3, 2)])
def test_three_loops_alike_that_are_coupled_are_all_held(third_tilt, held):
    """Each is named once."""
    found, couplings = three_alike(third_tilt)
    rigid = mobility(found.tree, couplings, [], found.configuration()).rigid
    assert list(rigid) == [f"slider{k}" for k in range(held)]


def test_what_is_not_drawn_closed_is_left_alone():
    assert gw.load("four_bar").rigid_loops == ()


@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
def test_a_loop_that_is_held_swings_as_one_body():
    """Beside the same robot with the slider fixed."""
    parts = (
        held_by_a_slider(),
        robot(
            link("a", 0.0),
            link("b", 0.2),
            joint("hinge_a", "revolute", "arm", "a"),
            joint("fixed_b", "fixed", "arm", "b"),
            joint("slider", "fixed", "a", "b"),
        ),
    )
    sims = [gw.compile(part) for part in parts]
    for sim in sims:
        sim.step(n=500)
        assert sim.unsettled == 0
    assert sims[0].position["swing"] == pytest.approx(sims[1].position["swing"], abs=ROUNDING)
    assert abs(sims[0].position["hinge_a"]) < ROUNDING
    assert abs(sims[0].position["slider"]) < ROUNDING
    assert abs(sims[0].position["swing"]) > 0.5
