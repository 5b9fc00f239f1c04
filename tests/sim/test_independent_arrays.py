"""`sim.q`, `sim.v`, `sim.u` and `reset(q=…, v=…)`: arrays over the independent coordinates and the actuators."""

import numpy as np
import pytest

import gearwright as gw

INERTIA = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
FREE = f"""<robot name="r"> <link name="a">{INERTIA}</link> <link name="b">{INERTIA}</link>
  <joint name="hinge" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint> </robot>"""


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("robot", ["gripper", "four_bar", "wrist", "reference_arm"])
def test_what_is_read_can_be_given(robot, batch):
    sim, rng = gw.compile(robot, batch=batch), np.random.default_rng(3)
    names = sim.arrays.names("position")
    assert set(sim.independent) <= set(sim.coordinates) and sim.arrays.names("velocity") == sim.independent
    push = rng.normal(size=batch) * 0.01 if batch > 1 else 0.01
    sim.step(effort={sim.independent[0]: push}, n=20)
    q, v, pose = sim.q, sim.v, dict(sim.position)
    assert q.shape == ((len(names),) if batch == 1 else (len(names), batch))
    for i, name in enumerate(names):
        assert np.array_equal(q[i], sim.position[name])
    for i, name in enumerate(sim.independent):
        assert np.array_equal(v[i], sim.velocity[name])
    sim.reset()
    sim.reset(q=q, v=v)
    assert np.allclose(sim.q, q, rtol=0, atol=1e-9) and np.allclose(sim.v, v, rtol=0, atol=1e-7)
    for name, value in pose.items():
        assert np.allclose(sim.position[name], value, rtol=0, atol=1e-9)


def test_a_free_base_has_a_quaternion():
    sim = gw.compile(gw.loads(FREE, base="floating"))
    assert len(sim.q) == len(sim.v) + 1 == 8
    q = sim.q
    q[sim.arrays.names("position").index("base.z")] = 1.5
    sim.reset(q=q)
    assert sim.position["base.z"] == 1.5 and np.array_equal(sim.q, q)


@pytest.mark.parametrize("batch", [1, 2])
def test_commands_as_an_array(batch):
    sim = gw.compile("gripper", batch=batch)
    sim.u = [0.01]
    sim.step()
    assert np.all(sim.actuator["motor"].command == 0.01) and sim.u.shape == ((1,) if batch == 1 else (1, 2))
    if batch == 2:
        sim.u = [[0.01, 0.02]]
        assert sim.command["motor"].tolist() == [0.01, 0.02]
    assert gw.compile("reference_arm").u.shape == (0,)


def test_mistakes():
    sim = gw.compile("gripper", batch=2)
    for wrong in ([0.01, 0.02], [[0.01, 0.02, 0.03]], 0.01):
        with pytest.raises(gw.ModelError, match=r"q has the shape \(1,\) or \(1, 2\)"):
            sim.reset(q=wrong)
    with pytest.raises(gw.ModelError, match="not both"):
        sim.reset(position={}, q=[0.01])
    with pytest.raises(gw.ModelError, match="u has the shape"):
        sim.u = [1.0, 2.0]
