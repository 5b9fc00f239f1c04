"""The test list of the actuation design, by its names (joint sensors, actuators, transmissions), and its example."""

import re
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.tolerances import ROUNDING

EXAMPLE = """<model name="test_model">
  <link name="test_link_1"/> <link name="test_link_2"/>
  <joint name="test_joint_01" type="revolute"><parent>world</parent><child>test_link_1</child></joint>
  <joint name="test_joint_12" type="revolute"><parent>test_link_1</parent><child>test_link_2</child></joint>
  <actuator name="test_actuator_01" type="electric_motor"><joint>test_joint_01</joint></actuator>
  <actuator name="test_actuator_12" type="electric_motor"><joint>test_joint_12</joint></actuator>
  <transmission name="test_generic_transmission" type="linear_map">
    <actuator_array>test_joint_01 test_joint_12</actuator_array>
    <joint_array>test_joint_01 test_joint_12</joint_array>
    <mapping>
      <t_aj>1.0 0.0 0.0 1.0</t_aj>
      <actuator_offsets>0 0</actuator_offsets> <joint_offsets>0 0</joint_offsets>
      <joint_effort_lower>0 0</joint_effort_lower> <joint_effort_upper>10 10</joint_effort_upper>
    </mapping>
  </transmission>
  <plugin name="custom_transmission_plugin" filename="libCustomTransmissionPlugin.so">
    <actuator_array>test_joint_01 test_joint_12</actuator_array>
    <joint_array>test_joint_01 test_joint_12</joint_array>
  </plugin>
  <transmission name="test_transmission" type="custom_functions">
    <actuator_array>test_joint_01 test_joint_12</actuator_array>
    <joint_array>test_joint_01 test_joint_12</joint_array>
    <mapping_plugin name="custom_transmission_plugin" filename="libCustomTransmissionPlugin.so"/>
  </transmission>
  <encoder name="test_encoder" type="position"><transmission>test_transmission</transmission></encoder>
</model>"""
SEEDS = Path(__file__).parents[2].parent / "shared" / "seeds"


def documents():
    """The example as it is written above, and as the design document has it where that is at hand."""
    yield pytest.param(EXAMPLE, id="written here")
    for path in sorted(SEEDS.glob("004*.txt")):
        block = re.search(r"~~~\n(.*?)~~~", path.read_text(encoding="utf-8"), re.DOTALL)
        yield pytest.param(block[1], id="the document's")


# --- joint sensors --------------------------------------------------------------------------------------------------


def two_joints(more, mimic=""):
    return gw.loads(f"""<sdf version="1.11"><world name="w"><gravity>0 0 0</gravity><model name="m">
      <link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>0.5</izz></inertia></inertial></link>
      <link name="b"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>0.2</izz></inertia></inertial></link>
      <joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="k" type="revolute"><parent>world</parent><child>b</child><axis><xyz>0 0 1</xyz>{mimic}</axis></joint>
      {more}</model></world></sdf>""")


GEAR = """<actuator name="motor" type="electric_motor"/>
  <transmission name="gear" type="simple"><actuator>motor</actuator>
    <joint name="j"><mechanical_reduction>{ratio!r}</mechanical_reduction><offset>{offset!r}</offset></joint>
  </transmission>
  <encoder name="encoder" type="position"><transmission>gear</transmission>{encoder}</encoder>"""


@pytest.mark.parametrize("ratio", [1.0, 50.0, -3.5, 0.02])
def test_joint_sensor_encoder_output_relative_to_joint_state_for_fixed_ratios(ratio):
    sim = compile(two_joints(GEAR.format(ratio=ratio, offset=0.0, encoder="")))
    for n in (0, 1, 200):
        sim.step(command={"motor": 0.3}, n=n)
        assert sim.sensor["encoder"] == pytest.approx(ratio * sim.position["j"], rel=1e-12, abs=1e-15)
    assert abs(sim.position["j"]) > 1e-5


@pytest.mark.parametrize(
    ("ratio", "offset", "own_ratio", "own_offset"), [(50.0, 0.3, 1.0, 0.0), (-8.0, -0.2, 2.5, 0.7)]
)
def test_joint_sensor_custom_ratios_and_offsets(ratio, offset, own_ratio, own_offset):
    """The joint's offset in the transmission, `a = n·(q − o)`, then the encoder's own ratio and offset."""
    own = f"<ratio>{own_ratio}</ratio><offset>{own_offset}</offset>"
    sim = compile(two_joints(GEAR.format(ratio=ratio, offset=offset, encoder=own)))
    sim.reset({"j": 0.4})
    for n in (0, 1, 200):
        sim.step(command={"motor": 0.3}, n=n)
        expected = own_ratio * ratio * (sim.position["j"] - offset) + own_offset
        assert sim.sensor["encoder"] == pytest.approx(expected, rel=1e-12)


# --- actuators ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [1.0, 50.0, -3.5])
def test_actuator_joint_torque_application_given_a_motor_command(ratio):
    """`τ_j = n·τ`: the joint's speed after 100 steps, and nothing on the other joint."""
    sim = compile(two_joints(GEAR.format(ratio=ratio, offset=0.0, encoder="")))
    sim.step(command={"motor": 0.02}, n=100)
    assert sim.velocity["j"] == pytest.approx(0.1 * ratio * 0.02 / 0.5, rel=1e-12)
    assert sim.actuator["motor"].torque == 0.02
    assert sim.velocity["k"] == 0.0


# --- transmissions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["exact", "hard", "compliant"])
def test_transmission_simple_joint_coupling_multiplier_with_offsets(mode):
    """k = −2·(j − 0.1) + 0.3, driven by a motor on j through a gear: `I_j + 4·I_k` is what the motor moves.

    A compliant coupling of 500 rad/s is behind by a spring's stretch, below 1e-4 here.
    """
    mimic = "<mimic joint='j'><multiplier>-2</multiplier><offset>0.3</offset><reference>0.1</reference></mimic>"
    coupled = two_joints(GEAR.format(ratio=10.0, offset=0.0, encoder=""), mimic)
    coupled = coupled.with_coupling("k", mode=mode, natural_frequency=500.0, damping_ratio=1.0)
    sim = compile(coupled)
    assert sim.position["k"] == pytest.approx(-2 * (0.0 - 0.1) + 0.3, abs=1e-12)
    sim.step(command={"motor": 0.13}, n=500)
    slack = {"exact": 1e-12, "hard": 1e-9, "compliant": 1e-4}[mode]
    assert sim.position["k"] == pytest.approx(-2 * (sim.position["j"] - 0.1) + 0.3, abs=slack)
    assert sim.velocity["j"] == pytest.approx(
        0.5 * 1.3 / (0.5 + 4 * 0.2), rel=1e-8 if mode == "compliant" else ROUNDING
    )


FOUR_BAR = """<actuator name="m1" type="electric_motor"/><actuator name="m2" type="electric_motor"/>
  <transmission name="t" type="four_bar">
    <actuator name="m1" role="actuator1"><mechanical_reduction>5</mechanical_reduction></actuator>
    <actuator name="m2" role="actuator2"><mechanical_reduction>4</mechanical_reduction></actuator>
    <joint name="j" role="joint1"><mechanical_reduction>2</mechanical_reduction></joint>
    <joint name="k" role="joint2"><mechanical_reduction>0.5</mechanical_reduction></joint>
  </transmission>
  <encoder name="e" type="position"><transmission>t</transmission></encoder>"""


def test_transmission_simple_four_bar_coupling():
    """ros2_control's: `τ_j1 = nj1·na1·τ1 + na2·τ2`, `τ_j2 = nj2·na2·τ2`, and positions the other way round."""
    sim = compile(two_joints(FOUR_BAR))
    sim.step(command={"m1": 0.03, "m2": -0.02}, n=100)
    assert sim.velocity["j"] == pytest.approx(0.1 * (2 * 5 * 0.03 + 4 * -0.02) / 0.5, rel=1e-12)
    assert sim.velocity["k"] == pytest.approx(0.1 * 0.5 * 4 * -0.02 / 0.2, rel=1e-12)
    q1, q2 = sim.position["j"], sim.position["k"]
    assert sim.sensor["e"] == pytest.approx([2 * 5 * q1, 4 * (q1 + 0.5 * q2)], rel=1e-12)


def test_transmission_four_bar_linkage():
    """The real one: the output's angle and torque by closing the triangle, worked out here by bisection."""
    bars = "<ground>0.4</ground><input>0.1</input><coupler>0.4</coupler><output>0.3</output>"
    sim = compile(
        two_joints(f"""<actuator name="motor" type="electric_motor"/>
      <transmission name="t" type="four_bar_linkage"><actuator>motor</actuator><joint>j</joint>{bars}</transmission>
      <encoder name="e" type="position"><transmission>t</transmission></encoder>"""),
        integrator="euler",  # its torque is that of the step's start
    )

    def gap(theta, phi):
        A = 0.1 * np.array([np.cos(theta), np.sin(theta)])
        B = np.array([0.4, 0.0]) + 0.3 * np.array([np.cos(phi), np.sin(phi)])
        return np.hypot(*(B - A)) - 0.4

    sim.reset({"j": 1.9})
    theta = sim.sensor["e"]
    assert gap(theta, 1.9) == pytest.approx(0.0, abs=1e-12)
    h = 1e-6  # ratio dθ/dφ by the implicit function theorem, differences to 1e-10
    by_theta, by_phi = (
        (gap(theta + h * a, 1.9 + h * b) - gap(theta - h * a, 1.9 - h * b)) for a, b in ((1, 0), (0, 1))
    )
    sim.step(command={"motor": 0.7})
    # of the differences, some 1e-10 each
    assert sim.velocity["j"] == pytest.approx(1e-3 * 0.7 * (-by_phi / by_theta) / 0.5, rel=2e-9)


# --- the example ----------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")  # a compiled library, and more that is told
@pytest.mark.parametrize("text", [*documents()])
def test_the_example_loads_and_runs(text):
    """Three transmissions over the same two actuators: the first acts, which is told; its bounds 0 … 10 clip."""
    robot = gw.loads(f"<sdf version='1.11'>{text}</sdf>")
    assert not [d for d in robot.diagnostics if d.severity == "error"]
    assert next(iter(robot.transmissions)) == "test_generic_transmission" and len(robot.transmissions) == 3
    assert sum(d.code == "plugin-not-found" for d in robot.diagnostics) == 2  # a compiled library: told, and one by one
    with pytest.warns(gw.NotSimulatedWarning, match="the first one acts"):
        sim = compile(robot)
    # two bodies of 1 kg·m² about one axis; efforts 3, −2, 15 and 4 arrive as 3, 0, 10 and 4
    M = np.array([[2.0, 1.0], [1.0, 1.0]])
    for commands, efforts in (((3.0, -2.0), (3.0, 0.0)), ((15.0, 4.0), (10.0, 4.0)), ((-1.0, 0.0), (0.0, 0.0))):
        sim.reset()
        sim.step(command=dict(zip(robot.actuators, commands, strict=True)), n=100)
        v = [sim.velocity["test_joint_01"], sim.velocity["test_joint_12"]]
        assert M @ v == pytest.approx(0.1 * np.array(efforts), abs=ROUNDING)
        assert sim.sensor["test_encoder"] == pytest.approx(
            [sim.position["test_joint_01"], sim.position["test_joint_12"]], abs=1e-15
        )
