"""The Functions as other layers see them: names, derivatives, refusals, and how many instructions they take."""

from functools import cache

import casadi
import numpy as np
import pytest

from gearwright.dynamics import INTEGRATORS, Equations
from gearwright.dynamics.tree.coordinates import State
from gearwright.errors import UnknownNameError
from gearwright.formats import load, loads
from gearwright.model import WORLD, Axis, AxisRef, Coupling, Couplings, Inertia, Joint, Link, Mechanism, Pose, Term
from tests.dynamics.random_mechanisms import flat, random_tree
from tests.dynamics.stepping import run, started


def gripper():
    """A wrist and two fingers, the left one following the right."""
    inertia = Inertia(mass=0.1, moments=(1e-3, 1e-3, 1e-3), pose=Pose.from_rpy((0.01, 0.02, 0.03), (0, 0, 0)))
    joints = [
        Joint(name="wrist", kind="revolute", parent=WORLD, child="palm", axes=(Axis(xyz=(1.0, 0.0, 0.0)),)),
        Joint(name="left", kind="prismatic", parent="palm", child="l", axes=(Axis(xyz=(0.0, -1.0, 0.0)),)),
        Joint(name="right", kind="prismatic", parent="palm", child="r", axes=(Axis(xyz=(0.0, 1.0, 0.0)),)),
    ]
    mimic = Coupling(name="left", follower=AxisRef("left"), leaders=(Term(AxisRef("right"), 1.0),))
    links = {n: Link(name=n, inertia=inertia) for n in ("palm", "l", "r")}
    return Mechanism(name="gripper", links=links, joints={j.name: j for j in joints}, couplings=Couplings([mimic]))


def test_names_and_shapes():
    equations = Equations(gripper(), parameters=("l.mass", "left.multiplier"))
    assert equations.coordinates == ("wrist", "left", "right")
    assert equations.positions == equations.velocities == ("wrist", "right")
    assert equations.state == ("wrist", "right", "wrist'", "right'")
    assert equations.couplings == ("left",)
    assert equations.links == ("palm", "l", "r")
    assert dict(equations.parameters) == {"l.mass": 0.1, "left.multiplier": 1.0}
    step = equations.step
    assert step.name_in() == ["position", "velocity", "effort", "parameter", "dt"]
    assert step.name_out() == ["next_position", "next_velocity"]
    assert [step.size1_in(n) for n in step.name_in()] == [2, 2, 3, 2, 1]


def test_every_function_evaluates():
    equations = Equations(gripper())
    q, u, effort = [0.1, 0.2], [0.3, 0.4], [0.0, 0.0, 0.0]
    assert equations.observer("link_poses")(q, []).shape == (3, 12)
    assert equations.observer("mass_matrix")([0.1, 0.2, 0.2], []).shape == (3, 3)
    assert equations.observer("bias")([0.1, 0.2, 0.2], [0.3, 0.4, 0.4], []).shape == (3, 1)
    assert [x.shape for x in linearised(equations, q, u, effort)] == [(4, 4), (4, 3)]
    assert equations.observer("observation").name_out() == [
        "tree_position", "tree_velocity", "tree_acceleration", "coupling_error", "coupling_effort",
    ]  # fmt: skip


def guessed(equations, q, u, effort, dt):
    """Slots from which a midpoint's iterations start where they end: the guess is `2·v − w`, w given."""
    slots = started(equations, q, u, effort, dt)
    for _ in range(3 if "mean_velocity" in slots else 0):  # each takes a hundredth off what iterations leave
        ended = dict(slots)
        run(equations.stages, ended)
        slots["mean_velocity"] = 2.0 * slots["velocity"] - ended["mean_velocity"]
    return slots


def linearised(equations, q, u, effort, dt=1e-3):
    if not equations.staged:
        return equations.linearization(q, u, effort, [], dt)
    slots = guessed(equations, q, u, effort, dt)
    return equations.linearization.call([slots[name] for name in equations.linearization.name_in()])


@cache
def tree_equations(integrator):
    mechanism = random_tree(51, kinds=("revolute", "ball", "prismatic", "floating"))
    return Equations(mechanism, integrator=integrator)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("at_rest", [False, True])
def test_linearisation(integrator, at_rest, rng):
    """Against central differences, which are good to 1e-9 here; at rest a ball's exponential map must not be 0/0.

    Passes of a midpoint end at 2e-5 of a speed: they start where they end.
    """
    equations = tree_equations(integrator)
    q = np.array([1.0 if name.endswith(".qw") else 0.0 for name in equations.positions])
    u = np.zeros(len(equations.velocities)) if at_rest else rng.normal(size=len(equations.velocities))
    effort, dt, h = rng.normal(size=len(u)), 1e-2, 1e-5
    x = np.concatenate([q, u, effort])

    def after(x):
        nq, nu = len(q), len(u)
        parts = x[:nq], x[nq : nq + nu], x[nq + nu :]
        if equations.staged:
            slots = guessed(equations, *parts, dt)
            run(equations.stages, slots)
            return np.concatenate([slots["position"], slots["velocity"]])
        return np.concatenate([flat(y) for y in equations.step(*parts, [], dt)])

    some = rng.permutation(len(x))[:12]  # of the columns: a step each way is 5 ms
    differences = np.column_stack([(after(x + h * e) - after(x - h * e)) / (2 * h) for e in np.eye(len(x))[some]])
    exact = np.hstack([np.array(part) for part in linearised(equations, q, u, effort, dt)])
    assert np.isfinite(exact).all()
    assert np.abs(exact[:, some] - differences).max() < 1e-7 * np.abs(exact).max()


def test_an_unknown_integrator_is_named():
    with pytest.raises(UnknownNameError, match="euler"):
        Equations(gripper(), integrator="eule")


def at(p):
    return Pose(np.eye(3), p)


def test_a_loop_is_named():
    names = ["a", "b", "c"]
    inertia = Inertia(mass=1.0, moments=(1.0, 1.0, 1.0))
    ends = [(WORLD, "a"), ("a", "b"), ("b", "c"), (WORLD, "c")]
    pins = [((0, 0, 0), (0, 0, 0)), ((1, 0, 0), (0, 0, 0)), ((0, 1, 0), (0, 0, 0)), ((0, 1, 0), (-1, 0, 0))]  # a square
    joints = [
        Joint(name=f"j{k}", kind="revolute", parent=p, child=c, axes=(Axis(),), X_PJ=at(a), X_CJ=at(b))
        for k, ((p, c), (a, b)) in enumerate(zip(ends, pins, strict=True))
    ]
    links = {n: Link(name=n, inertia=inertia) for n in names}
    loop = Mechanism(name="loop", links=links, joints={j.name: j for j in joints})
    assert Equations(loop).rows == ("j3",) * 2  # in its plane; those that look out of it are implied


def test_a_fixed_link_costs_nothing():
    """Welded in, with its mass: the tape is no longer than without it."""
    text = """<robot name="r"><link name="base"/>
      <link name="a"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>
        <inertia ixx="1" iyy="1.1" izz="1.2" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial></link>
      <joint name="j" type="continuous"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/></joint>{}</robot>"""
    tool = """<link name="tool"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
      </inertial></link><joint name="weld" type="fixed"><parent link="a"/><child link="tool"/>
      <origin xyz="0.1 0.5 0.2"/></joint>"""
    bare, welded = (Equations(loads(text.format(extra))) for extra in ("", tool))
    assert welded.step.n_instructions() <= bare.step.n_instructions()
    assert float(welded.observer("mass_matrix")([0.3], [])) == pytest.approx(
        float(bare.observer("mass_matrix")([0.3], [])) + 1 + 0.29, rel=1e-12
    )


def test_a_mechanism_that_cannot_move():
    joint = Joint(name="weld", kind="fixed", parent=WORLD, child="block")
    block = Link(name="block", inertia=Inertia(mass=2.0, pose=Pose.from_rpy((0, 0, 3.0), (0, 0, 0))))
    equations = Equations(Mechanism(name="block", links={"block": block}, joints={"weld": joint}, gravity=(0, 0, -10)))
    assert [x.shape for x in equations.step([], [], [], [], 1e-3)] == [(0, 1), (0, 1)]
    assert [float(x) for x in equations.observer("energy")([], [], [])] == [0.0, pytest.approx(60.0, rel=1e-12)]
    assert equations.observer("link_poses")([], []).shape == (1, 12)


def arithmetic(function):
    """Instructions that compute: no loads, stores or constants."""
    free = (casadi.OP_CONST, casadi.OP_INPUT, casadi.OP_OUTPUT)
    return sum(function.instruction_id(k) not in free for k in range(function.n_instructions()))


# What the step took when this was written, and 2 %: speed is instructions, so a change that adds some must say so here.
BUDGET = {"panda": 1_312, "pr2": 4_940, "allegro": 1_750, "talos": 6_750}
FILES = {
    "panda": "panda_description/urdf/panda.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
}


@pytest.mark.parametrize("robot", BUDGET)
def test_the_step_stays_within_its_budget(robot, robot_data_folder):
    assert arithmetic(Equations(load(robot_data_folder / FILES[robot])).step) <= BUDGET[robot]


def test_opposite_fingers_cancel():
    """One follows the other the opposite way: their columns meet in the palm and leave no coupling with the wrist."""
    mechanism = gripper()
    model = Equations(mechanism).model
    tree = model.tree(State([0.1, 0.2], [0.0, 0.0]))
    M = model.mass_matrix(model.configuration(tree), tree)
    assert (1, 0) not in M
