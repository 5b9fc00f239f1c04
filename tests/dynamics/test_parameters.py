"""Numbers as inputs: giving a parameter a value is the same as writing that value into the mechanism."""

from dataclasses import replace

import numpy as np
import pytest

from gearwright.dynamics import Equations
from gearwright.dynamics.parameters import numbers
from gearwright.errors import CompileError, UnknownNameError
from gearwright.model import AxisRef, Coupling, Couplings, Pose, Term
from tests.dynamics.random_mechanisms import flat, random_tree, relative_error


def mechanism():
    kinds = ("revolute", "prismatic", "universal", "revolute", "ball", "planar")
    free = random_tree(41, kinds=kinds, backward=("ball",))
    scalar = [n for n, j in free.joints.items() if j.dof == 1]
    leader = Term(AxisRef(scalar[0]), 0.6)
    belt = Coupling(name="belt", alias=scalar[1], follower=AxisRef(scalar[1]), leaders=(leader,), powers=(0.2,),
                    offset=0.1, reference=0.3)  # fmt: skip
    return replace(free, couplings=Couplings([belt]))


ROBOT = mechanism()
FOLLOWER = ROBOT.couplings["belt"].alias
LINK = [*ROBOT.links][-1]  # at the end, where all of its inertia acts
REVOLUTE = next(n for n, j in ROBOT.joints.items() if j.kind == "revolute")
UNIVERSAL = next(n for n, j in ROBOT.joints.items() if j.kind == "universal")
BALL = next(n for n, j in ROBOT.joints.items() if j.kind == "ball")
PLANAR = next(n for n, j in ROBOT.joints.items() if j.kind == "planar")


def with_link(**inertia):
    link = ROBOT.links[LINK]
    return replace(ROBOT, links={**ROBOT.links, LINK: replace(link, inertia=replace(link.inertia, **inertia))})


def with_joint(name, **changes):
    return replace(ROBOT, joints={**ROBOT.joints, name: replace(ROBOT.joints[name], **changes)})


def with_dynamics(name, index, **dynamics):
    axes = list(ROBOT.joints[name].axes)
    axes[index] = replace(axes[index], dynamics=replace(axes[index].dynamics, **dynamics))
    return with_joint(name, axes=tuple(axes))


def moved(X, k, value):
    p = np.array(X.p)
    p[k] = value
    return Pose(X.R, p)


INERTIA = ROBOT.links[LINK].inertia
CASES = {
    f"{LINK}.mass": (2.5, with_link(mass=2.5)),
    f"{LINK}.com.y": (0.4, with_link(pose=moved(INERTIA.pose, 1, 0.4))),
    f"{LINK}.inertia.iyy": (0.9, with_link(moments=(INERTIA.moments[0], 0.9, INERTIA.moments[2]))),
    f"{LINK}.inertia.ixz": (0.05, with_link(products=(INERTIA.products[0], 0.05, INERTIA.products[2]))),
    f"{REVOLUTE}.origin.x": (0.8, with_joint(REVOLUTE, X_PJ=moved(ROBOT.joints[REVOLUTE].X_PJ, 0, 0.8))),
    f"{BALL}.origin.z": (0.8, with_joint(BALL, X_PJ=moved(ROBOT.joints[BALL].X_PJ, 2, 0.8))),
    f"{REVOLUTE}.damping": (3.0, with_dynamics(REVOLUTE, 0, damping=3.0)),
    f"{REVOLUTE}.spring_stiffness": (7.0, with_dynamics(REVOLUTE, 0, spring_stiffness=7.0)),
    f"{UNIVERSAL}.axis2.spring_reference": (1.5, with_dynamics(UNIVERSAL, 1, spring_reference=1.5)),
    f"{UNIVERSAL}.axis.armature": (0.7, with_dynamics(UNIVERSAL, 0, armature=0.7)),
    f"{BALL}.damping": (0.7, with_joint(BALL, damping=0.7)),
    f"{PLANAR}.rz.damping": (0.7, with_dynamics(PLANAR, 0, damping=0.7)),
    "belt.multiplier": (-0.9, ROBOT.with_coupling("belt", leaders=(Term(ROBOT.couplings["belt"].leader, -0.9),))),
    "belt.offset": (0.5, ROBOT.with_coupling("belt", offset=0.5)),
    "belt.reference": (-0.5, ROBOT.with_coupling("belt", reference=-0.5)),
    "belt.power2": (0.4, ROBOT.with_coupling("belt", powers=(0.4,))),
    f"{FOLLOWER}.offset": (0.5, ROBOT.with_coupling("belt", offset=0.5)),
    "gravity.y": (4.0, replace(ROBOT, gravity=(ROBOT.gravity[0], 4.0, ROBOT.gravity[2]))),
}


def a_state(equations, rng):
    q = np.array([1.0 if name.endswith(".qw") else rng.normal() for name in equations.positions])
    four = [i for i, name in enumerate(equations.positions) if ".q" in name]
    q[four] /= np.linalg.norm(q[four])
    return q, rng.normal(size=len(equations.velocities)), rng.normal(size=len(equations.coordinates))


def outcome(equations, state, parameters):
    q, u, effort = state
    step = equations.step(q, u, effort, parameters, 1e-2)
    return np.concatenate([flat(x) for x in (*step, *equations.observer("energy")(q, u, parameters))])


@pytest.mark.parametrize("name", CASES)
def test_a_parameter_is_the_number_in_the_file(name, rng):
    value, changed = CASES[name]
    as_input, as_constant = Equations(ROBOT, parameters=[name]), Equations(changed)
    state = a_state(as_input, rng)
    expected = outcome(as_constant, state, [])
    assert relative_error(outcome(as_input, state, [value]), expected) < 1e-12  # other groupings of the same sums
    file_value = as_input.parameters[name]
    assert relative_error(outcome(as_input, state, [file_value]), expected) > 1e-9  # it does act


def test_every_number_can_be_a_parameter(rng):
    """All at once, at the values of the file: nothing changes."""
    known = numbers(ROBOT)
    as_input, as_constant = Equations(ROBOT, parameters=[*known]), Equations(ROBOT)
    state = a_state(as_input, rng)
    assert list(as_input.parameters.items()) == list(known.items())
    assert relative_error(outcome(as_input, state, [*known.values()]), outcome(as_constant, state, [])) < 1e-12


def test_gravity_can_be_overridden(rng):
    state = a_state(Equations(ROBOT), rng)
    expected = outcome(Equations(replace(ROBOT, gravity=(1.0, 2.0, 3.0))), state, [])
    assert np.array_equal(outcome(Equations(ROBOT, gravity=(1.0, 2.0, 3.0)), state, []), expected)


def test_no_gravity_is_a_gravity_too(rng):
    equations = Equations(ROBOT, gravity=(0.0, 0.0, 0.0))
    q, u, effort = a_state(equations, rng)
    still = flat(
        equations.observer("bias")(
            flat(equations.observer("observation")(q, 0 * u, effort, [])[0]), np.zeros(len(effort)), []
        )
    )
    assert np.array_equal(still, np.zeros(len(effort)))


def test_an_unknown_parameter_gets_the_nearest_name():
    with pytest.raises(UnknownNameError, match=f"{LINK}.mass"):
        Equations(ROBOT, parameters=[f"{LINK}.mas"])


def test_a_parameter_given_twice_is_refused():
    with pytest.raises(CompileError, match="twice"):
        Equations(ROBOT, parameters=["belt.offset", f"{FOLLOWER}.offset"])
