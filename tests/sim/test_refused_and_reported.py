"""What `compile` refuses, the checks report with its line; each was found by the fuzzer."""

from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from tests.model.test_freedom import coupling, mechanism, polygon
from tests.model.test_second_descriptions import PARALLELOGRAM

POINT = "<inertial><mass>1</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial>"
NOTHING = POINT.replace("<mass>1", "<mass>0")
HUGE = (
    "<inertial><pose>0 0 -0.2 0 0 0</pose><mass>1.4e9</mass>"
    "<inertia><ixx>2e-7</ixx><iyy>2e-7</iyy><izz>2e-7</izz></inertia></inertial>"
)
MOTOR = '<actuator name="m" type="electric_motor">{}<command>effort</command></actuator>'
ROTOR = MOTOR.format("<rotor_inertia>1e-5</rotor_inertia>")
AT_DEAD_POINT = "<ground>0.1</ground><input>0.06</input><coupler>0.1</coupler><output>0.06</output>"


def hinge(name: str, child: str, more: str = "", parent: str = "base", kind: str = "revolute") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
        f"<axis><xyz>0 0 1</xyz>{more}</axis></joint>"
    )


def written(links: dict[str, str], *parts: str) -> str:
    each = "\n".join(f'<link name="{name}">{inertia}</link>' for name, inertia in {"base": "", **links}.items())
    mount = '<joint name="mount" type="fixed"><parent>world</parent><child>base</child></joint>'
    return f'<sdf version="1.12"><model name="m">\n{each}{mount}{"".join(parts)}\n</model></sdf>'


LOOSE_ROTOR = written(
    {"arm": POINT},
    hinge("j", "arm"),
    ROTOR,
    '<transmission name="t" type="simple"><actuator>m</actuator><joint>j</joint>'
    "<backlash><gap>0.01</gap><stiffness>1000</stiffness></backlash></transmission>",
)
ROTOR_OF_THE_OTHER_JOINT = written(
    {"arm": "", "tip": NOTHING},
    hinge("j", "arm"),
    hinge("k", "tip"),
    ROTOR,
    MOTOR.format("").replace('name="m"', 'name="n"'),
    '<transmission name="t" type="four_bar"><actuator role="actuator1">m</actuator><joint role="joint1">j</joint>'
    '<actuator role="actuator2">n</actuator><joint role="joint2">k</joint></transmission>',
)
CONTRADICTED = written(
    {"arm": "", "tip": NOTHING},
    hinge("k", "arm", '<mimic joint="slide"><multiplier>5</multiplier><offset>0.9</offset></mimic>'),
    '<joint name="weld" type="fixed"><parent>base</parent><child>arm</child></joint>',
    hinge("slide", "tip", kind="prismatic"),
)
STANDING_ROTOR = written(  # it turns with the base, against the link that carries it
    {"arm": NOTHING},
    '<joint name="j" type="revolute"><parent>arm</parent><child>base</child><axis><xyz>0 0 1</xyz></axis></joint>',
    MOTOR.format("<joint>j</joint><rotor_inertia>1e-5</rotor_inertia><rotor>body</rotor>"),
)
HELD_ACROSS = written(  # an equation of the loops that nothing moves: links that only slide past each other
    {"arm": "<pose>0.3 0.1 -0.2 0 0 0.3</pose>", "tip": ""},
    hinge("j", "arm", kind="prismatic"),
    hinge("k", "tip").replace("0 0 1", "0 1 0"),
    hinge("loop", "base", parent="arm"),
    hinge("other", "tip", parent="arm", kind="continuous").replace("0 0 1", "1 0 0"),
    '<coupling name="c"><term joint="k">-0.1</term><term joint="j">-1.4</term><term joint="loop">4.6</term></coupling>',
    '<limit name="e"><joint>other</joint><threshold>0.05</threshold></limit>',
)
ON_ITS_AXIS = written({"arm": HUGE}, hinge("j", "arm"))
READ_AT_A_DEAD_POINT = written(
    {"arm": "", "tip": ""},
    hinge("j", "arm"),
    hinge("k", "tip"),
    ROTOR,
    '<transmission name="drive" type="simple"><actuator>m</actuator><joint>k</joint></transmission>'
    f'<transmission name="t" type="four_bar_linkage"><actuator>m</actuator><joint>j</joint>{AT_DEAD_POINT}'
    '</transmission><encoder name="e" type="velocity"><transmission>t</transmission></encoder>',
)
DEAD_WHERE_THE_LOOP_CLOSES = written(
    {"arm": ""},
    hinge("free", "arm"),
    hinge("j", "arm", '<mimic joint="free"><multiplier>2</multiplier><offset>0.7</offset><mode>hard</mode></mimic>'),
    '<joint name="weld" type="fixed"><parent>base</parent><child>arm</child></joint>',
    ROTOR,
    f'<transmission name="t" type="four_bar_linkage"><actuator>m</actuator><joint>j</joint>{AT_DEAD_POINT}'
    '</transmission><encoder name="e" type="velocity"><transmission>t</transmission></encoder>',
)

BEHIND = "<limit><lower>-3</lower><upper>-1</upper></limit>"
LIMITS_OF_WHAT_IS_LEFT = written(
    {"arm": "", "tip": ""},
    hinge("free", "tip", BEHIND),
    hinge("j", "arm", f'{BEHIND}<mimic joint="free"><mode>hard</mode></mimic>'),
    '<joint name="weld" type="fixed"><parent>base</parent><child>arm</child></joint>',
    '<coupling name="k"><term joint="free">1</term><term joint="j">1</term>{}</coupling>',
)


@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(READ_AT_A_DEAD_POINT, "transmission-start", id="a linkage that is only read"),
        pytest.param(DEAD_WHERE_THE_LOOP_CLOSES, "transmission-start", id="a dead point where the loop closes"),
        pytest.param(LIMITS_OF_WHAT_IS_LEFT.format("<mode>hard</mode>"), "not-simulable", id="limits of what is left"),
    ],
)
def test_refused_and_reported(text: str, code: str) -> None:
    robot = gw.loads(text)
    found = [d for d in robot.diagnostics if d.code == code and d.severity == "warning"]
    assert found
    assert all(d.line for d in found)
    with pytest.raises(gw.GearwrightError):
        gw.compile(robot)


@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LOOSE_ROTOR, id="a rotor behind a backlash"),
        pytest.param(ROTOR_OF_THE_OTHER_JOINT, id="a rotor of the other joint"),
        pytest.param(CONTRADICTED, id="a leader whose coupling is left out"),
        pytest.param(ON_ITS_AXIS, id="a mass that swamps its moments"),
        pytest.param(STANDING_ROTOR, id="a rotor that stands"),
    ],
)
def test_what_moves_no_mass_is_reported_and_runs(text: str) -> None:
    """As if the joint had a small armature: nothing pulls at it, so that it stays, or goes where it is led."""
    robot = gw.loads(text)
    (found, *_) = [d for d in robot.diagnostics if d.code == "inertia-missing" and "moves no mass" in d.message]
    assert found.severity == "warning" and found.line and "armature of 1e-06 is used" in found.message
    with pytest.warns(gw.LoadWarning, match="inertia-missing"):
        sim = gw.compile(robot)
    sim.step(n=200)
    assert np.isfinite(sim.state).all()


def test_an_equation_that_nothing_moves_is_left_to_its_error() -> None:
    sim = gw.compile(gw.loads(HELD_ACROSS))
    sim.step(n=20)
    assert np.isfinite(sim.state).all()


def test_numbers_beyond_single_precision_are_refused() -> None:
    heavy = HUGE.replace("1.4e9", "1e40").replace("2e-7", "1e42")
    robot = gw.loads(written({"arm": heavy}, hinge("j", "arm").replace("0 0 1", "0 1 0")))
    gw.compile(robot)
    with pytest.raises(gw.CompileError, match="beyond single precision: use double"):
        gw.compile(robot, precision="single")
    with pytest.raises(gw.CompileError, match="beyond single precision: use double"):
        gw.export_c(robot, "never_written", precision="single")


@pytest.mark.parametrize("pitch", [0.1, 2.7e11])
def test_a_loop_closes_as_far_as_its_steepest_slope_lets_it(pitch: float) -> None:
    """The last bits of an angle move a screw of such a pitch by micrometres."""
    screw = f"<screw_thread_pitch>{pitch}</screw_thread_pitch>"
    parts = (hinge("j", "arm"), hinge("k", "tip"), hinge("loop", "tip", parent="arm", kind="screw"))
    turned = parts[2].replace("<axis>", f"{screw}<axis>").replace("0 0 1", "1 0 0")
    sim = gw.compile(gw.loads(written({"arm": "<pose>0 0 0.2 0.3 0.3 0</pose>", "tip": ""}, *parts[:2], turned)))
    assert np.isfinite(sim.state).all()


@pytest.mark.filterwarnings("ignore:.*no common range:gearwright.LoadWarning")
def test_limits_bind_no_compliant_follower() -> None:
    """It yields: what would refuse the file beside a hard coupling is a warning."""
    yields = "<natural_frequency>10</natural_frequency><damping_ratio>1</damping_ratio>"
    alone = LIMITS_OF_WHAT_IS_LEFT.replace('<mimic joint="free"><mode>hard</mode></mimic>', "")
    robot = gw.loads(alone.format(yields))
    assert [d.severity for d in robot.diagnostics if d.code == "mimic-limits-conflict"] == ["warning"]
    with pytest.raises(gw.LoadError, match="no common range"):
        gw.loads(alone.format("<mode>hard</mode>"))


@pytest.mark.filterwarnings("ignore:.*moves nothing:gearwright.LoadWarning")
def test_a_linkage_at_a_fixed_joint_has_no_start() -> None:
    fixed = READ_AT_A_DEAD_POINT.replace('name="j" type="revolute"', 'name="j" type="fixed"')
    assert "transmission-joint-fixed" in {d.code for d in gw.loads(fixed).diagnostics}


# --- nothing is left out silently -------------------------------------------------------------------------------------


def test_a_coupling_that_is_left_out_is_named_everywhere(tmp_path: Path) -> None:
    robot = mechanism(polygon(PARALLELOGRAM), [coupling("j3", ("j0", 0.9), mode="hard")])
    with pytest.warns(gw.NotSimulatedWarning, match="and would lock them, are left out: 'j3'"):
        sim = gw.compile(robot)
    sim.save(tmp_path / "bars.gw")
    for same in (sim, gw.open(tmp_path / "bars.gw", trust=True)):
        assert [d.message for d in same.diagnostics if "left out: 'j3'" in d.message]
        recording = same.run(0.01)
        for values in (same.coupling_error, same.coupling_effort, recording.coupling_error, recording.coupling_effort):
            with pytest.raises(gw.ModelError, match="coupling 'j3' is left out of the simulation: a loop contradicts"):
                values["j3"]
            assert values.get("j3") is None


def test_warnings_that_loading_does_not_wait_for_come_with_compile() -> None:
    robot = gw.loads(written({"arm": POINT.replace("<ixx>0", "<ixx>-1")}, hinge("j", "arm")))
    with pytest.warns(
        gw.LoadWarning, match=r"^<string>:\d+: link 'arm': no body has this inertia.*\[inertia-invalid\]; 1 more"
    ):
        gw.compile(robot)
    assert "inertia-invalid" in [d.code for d in robot.diagnostics]


SHAPED = """<robot name="box"><link name="b"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"""


def test_a_floating_robot_with_collision_shapes_is_said_to_fall_through():
    robot = gw.loads(SHAPED, base="floating")
    with pytest.warns(gw.NotSimulatedWarning, match="contacts do not act: 'box' floats"):
        gw.compile(robot)
    gw.compile(robot, gravity=(0, 0, 0))  # a satellite
    gw.compile(gw.loads(SHAPED.replace("collision", "visual"), base="floating"))
