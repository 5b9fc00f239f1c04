"""Readings of servos with their usual gains against Pinocchio's inverse dynamics of the recorded motion.

Torques, an IMU and a force-torque sensor of real arms in steps of 1 ms: to 1 % of their root mean square.
"""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw

pin = pytest.importorskip("pinocchio")

DT, STEPS, STARTED = 1e-3, 1200, 400
ALLOWED = 0.01  # of the root mean square; found 0.0001 for torques, 0.001 for sensors
ARMS = {
    "ur5": (
        "ur_description/urdf/ur5_robot.urdf",
        [*(f"{n}_joint" for n in ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"))],
        "wrist_2_joint",
    ),
    "panda": (
        "panda_description/urdf/panda.urdf",
        [*(f"panda_joint{i}" for i in range(1, 8)), "panda_finger_joint1"],
        "panda_hand_joint",
    ),
}


def with_usual_servos(text, joints, folder):
    """A tag that commands the positions of these joints, and its servos. Motors of the file are left out."""
    interfaces = "<command_interface name='position'/><state_interface name='position'/>"
    tag = "".join(f"<joint name='{j}'>{interfaces}</joint>" for j in joints)
    tag = f"<ros2_control name='drives' type='system'><hardware><plugin>none</plugin></hardware>{tag}</ros2_control>"
    robot = gw.loads(text.replace("</robot>", tag + "</robot>"), search_path=[folder, folder.parent.parent])
    return gw.with_servos(replace(robot, actuators={}, transmissions={}))


class Motion:
    """The recorded motion, and what Pinocchio makes of it."""

    def __init__(self, robot, text, rec):
        self.robot, self.model, self.rec = robot, pin.buildModelFromXML(text), rec
        self.model.gravity.linear = np.array(robot.gravity)
        self.data = self.model.createData()
        self.q = [self._vector(rec.position, k, pin.neutral(self.model), "q") for k in range(STEPS + 1)]
        self.v = [self._vector(rec.velocity, k, np.zeros(self.model.nv), "v") for k in range(STEPS + 1)]

    def _vector(self, values, k, found, kind):
        for name in list(self.model.names)[1:]:
            joint, x = self.model.joints[self.model.getJointId(name)], values[name][k]
            if kind == "v":
                found[joint.idx_v] = x
            else:
                found[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(x), np.sin(x)] if joint.nq == 2 else [x]
        return found

    def torques(self, k, joints):
        """Means of the step that ends at k, followers' with their leaders'."""
        a, v = (self.v[k] - self.v[k - 1]) / DT, (self.v[k] + self.v[k - 1]) / 2
        tau = pin.rnea(self.model, self.data, pin.interpolate(self.model, self.q[k - 1], self.q[k], 0.5), v, a)
        place = {n: self.model.joints[self.model.getJointId(n)].idx_v for n in list(self.model.names)[1:]}
        net = {n: tau[i] + self.robot.joints[n].axes[0].dynamics.damping * v[i] for n, i in place.items()}
        for c in self.robot.couplings.values():
            net[c.leaders[0].axis.joint] += c.leaders[0].multiplier * net[c.follower.joint]
        return [net[j] for j in joints]

    def momentum(self, k, links, about):
        """Linear and angular momentum of these links about a point of the world, and their mass and centre."""
        pin.forwardKinematics(self.model, self.data, self.q[k], self.v[k])
        pin.updateFramePlacements(self.model, self.data)
        P, L, mass, moment = np.zeros(3), np.zeros(3), 0.0, np.zeros(3)
        for name in links:
            own, frame = self.robot.links[name].inertia, self.model.getFrameId(name)
            X = self.data.oMf[frame]
            v = pin.getFrameVelocity(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
            c = X.rotation @ np.array(own.pose.p)
            R = X.rotation @ np.array(own.pose.R)
            (ixx, iyy, izz), (ixy, ixz, iyz) = own.moments, own.products
            tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
            p = own.mass * (v.linear + np.cross(v.angular, c))
            P, L = P + p, L + R @ tensor @ R.T @ v.angular + np.cross(X.translation + c - about, p)
            mass, moment = mass + own.mass, moment + own.mass * (X.translation + c)
        return P, L, mass, moment / mass

    def wrench(self, k, joint):
        """The mean of what a joint's parent puts on its child: force and torque in the child's axes."""
        carried = [joint.child]
        for j in self.robot.tree.joints:
            carried += [j.child] if j.parent in carried else []
        frame = self.model.getFrameId(joint.child)
        self.momentum(k, carried, np.zeros(3))
        X = self.data.oMf[frame].copy()
        (P0, L0, m, _), (P1, L1, _, c) = (self.momentum(i, carried, X.translation) for i in (k - 1, k))
        weight = m * np.array(self.robot.gravity)
        force = (P1 - P0) / DT - weight
        torque = (L1 - L0) / DT - np.cross(c - X.translation, weight)
        return [*(X.rotation.T @ force), *(X.rotation.T @ torque)]

    def specific_force(self, k, link):
        frame, found = self.model.getFrameId(link), []
        for i in (k - 1, k):
            pin.forwardKinematics(self.model, self.data, self.q[i], self.v[i])
            pin.updateFramePlacements(self.model, self.data)
            velocity = pin.getFrameVelocity(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED).linear
            found.append((self.data.oMf[frame].rotation.copy(), velocity))
        (_, before), (R, after) = found
        return R.T @ ((after - before) / DT - np.array(self.robot.gravity))


def error(found, expected):
    """Of each number as a share of its root mean square, or of a hundredth of the largest one's."""
    found, expected = np.array(found), np.array(expected)
    size = np.sqrt((expected**2).mean(axis=0))
    return np.sqrt(((found - expected) ** 2).mean(axis=0)) / np.maximum(size, size.max() / 100)


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")  # other people's files
@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
def test_servo_readings_are_the_inverse_dynamics_of_the_motion(name, robot_data_folder, rng):
    file, joints, flange = ARMS[name]
    text = (robot_data_folder / file).read_text()
    robot = with_usual_servos(text, joints, robot_data_folder)
    link = robot.joint(flange).child
    robot = robot.with_sensor(gw.Imu(name="imu", link=link))
    robot = robot.with_sensor(gw.ForceTorque(name="ft", reaction=flange, direction="parent_to_child"))
    sim = gw.compile(robot, dt=DT)
    hw = sim.hardware("drives")
    limits = [robot.joint(j).axes[0].limits for j in joints]
    middle = np.array([0.5 * (x.lower + x.upper) if x.upper - x.lower < 6.3 else 0.3 for x in limits])
    size = np.array([min(0.4, 0.25 * (x.upper - x.lower)) for x in limits])
    w, p = rng.uniform(2, 4, len(joints)), rng.uniform(0, 6, len(joints))
    start = middle + size * np.sin(p)
    sim.reset(position=dict(zip(joints, start, strict=True)))
    hw.write({f"{j}/position": x for j, x in zip(joints, start, strict=True)})  # they follow positions
    path = {f"{j}_servo": lambda t, i=i: middle[i] + size[i] * np.sin(w[i] * t + p[i]) for i, j in enumerate(joints)}
    rec = sim.run(STEPS * DT, command=path)
    motion, steps = Motion(robot, text, rec), range(STARTED, STEPS + 1, 5)
    torque = np.stack([rec.actuator[f"{j}_servo"].torque for j in joints], axis=-1)
    assert error(torque[list(steps)], [motion.torques(k, joints) for k in steps]).max() < ALLOWED
    imu = np.stack([rec.sensor[f"imu.{x}"] for x in ("ax", "ay", "az")], axis=-1)
    assert error(imu[list(steps)], [motion.specific_force(k, link) for k in steps]).max() < ALLOWED
    ft = np.stack([rec.sensor[f"ft.{x}"] for x in ("fx", "fy", "fz", "tx", "ty", "tz")], axis=-1)
    wrench = [motion.wrench(k, robot.joint(flange)) for k in steps]
    for part in (slice(0, 3), slice(3, 6)):
        assert error(ft[list(steps), part], np.array(wrench)[:, part]).max() < ALLOWED


@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
def test_stiff_servos_at_their_limits_settle(robot_data_folder):
    """Two axes of a Panda share most of their inertia: each servo threw the other from limit to limit for ever."""
    file, joints, _ = ARMS["panda"]
    robot = with_usual_servos((robot_data_folder / file).read_text(), joints, robot_data_folder)
    stiff = {
        n: replace(a, stiffness=10 * a.stiffness, damping_gain=10**0.5 * a.damping_gain)
        for n, a in robot.actuators.items()
    }
    sim, rng = gw.compile(replace(robot, actuators=stiff), dt=DT), np.random.default_rng(0)
    limits = [robot.joint(j).axes[0].limits for j in joints]
    middle = np.array([0.5 * (x.lower + x.upper) for x in limits])
    size = np.array([min(0.4, 0.25 * (x.upper - x.lower)) for x in limits])
    w, p = rng.uniform(2, 4, len(joints)), rng.uniform(0, 6, len(joints))
    start = dict(zip(joints, middle + size * np.sin(p), strict=True))
    sim.reset(position=start)
    sim.hardware("drives").write({f"{j}/position": x for j, x in start.items()})
    path = {f"{j}_servo": lambda t, i=i: middle[i] + size[i] * np.sin(w[i] * t + p[i]) for i, j in enumerate(joints)}
    sim.run(0.4, command=path)
    assert sim.unsettled == 0 and sim.batch_state.get("substepping")[0, 0] == 0
