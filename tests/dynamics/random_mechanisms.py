"""Random mechanisms with every kind of joint, and their dynamics worked out another way."""

from __future__ import annotations

import numpy as np

from gearwright.model import JOINT_KINDS, WORLD, Axis, AxisDynamics, Inertia, Joint, Link, Mechanism, Pose
from gearwright.model.poses import rotation_about
from gearwright.model.tree.kinematics import link_poses, retract

KINDS = tuple(k for k in JOINT_KINDS if k != "fixed")
STENCIL = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}  # first derivative, fourth order
STENCIL_2 = {-2: -1 / 12, -1: 16 / 12, 0: -30 / 12, 1: 16 / 12, 2: -1 / 12}  # second derivative


def random_pose(rng):
    axis = rng.normal(size=3)
    return Pose(rotation_about(axis / np.linalg.norm(axis), rng.uniform(-3, 3)), rng.uniform(-0.5, 0.5, 3))


def random_inertia(rng):
    points, masses = rng.normal(size=(5, 3)) * 0.2, rng.uniform(0.2, 1.0, 5)
    S = (points.T * masses) @ points
    tensor = np.trace(S) * np.eye(3) - S
    products = (tensor[0, 1], tensor[0, 2], tensor[1, 2])
    return Inertia(mass=masses.sum(), moments=tuple(np.diag(tensor)), products=products, pose=random_pose(rng))


def random_axis(rng, passive=True):
    xyz = rng.normal(size=3)
    if rng.random() < 0.4:  # half of all robots' axes are coordinate axes
        xyz = np.eye(3)[rng.integers(3)] * rng.choice([-1, 1])
    numbers = rng.uniform(0.1, 1.0, 4) if passive else np.zeros(4)
    names = ("damping", "spring_stiffness", "spring_reference", "armature")
    return Axis(xyz=tuple(xyz / np.linalg.norm(xyz)), dynamics=AxisDynamics(**dict(zip(names, numbers, strict=True))))


def random_joint(rng, name, kind, parent, child, passive=True):
    axes = tuple(random_axis(rng, passive) for _ in range(JOINT_KINDS[kind].axes))
    pitch = 0.3 if kind == "screw" else 0.0
    return Joint(
        name=name, kind=kind, parent=parent, child=child, X_PJ=random_pose(rng), X_CJ=random_pose(rng), axes=axes,
        thread_pitch=pitch,
    )  # fmt: skip


def random_tree(seed, kinds=KINDS, passive=True, backward=(), gravity=True, weightless=()):
    """A tree with one joint of each given kind, in a random order, on random links, some of them fixed links."""
    rng = np.random.default_rng(seed)
    names, joints, links = [WORLD], {}, {}
    for n, kind in enumerate(rng.permutation(kinds)):
        for which in (str(kind), "fixed") if n % 3 == 1 else (str(kind),):
            link, joint = f"link{len(names)}", f"joint{len(names)}_{which}"
            ends = (str(rng.choice(names[-3:])), link)
            if which in backward and ends[0] != WORLD:
                ends = ends[::-1]
            joints[joint] = random_joint(rng, joint, which, *ends, passive=passive)
            links[link] = Link(name=link, inertia=random_inertia(rng), gravity=len(names) not in weightless)
            names.append(link)
    g = tuple(rng.normal(size=3) * 5) if gravity else (0.0, 0.0, 0.0)
    return Mechanism(name=f"random{seed}", links=links, joints=joints, gravity=g)


def random_state(mechanism, rng, spread=1.0):
    """Tree positions and velocities, as one array each, and the positions by joint."""
    joints = mechanism.tree.joints
    by_joint = {j.name: retract(j, j.type.zero, spread * rng.normal(size=j.dof)) for j in joints}
    q = np.concatenate([by_joint[j.name] for j in joints])
    return q, spread * rng.normal(size=sum(j.dof for j in joints)), by_joint


class Newton:
    """A mechanism's dynamics by Newton, Euler and d'Alembert on finitely many differences of its links' poses.

    Shares nothing with the code under test but the model's forward kinematics. Differences are of fourth order with
    h = 2e-3: truncation about h⁴ = 2e-11, rounding about 1e-16/h² = 3e-11, both relative.
    """

    h = 2e-3

    def __init__(self, mechanism, by_joint, v):
        self.mechanism, self.tree, self.at, self.v = mechanism, mechanism.tree, by_joint, v
        self.inertia = {name: link.inertia for name, link in mechanism.links.items()}

    def poses(self, dv):
        moved, start = {}, 0
        for j in self.tree.joints:
            moved[j.name] = retract(j, self.at[j.name], dv[start : start + j.dof])
            start += j.dof
        return link_poses(self.tree, moved)

    def rates(self, direction):
        """Velocity of each link's centre of mass, and its angular velocity, along a direction of tree velocities."""
        here, ahead = self.poses(0 * direction), {n: self.poses(n * self.h * direction) for n in STENCIL}
        rates = {}
        for name, inertia in self.inertia.items():
            c = sum(w * center(ahead[n][name], inertia) for n, w in STENCIL.items()) / self.h
            R = sum(w * ahead[n][name].R for n, w in STENCIL.items()) / self.h
            rates[name] = c, axial(R @ here[name].R.T)
        return rates

    def jacobian(self):
        return [self.rates(e) for e in np.eye(len(self.v))]

    def mass_matrix(self):
        """`Σ m·Jᵀ·J + Jωᵀ·I·Jω`, and armatures."""
        J, here = self.jacobian(), self.poses(0 * self.v)
        M = np.zeros((len(J), len(J)))
        for name, inertia in self.inertia.items():
            Jc, Jw = (np.array([column[name][part] for column in J]) for part in (0, 1))
            M += inertia.mass * Jc @ Jc.T + Jw @ tensor(here[name], inertia) @ Jw.T
        return M + np.diag(armatures(self.tree))

    def bias(self):
        """d'Alembert: `Σ J·m(c̈ − g) + Jω·d(I·ω)/dt`, with the velocity coordinates held constant."""
        J = self.jacobian()
        along = {n: self.poses(n * self.h * self.v) for n in STENCIL_2}
        bias = np.zeros(len(J))
        for name, inertia in self.inertia.items():
            a = sum(w * center(along[n][name], inertia) for n, w in STENCIL_2.items()) / self.h**2
            R = along[0][name].R
            Rd = sum(w * along[n][name].R for n, w in STENCIL.items()) / self.h
            Rdd = sum(w * along[n][name].R for n, w in STENCIL_2.items()) / self.h**2
            omega, alpha, tensor_W = axial(Rd @ R.T), axial(Rdd @ R.T), tensor(along[0][name], inertia)
            force = inertia.mass * (a - (np.array(self.mechanism.gravity) if self.mechanism.links[name].gravity else 0))
            moment = tensor_W @ alpha + np.cross(omega, tensor_W @ omega)
            bias += [column[name][0] @ force + column[name][1] @ moment for column in J]
        return bias

    def potential(self):
        here, g = self.poses(0 * self.v), np.array(self.mechanism.gravity)
        falling = {n: i for n, i in self.inertia.items() if self.mechanism.links[n].gravity}
        return -sum(i.mass * g @ center(here[n], i) for n, i in falling.items())

    def momentum(self):
        here, P, L = self.poses(0 * self.v), np.zeros(3), np.zeros(3)
        for name, (c_dot, omega) in self.rates(self.v).items():
            i = self.inertia[name]
            P += i.mass * c_dot
            L += np.cross(center(here[name], i), i.mass * c_dot) + tensor(here[name], i) @ omega
        return P, L


def center(X_WL, inertia):
    return X_WL.R @ inertia.center + X_WL.p


def tensor(X_WL, inertia):
    return X_WL.R @ inertia.tensor @ X_WL.R.T


def axial(W):
    """The vector of the antisymmetric part."""
    return np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


def armatures(tree):
    found = []
    for j in tree.joints:
        found += [0.0] * (j.dof - len(j.axes)) + [a.dynamics.armature for a in j.axes]
    return np.array(found)


def relative_error(found, expected):
    """The largest difference, as a share of the largest entry."""
    found, expected = np.asarray(found, float), np.asarray(expected, float).reshape(np.shape(found))
    return np.abs(found - expected).max(initial=0.0) / max(np.abs(expected).max(initial=0.0), 1e-300)


def flat(values):
    """A CasADi result as a one-dimensional array."""
    return np.array(values).reshape(-1)
