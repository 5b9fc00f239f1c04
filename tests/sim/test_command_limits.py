"""ros2_control's HardwareInfo, joint limiter and mock, from a tag with everything in it."""

from math import isnan, radians

import numpy as np
import pytest
from pytest import approx

import gearwright as gw
from gearwright.model import CommandLimits, SafetyController
from gearwright.model.hardware.hardware_info import hardware_info
from gearwright.sim.ros2_control.command_limiter import CREEP, Actual, CommandLimiter
from tests.tolerances import ROUNDING

BODY = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
ROBOT = f"""<robot name="arm"><link name="base"/>
<link name="a_link">{BODY}</link><link name="b_link">{BODY}</link><link name="c_link">{BODY}</link>
<joint name="a" type="revolute"><parent link="base"/><child link="a_link"/><axis xyz="0 0 1"/>
 <limit lower="-2" upper="2" velocity="3" effort="10"/>
 <safety_controller soft_lower_limit="-1.8" soft_upper_limit="2.5" k_position="20" k_velocity="5"/></joint>
<joint name="b" type="continuous"><parent link="base"/><child link="b_link"/><axis xyz="0 0 1"/>
 <limit velocity="4" effort="20"/></joint>
<joint name="c" type="revolute"><parent link="base"/><child link="c_link"/><axis xyz="0 0 1"/>
 <limit lower="-9" upper="9" velocity="30" effort="10"/><mimic joint="a" multiplier="-2" offset="0.5"/></joint>
<ros2_control name="system" type="system" rw_rate="250" is_async="true">
 <properties><async thread_priority="30" affinity="1,2" scheduling_policy="detached"/></properties>
 <hardware><plugin>{{plugin}}</plugin><group>arms</group><param name="port">/dev/tty0</param>{{parameters}}</hardware>
 <joint name="a">
  <command_interface name="position"><param name="min">-1.5</param><param name="max">1.9</param></command_interface>
  <command_interface name="velocity"><param name="min">-2</param><param name="max">2.5</param></command_interface>
  <command_interface name="effort"/><command_interface name="acceleration"><param name="max">8</param>
   <param name="min">-12</param></command_interface><command_interface name="jerk"><param name="max">90</param>
  </command_interface>
  <state_interface name="position"><param name="initial_value">0.25</param></state_interface>
  <state_interface name="velocity"/><state_interface name="acceleration"/></joint>
 <joint name="b"><limits enable="false"/><command_interface name="velocity"><param name="max">1</param>
  </command_interface><state_interface name="position"/><state_interface name="velocity"/>
  <state_interface name="shifted"/></joint>
 <joint name="c"><state_interface name="position"/><state_interface name="velocity"/></joint>
 <sensor name="force"><state_interface name="fx"><param name="initial_value">1.5</param></state_interface>
  <param name="frame_id">tool</param></sensor>
 <gpio name="io"><command_interface name="out" data_type="bool" size="2"/><state_interface name="out"/>
  <state_interface name="in" data_type="bool"><param name="initial_value">true</param></state_interface></gpio>
 <transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin>
  <actuator name="motor" role="actuator1"/>
  <joint name="a" role="joint1"><mechanical_reduction>50</mechanical_reduction><offset>0.1</offset></joint>
 </transmission>
</ros2_control></robot>"""


def robot(plugin="x/System", **parameters):
    own = "".join(f"<param name='{k}'>{v}</param>" for k, v in parameters.items())
    return gw.loads(ROBOT.format(plugin=plugin, parameters=own))


def mock(**parameters):
    return gw.MockHardware(robot("mock_components/GenericSystem", **parameters))


# --- HardwareInfo ---------------------------------------------------------------------------------------------------


def test_the_whole_of_hardware_info():
    loaded = robot()
    (tag,) = loaded.hardware.values()
    info = hardware_info(loaded, tag)
    assert {k: info[k] for k in ("name", "type", "group", "rw_rate", "is_async", "hardware_plugin_name")} == {
        "name": "system", "type": "system", "group": "arms", "rw_rate": 250.0, "is_async": True,
        "hardware_plugin_name": "x/System",
    }  # fmt: skip
    assert info["async_params"] == {"thread_priority": "30", "affinity": "1,2", "scheduling_policy": "detached"}
    assert info["hardware_parameters"] == {"port": "/dev/tty0"}
    assert info["mimic_joints"] == [{"joint": "c", "leader": "a", "multiplier": -2.0, "offset": 0.5}]
    assert info["limits"]["a"] == {
        "min_position": -1.5, "max_position": 1.9, "max_velocity": 2.0, "max_effort": 10.0, "max_acceleration": 8.0,
        "max_deceleration": 12.0, "max_jerk": 90.0, "angle_wraparound": False,
    }  # fmt: skip
    assert info["limits"]["b"]["max_velocity"] is None and info["limits"]["b"]["max_effort"] == 20.0
    assert info["limits"]["b"]["angle_wraparound"]
    assert info["soft_limits"] == {
        "a": {"min_position": -1.5, "max_position": 1.9, "k_position": 20.0, "k_velocity": 5.0}
    }
    state = info["joints"][0]["state_interfaces"][0]
    assert (state["name"], state["initial_value"], state["data_type"], state["size"]) == ("position", 0.25, "double", 1)
    out, read = info["gpios"][0]["command_interfaces"][0], info["gpios"][0]["state_interfaces"][1]
    assert (out["data_type"], out["size"], read["initial_value"]) == ("bool", 2, 1.0)
    assert not info["joints"][1]["command_interfaces"][0]["enable_limits"]
    assert info["sensors"][0]["parameters"] == {"frame_id": "tool"}
    (t,) = info["transmissions"]
    assert t["actuators"] == [{"name": "motor", "role": "actuator1", "offset": 0.0, "mechanical_reduction": 1.0}]
    assert t["joints"] == [{"name": "a", "role": "joint1", "offset": 0.1, "mechanical_reduction": 50.0}]


# --- the limiter, in closed form ------------------------------------------------------------------------------------

HARD = CommandLimits(min_position=-1.0, max_position=1.0, max_velocity=2.0, max_effort=10.0)
SOFT = SafetyController(soft_lower_limit=-0.8, soft_upper_limit=0.8, k_position=10.0, k_velocity=4.0)
DT = 0.01


def once(kind, desired, actual, limits=HARD, soft=None):
    return float(CommandLimiter(limits, soft).enforce(kind, desired, actual, 1.0, DT))


def test_positions_move_at_the_velocity_limit():
    limiter = CommandLimiter(HARD)
    seen = [float(limiter.enforce("position", 5.0, Actual(0.0, 0.0), k * DT, DT)) for k in range(60)]
    assert seen == approx([min(2.0 * DT * (k + 1), 1.0) for k in range(60)], rel=ROUNDING)


def test_a_second_command_in_a_cycle_replaces_the_first():
    limiter = CommandLimiter(HARD)
    assert [float(limiter.enforce("position", x, Actual(0.0, 0.0), 1.0, DT)) for x in (5.0, -5.0)] == [0.02, -0.02]
    assert float(limiter.enforce("position", -5.0, Actual(0.0, 0.0), 1.02, DT)) == approx(
        -0.02 - 2.0 * 0.02, rel=ROUNDING
    )


def test_accelerations_narrow_what_a_position_may_do():
    limits = CommandLimits(max_velocity=2.0, max_acceleration=50.0)
    assert once("position", 5.0, Actual(0.0, 0.0), limits) == approx(50.0 * DT * DT, rel=ROUNDING)
    assert once("position", 5.0, Actual(0.0, 1.9), limits) == approx(2.0 * DT, rel=ROUNDING)


@pytest.mark.parametrize(
    ("desired", "actual", "kept"),
    [
        (5.0, Actual(0.0, 0.0), 2.0),
        (5.0, Actual(0.995, 0.0), 0.5),  # what is left of the way, in a cycle
        (5.0, Actual(1.001, 0.0), 0.0),  # no further out
        (-5.0, Actual(1.001, 0.0), -2.0),  # but back
        (-5.0, Actual(1.003, 0.0), 0.0),  # more than 0.002 outside: something is wrong
        (5.0, Actual(None, None), 2.0),
    ],
)
def test_velocities(desired, actual, kept):
    assert once("velocity", desired, actual) == approx(kept, rel=ROUNDING)


def test_velocities_change_by_the_acceleration_limit():
    limiter = CommandLimiter(CommandLimits(max_acceleration=10.0))
    seen = [float(limiter.enforce("velocity", 1.0, Actual(0.0, 0.0), k * DT, DT)) for k in range(12)]
    assert seen == approx([min(0.1 * (k + 1), 1.0) for k in range(12)], rel=ROUNDING)


@pytest.mark.parametrize(
    ("desired", "actual", "kept"),
    [
        (50.0, Actual(0.0, 0.0), 10.0),
        (50.0, Actual(1.0, 0.0), 0.0),
        (-50.0, Actual(1.0, 0.0), -10.0),
        (-50.0, Actual(-1.0, -0.1), 0.0),
        (50.0, Actual(0.0, 2.1), 0.0),
        (50.0, Actual(None, None), 10.0),
    ],
)
def test_efforts(desired, actual, kept):
    assert once("effort", desired, actual) == approx(kept, rel=ROUNDING)


def test_decelerations_have_a_limit_of_their_own():
    limits = CommandLimits(max_acceleration=5.0, max_deceleration=9.0)
    assert once("acceleration", 20.0, Actual(0.0, 1.0), limits) == 5.0
    assert once("acceleration", -20.0, Actual(0.0, 1.0), limits) == -9.0


def test_soft_limits_slow_a_position_down():
    """Near its end the distance to the soft limit shrinks by `1 − k·dt` in a cycle."""
    limiter = CommandLimiter(HARD, SOFT)
    x = seen = 0.0
    for k in range(200):
        before, x = x, float(limiter.enforce("position", 5.0, Actual(x, 0.0), k * DT, DT))
        if x > 0.7:
            assert 0.8 - x == approx((0.8 - before) * (1 - 10.0 * DT), abs=1e-12)
        seen = max(seen, x)
    assert 0.79 < seen < 0.8


def test_soft_limits_of_velocity_and_effort():
    assert once("velocity", 5.0, Actual(0.7, 0.0), soft=SOFT) == approx(10.0 * 0.1, rel=ROUNDING)
    assert once("velocity", 5.0, Actual(0.9, 0.0), soft=SOFT) == approx(
        -CREEP, rel=ROUNDING
    )  # back, at a degree a second
    assert radians(1.0) == CREEP
    # k_velocity times what is left to the soft velocity
    assert once("effort", 50.0, Actual(0.7, 0.5), soft=SOFT) == approx(4.0 * (1.0 - 0.5), rel=ROUNDING)
    assert once("effort", -50.0, Actual(0.0, 0.5), soft=SOFT) == approx(-10.0, rel=ROUNDING)


def test_batches():
    limiter = CommandLimiter(HARD, SOFT)
    where, still = np.array([0.0, 0.7, 0.9]), np.zeros(3)
    kept = limiter.enforce("velocity", np.full(3, 5.0), Actual(where, still), 0.0, DT)
    assert kept == approx([2.0, 1.0, -CREEP], rel=ROUNDING)


# --- on a simulation ------------------------------------------------------------------------------------------------


def test_a_simulated_joint_obeys_when_asked():
    sim = gw.compile(gw.with_servos(robot()))
    free, held = sim.hardware(), sim.hardware(enforce_command_limits=True)
    commands = {}
    for hw in (free, held):
        hw.reset()
        commands[hw] = [0.25]
        for _ in range(30):
            hw.write({"a/position": 1.7})
            commands[hw].append(hw.command["a/position"])
            sim.step(n=10)
    assert set(commands[free][1:]) == {1.7}
    # 2 rad/s at most, and no faster than the joint's velocity and 8 rad/s² allow: the first steps are of 8·dt²
    changes = np.diff(commands[held])
    assert changes.min() > 0.0 and changes.max() <= 2.0 * 0.01 + 1e-12
    assert changes[:2] == approx([8.0 * 0.001**2, 8.0 * 0.01**2], rel=1e-3)  # the joint has moved a little
    held.write({"b/velocity": 50.0})
    assert held.command["b/velocity"] == 50.0  # switched off in the tag


def test_commands_of_sensors_and_gpios_and_none_at_all():
    tagged = robot("mock_components/GenericSystem", mock_sensor_commands="true", mock_gpio_commands="true")
    hw = gw.compile(gw.with_servos(tagged)).hardware()
    hw.write({"force/fx": 4.0, "io/in": 0.0})
    assert (hw["force/fx"], hw["io/in"]) == (4.0, 0.0)
    deaf = gw.compile(gw.with_servos(robot("mock_components/GenericSystem", disable_commands="true"))).hardware()
    deaf.write({"a/position": 1.0})
    assert deaf.claimed("a") is None and isnan(deaf.command["a/position"])


# --- the mock -------------------------------------------------------------------------------------------------------


def test_the_mock_mirrors():
    hw = mock()
    assert hw.read() == {
        "a/position": 0.25, "a/velocity": 0.0, "a/acceleration": 0.0, "b/position": 0.0, "b/velocity": 0.0,
        "b/shifted": approx(float("nan"), nan_ok=True), "c/position": 0.0, "c/velocity": 0.0, "force/fx": 1.5,
        "io/out": approx(float("nan"), nan_ok=True), "io/in": 1.0,
    }  # fmt: skip
    hw.write({"a/position": 0.4, "a/velocity": 0.3, "io/out": 1.0})
    hw.update(0.1)
    assert [hw[k] for k in ("a/position", "a/velocity", "c/position", "c/velocity", "io/out")] == approx(
        [0.4, 0.3, -0.3, -0.6, 1.0], rel=ROUNDING
    )
    hw.reset()
    assert hw["a/position"] == 0.25 and isnan(hw.command["a/position"])


def test_the_mock_integrates():
    hw = mock(calculate_dynamics="true")
    hw.write({"a/position": 0.45})
    hw.update(0.1)
    assert [hw[f"a/{i}"] for i in ("position", "velocity", "acceleration")] == approx([0.45, 2.0, 20.0], rel=ROUNDING)
    hw.write({"a/velocity": 1.0})
    hw.update(0.1)  # the old velocity moves it, then the new one counts
    assert [hw[f"a/{i}"] for i in ("position", "velocity", "acceleration")] == approx([0.65, 1.0, -10.0], rel=ROUNDING)
    hw.write({"a/acceleration": 5.0})
    hw.update(0.1)
    assert [hw[f"a/{i}"] for i in ("position", "velocity", "acceleration")] == approx([0.75, 0.0, 5.0], rel=ROUNDING)
    hw.update(0.1)
    assert [hw[f"a/{i}"] for i in ("position", "velocity")] == approx([0.75, 0.5], rel=ROUNDING)
    assert hw["c/position"] == approx(0.5 - 2 * 0.75, rel=ROUNDING)


def test_the_mock_s_offset():
    hw = mock(position_state_following_offset="-3")
    hw.write({"a/position": 0.1})
    hw.update(0.1)
    assert hw["a/position"] == approx(-2.9, rel=ROUNDING)
    odd = gw.MockHardware(
        robot("mock_components/GenericSystem", position_state_following_offset="-3",
              custom_interface_with_following_offset="acceleration")
    )  # fmt: skip
    odd.write({"a/position": 0.1})
    odd.update(0.1)
    assert (odd["a/position"], odd["a/acceleration"]) == approx((0.1, -2.9), rel=ROUNDING)


def test_the_mock_disabled():
    hw = mock(disable_commands="true")
    hw.write({"a/position": 0.1})
    hw.update(0.1)
    assert hw["a/position"] == 0.25


def test_the_mock_s_sensors_and_gpios():
    assert "force/fx" not in mock().command_interfaces and "io/in" not in mock().command_interfaces
    hw = mock(mock_sensor_commands="true", mock_gpio_commands="true")
    hw.write({"force/fx": 7.0, "io/in": 0.0})
    hw.update(0.1)
    assert (hw["force/fx"], hw["io/in"]) == (7.0, 0.0)


def test_mistakes_are_named():
    for call, message in (
        (lambda: mock().write({"a/positon": 1}), "a/position"),
        (lambda: mock().write({"a/position": float("inf")}), "a finite number"),
        (lambda: mock(position_state_following_offset="x"), "position_state_following_offset must be a number"),
        (lambda: mock().update(0.0), "a period must be positive"),
        (lambda: mock()["a/positon"], "a/position"),
    ):
        with pytest.raises(gw.GearwrightError, match=message):
            call()
