"""Which motor and gear for this arm? A million designs, and the front of those that no other one beats.

    python examples/motor_choice.py [DESIGNS]     writes motor_choice.parquet and motor_choice.png

An arm lifts a load with one 24 V motor. The study varies the motor's torque constant, its resistance, and the gear's
reduction. The goals are a fast lift, a high torque at the joint, and a cool winding. If it is called again after
Ctrl-C, it resumes.
"""

import resource
import sys
import time
from bisect import bisect_left, insort

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gearwright as gw

ROBOT = """
<robot name="lift">
  <link name="base"/>
  <link name="arm">
    <inertial><origin xyz="0.25 0 0"/><mass value="1.2"/>
      <inertia ixx="0.002" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 -1 0"/>
    <limit lower="-1.5" upper="1.5" effort="200" velocity="40"/><dynamics damping="0.05" friction="0.1"/>
  </joint>
  <transmission name="gear">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="shoulder"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
    <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator>
  </transmission>
</robot>
"""
MOTOR = gw.DCMotor(
    name="motor", command="voltage", supply_voltage=24.0, resistance=1.0, torque_constant=0.05, rotor_inertia=1e-5,
    thermal_resistance=4.0, thermal_capacitance=6.0,
)  # fmt: skip
VARIED = {"motor.torque_constant": (0.01, 0.12), "motor.resistance": (0.3, 4.0), "gear.reduction": (5.0, 150.0)}


def swept(designs: int):
    """A row a design, with speed [rad/s], torque at the joint [N·m] and warming of the winding [K]."""
    table = gw.sweep(
        gw.loads(ROBOT).with_actuator(MOTOR),
        vary=VARIED,
        metrics={
            "speed": "shoulder.velocity:max", "lifted": "shoulder.position:last", "torque": "motor.torque:max",
            "temperature": "motor.temperature:max",
        },
        sampling="sobol", n=designs, duration=0.4, position={"shoulder": -1.0}, command={"motor": 24.0},
        out="motor_choice.parquet", progress=True,
    )  # fmt: skip
    joint = np.asarray(table["torque"]) * np.asarray(table["gear.reduction"])
    return table.to_dict(as_series=False) | {"joint torque": joint, "heat": np.asarray(table["temperature"]) - 25.0}


def front(points):
    """Rows that no other one beats in all three columns; all are to be large. Fastest first."""
    order = np.lexsort((-points[:, 2], -points[:, 1], -points[:, 0]))
    kept, stairs = [], []  # of those so far: (second, third), rising in the second and falling in the third
    for row in order[np.isfinite(points[order]).all(axis=1)]:
        second, third = points[row, 1], points[row, 2]
        at = bisect_left(stairs, (second, -np.inf))
        if at < len(stairs) and stairs[at][1] >= third:
            continue
        kept.append(row)
        at = bisect_left(stairs, (second, np.inf))
        while at and stairs[at - 1][1] <= third:
            at -= 1
            del stairs[at]
        insort(stairs, (second, third))
    return np.array(kept)


def drawn(t, best, path):
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    some = np.random.default_rng(0).choice(len(t["heat"]), min(20_000, len(t["heat"])), replace=False)
    speed, heat, torque = (np.asarray(t[n]) for n in ("speed", "heat", "joint torque"))
    left.plot(speed[some], heat[some], ".", color="#c8ced6", markersize=1.5, rasterized=True, label="designs")
    shown = left.scatter(
        speed[best], heat[best], c=torque[best], s=4, cmap="viridis", zorder=3, label="not beaten by any"
    )
    left.set(xlabel="top speed of the arm [rad/s]", ylabel="warming of the winding [K]")
    figure.colorbar(shown, ax=left, label="torque at the joint [N·m]")
    left.legend(frameon=False)
    ratio, k = (np.asarray(t[n])[best] for n in ("gear.reduction", "motor.torque_constant"))
    shown = right.scatter(ratio, k, c=speed[best], s=5, cmap="plasma")
    right.set(xlabel="gear reduction", ylabel="torque constant [N·m/A]", title="designs on the front")
    figure.colorbar(shown, ax=right, label="top speed [rad/s]")
    figure.savefig(path, dpi=110)


def main(designs: int) -> None:
    begun = time.perf_counter()
    t = swept(designs)
    seconds = time.perf_counter() - begun
    lifts = np.where(np.asarray(t["lifted"]) > 0.5, 1.0, np.nan)  # a design that does not lift the arm is none
    wanted = np.stack([np.asarray(t["speed"]) * lifts, t["joint torque"], -t["heat"]], axis=1)
    best = front(wanted)
    drawn(t, best, "motor_choice.png")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{designs:,} designs in {seconds:.0f} s, {memory:.0f} MiB; {len(best)} are not beaten by any other")
    for name, i in (("fastest", best[0]), ("coolest", min(best, key=lambda i: t["heat"][i]))):
        chosen = ", ".join(f"{n} {t[n][i]:.3g}" for n in VARIED)
        print(f"{name}: {t['speed'][i]:.1f} rad/s, {t['joint torque'][i]:.0f} N·m, {t['heat'][i]:.1f} K by {chosen}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
