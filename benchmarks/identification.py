"""`gw.identify` beside `mujoco.sysid`: the same arm, the same recordings, the same eight parameters.

    python benchmarks/identification.py [--recordings 6] [--duration 8] [--dt 1e-3 5e-4]      needs mujoco[sysid]

Two links with DC motors, 40:1 gears and dry friction. The recordings are solutions of the closed equations by scipy's
Radau, with friction of `tanh(ω/1e-5)` and noise of 1 mrad; neither simulator made them. Both start at the same values
and know the start of the motion. MuJoCo has `implicitfast`, whose friction is as hard as its step allows, reads the
state in place of sensors, which lag by a step, and has as many threads. Times are CPU time, compiling not included;
`off` is the largest distance of a parameter from its true value, in half-widths of its 95 % interval.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import gearwright as gw
from gearwright.identification.fit import Fit

mj: Any = mujoco
sysid: Any = getattr(__import__("mujoco.sysid"), "sysid", None)
SAMPLE, NOISE, TRUE_SEED, ROUNDS = 0.01, 1e-3, 3, 2  # [s], [rad]
GEAR, RESISTANCE, ROTOR = 40.0, 1.2, 8e-6  # 1, [Ω], [kg·m²]
CENTER, LENGTH, INERTIA, G = 0.15, 0.3, 0.004, 9.81  # of each link: [m], [m], [kg·m²]; [m/s²]
VOLTAGE = (11.0, 7.0)  # [V], the largest of each motor
JOINTS, MOTORS, LINKS = ("shoulder", "elbow"), ("first", "second"), ("upper", "lower")
NOMINAL = {
    "shoulder.friction": 0.35, "elbow.friction": 0.35, "shoulder.damping": 0.08, "elbow.damping": 0.08,
    "upper.mass": 1.0, "lower.mass": 0.6, "first.torque_constant": 0.04, "second.torque_constant": 0.04,
}  # fmt: skip
BOUNDS = {name: (0.3 * value, 3.0 * value) for name, value in NOMINAL.items()}
Rows = Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]  # times, voltages (T, 2), angles (T, 2)


# --- the recordings ---------------------------------------------------------------------------------------------------


def true_values() -> dict[str, float]:
    rng = np.random.default_rng(TRUE_SEED)
    return {name: value * rng.uniform(0.75, 1.3) for name, value in NOMINAL.items()}


def voltages(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Sums of sines from rest, held from sample to sample."""
    t = SAMPLE * np.arange(rows)
    fade = np.minimum(1.0, t / 0.5)
    each = [
        sum(rng.uniform(0.3, 1.0) * np.sin(2 * np.pi * f * t + rng.uniform(0, 6.28)) for f in (0.4, 0.9, 1.7))
        for _ in VOLTAGE
    ]
    return t, np.column_stack([most * fade * wave / 1.8 for most, wave in zip(VOLTAGE, each, strict=True)])


def rates(_: float, x: np.ndarray, u: np.ndarray, p: Mapping[str, float]) -> np.ndarray:
    """`M·dω/dt + c + g = τ` of the double pendulum, angles from hanging."""
    q, w = x[:2], x[2:]
    m1, m2 = p["upper.mass"], p["lower.mass"]
    k, friction, damping = (
        np.array([p[f"{n}.{what}"] for n in own])
        for own, what in ((MOTORS, "torque_constant"), (JOINTS, "friction"), (JOINTS, "damping"))
    )
    rotor, arm = GEAR**2 * ROTOR, m2 * LENGTH * CENTER
    both = INERTIA + m2 * CENTER**2 + arm * np.cos(q[1])
    outer = INERTIA + m2 * CENTER**2 + rotor
    inner = INERTIA + m1 * CENTER**2 + m2 * LENGTH**2 + 2 * arm * np.cos(q[1]) + outer
    h, hangs = arm * np.sin(q[1]), m2 * G * CENTER * np.sin(q.sum())
    bias = np.array([
        -h * (2 * w[0] * w[1] + w[1] ** 2) + (m1 * CENTER + m2 * LENGTH) * G * np.sin(q[0]) + hangs,
        h * w[0] ** 2 + hangs,
    ])  # fmt: skip
    torque = k * GEAR * (u - k * GEAR * w) / RESISTANCE - damping * w - friction * np.tanh(w / 1e-5)
    return np.concatenate([w, np.linalg.solve(np.array([[inner, both], [both, outer]]), torque - bias)])


def recorded(seed: int, duration: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    t, u = voltages(rng, round(duration / SAMPLE) + 1)
    p, x = true_values(), np.zeros(4)
    angles = [x[:2]]
    for row in u[:-1]:
        x = solve_ivp(rates, (0, SAMPLE), x, method="Radau", args=(row, p), rtol=1e-6, atol=1e-8).y[:, -1]
        angles.append(x[:2])
    return t, u, np.array(angles) + NOISE * rng.normal(size=(len(t), 2))


# --- both -------------------------------------------------------------------------------------------------------------


def robot() -> gw.Mechanism:
    def link(name: str) -> str:
        inertia = f"<inertia ixx='{INERTIA}' iyy='{INERTIA}' izz='0.0005' ixy='0' ixz='0' iyz='0'/>"
        mass = f"<mass value='{NOMINAL[f'{name}.mass']}'/>"
        return f"<link name='{name}'><inertial><origin xyz='0 0 -{CENTER}'/>{mass}{inertia}</inertial></link>"

    def joint(name: str, parent: str, child: str, z: float) -> str:
        dynamics = f"<dynamics damping='{NOMINAL[f'{name}.damping']}' friction='{NOMINAL[f'{name}.friction']}'/>"
        return (
            f"<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/>"
            f"<origin xyz='0 0 {z}'/><axis xyz='0 1 0'/>{dynamics}</joint>"
        )

    joints = joint("shoulder", "base", "upper", 0.0) + joint("elbow", "upper", "lower", -LENGTH)
    found = gw.loads(f"<robot name='arm'><link name='base'/>{''.join(map(link, LINKS))}{joints}</robot>")
    for motor, axis in zip(MOTORS, JOINTS, strict=True):
        found = found.with_actuator(gw.DCMotor(
            name=motor, command="voltage", supply_voltage=24.0, resistance=RESISTANCE, rotor_inertia=ROTOR,
            torque_constant=NOMINAL[f"{motor}.torque_constant"],
        ))  # fmt: skip
        found = found.with_transmission(
            f"{axis}_gear", gw.SimpleTransmission(reduction=GEAR), actuators=motor, joints=axis
        )
    return found


def ours(rows: Rows, dt: float) -> Fit:
    logs = [
        gw.Log(name=f"recording {k}", time=t, columns={
            **{f"{n}.position": q[:, i] for i, n in enumerate(JOINTS)},
            **{f"{n}.command": u[:, i] for i, n in enumerate(MOTORS)},
        }) for k, (t, u, q) in enumerate(rows)
    ]  # fmt: skip
    still = {f"{n}.{what}": 0.0 for n in JOINTS for what in ("position", "velocity")}
    return gw.identify(robot(), logs, tuple(NOMINAL), bounds=BOUNDS, starts=1, fit_start=False, start=still, dt=dt)


def as_mjcf(dt: float) -> str:
    def body(link: str, joint: str, z: float, inner: str) -> str:
        return (
            f"<body name='{link}' pos='0 0 {z}'><joint name='{joint}' axis='0 1 0' armature='{GEAR**2 * ROTOR}' "
            f"damping='{NOMINAL[f'{joint}.damping']}' frictionloss='{NOMINAL[f'{joint}.friction']}' "
            f"solreffriction='{2 * dt} 1' solimpfriction='0.99 0.999 0.001'/><inertial pos='0 0 -{CENTER}' "
            f"mass='{NOMINAL[f'{link}.mass']}' diaginertia='{INERTIA} {INERTIA} 0.0005'/>{inner}</body>"
        )

    motors = "".join(
        f"<general name='{m}' joint='{j}' gear='{GEAR}' biastype='affine' gainprm='{0.04 / RESISTANCE}' "
        f"biasprm='0 0 {-(0.04**2) / RESISTANCE}'/>"
        for m, j in zip(MOTORS, JOINTS, strict=True)
    )
    bodies = body("upper", "shoulder", 0.0, body("lower", "elbow", -LENGTH, ""))
    sensors = "".join(f"<jointpos joint='{j}'/>" for j in JOINTS)  # not read, but counted
    option = f"<option timestep='{dt}' integrator='implicitfast'><flag contact='disable'/></option>"
    moving = f"<worldbody>{bodies}</worldbody><actuator>{motors}</actuator><sensor>{sensors}</sensor>"
    return f"<mujoco>{option}{moving}</mujoco>"


def changed(name: str, spec: Any, parameter: Any) -> None:
    """Writes one parameter into MuJoCo's model."""
    owner, _, what = name.partition(".")
    value = float(parameter.value[0])
    if what == "mass":
        spec.body(owner).mass = value
    elif what == "friction":
        spec.joint(owner).frictionloss = value
    elif what == "damping":
        spec.joint(owner).damping[0] = value
    else:
        motor = spec.actuator(owner)
        motor.gainprm[0], motor.biasprm[2] = value / RESISTANCE, -value * value / RESISTANCE


def mujoco_problem(rows: Rows, dt: float) -> tuple[Any, Any]:
    """Parameters and residuals, as `mujoco.sysid.optimize` takes them."""
    spec = mj.MjSpec.from_string(as_mjcf(dt))
    model = spec.compile()
    data = mj.MjData(model)
    start = sysid.create_initial_state(model, data.qpos, data.qvel, data.act)
    states, *_ = sysid.TimeSeries.compute_all_state_mappings(model)
    controls, measured = [], []
    for t, u, q in rows:
        steps = dt * np.arange(round(t[-1] / dt) + 1)
        held = np.minimum((steps / SAMPLE + 1e-9).astype(int), len(t) - 1)
        controls.append(sysid.TimeSeries(steps, u[held]))
        measured.append(sysid.TimeSeries(t, q, signal_mapping=states))
    parameters = sysid.ParameterDict()
    for name, value in NOMINAL.items():
        low, high = BOUNDS[name]
        parameters.add(sysid.Parameter(
            name, nominal=value, min_value=low, max_value=high, modifier=partial(changed, name)
        ))  # fmt: skip
    names = [f"recording {k}" for k in range(len(rows))]
    sequence = sysid.ModelSequences("arm", spec, names, [start] * len(rows), controls, measured)
    return parameters, sysid.build_residual_fn(models_sequences=[sequence])


def theirs(rows: Rows, dt: float) -> dict[str, float]:
    parameters, residual = mujoco_problem(rows, dt)
    with contextlib.redirect_stdout(io.StringIO()):
        found, _ = sysid.optimize(parameters, residual, verbose=False)
    return {name: float(found[name].value[0]) for name in NOMINAL}


# --- the race ---------------------------------------------------------------------------------------------------------


@dataclass
class Timed:
    seconds: float = np.inf
    found: Any = None

    def run(self, work: Callable[[], Any]) -> None:
        begun = time.process_time()
        self.found = work()
        self.seconds = min(self.seconds, time.process_time() - begun)


def off(values: Mapping[str, float], fit: Fit) -> float:
    half = {name: 0.5 * (high - low) for name, (low, high) in fit.intervals.items()}
    return float(max(abs(values[name] - true) / half[name] for name, true in true_values().items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recordings", type=int, default=6)
    parser.add_argument("--duration", type=float, default=8.0, help="of each [s]")
    parser.add_argument("--dt", type=float, nargs="+", default=[2e-3, 1e-3], help="steps [s]")
    given = parser.parse_args()
    if not hasattr(sysid, "optimize"):
        sys.exit("this benchmark needs `pip install mujoco[sysid]`")
    rows = [recorded(50 + k, given.duration) for k in range(given.recordings)]
    judge = ours(rows, min(given.dt))
    print("| step [ms] | ours [s] | off | mujoco.sysid [s] | off | ratio |\n|---|---|---|---|---|---|")
    for dt in given.dt:
        a, b = Timed(), Timed()
        ours(rows, dt)  # compiles, or takes the code from the cache
        for _ in range(ROUNDS):
            a.run(partial(ours, rows, dt))
            b.run(partial(theirs, rows, dt))
        print(
            f"| {1e3 * dt:g} | {a.seconds:.2f} | {off(a.found.values, judge):.2f} | {b.seconds:.2f} | "
            f"{off(b.found, judge):.2f} | {b.seconds / a.seconds:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
