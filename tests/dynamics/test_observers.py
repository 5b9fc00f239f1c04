"""Links and joints of random trees at an instant, against differences of their poses (`Newton`).

With h = 1e-3 differences are good to about 3e-9 of the largest force: truncation h⁴·a³ with a up to 30 rad/s², and
rounding 1e-16/h².
"""

import numpy as np
import pytest

from gearwright.dynamics import Equations
from gearwright.model import WORLD
from tests.dynamics.random_mechanisms import (
    STENCIL,
    STENCIL_2,
    Newton,
    axial,
    center,
    flat,
    random_state,
    random_tree,
    relative_error,
    tensor,
)
from tests.tolerances import ROUNDING

DIFFERENCES = 1e-8  # of second order in time, of fourth along each coordinate
SEEDS = range(4)


class Moving(Newton):
    """The same with accelerations: links along `v·t + a·t²/2`, of tens of rad/s², so that steps are shorter."""

    h = 1e-3

    def __init__(self, mechanism, by_joint, v, a):
        super().__init__(mechanism, by_joint, v)
        h = self.h
        self.along = {n: self.poses(n * h * v + (n * h) ** 2 / 2 * a) for n in STENCIL_2}

    def point(self, where):
        """Velocity and acceleration of `where(pose)`."""
        first = sum(w * where(self.along[n]) for n, w in STENCIL.items()) / self.h
        return first, sum(w * where(self.along[n]) for n, w in STENCIL_2.items()) / self.h**2

    def link(self, name):
        """Linear and angular velocity, linear and angular acceleration."""
        R = self.along[0][name].R
        v, a = self.point(lambda poses: poses[name].p)
        Rd, Rdd = self.point(lambda poses: poses[name].R)
        return v, axial(Rd @ R.T), a, axial(Rdd @ R.T)

    @property
    def largest(self):
        """The largest force or moment that accelerates a link [N, N·m]: what differences are good to a share of."""
        return max(np.abs(self.force([name], self.along[0][name].p)).max() for name in self.inertia)

    def force(self, links, about):
        """What accelerates some links, their weight taken off: force, and moment about a point."""
        force, moment = np.zeros(3), np.zeros(3)
        for name in links:
            inertia, X = self.inertia[name], self.along[0][name]
            _, omega, _, alpha = self.link(name)
            _, c_dd = self.point(lambda poses: center(poses[name], inertia))  # noqa: B023
            g = np.array(self.mechanism.gravity) if self.mechanism.links[name].gravity else 0.0
            f = inertia.mass * (c_dd - g)
            I_W = tensor(X, inertia)
            force += f
            moment += np.cross(center(X, inertia) - about, f) + I_W @ alpha + np.cross(omega, I_W @ omega)
        return force, moment


def behind(tree, link):
    """A link and all that it carries."""
    found = {link}
    for branch in tree.branches:
        if branch.parent in found:
            found.add(branch.link)
    return found


def at_random(seed, **options):
    tree = random_tree(seed, **options)
    rng = np.random.default_rng(seed + 100)
    q, v, by_joint = random_state(tree, rng)
    return tree, q, v, by_joint, rng


def accelerating(seed, wrenches=(), **options):
    """A tree under random efforts, with its equations, inputs, accelerations, and the same by differences."""
    tree, q, v, by_joint, rng = at_random(seed, **options)
    equations = Equations(tree, wrenches=wrenches)
    given = [q, v, rng.normal(size=len(v)), [], *([rng.normal(size=6 * len(wrenches))] if wrenches else [])]
    a = flat(equations.observer("observation")(*given)[2])
    return equations, given, Moving(tree, by_joint, v, a)


@pytest.mark.parametrize("seed", SEEDS)
def test_links_move_as_their_poses_do(seed):
    equations, given, expected = accelerating(seed, backward=("universal", "revolute", "ball"))
    velocity = np.array(equations.observer("link_velocity")(*given[:2], []))
    acceleration = np.array(equations.observer("link_acceleration")(*given))
    v, omega, a, alpha = (np.array(x) for x in zip(*map(expected.link, equations.links), strict=True))
    assert relative_error(velocity, np.hstack([v, omega])) < DIFFERENCES / 10  # once
    assert relative_error(acceleration, np.hstack([a, alpha])) < DIFFERENCES / 3


@pytest.mark.parametrize("backward", [(), ("revolute", "universal", "ball", "planar", "fixed")], ids=["", "backward"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_joint_carries_what_accelerates_all_behind_it(seed, backward):
    """Whatever is regrouped or welded inside: fixed joints and joints walked backwards too."""
    equations, given, expected = accelerating(seed, backward=backward, weightless=(2, 5))
    reaction = np.array(equations.observer("reaction")(*given))
    tree = equations.mechanism.tree
    for i, branch in enumerate(tree.branches):
        joint = equations.mechanism.joint(branch.joint.name)
        here = expected.along[0]
        X_WJ = joint.X_CJ if joint.child == WORLD else here[joint.child] @ joint.X_CJ
        force, moment = expected.force(behind(tree, branch.link), X_WJ.p)
        sign = 1.0 if joint.child == branch.link else -1.0
        wanted = sign * np.concatenate([X_WJ.R.T @ force, X_WJ.R.T @ moment])
        assert equations.reacting[i] == joint.name
        assert np.abs(reaction[i] - wanted).max() < 3 * DIFFERENCES * expected.largest, joint.name


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrench_does_the_work_that_its_link_moves_through(seed):
    """`J·v` are the links' velocities, and a wrench accelerates the tree as the efforts `Jᵀ·w` do."""
    tree, q, v, _, rng = at_random(seed, backward=("universal",))
    links = tuple(list(tree.links)[1::3])
    plain, pushed = Equations(tree), Equations(tree, wrenches=links)
    screws = np.array(plain.observer("screws")(q, []))
    poses = np.array(plain.observer("link_poses")(q, []))
    w = rng.normal(size=6 * len(links))
    effort = np.zeros(len(v))
    for n, name in enumerate(links):
        J = jacobian(tree, screws, poses[list(tree.links).index(name), 9:], name)
        speeds = np.array(plain.observer("link_velocity")(q, v, []))[list(tree.links).index(name)]
        assert relative_error(J @ v, speeds) < ROUNDING
        effort += J.T @ w[6 * n : 6 * n + 6]
    by_effort = flat(plain.observer("observation")(q, v, effort, [])[2])
    by_wrench = flat(pushed.observer("observation")(q, v, 0 * effort, [], w)[2])
    assert relative_error(by_wrench, by_effort) < ROUNDING


def jacobian(tree, screws, point, link):
    branches = {b.link: b for b in tree.tree.branches}
    J = np.zeros((6, len(screws)))
    while link in branches:
        for name in branches[link].joint.coordinates:
            k = tree.tree.coordinates.index(name)
            J[:, k] = [*(screws[k, :3] + np.cross(screws[k, 3:6], point - screws[k, 6:])), *screws[k, 3:6]]
        link = branches[link].parent
    return J


@pytest.mark.parametrize("seed", SEEDS)
def test_reactions_with_a_wrench_on_a_link(seed):
    """Between the world and what stands on it goes all that accelerates, less what pushes from outside."""
    name = "link3"
    equations, given, expected = accelerating(seed, wrenches=(name,))
    reaction = np.array(equations.observer("reaction")(*given))
    w, here, tree = given[-1], expected.along[0], equations.mechanism.tree
    for i, branch in enumerate(tree.branches):
        links = behind(tree, branch.link)
        X_WJ = here[branch.link] @ branch.joint.X_CJ
        force, moment = expected.force(links, X_WJ.p)
        if name in links:
            force, moment = force - w[:3], moment - w[3:] - np.cross(here[name].p - X_WJ.p, w[:3])
        wanted = np.concatenate([X_WJ.R.T @ force, X_WJ.R.T @ moment])
        assert np.abs(reaction[i] - wanted).max() < 3 * DIFFERENCES * expected.largest


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_undoes_the_dynamics(seed):
    equations, given, _ = accelerating(seed)
    a = flat(equations.observer("observation")(*given)[2])
    found = flat(equations.observer("inverse_dynamics")(*given[:2], a, []))
    assert relative_error(found, given[2]) < 10 * ROUNDING  # the condition of the mass matrix
