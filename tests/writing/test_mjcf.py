"""MJCF as MuJoCo compiles it: signs, units and zeros of couplings, drives, gears and sensors."""

from math import pi

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.contacts.finding import find_contacts
from gearwright.writing.mjcf.constraints import polynomial
from gearwright.writing.report import LossLog
from gearwright.writing.saving import FORMATS, text_of
from tests.tolerances import ROUNDING

mujoco = pytest.importorskip("mujoco")
BODY = {"mass": 1, "inertia": (1, 1.5, 2)}


def compiled(robot):
    losses = LossLog()
    model = mujoco.MjModel.from_xml_string(text_of(robot, FORMATS[".xml"], losses))
    return model, mujoco.MjData(model), losses


def arm():
    b = gw.build("arm", gravity=(0, 0, 0)).link("a", **BODY).link("b", **BODY).link("c", **BODY)
    b.joint("p", "revolute", "a", "b", pose=(0, 0, 1)).joint(
        "q", "revolute", "b", "c", pose=(0.5, 0, 0), axis=(0, 1, 0)
    )
    return b


@pytest.mark.parametrize(
    "change", [{}, {"reference": 0.25}, {"powers": (0.5, -0.25)}, {"powers": (0.3,), "reference": -0.5}]
)
def test_polynomials(change, rng):
    """MuJoCo's polynomial of the leader is ours of leader − reference."""
    c = arm().couple("q", "p", -2.0, 0.1, **change).finish().couplings["q"]
    for q in rng.normal(size=5):
        ours = c.position([q])
        theirs = sum(a * q**k for k, a in enumerate(polynomial(c)))
        assert theirs == pytest.approx(ours, abs=ROUNDING)


@pytest.mark.parametrize("change", [{}, {"reference": 0.25}, {"powers": (0.5,)}])
def test_a_coupling_holds(change):
    """MuJoCo's constraint violation is zero exactly where the follower is."""
    robot = arm().couple("q", "p", -2.0, 0.1, **change).finish()
    model, data, _ = compiled(robot)
    data.qpos[model.joint("p").qposadr[0]] = 0.3
    data.qpos[model.joint("q").qposadr[0]] = robot.couplings["q"].position([0.3])
    mujoco.mj_forward(model, data)
    assert abs(data.efc_pos[0]) < ROUNDING
    data.qpos[model.joint("q").qposadr[0]] += 0.1
    mujoco.mj_forward(model, data)
    assert data.efc_pos[0] == pytest.approx(0.1)


def test_several_leaders_are_a_tendon():
    b = arm().link("d", **BODY).joint("r", "revolute", "c", "d", axis=(1, 0, 0))
    robot = b.couple("r", {"p": 0.5, "q": -2.0}, name="sum", offset=0.2).finish()
    model, data, _ = compiled(robot)
    for name, x in (("p", 0.3), ("q", 0.1), ("r", robot.couplings["sum"].position([0.3, 0.1]))):
        data.qpos[model.joint(name).qposadr[0]] = x
    mujoco.mj_forward(model, data)
    assert abs(data.efc_pos[0]) < ROUNDING


def test_compliance_is_omega_and_zeta():
    """A free follower swings at μ with ζ, whatever its inertia: `solref = −μ² −2μζ`."""
    mu, zeta = 30.0, 0.1
    robot = arm().couple("q", "p", 1.0, mode="compliant", natural_frequency=mu, damping_ratio=zeta).finish()
    model, data, _ = compiled(robot)
    model.opt.timestep = 1e-5
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data.qpos[model.joint("q").qposadr[0]] = 0.01
    errors = []
    period = 2 * pi / (mu * np.sqrt(1 - zeta**2))
    for _ in range(round(period / 1e-5)):
        mujoco.mj_step(model, data)
        errors.append(data.qpos[model.joint("q").qposadr[0]] - data.qpos[model.joint("p").qposadr[0]])
    assert errors[-1] / 0.01 == pytest.approx(np.exp(-zeta * mu * period), rel=0.02)


GEAR = gw.SimpleTransmission(reduction=-5.0, offset=0.3)
DRIVES = {
    "effort": {}, "position": {"stiffness": 4.0, "damping_gain": 0.5}, "velocity": {"damping_gain": 0.5},
    "impedance": {"stiffness": 4.0, "damping_gain": 0.5},
}  # fmt: skip


@pytest.mark.parametrize("command", DRIVES)
@pytest.mark.parametrize("limit", (100.0, 0.4))
def test_drives_behind_a_gear(command, limit, rng):
    """The effort at the joint of every drive, behind a ratio with a sign and an offset."""
    robot = (
        arm().actuator("m", command=command, effort_limit=limit, **DRIVES[command])
        .transmission("t", GEAR, actuators="m", joints="p").finish()
    )  # fmt: skip
    model, data, losses = compiled(robot)
    assert losses.lost == []
    for q, v, u in rng.normal(size=(5, 3)):
        data.qpos[model.joint("p").qposadr[0]], data.qvel[model.joint("p").dofadr[0]] = q, v
        data.ctrl[0] = u
        mujoco.mj_forward(model, data)
        motor = robot.actuators["m"]
        x, w = GEAR.joint_to_actuator_position(q), -5.0 * v
        assert data.qfrc_actuator[model.joint("p").dofadr[0]] == pytest.approx(-5.0 * motor.effort_at(u, w, x))


def test_a_differential_on_tendons(rng):
    """Both motors of a wrist, by the transpose of the map; its rotors are inertia at both joints."""
    gears = gw.DifferentialTransmission(actuator_reduction=(50.0, -40.0), joint_reduction=(1.0, 2.0))
    robot = (
        arm().actuator("m", rotor_inertia=1e-3).actuator("n", rotor_inertia=2e-3)
        .transmission("t", gears, actuators=("m", "n"), joints=("p", "q")).finish()
    )  # fmt: skip
    model, data, _ = compiled(robot)
    data.ctrl[:] = rng.normal(size=2)
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator == pytest.approx(gears.actuator_to_joint_effort(data.ctrl))
    M = np.zeros((2, 2))
    for k, unit in enumerate(np.eye(2)):
        mujoco.mj_mulM(model, data, M[k], unit)
    sim = gw.compile(robot)
    np.testing.assert_allclose(M, sim.mass_matrix(), rtol=1e-12)


def test_a_motor_with_a_voltage(rng):
    """τ = k·(V − k·ω)/R."""
    robot = arm().actuator("m", "p", kind="dc_motor", resistance=2.0, torque_constant=0.5, command="voltage").finish()
    model, data, losses = compiled(robot)
    assert losses.lost == []
    data.qvel[model.joint("p").dofadr[0]], data.ctrl[0] = 3.0, 12.0
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator[model.joint("p").dofadr[0]] == pytest.approx(0.5 * (12.0 - 0.5 * 3.0) / 2.0)


def test_passive_forces_limits_and_start(rng):
    robot = (
        gw.build("r", gravity=(0, 0, -3.7)).link("a", **BODY).link("b", **BODY)
        .joint("p", "revolute", "a", "b", lower=-0.5, upper=1.0, effort=20, damping=0.3, spring_stiffness=2.0,
               spring_reference=0.2, armature=0.1, initial=0.4)
        .finish()
    )  # fmt: skip
    model, data, losses = compiled(robot)
    assert losses.lost == []
    assert model.jnt_range[0].tolist() == [-0.5, 1.0]
    assert model.jnt_actfrcrange[0].tolist() == [-20.0, 20.0]
    assert model.opt.gravity.tolist() == [0, 0, -3.7]
    assert model.qpos0.tolist() == [0.4] and model.nkey == 0
    data.qpos[0], data.qvel[0] = 0.1, 0.5
    mujoco.mj_forward(model, data)
    assert data.qfrc_passive[0] == pytest.approx(-0.3 * 0.5 - 2.0 * (0.1 - 0.2))


def test_an_imu_and_a_force_sensor():
    """Specific force, and the force of the parent on the child, at rest under gravity."""
    robot = (
        gw.build("r").link("a", **BODY).link("b", **BODY).joint("p", "revolute", "a", "b", pose=(0, 0, 1))
        .sensor("imu", kind="imu", link="b")
        .sensor("ft", kind="force_torque", joint="p", direction="parent_to_child").finish()
    )  # fmt: skip
    model, data, _ = compiled(robot)
    mujoco.mj_forward(model, data)
    sim = gw.compile(robot)
    sim.step()
    np.testing.assert_allclose(data.sensor("imu.accelerometer").data, np.array(sim.sensor["imu"])[3:], atol=1e-9)
    np.testing.assert_allclose(data.sensor("ft.force").data, np.array(sim.sensor["ft"])[:3], atol=1e-9)


def test_massless_links_get_a_little_mass():
    b = gw.build("r").link("a", **BODY).link("cross").link("b", **BODY)
    robot = b.joint("p", "revolute", "a", "cross").joint("q", "revolute", "cross", "b", axis=(0, 1, 0)).finish()
    model, _, losses = compiled(robot)
    assert model.body("cross").mass[0] == 1.1e-15
    assert any("without mass" in note for note in losses.notes)


def test_shapes_without_a_size_are_reported():
    """Real files have such spheres, and MuJoCo refuses them."""
    shapes = '<sphere radius="0"/>', '<cylinder radius="0.1" length="0"/>', '<box size="1 0 1"/>', '<box size="1 1 1"/>'
    text = "".join(f"<collision><geometry>{shape}</geometry></collision>" for shape in shapes)
    model, _, losses = compiled(gw.loads(f'<robot name="r"><link name="a">{text}</link></robot>'))
    assert model.ngeom == 1
    assert sum("without a size" in loss.reason for loss in losses.lost) == 3


@pytest.mark.parametrize("at", [0.0, 0.3])
def test_a_joint_whose_limits_leave_no_range_is_held(at):
    """MuJoCo takes `range="0 0"` for no limits at all."""
    b = gw.build("arm").link("a", **BODY).link("b", mass=1, inertia=(1, 1, 1), center=(0.5, 0, 0))
    robot = b.joint("p", "revolute", "a", "b", axis=(0, 1, 0), lower=at, upper=at).finish()
    model, data, losses = compiled(robot)
    data.joint("p").qpos[0] = at
    mujoco.mj_step(model, data, 500)
    assert data.joint("p").qpos[0] == pytest.approx(at, abs=1e-3)
    assert any("leave no range" in note for note in losses.notes)


def test_an_imu_stays_one_sensor():
    """MuJoCo has a sensor for each half of it."""
    imu = gw.Imu(name="imu", link="b")
    robot = arm().finish().with_sensor(imu)
    again = gw.loads(text_of(robot, FORMATS[".xml"], LossLog()))
    twice = gw.loads(text_of(again, FORMATS[".xml"], LossLog()))
    assert list(again.sensors) == list(twice.sensors) == ["imu"]
    assert isinstance(twice.sensors["imu"], gw.Imu)


def test_a_loop_that_is_open_where_it_is_drawn():
    """MuJoCo would take it as closed there; a site in each body says where its ends are, and stays one."""
    b = gw.build("loop").link("a", **BODY).link("b", **BODY).link("c", **BODY)
    b.joint("p", "revolute", "a", "b").joint("q", "revolute", "a", "c", pose=(0.5, 0, 0))
    robot = b.joint("pin", "ball", "b", "c", pose=(0.1, 0.2, 0), child_pose=(-0.4, 0.2, 0.01)).finish()
    text = text_of(robot, FORMATS[".xml"], LossLog())
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert np.linalg.norm(data.efc_pos[:3]) == pytest.approx(0.01)
    again = gw.loads(text)
    for end in ("X_PJ", "X_CJ"):
        assert getattr(again.joints["pin"], end).p == pytest.approx(getattr(robot.joints["pin"], end).p, abs=ROUNDING)
    assert text_of(again, FORMATS[".xml"], LossLog()).count("<site") == text.count("<site") == 2


@pytest.mark.parametrize("leaders", [1, 2])
def test_couplings_of_joints_that_start_elsewhere(leaders):
    """MuJoCo's polynomials and tendons count from where its joints start."""
    b = gw.build("arm", gravity=(0, 0, 0))
    for name in "abcd":
        b.link(name, **BODY)
    b.joint("p", "revolute", "a", "b", initial=0.4).joint("q", "revolute", "b", "c", pose=(0.5, 0, 0), initial=-0.7)
    b.joint("r", "prismatic", "a", "d")
    if leaders == 1:
        b.couple("q", "p", -2.0, 0.1, powers=(0.5, 0.25), reference=0.2)
    else:
        b.couple("q", {"p": -2.0, "r": 0.5}, offset=0.1)
    robot = b.finish()
    model, data, _ = compiled(robot)
    place = {"p": 0.3, "r": 0.2}
    place["q"] = robot.couplings["q"].position([place[n] for n in ("p", "r")[:leaders]])
    for name, x in place.items():
        data.joint(name).qpos[0] = x
    mujoco.mj_forward(model, data)
    assert abs(data.efc_pos[0]) < ROUNDING
    again = gw.loads(text_of(robot, FORMATS[".xml"], LossLog()))
    assert again.initial == robot.initial
    assert again.couplings["q"].position([0.3, 0.2][:leaders]) == pytest.approx(place["q"], abs=ROUNDING)
    X, Y = (m.forward_kinematics(place)["c"] for m in (robot, again))
    assert np.abs(X - Y).max() < ROUNDING


def test_inertias_that_no_body_has_are_written_as_the_closest():
    """MuJoCo refuses them, and what exceeds by rounding."""
    for moments, reported in (((1, 2, 3.1), True), ((-0.1, 1, 1), True), ((0.1, 0.2, 0.3 + 5e-17), False)):
        b = gw.build("r").link("a").link("b", mass=1, inertia=moments).joint("p", "revolute", "a", "b")
        model, _, losses = compiled(b.finish())
        found = model.body("b").inertia
        assert any(loss.field == "inertia" for loss in losses.lost) == reported
        assert sorted(found)[2] == pytest.approx(max(moments), abs=0.1)


PAIRED = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" contype="0" conaffinity="0"/>
  <body name="base" pos="0 0 1"><freejoint name="base"/><geom name="a" size="0.1" contype="0" conaffinity="0"/>
    <body name="leg"><joint name="hip"/><geom name="b" size="0.1" pos="0 0 -0.3" contype="-1" conaffinity="0"/></body>
  </body></worldbody>
  <contact><pair geom1="a" geom2="floor"/><pair geom1="floor" geom2="b"/></contact>
  <keyframe><key name="home" qpos="0 0 0.5 1 0 0 0 0.3"/></keyframe></mujoco>"""


def test_pairs_of_geoms_stay_pairs():
    """They touch whatever their bits say, and the bits are numbers that MuJoCo reads."""
    m = mujoco.MjModel.from_xml_string(text_of(gw.loads(PAIRED), FORMATS[".xml"], LossLog()))
    pairs = {frozenset(m.geom(g).name for g in pair) for pair in zip(m.pair_geom1, m.pair_geom2, strict=True)}
    assert pairs == {frozenset({"a", "floor"}), frozenset({"b", "floor"})}
    assert [int(m.geom(n).contype[0]) for n in ("a", "b")] == [0, -1]


def test_a_free_base_named_as_its_link_keeps_its_keyframes():
    """SDFormat has no joint there, so that nothing has to be renamed."""
    losses = LossLog()
    robot = gw.loads(text_of(gw.loads(PAIRED), FORMATS[".sdf"], losses))
    assert robot.keyframes["home"].position["base"] == (0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0)
    assert not [loss for loss in losses.lost if "keyframe" in loss.part]
    m = mujoco.MjModel.from_xml_string(text_of(robot, FORMATS[".xml"], LossLog()))
    np.testing.assert_array_equal(m.key_qpos, [[0, 0, 0.5, 1, 0, 0, 0, 0.3]])


def test_names_of_fixed_joints_are_reported():
    robot = gw.build("r").link("a", **BODY).link("b", **BODY).joint("weld", "fixed", "a", "b").finish()
    losses = LossLog()
    text_of(robot, FORMATS[".xml"], losses)
    assert any("'weld'" in note for note in losses.notes)


def test_planes_on_what_stands_still():
    """The ground of an SDFormat world is a model of its own."""
    text = """<sdf version="1.11"><world name="w"><model name="ground"><static>true</static><link name="link">
      <collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
      <model name="cart"><pose>0 0 1 0 0 0</pose><link name="body"><collision name="under"><geometry><plane>
      <normal>0 0 -1</normal></plane></geometry></collision></link></model></world></sdf>"""
    model, _, losses = compiled(gw.loads(text))
    planes = [i for i in range(model.ngeom) if model.geom_type[i] == mujoco.mjtGeom.mjGEOM_PLANE]
    assert [model.body(model.geom_bodyid[i]).name for i in planes] == ["ground::link"]
    assert [loss.reason for loss in losses.lost] == ["MuJoCo has planes on fixed bodies only"]


WORLD = """<sdf version="1.11"><world name="w"><model name="ground"><static>true</static><link name="link">
  <collision name="floor"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
  {models}</world></sdf>"""
ARM = """<model name="{name}"><pose>{x} 0 1 0 0 0</pose><link name="a"><collision name="{name}_a"><geometry><sphere>
  <radius>0.1</radius></sphere></geometry></collision>{collide}</link>{more}</model>"""
MORE = """<link name="b"><pose>0 0 0.5 0 0 0</pose></link><link name="c"><pose>0 0 0.9 0 0 0</pose><collision
  name="{name}_c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>{collide}</link>
  <joint name="ab" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="bc" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 1 0</xyz></axis></joint>"""


@pytest.mark.parametrize("collide", (False, True))
@pytest.mark.parametrize("count", (1, 2, 4))
def test_what_touches_in_mujoco_touches_here(collide, count):
    """By the rule of its bits and of parents, against the pairs of our own rule."""
    said = "<self_collide>true</self_collide>" if collide else ""
    arms = [{"name": f"m{i}", "x": 2 * i, "collide": said} for i in range(count)]
    models = "".join(ARM.format(more=MORE.format(**a), **a) for a in arms)
    robot = gw.loads(WORLD.format(models=models))
    m, _, losses = compiled(robot)
    assert losses.lost == []
    geoms = [m.geom(i) for i in range(m.ngeom)]
    theirs = {
        frozenset((a.name, b.name)) for i, a in enumerate(geoms) for b in geoms[i + 1 :]
        if a.contype[0] & b.conaffinity[0] or b.contype[0] & a.conaffinity[0]
    }  # fmt: skip
    ours = {frozenset((p.a.name, p.b.name)) for p in find_contacts(robot).contacts}
    assert theirs == ours
    again = gw.loads(text_of(robot, FORMATS[".xml"], LossLog()))
    assert len(find_contacts(again).contacts) == len(ours)
