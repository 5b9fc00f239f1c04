"""What loads compiles, moves as it should, or is refused with a reason that the checks gave, too."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import AxisRef, Encoder
from gearwright.model.hardware.drives import Drive
from tests.sim.robots import FOLDER
from tests.tolerances import ROUNDING

pytestmark = pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
FOUR_BAR = (FOLDER / "four_bar.sdf").read_text()
Z = "<axis><xyz>0 0 1</xyz>{}</axis>"


def hinge(name, parent, child, more="", pose=""):
    return (
        f'<joint name="{name}" type="revolute">{pose and f"<pose>{pose}</pose>"}<parent>{parent}</parent>'
        f"<child>{child}</child>{Z.format(more)}</joint>"
    )


def model(links, *parts):
    every = "".join(f'<link name="{n}"/>' for n in links)
    mount = f'<joint name="mount" type="fixed"><parent>world</parent><child>{links[0]}</child></joint>'
    return gw.loads(f'<sdf version="1.12"><model name="m">{every}{mount}{"".join(parts)}</model></sdf>')


# --- loops ------------------------------------------------------------------------------------------------------------


def test_a_door_on_two_hinges_swings():
    door = model(
        ["frame", "leaf"], hinge("lower", "frame", "leaf"), hinge("upper", "frame", "leaf", pose="0 0 1 0 0 0")
    )
    sim = gw.compile(door)
    sim.step(effort={"lower": 1.0}, n=100)
    assert door.dof == 1
    assert sim.position["lower"] == pytest.approx(0.5 * 0.1**2, rel=1e-12)  # 1 kg·m², first order in dt


def test_a_loop_that_nothing_can_move_stands_still():
    stiff = model(["l1", "l2"], hinge("r", "l1", "l2"), hinge("p", "l1", "l2").replace("revolute", "prismatic"))
    sim = gw.compile(stiff)
    sim.step(effort={"r": 1.0}, n=20)
    assert stiff.dof == 0
    assert abs(sim.position["r"]) < ROUNDING


def follow(leader, multiplier):
    return f'<mimic joint="{leader}"><multiplier>{multiplier}</multiplier></mimic>'


THREE = ["base", "crank", "rod"]


@pytest.mark.parametrize("mode", ["exact", "hard", "compliant"])
def test_a_mimic_of_a_joint_that_closes_a_loop(mode):
    """Three hinges about one axis: c = a, and a + b + c = 0 by the loop. It is cut at b, which nothing names."""
    robot = model(
        THREE, hinge("a", "base", "crank"), hinge("b", "crank", "rod"), hinge("c", "rod", "base", follow("a", 1))
    )
    sim = gw.compile(robot, coupling=mode)
    sim.step(effort={"a": 1.0}, n=200)
    assert [j.name for j in robot.tree.cuts] == ["b"]
    assert robot.dof == 1
    assert sim.position["a"] > 0.001
    assert sim.position["c"] == pytest.approx(sim.position["a"], rel=ROUNDING if mode != "compliant" else 0.05)


def test_a_loop_with_sensors_on_every_joint_is_cut_through_a_link():
    """Encoders on all four pins: all of them have coordinates then, and the loop stays closed."""
    robot = gw.loads(FOUR_BAR)
    cut = robot.tree.cuts[0].name
    every = robot
    for j in robot.joints.values():
        if j.dof:
            every = every.with_sensor(Encoder(name=f"e_{j.name}", joint=AxisRef(j.name)))
    sim, plain = gw.compile(every), gw.compile(robot)
    for s in (sim, plain):
        s.step(effort={"pin_a": 0.02}, n=100)
    assert [j.name for j in sim.robot.tree.cuts] == [f"{cut}.weld"]
    assert sim.position[cut] == pytest.approx(
        sim.position["pin_d"] - sim.position["pin_a"] - sim.position["pin_b"], abs=1e-12
    )
    for link in robot.links:
        assert np.abs(sim.pose[link] - plain.pose[link]).max() < ROUNDING
    assert sim.kinetic_energy == pytest.approx(plain.kinetic_energy, rel=1e-12)


def test_the_mass_of_a_link_that_is_cut_through_is_one_parameter():
    whole = gw.compile(gw.loads(FOUR_BAR, cut=["pin_c"]), parameters=["rocker.mass"])
    split = gw.compile(
        gw.loads(FOUR_BAR, cut=["pin_c"]).with_sensor(Encoder(name="e", joint=AxisRef("pin_c"))),
        parameters=["rocker.mass"],
    )
    for sim in (whole, split):
        sim.set_parameters({"rocker.mass": 3.0})
    assert split.potential_energy == pytest.approx(whole.potential_energy, rel=1e-12)


def test_a_drive_on_a_joint_that_closes_a_loop():
    sim = gw.compile(gw.loads(FOUR_BAR), drives={"pin_c": Drive(stiffness=50.0, damping=1.0)})
    start = sim.position["pin_c"]
    sim.drive(position={"pin_c": start + 0.2})
    sim.step(n=2000)
    assert sim.position["pin_c"] == pytest.approx(start + 0.2, abs=2e-3)  # found 4e-4
    assert abs(sim.position["pin_a"]) > 0.05


# --- grippers with mimics and loops -----------------------------------------------------------------------------------


def gripper(multiplier):
    """A parallel gripper: crank, finger and second crank are a parallelogram, by mimics and by a loop joint."""
    links = "".join(
        f'<link name="{n}"><inertial><origin xyz="0 0 0.02"/><mass value="0.1"/>'
        '<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for n in ("palm", "crank", "finger", "second")
    )
    limit = '<limit lower="-1" upper="1" effort="10" velocity="10"/>'

    def joint(name, parent, child, xyz, more=""):
        return (
            f'<joint name="{name}" type="revolute"><origin xyz="{xyz}"/><parent link="{parent}"/>'
            f'<child link="{child}"/><axis xyz="0 1 0"/>{limit}{more}</joint>'
        )

    def mimic(m):
        return f'<mimic joint="crank_joint" multiplier="{m}"/>'

    closing = (
        '<gazebo><joint name="close" type="revolute"><parent>second</parent><child>palm</child>'
        "<pose>0.05 0 0 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>"
    )
    joints = joint("crank_joint", "palm", "crank", "0 0 0")
    joints += joint("finger_joint", "crank", "finger", "0 0 0.07", mimic(-multiplier))
    joints += joint("second_joint", "finger", "second", "0.05 0 0", mimic(multiplier))
    return gw.loads(f'<robot name="gripper">{links}{joints}{closing}</robot>')


def closing_misfit(sim):
    """How far the second crank's pin is from the palm's [m]."""
    pin = sim.pose["second"] @ [0.0, 0.0, -0.07, 1.0]
    return float(np.linalg.norm((pin - sim.pose["palm"] @ [0.05, 0.0, 0.0, 1.0])[:3]))


@pytest.mark.parametrize("mode", ["exact", "hard"])
def test_a_gripper_whose_mimics_and_loop_agree_moves(mode):
    """Rows of the loop on top of its mimics would hold it by their rounding."""
    robot = gripper(1)
    sim = gw.compile(robot, coupling=mode, gravity=(0.0, 0.0, 0.0))
    sim.step(effort={"crank_joint": 0.05}, n=100)
    assert robot.dof == 1
    assert {d.code for d in robot.diagnostics} >= {"coupling-implied", "loop-closed"}
    assert sim.position["crank_joint"] > 0.1
    assert sim.position["finger_joint"] == pytest.approx(-sim.position["crank_joint"], abs=1e-12)
    assert closing_misfit(sim) < ROUNDING


def test_a_gripper_whose_mimics_only_come_near_keeps_its_loop():
    robot = gripper(0.98)
    sim, agreeing = (gw.compile(r, gravity=(0.0, 0.0, 0.0)) for r in (robot, gripper(1)))
    for s in (sim, agreeing):
        s.step(effort={"crank_joint": 0.05}, n=100)
    told = [d for d in robot.diagnostics if d.code == "coupling-contradicted"]
    assert len(told) == 2 and all(d.line for d in told)
    assert robot.dof == 1
    assert sim.position["crank_joint"] == pytest.approx(agreeing.position["crank_joint"], rel=1e-12)
    assert sim.position["finger_joint"] == pytest.approx(-sim.position["crank_joint"], abs=1e-12)
    assert closing_misfit(sim) < ROUNDING


# --- parts that do not move -------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*moves nothing:gearwright.LoadWarning")
def test_backlash_before_a_fixed_joint_does_nothing():
    robot = gw.loads(
        '<sdf version="1.12"><model name="m"><link name="a"/><link name="b"/>'
        '<joint name="f" type="fixed"><parent>a</parent><child>b</child></joint>'
        '<actuator name="m" type="electric_motor"><rotor_inertia>1e-3</rotor_inertia></actuator>'
        '<transmission name="t" type="simple"><actuator>m</actuator><joint>f</joint>'
        "<backlash><gap>0.1</gap><stiffness>100</stiffness></backlash></transmission></model></sdf>"
    )
    sim = gw.compile(robot)
    sim.step(n=5)
    assert any("do not act: 't'" in d.message for d in sim.diagnostics)


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_numbers_that_are_too_large_are_named():
    """1e300 kg at 1e10 m turn with an inertia that is no number."""
    inertia = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
    far = f'<link name="far"><inertial><pose>1e10 0 0 0 0 0</pose><mass>1e300</mass>{inertia}</inertial></link>'
    with pytest.raises(gw.CompileError, match=r"too large to compute with; .*'far\.mass' = 1e\+300 kg, 'far\.com\.x'"):
        gw.compile(model(["base"], far, hinge("turn", "base", "far")))
