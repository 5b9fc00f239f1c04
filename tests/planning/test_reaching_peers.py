"""Random reachable poses of real arms are reached: poses, and what is found, by Pinocchio's forward kinematics."""

from __future__ import annotations

import time

import numpy as np
import pytest

import gearwright as gw
from tests.corpus.files import robot_data

pinocchio = pytest.importorskip("pinocchio")

pytestmark = pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")  # the files are as they are

POSES = 1000
ARMS = [
    ("panda_description/urdf/panda.urdf", "panda_hand_tcp"),
    ("panda_description/urdf/panda.urdf", "panda_rightfinger"),  # it follows the left one
    ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    ("talos_data/robots/talos_left_arm.urdf", "gripper_left_fingertip_1_link"),  # led by the gripper's joint
]


class Peer:
    """The same file in Pinocchio."""

    def __init__(self, file, link: str) -> None:
        self.model = pinocchio.buildModelFromUrdf(str(file), mimic=True)
        self.data, self.frame = self.model.createData(), self.model.getFrameId(link)
        self.joints = [(name, joint) for name, joint in zip(self.model.names, self.model.joints, strict=True)][1:]
        self.lower, self.upper = self.model.lowerPositionLimit, self.model.upperPositionLimit

    def configuration(self, positions) -> np.ndarray:
        q = pinocchio.neutral(self.model)
        for name, joint in self.joints:
            if joint.nq == 1:
                q[joint.idx_q] = positions[name]
            elif joint.nq == 2:  # a joint without limits
                q[joint.idx_q : joint.idx_q + 2] = np.cos(positions[name]), np.sin(positions[name])
        return q

    def drawn(self, rng) -> np.ndarray:
        low, high = np.maximum(self.lower, -np.pi), np.minimum(self.upper, np.pi)
        own = {n: rng.uniform(low[j.idx_q], high[j.idx_q]) for n, j in self.joints if j.nq == 1}
        return self.configuration({n: own.get(n, rng.uniform(-np.pi, np.pi)) for n, _ in self.joints})

    def pose(self, q: np.ndarray) -> np.ndarray:
        pinocchio.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.frame].homogeneous.copy()

    def within(self, q: np.ndarray) -> bool:
        each = [j.idx_q for _, j in self.joints if j.nq == 1]
        return bool((q[each] >= self.lower[each] - 1e-9).all() and (q[each] <= self.upper[each] + 1e-9).all())


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """The larger of distance [m] and angle [rad]."""
    turn = pinocchio.log3(np.ascontiguousarray(a[:3, :3].T @ b[:3, :3]))
    return max(float(np.linalg.norm(a[:3, 3] - b[:3, 3])), float(np.linalg.norm(turn)))


@pytest.mark.skipif(robot_data() is None, reason="example-robot-data is not installed")
@pytest.mark.parametrize(("name", "link"), ARMS, ids=lambda x: x.rpartition("/")[2])
@pytest.mark.parametrize("tolerance", [1e-9, 1e-6])
def test_a_thousand_poses_are_reached(name: str, link: str, tolerance: float) -> None:
    file = robot_data() / name
    robot, peer, rng = gw.load(file), Peer(file, link), np.random.default_rng(7)
    poses = np.array([peer.pose(peer.drawn(rng)) for _ in range(POSES)])
    found = gw.inverse_kinematics(robot, {link: poses}, tolerance=tolerance, strict=False)
    each = [peer.configuration({joint: x[k] for joint, x in found.items()}) for k in range(POSES)]
    left = np.array([distance(peer.pose(q), pose) for q, pose in zip(each, poses, strict=True)])
    reached = np.array([peer.within(q) for q in each]) & (left <= 1.01 * tolerance + 1e-12)
    assert reached.mean() >= 0.99
    assert (reached == found.converged).all()
    before = time.thread_time()
    for pose in poses[:100]:
        gw.inverse_kinematics(robot, {link: pose}, strict=False)
    assert (time.thread_time() - before) / 100 < 1e-3  # [s] of processor time; 0.35e-3 found
