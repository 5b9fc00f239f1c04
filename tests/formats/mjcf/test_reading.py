"""MJCF files: names, classes, files in files, named states, contact, and what is reported."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest

import gearwright as gw
from gearwright.model.contacts.finding import find_contacts
from gearwright.sim.saving.as_data import from_data, to_data
from tests.formats.mjcf import files
from tests.formats.mjcf.against_mujoco import actuator_errors, both, pose_error, random_state

HAND = """<mujoco><compiler angle="radian" meshdir="shapes"/>
  <default><default class="link"><geom size="0.02"/><joint axis="1 0 0"/></default></default>
  <asset><mesh file="tip.stl" scale="0.5 0.5 0.5"/></asset>
  <worldbody><body name="palm" childclass="link"><geom/><body name="finger" pos="0 0 0.1"><joint name="bend"/>
    <geom type="mesh" mesh="tip"/><site name="end"/></body></body><body name="other"><geom size="1"/></body></worldbody>
  <actuator><position name="servo" joint="bend" kp="3"/></actuator>
  <sensor><jointpos name="angle" joint="bend"/></sensor>
</mujoco>"""
SCENE = """<mujoco><asset><model name="hand" file="hand.xml"/></asset>
  <worldbody><include file="parts/pole.xml"/>
    <body name="wrist" pos="0 0 1"><joint name="turn"/><geom size="0.1"/>
      <frame pos="0 0 0.2" euler="0 90 0"><attach model="hand" body="palm" prefix="left/"/></frame></body>
  </worldbody></mujoco>"""
POLE = '<mujocoinclude><geom name="pole" type="cylinder" size="0.02 0.5"/></mujocoinclude>'


def tetrahedron() -> bytes:
    points = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    rows = (struct.pack("<12fH", 0, 0, 0, *(x for i in f for x in points[i]), 0) for f in faces)
    return b"\0" * 80 + struct.pack("<I", len(faces)) + b"".join(rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shapes").mkdir()
    (tmp_path / "parts").mkdir()
    (tmp_path / "shapes" / "tip.stl").write_bytes(tetrahedron())
    (tmp_path / "parts" / "pole.xml").write_text(POLE)
    (tmp_path / "hand.xml").write_text(HAND)
    (tmp_path / "scene.xml").write_text(SCENE)
    return tmp_path


def test_parts_of_a_robot_have_its_names() -> None:
    robot = gw.loads(files.ARM)
    assert robot.name == "arm"
    assert list(robot.links) == ["base", "upper", "lower", "left", "right", "world"]
    assert list(robot.joints) == ["shoulder", "elbow", "left", "right"]
    assert list(robot.actuators) == ["shoulder", "elbow", "grip"]
    assert robot.frames["tip"].link == "lower" and robot.frames["tip"].X_LF.p.tolist() == [0.0, 0.0, 0.2]
    assert list(robot.sensors) == ["angle", "rate", "gyro", "force"]
    shoulder = robot.joints["shoulder"].axes[0]
    assert shoulder.limits.upper == pytest.approx(np.pi / 2)
    assert (shoulder.dynamics.damping, shoulder.dynamics.armature, shoulder.dynamics.friction) == (0.1, 0.01, 0.05)
    assert robot.joints["left"].axes[0].dynamics.armature == 0.01  # of the class around its own


def test_a_servo_is_a_drive() -> None:
    servo = gw.loads(files.ARM).actuators["shoulder"]
    assert (servo.command, servo.stiffness, servo.damping_gain) == ("position", 50.0, 3.0)
    assert servo.effort_at(5.0, 0.0) == 20.0  # of its forcerange, with its command limited to 1


def test_an_attached_hand_and_an_included_pole_move_as_in_mujoco(folder: Path) -> None:
    pair = both(folder / "scene.xml")
    assert {"wrist", "left/palm", "left/finger", "world"} == set(pair.robot.links)
    assert list(pair.robot.actuators) == ["left/servo"] and list(pair.robot.sensors) == ["left/angle"]
    assert pose_error(pair, random_state(pair, np.random.default_rng(0))) < 1e-12
    finger = pair.robot.links["left/finger"]
    assert finger.inertia.mass == pytest.approx(float(pair.m.body("left/finger").mass[0]), rel=1e-9)
    assert pair.robot.links["world"].collisions[0].name == "pole"


def test_files_outside_are_not_read(folder: Path) -> None:
    (folder / "parts" / "bad.xml").write_text('<mujoco><include file="../scene.xml"/></mujoco>')
    with pytest.raises(gw.LoadError) as refused:
        gw.load(folder / "parts" / "bad.xml")
    assert next(d.code for d in refused.value.diagnostics if d.severity == "error") == "include-unsafe"


def test_an_include_of_itself_ends(folder: Path) -> None:
    (folder / "a.xml").write_text('<mujoco><include file="b.xml"/></mujoco>')
    (folder / "b.xml").write_text('<mujoco><include file="b.xml"/></mujoco>')
    with pytest.raises(gw.LoadError, match="a second time"):
        gw.load(folder / "a.xml")


def test_a_missing_mesh_is_an_error_where_its_inertia_is_asked_for(folder: Path) -> None:
    (folder / "shapes" / "tip.stl").unlink()
    with pytest.raises(gw.LoadError, match=r"tip\.stl.*which was not found"):
        gw.load(folder / "hand.xml")
    given = HAND.replace('<joint name="bend"/>', '<joint name="bend"/><inertial pos="0 0 0" mass="1"/>')
    (folder / "hand.xml").write_text(given)
    assert gw.load(folder / "hand.xml").links["finger"].inertia.mass == 1.0


def test_replicas_stand_where_mujoco_puts_them() -> None:
    pair = both("""<mujoco><compiler angle="radian"/><worldbody>
      <replicate count="4" offset="0.3 0.1 0" euler="0 0 0.5" sep="_"><body name="b" pos="1 0 0"><joint name="j"/>
        <geom size="0.1"/></body></replicate></worldbody></mujoco>""")
    assert [pair.m.body(i).name for i in range(1, 5)] == list(pair.robot.links)
    assert pose_error(pair, random_state(pair, np.random.default_rng(0))) < 1e-12


def test_replicas_inside_replicas_have_mujocos_names() -> None:
    """The inner suffix comes first; what the copies' readers know is known in the file, and nothing else."""
    text = """<mujoco><worldbody><replicate count="2" offset="0 0 1" sep="_">
      <replicate count="2" offset="0 0.5 0" sep="-">
      <frame name="f" pos="0.1 0 0"><replicate count="3" offset="0.5 0 0" euler="0 0 20"><body name="b" pos="1 0 0">
        <joint name="j"/><geom size="0.1"/></body></replicate></frame></replicate></replicate></worldbody></mujoco>"""
    pair = both(text)
    assert [pair.m.body(i).name for i in range(1, 13)] == list(pair.robot.links)
    assert pose_error(pair, random_state(pair, np.random.default_rng(0))) < 1e-12
    assert [d for d in pair.robot.diagnostics if d.severity != "info"] == []
    with pytest.warns(gw.LoadWarning, match="attribute 'siz' of <geom> is not known"):
        gw.loads(text.replace("<geom ", '<geom siz="1" '))


@pytest.mark.parametrize("how", ['<compiler alignfree="true"/>', ""])
def test_a_frame_that_mujoco_moves_to_its_inertia_is_said(how: str) -> None:
    align = "" if how else ' align="true"'
    text = f"""<mujoco>{how}<worldbody><body name="b"><freejoint{align}/><geom size="0.1" pos="1 0 0"/></body>
      </worldbody></mujoco>"""
    with pytest.warns(gw.LoadWarning, match="not aligned with its inertia"):
        gw.loads(text)
    carrying = text.replace("</body>", '<body><joint/><geom size="0.1"/></body></body>')  # MuJoCo leaves it, too
    assert [d for d in gw.loads(carrying).diagnostics if d.severity != "info"] == []


def test_a_keyframe_whose_loop_is_open_by_its_digits() -> None:
    """Files round: all positions of a four-bar are given, and none of them agrees to the last digit."""
    sim = gw.compile(gw.loads(files.LOOP), contacts=[])
    sim.reset({"crank": 0.3})
    rounded = {name: round(sim.position[name], 2) for name in ("crank", "rod", "rocker")}
    numbers = " ".join(map(str, rounded.values()))
    key = f'<keyframe><key name="bent" qpos="{numbers} 0 0" qvel="1 0.01 0 0 0"/></keyframe></mujoco>'
    sim = gw.compile(gw.loads(files.LOOP.replace("</mujoco>", key)), contacts=[])
    sim.reset(keyframe="bent")
    for name, x in rounded.items():
        assert sim.position[name] == pytest.approx(x, abs=0.02)
    assert sim.velocity["crank"] > 0.1
    sim.reset({"crank": 0.31}, keyframe="bent")
    assert sim.position["crank"] == 0.31


def test_a_keyframe_with_a_quaternion_of_zeros() -> None:
    text = """<mujoco><worldbody><body name="box"><freejoint/><geom size="1" contype="0" conaffinity="0"/></body>
      </worldbody>
      <keyframe><key name="k" qpos="1 2 3 0 0 0 0"/></keyframe></mujoco>"""
    pair = both(text)
    d = mujoco.MjData(pair.m)
    mujoco.mj_resetDataKeyframe(pair.m, d, 0)
    mujoco.mj_forward(pair.m, d)
    sim = gw.compile(pair.robot, contacts=[])
    sim.reset(keyframe="k")
    assert sim.position["base"] == pytest.approx([1, 2, 3, *d.xquat[1]])


def test_a_reset_to_a_keyframe() -> None:
    robot = gw.loads(files.ARM)
    assert robot.keyframes["home"].position["shoulder"] == (0.2,)
    assert robot.keyframes["home"].velocity == {"shoulder": (0.1,)}
    sim = gw.compile(robot, contacts=[])
    sim.reset(keyframe="home")
    assert (sim.position["shoulder"], sim.position["elbow"], sim.velocity["shoulder"]) == (0.2, -0.3, 0.1)
    assert sim.position["right"] == pytest.approx(0.011 + 0.2 * 0.01**2)  # by its coupling
    sim.step(n=3)
    held = np.array(sim.state)
    sim.reset(keyframe="home")
    sim.step(command=robot.keyframes["home"].command, n=3)
    assert np.array_equal(held, sim.state)
    sim.reset({"elbow": 0.1}, keyframe="home")
    assert (sim.position["shoulder"], sim.position["elbow"]) == (0.2, 0.1)
    with pytest.raises(gw.GearwrightError, match="home"):
        sim.reset(keyframe="hone")


def test_robots_of_mjcf_are_saved_and_pickled(tmp_path: Path) -> None:
    for text in (files.ACTUATORS, files.WRAPS, files.MANY_JOINTS):
        robot = gw.loads(text)
        assert pickle.loads(pickle.dumps(robot)) == robot
        assert to_data(from_data(to_data(robot))) == to_data(robot)
    for text in (files.ARM, files.LOOP):
        robot = gw.loads(text)
        sim = gw.compile(robot, contacts=[])
        command = dict.fromkeys(robot.actuators, 0.1)
        sim.step(command=command, n=20)
        sim.reset()
        sim.save(tmp_path / "robot.gw")
        again = gw.open(tmp_path / "robot.gw")
        for s in (sim, again):
            s.step(command=command, n=20)
        assert np.array_equal(sim.state, again.state)
        assert again.robot.keyframes == robot.keyframes


def test_what_touches_what() -> None:
    """Bits keep shapes apart, an <exclude> bodies, joints what they connect; a <pair> touches in any case."""
    geom = '<geom name="{0}" size="0.1" contype="{2}" conaffinity="{3}"/>'
    body = f'<body name="{{0}}" pos="{{1}} 0 0"><freejoint/>{geom}</body>'
    bodies = "".join(body.format(*x) for x in (("a", 0, 1, 0), ("b", 1, 0, 1), ("c", 2, 0, 0), ("d", 3, 0, 0)))
    text = f"""<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" contype="1" conaffinity="0"/>{bodies}
      </worldbody><contact><pair geom1="c" geom2="d"/>{{}}</contact></mujoco>"""
    found = {frozenset(p.links) for p in find_contacts(gw.loads(text.format(""))).contacts}
    assert found == {frozenset(x) for x in (("a", "b"), ("b", "world"), ("c", "d"))}
    excluded = gw.loads(text.format('<exclude body1="a" body2="b"/>'))
    assert frozenset(("a", "b")) not in {frozenset(p.links) for p in find_contacts(excluded).contacts}


def test_links_without_mass_between_do_not_make_neighbours_touch() -> None:
    text = """<mujoco><worldbody><body name="a"><geom size="0.1"/><body name="b"><joint name="x"/><joint name="y"
      axis="0 1 0"/><geom size="0.1"/><body name="c"><joint/><geom size="0.1"/></body></body></body></worldbody>
      </mujoco>"""
    for base, touching in (("", {"ab", "ac"}), ("<freejoint/>", {"ac"})):  # the world has no neighbours
        pair = both(text.replace('<body name="a">', f'<body name="a">{base}'))
        d = mujoco.MjData(pair.m)
        mujoco.mj_forward(pair.m, d)
        theirs = {frozenset(pair.m.body(pair.m.geom_bodyid[g]).name for g in c.geom) for c in d.contact}
        assert theirs == set(map(frozenset, touching))
        assert {frozenset(p.links) for p in find_contacts(pair.robot).contacts} == theirs


def test_a_slack_spring_pulls_back_only() -> None:
    robot = gw.loads(files.ACTUATORS)
    low, high = robot.actuators["sum_spring"], robot.actuators["sum_spring2"]
    assert [low.effort_at(9.0, 0.0, x) for x in (0.0, 0.1, 0.15)] == pytest.approx([0.4, 0.0, 0.0])
    assert [high.effort_at(9.0, 0.0, x) for x in (0.1, 0.2, 0.3)] == pytest.approx([0.0, 0.0, -0.4])
    assert (low.damping, low.friction, low.rotor_inertia) == (0.3, 0.01, 0.02)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ('<body><freejoint/><joint/><geom size="1"/></body>', "a free joint must be the only joint"),
        ('<body><joint axis="0 0 0"/><geom size="1"/></body>', "length zero"),
        ('<body><geom size="-1"/></body>', "positive numbers"),
        ('<body quat="0 0 0 0"/>', "not a rotation"),
        ('<body euler="0 0 0" zaxis="1 0 0"/>', "more than one orientation"),
        ('<body><joint range="2 1"/><geom size="1"/></body>', "smaller than the second"),
        ('<body childclass="nothing"/>', "no default class 'nothing'"),
        ('<geom class="nothing" size="1"/>', "no default class"),
        ('<geom type="mesh" mesh="nothing"/>', "no mesh 'nothing'"),
        ('<replicate count="1e9"><geom size="1"/></replicate>', "copies"),
        ('<body name="world"/>', "cannot be called 'world'"),
        ("<composite/>", "made by a rule"),
    ],
)
def test_faults_name_the_element_and_its_line(inside: str, words: str) -> None:
    with pytest.raises(gw.LoadError) as refused:
        gw.loads(f"<mujoco>\n<worldbody>\n{inside}</worldbody></mujoco>", strict=True)
    found = [d for d in refused.value.diagnostics if words in d.message]
    assert found and found[0].line == 3 and found[0].severity == "error"


def test_what_is_left_out_is_a_warning_or_an_error_if_strict() -> None:
    text = files.ARM.replace("</actuator>", '<motor name="rope" site="tip" gear="0 0 1 0 0 0"/></actuator>')
    with pytest.warns(gw.LoadWarning, match="acts on a site"):
        assert "rope" not in gw.loads(text).actuators
    with pytest.raises(gw.LoadError, match="acts on a site"):
        gw.loads(text, strict=True)


@pytest.mark.parametrize(
    ("tendon", "why"),
    [
        ('<geom geom="fixed" sidesite="above"/>', "passes a sidesite of the sphere"),
        ('<geom geom="drum" sidesite="above"/>', "is on another body"),
        ('<geom geom="drum" sidesite="inside"/>', "runs inside"),
    ],
)
def test_ways_around_that_have_no_map(tendon: str, why: str) -> None:
    text = files.WRAPS.replace('<geom geom="drum"/>', tendon).replace(
        '<site name="out"', '<site name="inside" pos="0.05 0 0.1"/><site name="out"'
    )
    with pytest.warns(gw.LoadWarning, match=why):
        assert "drum" not in gw.loads(text).actuators
    with pytest.raises(gw.LoadError, match="its forces cannot be simulated"):
        gw.loads(text.replace('<spatial name="drum">', '<spatial name="drum" stiffness="3">'))


def test_muscles_of_a_class_are_left_out() -> None:
    text = """<mujoco><default><muscle ctrlrange="0 1"/></default><worldbody><body><joint name="j"/><geom size="0.1"/>
      </body></worldbody><actuator><general name="m" joint="j"/></actuator></mujoco>"""
    with pytest.warns(gw.LoadWarning, match="'muscle' has no counterpart"):
        assert not gw.loads(text).actuators


def test_degrees_and_sequences_of_angles() -> None:
    for sequence in ("xyz", "ZYX", "zxZ"):
        text = f"""<mujoco><compiler eulerseq="{sequence}"/><worldbody><body name="a" euler="10 20 30">
          <joint/><geom size="0.1"/></body></worldbody></mujoco>"""
        pair = both(text)
        assert pose_error(pair, random_state(pair, np.random.default_rng(0))) < 1e-14


def test_a_dc_motor_by_its_data_sheet() -> None:
    text = """<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody>
      <actuator><dcmotor name="m" joint="j" nominal="12 0.5 300"/></actuator></mujoco>"""
    motor, m = gw.loads(text).actuators["m"], mujoco.MjModel.from_xml_string(text)
    assert isinstance(motor, gw.DCMotor)
    assert (motor.resistance, motor.torque_constant) == pytest.approx(tuple(m.actuator_gainprm[0, :2]))
    assert motor.effort_at(12.0, 0.0) == pytest.approx(0.5)
    assert motor.effort_at(12.0, 300.0) == pytest.approx(0.0, abs=1e-12)


def test_a_model_to_attach_is_called_as_it_calls_itself(folder: Path) -> None:
    (folder / "hand.xml").write_text(HAND.replace("<mujoco>", '<mujoco model="Grip Per">'))
    text = """<mujoco><asset><model file="hand.xml"/></asset><worldbody><body name="arm"><joint name="j"/>
      <geom size="0.1"/><attach model="Grip Per" body="palm" prefix="a_"/></body></worldbody></mujoco>"""
    (folder / "whole.xml").write_text(text)
    pair = both(folder / "whole.xml")
    assert [pair.m.body(i).name for i in range(1, 4)] == list(pair.robot.links)


def test_replicas_of_attached_models_have_mujocos_names(folder: Path) -> None:
    """With all that belongs to them: what is inside replicas, tendons, equalities, actuators, sensors, exclusions."""
    (folder / "grip.xml").write_text("""<mujoco><worldbody><body name="palm"><joint name="wrist"/><geom size="0.05"/>
        <replicate count="2" offset="0.1 0 0" sep="_"><body name="f" pos="0 0 0.1"><joint name="fj" axis="0 1 0"/>
          <geom size="0.02"/></body></replicate></body></worldbody>
      <contact><exclude body1="palm" body2="f_0"/></contact>
      <tendon><fixed name="t"><joint joint="fj_0" coef="1"/><joint joint="fj_1" coef="-1"/></fixed></tendon>
      <equality><joint joint1="fj_0" joint2="fj_1"/></equality>
      <actuator><motor name="m" joint="wrist" gear="3"/><position name="p" tendon="t" kp="5"/></actuator>
      <sensor><jointpos name="angle" joint="wrist"/></sensor></mujoco>""")
    (folder / "row.xml").write_text("""<mujoco><asset><model name="g" file="grip.xml"/></asset><worldbody>
      <replicate count="2" offset="0.5 0 0" euler="0 0 30" sep="-"><replicate count="2" offset="0 0.4 0" sep=".">
        <body name="arm"><joint name="sh" axis="0 1 0"/><geom size="0.1"/>
          <attach model="g" body="palm" prefix="a_"/></body></replicate></replicate></worldbody></mujoco>""")
    pair = both(folder / "row.xml")
    m, robot = pair
    assert [m.body(i).name for i in range(1, m.nbody)] == list(robot.links)
    assert [m.actuator(i).name for i in range(m.nu)] == list(robot.actuators)
    assert [m.sensor(i).name for i in range(m.nsensor)] == list(robot.sensors)
    assert (m.neq, m.nexclude) == (len(robot.couplings), 4) and ("a_palm.1-0", "a_f_0.1-0") in robot.no_contact
    state = random_state(pair, np.random.default_rng(0))
    assert pose_error(pair, state) < 1e-12 and max(actuator_errors(pair, state).values()) < 1e-12


REPLICAS = """<mujoco><worldbody><body name="x"><joint name="o"/><geom size=".1"/></body>
  <replicate count="2" offset="1 0 0" sep="_"><body name="b"><joint name="j" axis="0 1 0"/><geom size=".1"/>%s</body>
  </replicate></worldbody>%s</mujoco>"""
INSIDE = """<replicate count="2" offset="0 0 1" sep="-"><body name="k"><joint name="i" axis="1 0 0"/>
  <geom size=".1"/></body></replicate>"""


ON_TENDONS = """<tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>
  <actuator><motor name="a" tendon="t"/></actuator>
  <sensor><jointpos name="q" joint="j"/><actuatorpos name="w" actuator="a"/></sensor>"""
REFERENCES = {
    "actuators": (
        "", '<actuator><motor name="a" joint="j"/><motor name="p" joint="o"/><motor name="c" joint="j"/></actuator>',
    ),
    "tendons": ("", ON_TENDONS),
    "replicas in replicas": (INSIDE, '<actuator><motor name="a" joint="i"/><motor name="b" joint="j"/></actuator>'),
    "no names": ("", '<actuator><motor joint="j" gear="3"/></actuator>'),
}  # fmt: skip


@pytest.mark.parametrize(("inside", "sections"), REFERENCES.values(), ids=REFERENCES)
def test_what_names_replicated_parts_is_replicated_as_in_mujoco(inside: str, sections: str) -> None:
    pair = both(REPLICAS % (inside, sections))
    m, robot = pair
    assert [m.body(i).name for i in range(1, m.nbody)] == list(robot.links)
    actuators = [m.actuator(i).name or f"{m.joint(m.actuator_trnid[i, 0]).name}_motor" for i in range(m.nu)]
    assert actuators == list(robot.actuators)
    assert [m.sensor(i).name for i in range(m.nsensor)] == list(robot.sensors)
    state = random_state(pair, np.random.default_rng(0))
    assert pose_error(pair, state) < 1e-12 and max(actuator_errors(pair, state).values(), default=0.0) < 1e-12
    assert not [d for d in robot.diagnostics if d.severity != "info"]


def test_what_names_replicated_parts_and_others_is_refused() -> None:
    """MuJoCo leaves it out without a word."""
    with pytest.raises(gw.LoadError, match="there is no joint 'j'"):
        gw.loads(REPLICAS % ("", '<equality><joint joint1="j" joint2="o"/></equality>'))
