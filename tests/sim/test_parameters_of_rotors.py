"""Parameters of robots whose rotors have coordinates of their own: each is the number that the file has.

The file writes a number as `[name]`, so that the same text gives the robot with any numbers.
"""

import re

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import CompileError
from gearwright.model import LinearMap

STEPS = 60
ROUNDING = {"rel": 2e-12, "abs": 2e-12}  # other groupings of the same sums, over 60 steps with contacts: 4e-13 is found
LINK = (
    "<link name='{n}'><pose relative_to='{j}'/><inertial><pose>[{n}.com.x] [{n}.com.y] [{n}.com.z] 0 0 0</pose>"
    "<mass>[{n}.mass]</mass><inertia><ixx>[{n}.inertia.ixx]</ixx><iyy>[{n}.inertia.iyy]</iyy>"
    "<izz>[{n}.inertia.izz]</izz><ixy>[{n}.inertia.ixy]</ixy><ixz>[{n}.inertia.ixz]</ixz>"
    "<iyz>[{n}.inertia.iyz]</iyz></inertia></inertial></link>"
)
JOINT = (
    "<joint name='{j}' type='{kind}'><pose relative_to='__model__'>[{j}.origin.x] [{j}.origin.y] [{j}.origin.z] 0 0 0"
    "</pose><parent>world</parent><child>{n}</child><axis><xyz>{axis}</xyz><dynamics><damping>[{j}.damping]</damping>"
    "<friction>[{j}.friction]</friction><spring_stiffness>[{j}.spring_stiffness]</spring_stiffness>"
    "<spring_reference>[{j}.spring_reference]</spring_reference></dynamics>{more}</axis></joint>"
)
OF_LINKS = {
    "mass": 0.5, "com.x": 0.05, "com.y": 0.02, "com.z": -0.1, "inertia.ixx": 0.02, "inertia.iyy": 0.03,
    "inertia.izz": 0.025, "inertia.ixy": 0.001, "inertia.ixz": 0.002, "inertia.iyz": -0.001,
}  # fmt: skip
OF_JOINTS = {
    "origin.x": 0.1, "origin.y": -0.2, "origin.z": 0.3, "damping": 0.05, "friction": 0.02, "spring_stiffness": 0.4,
    "spring_reference": 0.1,
}  # fmt: skip
OF_MOTORS = {"stall_torque": 0.3, "no_load_speed": 80.0, "damping": 1e-5, "friction": 1e-3}
PLAY = "<backlash><gap>0.01</gap><stiffness>20</stiffness><damping>0.005</damping></backlash>"
BODY = "<rotor>body</rotor>"
RANGE = "<limit><effort>2.5</effort></limit>"  # of the joint: its motor has this by the reduction


def arm(n, axis="0 1 0", kind="revolute", more=""):
    j, link = f"j{n}", f"l{n}"
    return LINK.format(n=link, j=j) + JOINT.format(j=j, n=link, axis=axis, kind=kind, more=more)


def motor(name, kind="electric_motor", more=""):
    numbers = ("rotor_inertia", *(OF_MOTORS if kind == "electric_motor" else ()))
    inside = "".join(f"<{n}>[{name}.{n}]</{n}>" for n in numbers)
    return f"<actuator name='{name}' type='{kind}'>{inside}{more}</actuator>"


def reduction(joint, more=""):
    ratio = "<mechanical_reduction>[t.reduction]</mechanical_reduction><offset>[t.offset]</offset>"
    ends = f"<actuator>m1</actuator><joint>{joint}{ratio}</joint>"
    return f"<transmission name='t' type='simple'>{ends}{more}</transmission>"


def pair(kind, more=""):
    ends = "".join(
        f"<actuator role='actuator{i}'>m{i}"
        f"<mechanical_reduction>[t.actuator_reduction{i}]</mechanical_reduction></actuator>"
        f"<joint role='joint{i}'>j{i}<mechanical_reduction>[t.joint_reduction{i}]</mechanical_reduction>"
        f"<offset>[t.joint_offset{i}]</offset></joint>"
        for i in (1, 2)
    )
    return f"<transmission name='t' type='{kind}'>{ends}{more}</transmission>"


def mimic(mode):
    numbers = "".join(f"<{n}>[j2.{n}]</{n}>" for n in ("multiplier", "offset", "reference"))
    return f"<mimic joint='j1'>{numbers}<mode>{mode}</mode></mimic>"


TWO = arm(1) + arm(2, axis="1 0 0")
BODIES = motor("m1", more=BODY) + motor("m2", "ideal", BODY)
PAIR_NUMBERS = {
    "t.actuator_reduction1": 20.0, "t.actuator_reduction2": -30.0, "t.joint_reduction1": 1.5,
    "t.joint_reduction2": 0.8, "t.joint_offset1": 0.1, "t.joint_offset2": -0.05, "m1.rotor_inertia": 1e-5,
    "m2.rotor_inertia": 2e-5,
}  # fmt: skip
GEARED = {"t.reduction": -10.0, "t.offset": 0.05, "m1.rotor_inertia": 1e-4}
COUPLED = {**GEARED, "j2.multiplier": -1.5, "j2.offset": 0.2, "j2.reference": 0.1}
INDIFFERENT = re.compile(r"\.(origin|inertia|com)\.")  # where an arm stands, and how it would resist other axes
ROBOTS = {
    "backlash": (arm(1) + motor("m1") + reduction("j1", PLAY), GEARED),
    "body": (arm(1) + motor("m1", more=BODY) + reduction("j1"), GEARED),
    "limited": (arm(1, more=RANGE) + motor("m1", more=BODY) + reduction("j1"), GEARED),
    "oblique": (arm(1, axis="0.6 0 0.8") + motor("m1", more=BODY) + reduction("j1"), GEARED),
    "sliding": (
        arm(1, kind="prismatic") + motor("m1", more=BODY + "<joint>j1</joint>"),
        {"m1.rotor_inertia": 0.1},
    ),
    "differential body": (TWO + BODIES + pair("differential"), PAIR_NUMBERS),
    "differential backlash": (TWO + motor("m1") + motor("m2", "ideal") + pair("differential", PLAY), PAIR_NUMBERS),
    "four_bar body": (TWO + BODIES + pair("four_bar"), PAIR_NUMBERS),
    "follower": (arm(1) + arm(2, more=mimic("exact")) + motor("m1") + reduction("j2", PLAY), COUPLED),
    "follower body": (arm(1) + arm(2, more=mimic("exact")) + motor("m1", more=BODY) + reduction("j2"), COUPLED),
    "hard follower": (arm(1) + arm(2, more=mimic("hard")) + motor("m1") + reduction("j2", PLAY), COUPLED),
}  # fmt: skip


def numbers_of(name):
    """Every number that the file of this robot writes."""
    return usual(*ROBOTS[name])


def usual(text, own):
    known = {"l": OF_LINKS, "j": OF_JOINTS, "m": OF_MOTORS}
    named = dict.fromkeys(re.findall(r"\[([\w.]+)\]", text))
    return {n: own[n] if n in own else known[n[0]][n.partition(".")[2]] for n in named}


def robot(name, **changed):
    return written(ROBOTS[name][0], numbers_of(name) | changed)


def written(text, numbers):
    text = re.sub(r"\[([\w.]+)\]", lambda found: repr(numbers[found[1]]), text)
    return gw.loads(f"<sdf version='1.11'><model name='m'>{text}</model></sdf>")


def moved(sim):
    """(robots, signals) after a start off centre and some steps under the motors' effort."""
    sim.reset(position={"j1": 0.3}, velocity={"j1": 1.0})
    begun = [sim.position[c] for c in sim.coordinates]
    sim.step(command={name: 0.4 / (i + 1) for i, name in enumerate(sim.robot.actuators)}, n=STEPS)
    ended = [x[c] for c in sim.coordinates for x in (sim.position, sim.velocity)]
    return np.array([np.atleast_1d(x) for x in (*begun, *ended, sim.energy)]).T


@pytest.mark.parametrize("name", ROBOTS)
def test_every_number_is_the_files(name):
    """Robot 0 has all numbers as they are, robot 1 all changed, and each of the others one."""
    numbers = numbers_of(name)
    sim = gw.compile(robot(name), batch=2 + len(numbers), parameters=[*numbers])
    for parameter, value in numbers.items():
        assert sim.parameters[parameter] == pytest.approx(np.full(sim.batch, value), rel=1e-15)
    values = np.array([[*numbers.values()]] * sim.batch)
    changed = {parameter: 1.3 * value for parameter, value in numbers.items()}
    for i, value in enumerate(changed.values()):
        values[[1, 2 + i], i] = value
    sim.set_parameters(dict(zip(numbers, values.T, strict=True)))
    found = moved(sim)
    expected = moved(gw.compile(robot(name)))
    assert found[0] == pytest.approx(expected[0], **ROUNDING)
    assert found[1] == pytest.approx(moved(gw.compile(robot(name, **changed)))[0], **ROUNDING)
    apart = dict(zip(numbers, np.abs(found[2:] - found[0]).max(axis=1), strict=True))
    ignored = {p for p, x in apart.items() if x < 1e-7}
    assert {p for p in ignored if not INDIFFERENT.search(p)} == set()


def test_a_motor_behind_play_counts_its_rotor_once():
    """0.1 N·m by 10:1 on 0.01 kg·m² and a rotor of 1e-4 kg·m², which is 0.01 at the joint: 2.5 rad/s after 50 ms."""
    play = PLAY.replace("0.01", "0.0001").replace("20", "500")
    text = arm(1, axis="0 0 1") + motor("m1", "ideal") + reduction("j1", play)
    numbers = dict.fromkeys(re.findall(r"\[([\w.]+)\]", text), 0.0) | {"l1.mass": 1.0, "t.reduction": 10.0}
    numbers |= {"l1.inertia.ixx": 0.01, "l1.inertia.iyy": 0.01, "l1.inertia.izz": 0.01, "m1.rotor_inertia": 1e-4}
    sim = gw.compile(written(text, numbers), parameters=["m1.rotor_inertia"])
    assert sim.parameters["m1.rotor_inertia"] == 1e-4
    for rotor, speed in ((1e-4, 2.5), (1e-3, 5 / 11)):
        sim.set_parameters({"m1.rotor_inertia": rotor})
        sim.reset()
        sim.step(command={"m1": 0.1}, n=50)
        assert sim.velocity["j1"] == pytest.approx(speed, rel=1e-3)  # the gap is crossed first


def test_numbers_of_the_rotor_itself_are_no_parameters():
    for number in ("multiplier", "offset", "inertia.iyy", "origin.x"):
        with pytest.raises(
            CompileError, match=rf"'m1\.rotor\.{number}' belongs to a rotor that is a body.*use their parameters"
        ):
            gw.compile(robot("body"), parameters=[f"m1.rotor.{number}"])


def mapped(joints, motors, **numbers):
    inertias = {"m1.rotor_inertia": 1e-4, "m2.rotor_inertia": 1e-4}
    without = written(joints + motors, usual(joints + motors, inertias))
    return without.with_transmission(
        "t", LinearMap(**numbers), actuators=[*without.actuators], joints=[*without.joints]
    )


def test_a_ratio_that_the_file_does_not_have():
    """An entry of a matrix that is 0 ties the rotor to nothing: no parameter can."""
    crossed = mapped(TWO, BODIES, matrix=((5.0, 0.0), (1.0, 4.0)))
    gw.compile(crossed, parameters=["t.matrix1_1", "t.matrix2_1", "t.matrix2_2"])
    with pytest.raises(CompileError, match=r"no ratio between j1 and actuator 'm2'.*reflected"):
        gw.compile(crossed, parameters=["t.matrix1_2"])


def test_an_offset_of_efforts_goes_by_the_matrix_that_is_set():
    def offset(ratio):
        return mapped(arm(1), motor("m1", "ideal"), matrix=((ratio,),), actuator_offsets=(0.1,))

    sim = gw.compile(offset(5.0), parameters=["t.matrix1_1"])
    sim.set_parameters({"t.matrix1_1": 8.0})
    assert moved(sim) == pytest.approx(moved(gw.compile(offset(8.0))), **ROUNDING)


@pytest.mark.parametrize(("name", "joint"), [("backlash", "j1"), ("follower", "j2")])
def test_sweeps_and_environments_start_rotors_where_they_belong(name, joint):
    """In the middle of the play, by the numbers of each robot: nothing is stored in the contact."""
    parameters = {"t.reduction": [-10.0, -14.0], "t.offset": [0.0, 0.2]}
    table = gw.sweep(
        robot(name), parameters, {"at": "m1.rotor.position:last"},
        duration=1e-3, position={"j1": 0.3}, sampling="grid",
    )  # fmt: skip
    for design in table.iter_rows(named=True):
        sim = gw.compile(robot(name, **{n: design[n] for n in parameters}))
        sim.reset(position={"j1": 0.3})
        sim.step()
        assert design["at"] == pytest.approx(sim.position["m1.rotor"], **ROUNDING)
    pytest.importorskip("gymnasium")
    env = gw.VectorEnv(
        robot(name), batch=3, observe=("m1.rotor.position", f"{joint}.position"), act={"m1": (-1, 1)},
        reward=lambda seen, acted: seen[:, 0], reset={"j1": (0.1, 0.4)}, randomize={"t.reduction": (-20.0, -10.0)},
        period=0.01, duration=0.05,
    )  # fmt: skip
    seen, _ = env.reset(seed=1)
    ratio = env.task.sim.parameters["t.reduction"]
    assert seen[:, 0] == pytest.approx(ratio * (seen[:, 1] - 0.05), rel=1e-6)  # what is observed is single precision


@pytest.mark.parametrize("batch", [1, 3])
def test_hardware_interfaces_go_through_the_ratio_that_is_set(batch):
    """A servo that is sent to a joint's position arrives there; the joint's effort is the motor's by the same ratio."""
    tag = "<ros2_control name='hw' type='system'><hardware><plugin>x</plugin></hardware><joint name='j1'>"
    tag += "<command_interface name='position'/><state_interface name='effort'/></joint></ros2_control>"
    text = "<robot name='r'><link name='w'/><link name='l'><inertial><mass value='1'/>"
    text += "<inertia ixx='1' iyy='1' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    text += "<joint name='j1' type='revolute'><parent link='w'/><child link='l'/><axis xyz='0 0 1'/>"
    text += "<limit lower='-3' upper='3' effort='20' velocity='9'/></joint>" + tag
    text += "<transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint name='j1'/>"
    text += "<actuator name='m1'><mechanicalReduction>10</mechanicalReduction></actuator></transmission></robot>"
    sim = gw.compile(gw.with_servos(gw.loads(text)), batch=batch, parameters=["t.reduction"])
    sim.set_parameters({"t.reduction": 25.0 if batch == 1 else np.array([25.0, 10.0, -8.0])})
    hw = sim.hardware()
    hw.write({"j1/position": 0.3})
    sim.step()
    ratio, torque = sim.parameters["t.reduction"], sim.actuator["m1"].torque
    assert hw["j1/effort"] == pytest.approx(ratio * torque, rel=1e-15)
    sim.run(2.0)
    assert sim.position["j1"] == pytest.approx(np.full(np.shape(ratio), 0.3), abs=1e-9)  # what two seconds leave


def test_a_parameter_that_takes_the_mass_away_is_refused():
    """A file's zero gets an armature; a parameter's would leave a joint without an equation."""
    sim = gw.compile(
        robot("backlash"), batch=2, parameters=["l1.mass", *(f"l1.inertia.i{c}" for c in ("xx", "yy", "zz"))]
    )
    nothing = dict.fromkeys(("l1.mass", "l1.inertia.ixx", "l1.inertia.iyy", "l1.inertia.izz"), np.array([0.5, 0.0]))
    with pytest.raises(gw.ModelError, match=r"'l1\.mass' = 0.*joint 'j1' then moves no mass.*\(robot 1\)"):
        sim.set_parameters(nothing)
    sim.set_parameters({"l1.mass": 0.0})  # its moments are left
    moves = gw.compile(robot("body"), parameters=["l1.mass", "l1.inertia.iyy", "m1.rotor_inertia"])
    moves.set_parameters({"l1.mass": 0.0, "l1.inertia.iyy": 0.0})  # the rotor moves with it
    with pytest.raises(gw.ModelError, match=r"'m1\.rotor_inertia' = 0: the rotor of 'm1' .* needs an inertia"):
        moves.set_parameters({"m1.rotor_inertia": 0.0})


@pytest.mark.filterwarnings("ignore:.*moves no mass")
def test_an_armature_is_assumed_only_while_there_is_no_mass():
    """Of a slider that has none in the file: 1 N on 1e-5 kg, and on the armature of 1e-6 kg alone."""
    text = "<robot name='r'><link name='w'/><link name='l'/><joint name='j' type='prismatic'><parent link='w'/>"
    text += "<child link='l'/><axis xyz='1 0 0'/><limit lower='-9' upper='9' effort='9' velocity='9'/></joint></robot>"
    slider = gw.loads(text)
    sim = gw.compile(slider, batch=2, parameters=["l.mass"])
    sim.set_parameters({"l.mass": [1e-5, 0.0]})
    sim.reset()
    sim.step(effort={"j": 1.0})
    assert sim.velocity["j"] == pytest.approx([100.0, 1000.0], rel=1e-14)
    own = gw.compile(slider, parameters=["j.armature"])
    with pytest.raises(gw.ModelError, match=r"'j\.armature' = 0: joint 'j' then moves no mass"):
        own.set_parameters({"j.armature": 0.0})
