"""Fits to recordings of robots whose numbers are known: what is found, how sure, and what is said of the rest."""

import json
import os
import signal
import threading

import numpy as np
import pytest

import gearwright as gw
from gearwright.identification.fit import read_fit
from gearwright.identification.log import Log
from tests.identification.logs import ARM, NOISE, TRUE, swinging
from tests.identification.two_link_arm import DELAY, arm, recorded


@pytest.fixture(scope="module")
def log():
    return swinging()


@pytest.fixture(scope="module")
def fit(log):
    return gw.identify(ARM, log, tuple(TRUE))


def covers(fit, true):
    return all(low <= true[n] <= high for n, (low, high) in fit.intervals.items() if n in true)


def test_numbers_within_their_intervals(fit):
    assert covers(fit, TRUE)
    assert fit.values == pytest.approx(TRUE, rel=0.03)
    assert fit.error == pytest.approx(NOISE * np.sqrt(2 / np.pi), rel=0.1)  # the mean of |noise|
    assert fit.undetermined == () and fit.determined == tuple(TRUE) and fit.complete and not fit.at_bounds
    low, high = fit.intervals["arm.mass"]
    assert high - low < 0.01  # and not only because they are wide


def test_the_fitted_robot(fit):
    assert fit.robot.parameters["arm.mass"].value == fit.values["arm.mass"]
    assert fit.robot.parameters["arm.com.z"].value == gw.load(ARM).parameters["arm.com.z"].value


def test_delay_gain_and_offset_of_readings():
    """A command that is 4.3 steps late, read by a sensor that is off."""
    plain = swinging(noise=0.0)
    time, command = plain.time, plain.columns["motor.command"]
    late = np.interp(np.arange(0, time[-1], 1e-3) - 0.0043, np.arange(0, time[-1] + 0.01, 1e-3)[: len(time) * 10],
                     np.repeat(command, 10)[: len(np.arange(0, time[-1] + 0.01, 1e-3)[: len(time) * 10])])  # fmt: skip
    sim = gw.compile(gw.load(ARM).with_parameters(TRUE), dt=1e-3)
    rec = sim.run(len(late) * 1e-3, command={"motor": late}, every=10)
    noise = NOISE * np.random.default_rng(5).normal(size=len(rec.time))
    columns = {"elbow.position": 1.02 * rec.position["elbow"] + 0.05 + noise, "motor.command": command[: len(rec.time)]}
    log = Log(name="late", time=rec.time, columns=columns)
    names = ("motor.friction", "motor.delay", "elbow.position.gain", "elbow.position.offset")
    fit = gw.identify(gw.load(ARM).with_parameters({**TRUE, "motor.friction": 0.004}), log, names)
    true = {"motor.friction": 0.006, "motor.delay": 0.0043, "elbow.position.gain": 1.02, "elbow.position.offset": 0.05}
    assert covers(fit, true), (fit.values, fit.intervals)
    assert fit.values["motor.delay"] == pytest.approx(0.0043, abs=5e-4)


def test_mass_against_where_it_is(log):
    """Gravity sees m·c and inertia I + m·c²: of three numbers two can be told."""
    fit = gw.identify(ARM, log, ("arm.mass", "arm.com.z", "arm.inertia.iyy", "motor.friction", "elbow.damping"))
    assert [set(c.names) for c in fit.undetermined] == [{"arm.mass", "arm.com.z", "arm.inertia.iyy"}]
    (one,) = fit.undetermined
    assert fit.values[one.held] == gw.load(ARM).parameters[one.held].value  # not guessed
    assert fit.intervals["arm.mass"] == (0.0, np.inf)
    assert fit.determined == ("motor.friction", "elbow.damping") and covers(fit, TRUE)
    product = fit.values["arm.mass"] * fit.values["arm.com.z"]
    assert product == pytest.approx(2.1 * -0.32, rel=0.01)
    assert fit.unidentifiable is fit.undetermined  # both names are public


def test_ratio_against_torque_constant(rng):
    """Without a rotor, a motor's voltage acts through the product of its constant and the gear's ratio."""
    light = arm().with_parameters({"first.rotor_inertia": 0.0, "second.rotor_inertia": 0.0})
    log = recorded(light.with_parameters({"second.torque_constant": 0.036}), rng, duration=3.0, delay=0.0)
    fit = gw.identify(light, log, ("elbow_gear.reduction", "second.torque_constant", "elbow.damping"))
    (one,) = fit.undetermined
    assert set(one.names) == {"elbow_gear.reduction", "second.torque_constant"}
    assert "only the product is determined" in one.says
    assert fit.values["elbow_gear.reduction"] * fit.values["second.torque_constant"] == pytest.approx(1.44, rel=0.02)
    assert any(text.startswith("record second.") for text in one.experiments)
    assert not any("command" in text for text in one.experiments)  # more of the same tells nothing new


def test_a_limit_that_is_not_reached():
    robot = gw.load(ARM).with_parameters({**TRUE, "arm.mass": 2.4, "motor.effort_limit": 5.0})
    calm = swinging({**TRUE, "motor.effort_limit": 5.0}, duration=2.0)
    fit = gw.identify(robot, calm, ("motor.effort_limit", "arm.mass"))
    assert [c.names for c in fit.undetermined] == [("motor.effort_limit",)]
    assert fit.values["motor.effort_limit"] == 5.0
    assert fit.values["arm.mass"] == pytest.approx(2.1, rel=0.05)


def test_recordings_held_back(log):
    fit = gw.identify(ARM, [log, swinging(seed=1)], tuple(TRUE), holdout=swinging(seed=2, frequency=(3.0, 7.0)))
    assert fit.holdout_error == pytest.approx(fit.error, rel=0.3)
    assert [r.held_back for r in fit.residuals] == [False, False, True]
    assert set(fit.errors) == {"log 0", "log 1", "log 2"}


def test_rigs_share_some_and_have_some_of_their_own():
    rigs = {"left": swinging(seed=1), "right": swinging({**TRUE, "motor.friction": 0.009}, seed=2)}
    fit = gw.identify(ARM, rigs, tuple(TRUE), individual="motor.friction")
    assert fit.values["left: motor.friction"] == pytest.approx(0.006, rel=0.05)
    assert fit.values["right: motor.friction"] == pytest.approx(0.009, rel=0.05)
    assert fit.values["arm.mass"] == pytest.approx(2.1, rel=0.01)
    assert fit.rigs["right"].parameters["motor.friction"].value == fit.values["right: motor.friction"]


def test_files_of_rigs(tmp_path):
    rigs = {"left": swinging(seed=1, duration=1.0), "right": swinging(seed=2, duration=1.0)}
    fit = gw.identify(ARM, rigs, ("arm.mass", "motor.friction"), individual="motor.friction", starts=1)
    fit.save(tmp_path / "all.json")
    fit.save(tmp_path / "right.json", rig="right")
    assert read_fit(tmp_path / "right.json", gw.load(ARM)) == fit.rigs["right"]
    with pytest.raises(gw.GearwrightError, match="save it with rig='left'"):
        read_fit(tmp_path / "all.json", gw.load(ARM))
    with pytest.raises(gw.GearwrightError, match="rig"):
        fit.save(tmp_path / "x.json", rig="middle")


def test_a_servo_that_has_the_name_of_its_joint(tmp_path):
    """Its numbers and its delay are found by the plain names, and are those of the fitted robot."""
    robot = gw.load("desk_arm").with_servo("elbow_flex", "sts3250-m1", delay=None)
    late = robot.with_servo("elbow_flex", "sts3250-m1", delay=0.013).with_parameters({"elbow_flex.resistance": 2.2})
    time = 0.01 * np.arange(150)
    goal = 0.4 * np.sin(6.0 * time) + 0.2 * np.sin(17.0 * time)
    rec = gw.compile(late, dt=2e-3).run(time[-1], command={"elbow_flex": np.repeat(goal, 5)[:-5]}, every=5)
    columns = {"elbow_flex.position": rec.position["elbow_flex"], "elbow_flex.command": goal}
    log = Log(name="late", time=rec.time, columns=columns)
    fit = gw.identify(robot, log, ("elbow_flex.resistance", "elbow_flex.delay"), starts=1, dt=2e-3)
    assert fit.values["elbow_flex.resistance"] == pytest.approx(2.2, rel=1e-2)
    assert fit.values["elbow_flex.delay"] == pytest.approx(0.013, abs=3e-4)
    servo = fit.robot.actuators["elbow_flex"]
    assert (servo.resistance, servo.delay) == (fit.values["elbow_flex.resistance"], fit.values["elbow_flex.delay"])
    fit.save(tmp_path / "fit.json")
    assert read_fit(tmp_path / "fit.json", robot) == fit.robot


def test_the_play_and_the_loss_of_a_gear():
    robot = gw.load(ARM.with_name("backlash.sdf"))
    true = {"gear.backlash.gap": 0.3, "gear.friction": 0.004}
    time = 0.005 * np.arange(300)
    command = 0.5 * np.sin(7.0 * time)
    rec = gw.compile(robot.with_parameters(true)).run(time[-1], command={"motor": np.repeat(command, 5)[:-5]}, every=5)
    noise = 1e-4 * np.random.default_rng(0).normal(size=len(time))
    log = Log(name="play", time=time, columns={"turn.position": rec.position["turn"] + noise, "motor.command": command})
    fit = gw.identify(robot, log, tuple(true), outputs="turn.position", starts=2)
    assert fit.values == pytest.approx(true, rel=0.02) and not fit.undetermined


def test_a_prediction_of_what_the_fitted_recordings_do_not_determine():
    """Powered swings do not tell a motor's back-EMF from viscous friction; a coasting one does."""
    servo = gw.PositionServo(
        name="servo", joint="hinge", torque_constant=1.4, resistance=1.8, rotor_inertia=0.01, position_gain=5.0
    )
    text = """<robot name="swing"><link name="base"/><link name="arm"><inertial><origin xyz="0 0 -0.12"/>
      <mass value="1.1"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 -1 0"/>
      <dynamics damping="0.05" friction="0.02"/></joint></robot>"""
    robot = gw.loads(text).with_actuator(servo)
    time, goal = 0.01 * np.arange(200), 0.3 * np.sin(5.0 * 0.01 * np.arange(200))
    logs = {}
    for name, on, start in (("powered", 1.0, 0.0), ("falls", 0.0, 1.2)):
        sim = gw.compile(robot.with_parameters({"hinge.damping": 0.09}), dt=2e-3)
        sim.reset(position={"hinge": start})
        sim.batch_state.fill("actuator", robot.layout.actuator["servo"]["enabled"], on)
        rec = sim.run(time[-1], command={"servo": np.repeat(goal, 5)[:-5]}, every=5)
        noise = 1e-3 * np.random.default_rng(0).normal(size=len(time))
        columns = {"hinge.position": rec.position["hinge"] + noise, "servo.command": goal, "on": np.full(len(time), on)}
        logs[name] = Log(name=name, time=time, columns=columns)
    fit = gw.identify(
        robot, logs["powered"], ("servo.resistance", "servo.torque_constant", "hinge.damping"), holdout=logs["falls"],
        signals={"on": "servo.enabled"}, starts=1, dt=2e-3,
    )  # fmt: skip
    assert fit.undetermined and list(fit.unpredictable) == ["falls"]
    assert "falls cannot be predicted: it depends on" in fit.summary()


def test_the_model_that_predicts_best_is_chosen():
    """Without inertia of the rotor an arm is another one."""
    right = gw.load(ARM)
    models = {"heavy rotor": right.with_parameters({"motor.rotor_inertia": 8e-5}), "right": right}
    holdout = swinging(seed=2, frequency=(3.0, 7.0))
    fit = gw.identify(models, [swinging(seed=1)], tuple(TRUE), holdout=holdout, starts=1)
    assert fit.model == "right" and set(fit.candidates) == set(models)
    assert fit.candidates["heavy rotor"].holdout_error > 2 * fit.holdout_error
    with pytest.raises(gw.GearwrightError, match="holdout"):
        gw.identify(models, [swinging(seed=1)], tuple(TRUE))


def test_pieces_with_starts_of_their_own(log):
    fit = gw.identify(ARM, log, tuple(TRUE), segment=0.5)
    assert fit.values == pytest.approx(TRUE, rel=0.05)


def test_a_closed_loop():
    """Its start is assembled around the one joint that is measured."""
    robot = gw.load("four_bar").with_parameters({"gravity.z": -9.81})
    motor, joint = next(iter(robot.actuators)), gw.compile(robot).independent[0]
    name = f"{joint}.damping"
    true = robot.parameters[name].value * 1.5 + 0.01
    sim = gw.compile(robot.with_parameters({name: true}))
    rec = sim.run(0.5, command={motor: 0.05})
    log = Log(name="loop", time=rec.time, columns={f"{joint}.position": rec.position[joint],
                                                   f"{motor}.command": np.full(len(rec.time), 0.05)})  # fmt: skip
    fit = gw.identify(robot, log, name, starts=1)
    assert fit.values[name] == pytest.approx(true, rel=0.02)


def test_inertias_stay_physical():
    """Free to go anywhere, they stay those of a body."""
    from gearwright.model.mass.inertia import flaws

    log = swinging({**TRUE, "elbow.armature": 0.1}, duration=1.0)  # more than the arm can have about this axis
    fit = gw.identify(gw.load(ARM).with_parameters(TRUE), log, "arm.inertia.iyy", starts=2)
    assert flaws([fit.robot.links["arm"].inertia]) == [None]
    assert fit.values["arm.inertia.iyy"] <= 0.052 * (1 + 1e-5)  # ixx + izz


def test_files(fit, tmp_path):
    fit.save(tmp_path / "fit.json")
    data = json.loads((tmp_path / "fit.json").read_text())
    assert data["parameters"]["arm.mass"]["value"] == fit.values["arm.mass"]
    assert read_fit(tmp_path / "fit.json", gw.load(ARM)) == fit.robot
    fit.report(tmp_path / "fit.html")
    page = (tmp_path / "fit.html").read_text()
    assert page.count("<img") == 1 and "arm.mass" in page and "<script" not in page
    for wrong in ("fit.txt", "fit.htmlx"):
        with pytest.raises(gw.GearwrightError, match="must end in"):
            (fit.save if "txt" in wrong else fit.report)(tmp_path / wrong)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "other"}', '{"format": "gearwright-fit", "parameters": 3}',
                                  '{"format": "gearwright-fit", "parameters": {"arm.mass": 3}}',
                                  '{"format": "gearwright-fit", "parameters": {"arm.mass": {"value": "x"}}}',
                                  '{"format": "gearwright-fit", "parameters": {"arm.mas": {"value": 1}}}'])  # fmt: skip
def test_wrong_files_of_fits(text, tmp_path):
    (tmp_path / "fit.json").write_text(text)
    with pytest.raises(gw.GearwrightError):
        read_fit(tmp_path / "fit.json", gw.load(ARM))


def test_ctrl_c_leaves_the_best_so_far(log, monkeypatch):
    from gearwright.identification import search

    calls = []
    original = search.FitSearch._weighted

    def interrupting(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == 4:
            os.kill(os.getpid(), signal.SIGINT)
        return original(self, *args, **kwargs)

    assert threading.current_thread() is threading.main_thread()
    monkeypatch.setattr(search.FitSearch, "_weighted", interrupting)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores it
    try:
        with pytest.warns(UserWarning, match="best so far"):
            fit = gw.identify(ARM, log, tuple(TRUE))
    finally:
        signal.signal(signal.SIGINT, before)
    assert not fit.complete and set(fit.values) == set(TRUE)


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"parameters": ()}, "what to identify"),
        ({"parameters": "arm.mas"}, "did you mean 'arm.mass'"),
        ({"parameters": ("arm.mass", "arm.mass")}, "twice"),
        ({"parameters": "gravity.y"}, "nothing that was measured depends on 'gravity.y'"),
        ({"bounds": {"arm.mass": (3, 1)}}, "contradict"),
        ({"bounds": {"arm.mass": (-3, -1)}}, "outside its valid range"),
        ({"bounds": {"arm.mas": (1, 3)}}, "arm.mass"),
        ({"bounds": {"arm.mass": 3}}, "pair"),
        ({"signals": {"angle": "elbow.position"}}, "angle"),
        ({"signals": {"elbow.position": "elbow.positon"}}, "elbow.position"),
        ({"units": {"elbow.position": "kg"}}, "'kg'"),
        ({"units": {"elbow.position": "parsec"}}, "parsec"),
        ({"outputs": "elbow.velocity"}, "elbow.velocity"),
        ({"individual": "arm.com.z"}, "arm.com.z"),
        ({"starts": 0}, "starts"),
        ({"segment": -1.0}, "segment"),
        ({"batch": 3}, "batch"),
    ],
    ids=lambda x: str(x)[:40],
)
def test_mistakes_are_found_before_any_work(given, says, log, monkeypatch):
    from gearwright.identification import least_squares

    monkeypatch.setattr(least_squares, "_differentiated", lambda *_: pytest.fail("work has begun"))
    with pytest.raises(gw.GearwrightError, match=says):
        gw.identify(ARM, log, **{"parameters": "arm.mass", **given})


def test_no_recording():
    with pytest.raises(gw.GearwrightError, match="no recording"):
        gw.identify(ARM, [], "arm.mass")


# --- trials ----------------------------------------------------------------------------------------------------------

SOUGHT = (
    "shoulder.friction_model.static", "shoulder.friction_model.coulomb", "elbow.friction_model.static",
    "elbow.friction_model.coulomb", "shoulder.damping", "elbow.damping", "lower.mass", "first.delay", "second.delay",
)  # fmt: skip


def trial(seed):
    """Numbers within −25 … +30 % of the file's, a recording of 4 s, and a fit from the file's."""
    rng, robot = np.random.default_rng(seed), arm()
    true = {n: robot.parameters[n].value * rng.uniform(0.75, 1.3) for n in SOUGHT if n in robot.parameters}
    for joint in ("shoulder", "elbow"):
        static, coulomb = f"{joint}.friction_model.static", f"{joint}.friction_model.coulomb"
        true[static] = max(true[static], 1.15 * true[coulomb])
    log = recorded(robot.with_parameters(true), rng)
    return gw.identify(robot, log, SOUGHT), {**true, "first.delay": DELAY, "second.delay": DELAY}


def test_an_arm_with_stribeck_friction_and_late_commands():
    fit, true = trial(0)
    assert covers(fit, true) and not fit.undetermined
    assert fit.error < 0.85e-3


@pytest.mark.slow
def test_intervals_hold_in_nineteen_trials_of_twenty():
    found = [trial(seed) for seed in range(20)]
    assert all(not fit.undetermined and fit.error < 0.85e-3 for fit, _ in found)
    assert sum(covers(fit, true) for fit, true in found) >= 19
