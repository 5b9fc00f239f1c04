"""Cases about motors, drives and encoders: MuJoCo's dcmotor, Cassie's drives, the controllers of gz-sim and Gazebo.

`ACTUATION` maps "project/file: case" to its check. Where ours differs on purpose, the check says so and asserts ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import pi

import numpy as np
from pytest import approx, raises

import gearwright as gw
from gearwright.model import AxisRef
from gearwright.sim import Simulation, compile
from tests.corpus.peer_files import Case
from tests.sim.driven import motor, wheel
from tests.tolerances import ROUNDING

ACTUATION: dict[str, Callable[[Case], None]] = {}


def check(file: str, *names: str) -> Callable[[Callable[[Case], None]], Callable[[Case], None]]:
    def register(function: Callable[[Case], None]) -> Callable[[Case], None]:
        ACTUATION.update({f"{file}: {name}": function for name in names})
        return function

    return register


# --- MuJoCo's brushed motor -----------------------------------------------------------------------------------------

DC = gw.DCMotor(name="motor", resistance=2.0, torque_constant=0.05, command="voltage")


@check("mujoco/dcmotor", "StatelessSteadyState", "StallTorque_derived")
def _torque(case: Case) -> None:
    i = case.inputs
    assert DC.effort_at(float(i["V"]), float(i["omega"])) == approx(case.expected["torque"], abs=1e-12)


@check("mujoco/dcmotor", "NoLoadSpeed_derived")
def _no_load(case: Case) -> None:
    sim = compile(wheel(DC, 1e-4))
    sim.step(command={"motor": case.inputs["V"]}, n=5000)  # 60 time constants I·R/k² of 80 ms
    assert sim.velocity["j"] == approx(case.expected["omega"], rel=ROUNDING)


@check("mujoco/dcmotor", "CurrentFilterExactIntegration")
def _current(case: Case) -> None:
    """Theirs filters the current by its exact exponential, the speed held. Ours takes it together with the speed, by
    Euler at the end of the step, L·Δi/h = V − R·i⁺ − k·ω⁺: 8 % lower here, and the same to first order in h. The
    default is the same to second order."""
    i, exact = case.inputs, case.expected["current_after_one_step"]
    V, L, h = float(i["V"]), i["L"], i["h"]

    def after(n: int, integrator: str) -> float:
        sim = compile(wheel(replace(DC, inductance=L), limit=(-1, 0)), dt=h / n, integrator=integrator)
        sim.step(command={"motor": V}, n=n)
        return float(sim.actuator["motor"].current)

    assert after(1, "euler") == approx(V * h / (L + h * 2.0), rel=1e-12)
    for integrator, order in (("euler", 1), ("midpoint", 2)):
        gaps = [abs(after(n, integrator) - exact) for n in (8, 16, 32)]
        assert [gaps[0] / gaps[1], gaps[1] / gaps[2]] == approx([2**order, 2**order], rel=0.05)


@check("mujoco/dcmotor", "CurrentFilterConverges")
def _converges(case: Case) -> None:
    """Behind a load that is heavy enough for its speed to change little in L/R."""
    i = case.inputs
    sim = compile(wheel(replace(DC, inductance=i["L"]), 50.0), dt=i["h"])
    sim.step(command={"motor": i["V"]}, n=i["steps"])
    steady = (i["V"] - 0.05 * sim.velocity["j"]) / 2.0
    assert sim.actuator["motor"].torque == approx(0.05 * steady, abs=2e-7)  # of its lag, L/R


@check("mujoco/dcmotor", "StatelessPositionMode")
def _position_mode(case: Case) -> None:
    i = case.inputs
    drive = motor(command="position", stiffness=i["kp"], damping_gain=i["kd"])
    torques = [drive.effort_at(i["target"], w, float(i["q"])) for w in i["omega"]]
    assert torques == approx(case.expected["torque"], abs=1e-12)


# --- Cassie's drives ------------------------------------------------------------------------------------------------


@check("cassie/actuators_encoders", "table")
def _drives(case: Case) -> None:
    """Rotors behind their gears are the armatures of the model, and a turn of the encoder is 2^bits counts."""
    for drive in case.expected.values():
        gear, bits = float(drive["gear"]), drive["encoder_bits"]
        encoder = gw.Encoder(name="e", actuator="motor", resolution=float(2**bits))
        robot = wheel(motor(rotor_inertia=drive["rotor_inertia"]), 0.01, gear)
        sim = compile(replace(robot, sensors={"e": encoder}))
        assert sim.mass_matrix().item() - 0.01 == approx(drive["joint_armature"], rel=ROUNDING)
        sim.reset({"j": 0.1234})
        # theirs cuts off towards zero, ours takes the nearest count: an edge never lies on a round angle
        assert encoder.counts(sim.sensor["e"]) == round(0.1234 * gear / (2 * pi) * 2**bits)


@check("cassie/actuators_encoders", "torque_limit_hip_pitch")
def _envelope(case: Case) -> None:
    """`2·t_max·(1 − ω/ω_max)` within t_max is a motor of twice the stall torque with a limit. Beyond ω_max theirs gives
    nothing, and ours brakes, as a motor above its no-load speed does."""
    top = 1300 * 2 * pi / 60
    hip = motor(stall_torque=2 * 12.2, no_load_speed=top, effort_limit=12.2)
    for speed, limit in zip(case.inputs["motor_rad_s"], case.expected["limit"], strict=True):
        if speed <= top + 1e-3:
            assert hip.effort_at(100.0, speed) == approx(limit, abs=case.values["tolerance"])  # slack: theirs
        else:
            assert hip.effort_at(100.0, speed) == approx(2 * 12.2 * (1 - speed / top), rel=ROUNDING) and limit == 0


# --- gz-sim's controllers -------------------------------------------------------------------------------------------


def _rotor(case: Case, model: str, actuator: gw.Actuator) -> Simulation:
    robot = gw.load(case.model, model=model, base="fixed")
    return compile(replace(robot, actuators={"motor": replace(actuator, joint=AxisRef("j1"))}))


@check("gz-sim/joint_controller", "initial_velocity", "velocity_command", "actuators_msg")
def _speed(case: Case) -> None:
    """Their first step still stands at 0, since the command acts one step late; ours has the speed after it."""
    i = case.inputs
    sim = _rotor(case, "joint_controller_test", motor(command="velocity", damping_gain=1e5))
    target = i.get("initial_velocity") or i.get("cmd_vel") or i["cmd"]
    sim.step(command={"motor": target})
    assert sim.velocity["j1"] == approx(target, abs=2e-10)  # its inertia over dt, beside the gain
    rec = sim.run((i["steps"] - 1) * 1e-3)
    assert rec.velocity["j1"] == approx(target, abs=2e-10)  # its inertia over dt, beside the gain


@check("gz-sim/joint_controller", "force_mode_PI")
def _force_mode(case: Case) -> None:
    """A gain of 0.2 on 0.12 g·m² has a time constant of 0.6 ms; nothing resists, so that there is nothing to add up."""
    i = case.inputs
    sim = _rotor(case, "joint_controller_test", motor(command="velocity", damping_gain=i["p_gain"]))
    sim.step(command={"motor": i["cmd_vel"]}, n=i["steps"])
    assert sim.velocity["j1"] == approx(case.expected["omega"][2], abs=case.values["tolerance"])  # slack: theirs


@check("gz-sim/joint_controller", "inexistent_joint")
def _no_such_joint(case: Case) -> None:
    """Another program's plugin is left alone; an actuator on a joint that is not there is an error with the name."""
    robot = gw.load(case.model)
    with raises(gw.ModelError, match="invalid"):
        replace(robot, actuators={"m": motor(joint=AxisRef(case.inputs["joint_name"]))})


@check("gz-sim/joint_position_controller", "force")
def _place(case: Case) -> None:
    drive = motor(command="position", stiffness=1.0, damping_gain=0.01, effort_limit=1000.0)
    sim = _rotor(case, "joint_position_controller_test", drive)
    assert sim.position["j1"] == case.expected["initial_position"]
    sim.step(command={"motor": case.inputs["target"]}, n=case.inputs["steps"])
    assert sim.position["j1"] == approx(case.expected["final_position"], abs=case.values["tolerance"])  # slack: theirs


# --- Gazebo classic's actuator plugin -------------------------------------------------------------------------------


@check("gazebo-classic/actuator_plugin_facts", "electric_motor_values", "electric_motor_formula")
def _constant_power(case: Case) -> None:
    """`min(power/ω, max_torque)` as a table. Above its top speed theirs pushes on with power/max_velocity, and a
    negative speed turns the sign: ours falls on along its last line, and drives alike in both directions."""
    corner, top = 20 / 10, 6.0
    speeds = [0.0, *np.linspace(corner, top, 81)]
    table = motor(curve=tuple((float(w), 10.0 if w <= corner else 20 / float(w)) for w in speeds))
    for speed, torque in case.expected.get("speed_torque", [[1.0, 10.0], [3.0, 20 / 3], [5.0, 4.0]]):
        if speed <= top:
            assert table.effort_at(100.0, speed) == approx(torque, rel=ROUNDING)
            assert table.effort_at(-100.0, -speed) == approx(-torque, rel=ROUNDING)
        else:
            assert table.effort_at(100.0, speed) < torque


@check("gazebo-classic/actuator_plugin_facts", "velocity_limiter_formula")
def _limiter(case: Case) -> None:
    """Theirs gives max_torque above the limit, still forwards; ours gives nothing forwards, and all of it backwards."""
    limiter = motor(velocity_limit=6.0, effort_limit=10.0)
    assert limiter.effort_at(4.0, 5.9) == 4.0
    assert limiter.effort_at(4.0, 6.5) == 0.0 and limiter.effort_at(-4.0, 6.5) == -4.0
