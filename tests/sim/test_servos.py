"""Position servos against closed forms: droop, saturation, slew, delay, dead zone, limits, and a supply that sags."""

import json
from dataclasses import replace
from math import pi

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.frictions import Friction
from gearwright.model.servos import read_bam

DT = 1e-3
K, R, V, GAIN = 1.2, 2.7, 7.4, 5.3
MASS, LENGTH, GRAVITY = 1.0, 0.12, 9.81
OWN = {
    "torque_constant": K, "resistance": R, "supply_voltage": V, "rotor_inertia": 0.028, "position_gain": GAIN,
}  # fmt: skip
EVERY = [{}, {"integrator": "euler"}]


def arm(joint="j", gravity=True):
    weight = MASS if gravity else 1e-3
    return f"""<link name="{joint}_arm"><pose>0 0 {-LENGTH} 0 0 0</pose><inertial><mass>{weight}</mass>
      <inertia><ixx>1e-6</ixx><iyy>1e-6</iyy><izz>1e-6</izz></inertia></inertial></link>
      <joint name="{joint}" type="revolute"><pose>0 0 {LENGTH} 0 0 0</pose><parent>world</parent>
      <child>{joint}_arm</child><axis><xyz>0 -1 0</xyz></axis></joint>"""


def robot(more="", joints="j", gravity=True):
    links = "".join(arm(j, gravity) for j in joints)
    return gw.loads(f'<sdf version="1.11"><model name="p">{links}{more}</model></sdf>')


def servo(joint="j", **changes):
    return gw.PositionServo(**{"name": f"{joint}_servo", "joint": joint, "damping": 0.3, **OWN, **changes})


def run(made, goal, seconds, **options):
    sim = gw.compile(robot(gravity=options.pop("gravity", True)).with_actuator(made), dt=DT, **options)
    sim.step(command={"j_servo": goal}, n=round(seconds / DT))
    return sim


# --- the firmware ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", EVERY, ids=str)
@pytest.mark.parametrize("rate", [None, 1000.0, 250.0])
def test_the_droop_under_a_weight(rate, options):
    """`k/R·V·k_p·(goal − q) = m·g·l·sin q`."""
    sim = run(servo(sample_rate=rate), 1.0, 4.0, **options)
    q = sim.position["j"]
    assert K / R * V * GAIN * (1.0 - q) == pytest.approx(MASS * GRAVITY * LENGTH * np.sin(q), rel=1e-6)
    assert sim.actuator["j_servo"].current == pytest.approx(MASS * GRAVITY * LENGTH * np.sin(q) / K, rel=1e-6)
    assert sim.actuator["j_servo"].duty == pytest.approx(GAIN * (1.0 - q), rel=1e-6)


def test_an_integral_takes_the_droop_away():
    assert run(servo(integral_gain=10.0), 1.0, 6.0).position["j"] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_a_far_goal_is_approached_at_the_speed_of_the_duty_limit(options):
    """`k·ω = d·V − R·i`, `k·i = b·ω`: the steady speed under saturation."""
    sim = run(servo(duty_limit=0.8), 1e4, 3.0, gravity=False, **options)
    wanted = 0.8 * V / (K + R * 0.3 / K)
    assert sim.velocity["j"] == pytest.approx(wanted, rel=2e-3)  # the light arm swings the speed a little
    assert sim.actuator["j_servo"].voltage == pytest.approx(0.8 * V, rel=1e-6)


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_the_current_limit_is_kept_while_the_bridge_can(options):
    sim = gw.compile(robot().with_actuator(servo(current_limit=0.5)), dt=DT, **options)
    sim.step(command={"j_servo": 1.5}, n=1)
    assert sim.actuator["j_servo"].current == pytest.approx(0.5, rel=1e-9)
    assert sim.actuator["j_servo"].torque == pytest.approx(0.5 * K, rel=1e-9)


@pytest.mark.parametrize("rate", [None, 1000.0])
def test_the_goal_moves_no_faster_than_it_may(rate):
    """A steady slew: the shaft lags behind the goal by what its speed takes."""
    speed = 1.3
    sim = run(servo(goal_speed=speed, sample_rate=rate), 1e4, 3.0, gravity=False)
    assert sim.velocity["j"] == pytest.approx(speed, rel=2e-3)
    assert sim.actuator["j_servo"].goal == pytest.approx(3.0 * speed, rel=2e-3)
    lag = (K * speed + R * 0.3 * speed / K) / (V * GAIN)
    assert sim.actuator["j_servo"].goal - sim.position["j"] == pytest.approx(lag, abs=3e-3)  # a sample of the goal


@pytest.mark.parametrize("options", [*EVERY, {"batch": 3}], ids=str)
@pytest.mark.parametrize("delay", [0.0, 0.0074, 0.012, 0.03])
def test_a_delay_is_that_of_a_ramp(delay, options):
    """A goal that rises steadily arrives as it was a delay ago: the same motion, as much later."""
    rise = 2.0
    made = servo(delay=delay, goal_speed=1e6)
    sim = gw.compile(robot(gravity=False).with_actuator(made), dt=DT, **options)
    for k in range(400):
        sim.step(command={"j_servo": rise * k * DT})
    expected = rise * (399 * DT - delay)
    assert np.ravel(sim.actuator["j_servo"].goal)[0] == pytest.approx(expected, abs=1e-9)


def test_a_step_of_the_command_is_felt_after_the_delay():
    sim = gw.compile(robot(gravity=False).with_actuator(servo(delay=0.0105)), dt=DT)
    sim.step(command={"j_servo": 0.0}, n=5)
    moved = []
    for _ in range(15):
        sim.step(command={"j_servo": 1.0})
        moved.append(sim.actuator["j_servo"].duty)
    assert max(np.abs(moved[:10])) < 1e-12
    assert moved[10] == pytest.approx(min(0.5 * GAIN, 1.0), abs=1e-2)  # half of the step, and then all of it
    assert moved[11] == pytest.approx(1.0, abs=1e-9)


def test_a_delay_is_a_parameter_with_a_slope():
    """Twice as long as it was written, as an input: as if it had been written so."""
    names = ("j_servo.delay", "j_servo.position_gain", "j_servo.torque_constant")
    sim = gw.compile(robot().with_actuator(servo(delay=0.01)), dt=DT, parameters=names)
    sim.set_parameters({"j_servo.delay": 0.0193})
    other = gw.compile(robot().with_actuator(servo(delay=0.0193)), dt=DT)
    for s in (sim, other):
        for k in range(200):
            s.step(command={"j_servo": np.sin(20 * k * DT)})
    assert sim.position["j"] == pytest.approx(other.position["j"], rel=1e-9)


@pytest.mark.parametrize("rate", [None, 1000.0])
def test_within_its_dead_zone_it_does_nothing(rate):
    made = replace(servo(dead_zone=0.05, sample_rate=rate), friction_model=Friction(kinetic=0.01))
    sim = gw.compile(robot(gravity=False).with_actuator(made), dt=DT)
    sim.step(command={"j_servo": 0.049}, n=100)
    assert abs(sim.position["j"]) < 1e-12
    sim.step(command={"j_servo": 0.08}, n=1000)
    assert abs(0.08 - sim.position["j"]) <= 0.05
    assert sim.position["j"] > 0.02


def test_it_coasts_where_it_is_not_enabled():
    """Without its bridge, a shaft feels neither the goal nor what it induces."""
    sim = gw.compile(robot(gravity=False).with_actuator(servo(damping=0.0)), dt=DT)
    place = sim.robot.layout.actuator["j_servo"]["enabled"]
    numbers = sim.batch_state.get("actuator").copy()
    numbers[:, place] = 0.0
    sim.batch_state.set("actuator", numbers)
    sim.step(command={"j_servo": 1.0}, n=100)
    assert abs(sim.position["j"]) < 1e-9


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("options", EVERY, ids=str)
def test_a_bridge_that_is_off_brakes_for_a_share_of_the_time(share, options):
    """`ω = ω₀·exp(−share·k²/(R·I)·t)`, by what the rotor induces in the shorted winding; nothing from the supply."""
    sim = gw.compile(robot(gravity=False).with_actuator(servo(damping=0.0, braking=share)), dt=1e-4, **options)
    numbers = sim.batch_state.get("actuator").copy()
    numbers[:, sim.robot.layout.actuator["j_servo"]["enabled"]] = 0.0
    sim.reset(velocity={"j": 3.0})
    sim.batch_state.set("actuator", numbers)
    sim.step(command={"j_servo": -1.0}, n=500)
    inertia = OWN["rotor_inertia"] + 1e-3 * LENGTH**2 + 1e-6
    assert sim.velocity["j"] == pytest.approx(3.0 * np.exp(-share * K * K / (R * inertia) * 0.05), rel=2e-3)
    assert sim.actuator["j_servo"].current == pytest.approx(-share * K * sim.velocity["j"] / R, rel=2e-2, abs=1e-9)


@pytest.mark.parametrize("dt", [1e-3, 5e-3, 20e-3])
def test_continuous_firmware_is_stable_at_any_step_and_gain(dt):
    sim = gw.compile(robot().with_actuator(servo(position_gain=500.0, derivative_gain=0.1)), dt=dt)
    sim.step(command={"j_servo": 1.0}, n=round(4.0 / dt))
    assert sim.position["j"] == pytest.approx(1.0, abs=1e-3)
    assert abs(sim.velocity["j"]) < 1e-6


def test_a_rotor_alone_answers_as_a_filter_of_second_order():
    """`J·q̈ + (b + k²/R)·q̇ + k·V·k_p/R·(q − goal) = 0`, from rest, without saturation."""
    J, b, s = 0.028 + 1e-3 * LENGTH**2 + 1e-6, 0.3 + K * K / R, K * V * GAIN / R
    made = servo()
    sim = gw.compile(robot(gravity=False).with_actuator(made), dt=DT, gravity=(0, 0, 0))
    sim.step(command={"j_servo": 0.1}, n=60)
    decay, wave = b / (2 * J), np.sqrt(s / J - (b / (2 * J)) ** 2)
    t = 60 * DT
    exact = 0.1 * (1 - np.exp(-decay * t) * (np.cos(wave * t) + decay / wave * np.sin(wave * t)))
    assert sim.position["j"] == pytest.approx(exact, rel=4e-4)  # dt²


# --- supplies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_two_servos_on_a_weak_supply_sag_as_ohm_says(options):
    battery = gw.Supply(name="battery", voltage=V, resistance=1.5)
    made = robot(joints="ab")
    for joint, gain in (("a", GAIN), ("b", 0.8 * GAIN)):
        made = made.with_actuator(servo(joint, supply=battery, position_gain=gain))
    sim = gw.compile(made, dt=DT, **options)
    sim.step(command={"a_servo": 1.0, "b_servo": 1.4}, n=5000)
    a, b = sim.actuator["a_servo"], sim.actuator["b_servo"]
    drawn = a.duty * a.current + b.duty * b.current
    assert drawn > 0.1
    assert a.supply == b.supply == pytest.approx(V - 1.5 * drawn, rel=1e-6)
    assert a.voltage == pytest.approx(a.duty * a.supply, rel=1e-6)


def test_a_supply_has_parameters():
    battery = gw.Supply(name="battery", voltage=V, resistance=0.5)
    made = robot().with_actuator(servo(supply=battery))
    assert made.parameters["supply.battery.resistance"].value == 0.5
    sim = gw.compile(made, dt=DT, parameters=("supply.battery.resistance", "supply.battery.voltage"))
    sim.set_parameters({"supply.battery.resistance": 0.0, "supply.battery.voltage": 6.0})
    sim.step(command={"j_servo": 1.0}, n=10)
    assert sim.actuator["j_servo"].supply == pytest.approx(6.0, rel=1e-12)


# --- the library -----------------------------------------------------------------------------------------------------

WITH_WINDING = [n for n, m in gw.servos.items() if m.has_winding and m.winding is None]
DRIVES = [n for n, m in gw.servos.items() if not m.has_winding]


def on_benches(names, **changes):
    """One arm for each product, almost without mass, and without weight."""
    made = robot(joints=[f"j{i}" for i in range(len(names))], gravity=False)
    for i, name in enumerate(names):
        made = made.with_servo(f"j{i}", name, **changes)
    return gw.compile(made, dt=DT, gravity=(0, 0, 0))


def test_what_the_data_sheets_say_within_three_percent():
    """At the rated supply with a full duty: no-load speed and current, stall torque and current."""
    sheets = {f"j{i}": gw.servos[name].sheet for i, name in enumerate(WITH_WINDING)}
    sim = on_benches(WITH_WINDING, duty_limit=1.0, goal_speed=np.inf, sample_rate=None, dead_zone=0.0, delay=None)
    far = dict.fromkeys(sheets, 1e5)
    sim.step(command=far, n=4000)
    for joint, sheet in sheets.items():
        assert sim.velocity[joint] == pytest.approx(sheet.no_load_speed, rel=0.03), joint
        if sheet.no_load_current is not None:
            assert sim.actuator[joint].current == pytest.approx(sheet.no_load_current, rel=0.03), joint
    for share, moves in ((0.97, True), (1.03, False)):  # a load that it lifts, and one that it does not
        sim.reset()
        sim.step(command=far, effort={n: -share * s.stall_torque for n, s in sheets.items()}, n=300)
        for joint in sheets:
            assert (sim.velocity[joint] > 1e-6) == moves, joint
    for joint, sheet in sheets.items():
        assert sim.actuator[joint].current == pytest.approx(sheet.stall_current, rel=0.03), joint


def test_drives_turn_and_push_as_their_sheets_say():
    sheets = {f"j{i}": gw.servos[name].sheet for i, name in enumerate(DRIVES)}
    sim = on_benches(DRIVES)
    far = dict.fromkeys(sheets, 1e5)
    sim.step(command=far, n=4000)
    for joint, sheet in sheets.items():
        assert sim.velocity[joint] == pytest.approx(sheet.no_load_speed, rel=0.03), joint
    sim.reset()
    sim.step(command=far, effort={n: -1.5 * s.stall_torque for n, s in sheets.items()}, n=1)
    for joint, sheet in sheets.items():
        assert sim.actuator[joint].torque == pytest.approx(sheet.stall_torque, rel=0.03), joint


def test_every_number_has_a_source():
    for name, model in gw.servos.items():
        made = model.actuator("m", "j")
        given = {
            *model.numbers,
            *(n for n in ("torque_constant", "stall_torque") if getattr(made, n, None) is not None),
        }
        if made.friction_model is not None:
            own = ("kinetic", "static", "viscous", "load", "motor_load", "external_load")
            given |= {f"friction_model.{n}" for n in own if getattr(made.friction_model, n)}
        assert given <= set(model.sources), name
        assert all(str(source) for source in model.sources.values())


def test_a_servo_takes_the_place_of_a_motor():
    with_gear = robot(
        """<actuator name="m" type="ideal"/><transmission name="g" type="simple">
        <mechanical_reduction>2</mechanical_reduction><actuator>m</actuator><joint>j</joint></transmission>"""
    )
    made = with_gear.with_servo("j", "sts3215", delay=0.01)
    assert [*made.actuators] == ["m"]
    assert isinstance(made.actuators["m"], gw.PositionServo)
    assert made.acting["m"].name == "g"
    assert made.parameters["m.delay"].value == 0.01
    assert [*robot().with_servo("j", "xm430-w350").actuators] == ["j"]
    assert gw.compile(robot().with_servo("j", "sts3250"), parameters=("j.delay",)).parameters == {"j.delay": 0.013}


def test_files_name_servos_and_supplies():
    made = robot(
        """<actuator name="m" type="servo" model="sts3215"><joint>j</joint><delay>0.012</delay>
        <supply name="battery"><voltage>7.4</voltage><resistance>0.2</resistance></supply></actuator>
        <actuator name="d" type="servo" model="ak80-9"/>
        <actuator name="own" type="servo"><torque_constant>1</torque_constant><resistance>2</resistance>
        <supply_voltage>6</supply_voltage><position_gain>4</position_gain><sample_rate>500</sample_rate></actuator>"""
    )
    m = made.actuators["m"]
    assert (m.delay, m.supply.resistance, m.rotor_inertia) == (0.012, 0.2, gw.servos["sts3215"].value("rotor_inertia"))
    assert m.friction_model == gw.servos["sts3215"].friction_model
    assert made.actuators["d"].stall_torque == 18.0
    assert made.actuators["own"].sample_rate == 500.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('<actuator name="m" type="servo" model="sts3216"/>', "there is no servo 'sts3216'; did you mean 'sts3215"),
        ('<actuator name="m" type="servo"/>', "a servo needs <resistance>"),
        (
            '<actuator name="m" type="servo" model="sts3215"><supply name="b"><resistance>-1</resistance>'
            "<voltage>7</voltage></supply></actuator>",
            "resistance cannot be negative",
        ),
    ],
)
def test_files_that_name_them_wrongly(text, says):
    with pytest.raises(gw.LoadError, match=says):
        robot(text)


def test_a_copy_is_saved_and_opened(tmp_path):
    battery = gw.Supply(name="battery", voltage=V, resistance=0.5)
    sim = gw.compile(robot().with_servo("j", "sts3215", supply=battery, delay=0.01), dt=DT)
    sim.step(command={"j": 0.7}, n=50)
    sim.save(tmp_path / "arm.gw")
    again = gw.open(tmp_path / "arm.gw")
    assert again.robot == sim.robot
    again.step(command={"j": 0.7}, n=50)
    sim.step(command={"j": 0.7}, n=50)
    assert np.array_equal(again.state, sim.state)


# --- files of the Better Actuator Models -----------------------------------------------------------------------------

NUMBERS = {
    "kt": 1.6, "R": 3.1, "armature": 0.011, "friction_base": 0.06, "friction_stribeck": 0.02,
    "load_friction_motor": 0.3, "load_friction_external": 0.02, "load_friction_motor_stribeck": 0.1,
    "load_friction_external_stribeck": 0.05, "dtheta_stribeck": 1.5, "alpha": 1.3, "friction_viscous": 0.015,
    "q_offset": 0.01, "model": "m5", "actuator": "mx64",
}  # fmt: skip


def test_a_file_as_it_is(tmp_path):
    (tmp_path / "m5.json").write_text(json.dumps(NUMBERS))
    made = robot().with_servo("j", tmp_path / "m5.json").actuators["j"]
    assert (made.torque_constant, made.resistance, made.rotor_inertia, made.supply_voltage) == (1.6, 3.1, 0.011, 15.0)
    assert made.friction_model == Friction(
        kinetic=0.06, static=0.08, stribeck_speed=1.5, stribeck_exponent=1.3, viscous=0.015, motor_load=0.3,
        external_load=0.02, stribeck_motor_load=0.1, stribeck_external_load=0.05,
    )  # fmt: skip


def test_a_file_has_numbers_of_the_firmware(tmp_path):
    """Newer files have a factor of the gain and a delay, and R may be left out of those of drives."""
    more = {"error_gain_ratio": 1.2, "command_delay": 0.005, "max_velocity": 5.1}
    (tmp_path / "a.json").write_text(json.dumps(NUMBERS | more | {"actuator": "waveshare_st3025"}))
    made = robot().with_servo("j", tmp_path / "a.json").actuators["j"]
    assert (made.position_gain, made.delay, made.goal_speed) == (pytest.approx(0.166 * 32 * 1.2), 0.005, 5.1)
    assert made.supply_voltage == 12.0
    drive = {n: x for n, x in NUMBERS.items() if n != "R"} | {"actuator": "erob80_100"}
    (tmp_path / "b.json").write_text(json.dumps(drive))
    made = robot().with_servo("j", tmp_path / "b.json").actuators["j"]
    assert isinstance(made, gw.DCMotor) and (made.resistance, made.supply_voltage) == (2.0, 48.0)
    assert (made.stiffness, made.damping_gain) == pytest.approx((1.6 * 10.0, 1.6 * 2.0 * 10.0**0.5))
    assert made.effort_limit == pytest.approx(1.6 * 12.0)


def test_a_drive_of_a_file_swings_as_its_own_simulation():
    """M6 of an eRob80 with 50:1: current from the error, friction by the load before, in BAM's explicit scheme."""
    made = robot().with_servo("j", "erob80-50-bam-m6").actuators["j"]
    sim = gw.compile(robot().with_actuator(made), dt=DT)
    for k in range(400):
        sim.step(command={"j": np.sin(2 * pi * (k + 0.5) * DT)})
    q = v = 0.0
    inertia, h, friction = MASS * LENGTH**2 + 1e-6 + made.rotor_inertia, 1e-5, made.friction_model
    for step in range(round(0.4 / h)):
        wanted = made.stiffness * (np.sin(2 * pi * step * h) - q) - made.damping_gain * v
        wanted = np.clip(wanted, -made.effort_limit, made.effort_limit)
        ends = [made.torque_constant * (x * 48.0 - made.torque_constant * v) / made.resistance for x in (-1, 1)]
        motor, external = np.clip(wanted, *ends), -MASS * GRAVITY * LENGTH * np.sin(q)
        level = friction.level_under(v, motor, external) + friction.viscous * abs(v)
        net = motor + external
        stop = inertia / h * v + net
        net -= np.sign(stop) * min(abs(stop), level)
        v += h * net / inertia
        q += h * v
    assert sim.position["j"] == pytest.approx(q, abs=5e-4)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kt": None}, "kt must be a number"),
        ({"command_delay": "late"}, "command_delay must be a number"),
        ({"R": float("nan")}, "R must be a number"),
        ({"alpha": -1.0}, "alpha must be a number of at least 0"),
        ({"model": "m9"}, 'says "model": "m1" … "m6"'),
        ({"actuator": "mx65"}, "'mx65'.*did you mean 'mx64'|mx65"),
    ],
)
def test_files_that_are_none(tmp_path, changes, says):
    (tmp_path / "m5.json").write_text(json.dumps(NUMBERS | changes))
    with pytest.raises(gw.GearwrightError, match=says):
        read_bam(tmp_path / "m5.json")


@pytest.mark.parametrize("content", [b"", b"[", b"[" * 100_000, b"\xff\xfe", b"[1]", b'{"model": {}}'])
def test_files_of_other_content(tmp_path, content):
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(gw.ModelError):
        read_bam(tmp_path / "x.json")
    with pytest.raises(gw.ModelError, match="cannot be read"):
        read_bam(tmp_path / "none.json")


def test_a_swing_of_the_published_model_is_that_of_its_own_simulation():
    """M1 of the STS3215 on a pendulum, by BAM's own explicit scheme in short steps."""
    numbers = gw.servos["sts3215-bam-m1"]
    made = robot().with_servo("j", numbers, goal_speed=np.inf).actuators["j"]
    sim = gw.compile(robot().with_actuator(made), dt=DT)
    for k in range(500):
        sim.step(command={"j": np.sin(2 * pi * (k + 0.5) * DT)})
    q = v = 0.0
    inertia, h = MASS * LENGTH**2 + 1e-6 + made.rotor_inertia, 1e-5
    k, resistance, friction = made.torque_constant, made.resistance, made.friction_model
    for step in range(round(0.5 / h)):
        duty = np.clip(made.position_gain * (np.sin(2 * pi * step * h) - q), -made.duty_limit, made.duty_limit)
        motor = k * (duty * 7.4 - k * v) / resistance
        net = motor - MASS * GRAVITY * LENGTH * np.sin(q)
        stop = inertia / h * v + net
        net -= np.sign(stop) * min(abs(stop), friction.kinetic + friction.viscous * abs(v))
        v += h * net / inertia
        q += h * v
    assert sim.position["j"] == pytest.approx(q, abs=2e-4)


@pytest.mark.parametrize("name", ["sts3215-bam-m1", pytest.param("mx64-bam-m6", marks=pytest.mark.slow)])
def test_derivatives_by_its_numbers_are_exact(name):
    """Delay, gains, winding and friction: as finite differences have them, over a swing."""
    made = robot().with_servo("j", name, delay=0.0073, goal_speed=np.inf)
    names = ("j.delay", "j.position_gain", "j.torque_constant", "j.resistance", "j.friction_model.kinetic")
    names += ("j.friction_model.motor_load", "j.friction_model.static") if name.endswith("m6") else ()
    sim = gw.compile(made, dt=DT, parameters=names)
    command = {"j": lambda t: np.sin(9 * t)}
    found = sim.sensitivity(0.1, outputs=("j.position",), parameters=names, command=command)
    at = {n: made.parameters[f"device.{n}"].value for n in names}

    def end(**changed):
        sim.reset()
        sim.set_parameters({**at, **changed})
        return sim.run(0.1, command=command).position["j"][-1]

    for n in names:
        h = 1e-5 * max(abs(at[n]), 1e-3)
        difference = (end(**{n: at[n] + h}) - end(**{n: at[n] - h})) / (2 * h)
        assert np.ravel(found["j.position", n])[-1] == pytest.approx(difference, rel=1e-5, abs=1e-7), n
