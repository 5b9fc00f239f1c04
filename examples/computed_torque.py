"""Computed torque: a two-link arm on a fast path, with and without its own equations in the controller.

Run `python examples/computed_torque.py [FOLDER]`; it leaves computed_torque.png there, or in out/.

    τ = M(q)·(a_d + kd·(v_d − v) + kp·(q_d − q)) + h(q, v)

`sim.mass_matrix()` and `sim.bias()` are formulas while the controller is traced, so that all of it becomes part of the
compiled step; called from Python, the same function gives the same motion.
"""

import sys
from pathlib import Path
from time import process_time

import matplotlib as mpl
import numpy as np

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT / "src"))  # so that it runs from a checkout that is not installed

import gearwright as gw  # noqa: E402
from gearwright.drawing import COLOURS, SOFT, STYLE  # noqa: E402

mpl.use("Agg")
mpl.rcParams.update(STYLE)
import matplotlib.pyplot as plt  # noqa: E402

ARM = """<sdf version="1.11"><model name="two_links">
  <link name="base"/> <joint name="mount" type="fixed"><parent>world</parent><child>base</child></joint>
  <link name="upper"><inertial><pose>0.25 0 0 0 0 0</pose><mass>2</mass>
    <inertia><ixx>0.004</ixx><iyy>0.045</iyy><izz>0.045</izz></inertia></inertial></link>
  <link name="lower"><pose>0.5 0 0 0 0 0</pose><inertial><pose>0.2 0 0 0 0 0</pose><mass>1.5</mass>
    <inertia><ixx>0.003</ixx><iyy>0.025</iyy><izz>0.025</izz></inertia></inertial></link>
  <link name="tip"><pose>0.9 0 0 0 0 0</pose></link>
  <joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child><axis><xyz>0 -1 0</xyz></axis></joint>
  <joint name="elbow" type="revolute"><parent>upper</parent><child>lower</child><axis><xyz>0 -1 0</xyz></axis></joint>
  <joint name="tool" type="fixed"><parent>lower</parent><child>tip</child></joint>
</model></sdf>"""
JOINTS = ("shoulder", "elbow")
MIDDLE, SWING, RATE = np.array([0.5, 1.1]), np.array([0.5, 0.7]), np.array([5.0, 7.5])  # [rad], [rad], [rad/s]
FREQUENCY = 12.0  # of the errors' equation e″ + 2ω·e′ + ω²·e = 0 [rad/s]
WEIGHTS = np.array([0.8, 0.1])  # what PD takes for the inertia of each joint [kg·m²]


def wanted(time):
    """Position, velocity and acceleration of both joints."""
    turn = time * RATE
    return MIDDLE + SWING * np.sin(turn), SWING * RATE * np.cos(turn), -SWING * RATE**2 * np.sin(turn)


def feedback(sim):
    """The acceleration that brings the errors down."""
    q_d, v_d, a_d = wanted(sim.time)
    q, v = (np.stack([values[j] for j in JOINTS]) for values in (sim.position, sim.velocity))
    return a_d + 2 * FREQUENCY * (v_d - v) + FREQUENCY**2 * (q_d - q)


def computed_torque(sim):
    effort = sim.mass_matrix() @ feedback(sim) + sim.bias()
    return dict(zip(JOINTS, effort, strict=True))


def pd(sim):
    """The same gains on fixed inertias; it knows nothing of gravity, nor of one link swinging the other."""
    return dict(zip(JOINTS, WEIGHTS * feedback(sim), strict=True))


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else CHECKOUT / "out"
    out.mkdir(parents=True, exist_ok=True)
    robot, runs = gw.loads(ARM), {}
    for name, controller in {"PD": pd, "computed torque": computed_torque}.items():
        sim = gw.compile(robot, controller=controller)
        sim.reset(position={"shoulder": 0.2, "elbow": 0.8})
        started = process_time()
        runs[name] = sim.run(4.0)
        spent = process_time() - started
        error = np.abs(errors(runs[name])[runs[name].time > 2]).max()
        print(f"{name:16}: largest error after 2 s {error:.2e} rad, {1e9 * spent / len(runs[name]):.0f} ns a step")
    sim = gw.compile(robot)
    sim.reset(position={"shoulder": 0.2, "elbow": 0.8})
    again = sim.run(4.0, controller=computed_torque)
    apart = max(np.abs(again.position[j] - runs["computed torque"].position[j]).max() for j in JOINTS)
    print(f"called from Python: {apart:.1e} rad apart from the compiled one")
    draw(robot, runs, out / "computed_torque.png")
    print(f"wrote {out / 'computed_torque.png'}")


def errors(rec: gw.Recording):
    """(T, 2) [rad]."""
    return wanted(rec.time[:, None])[0] - np.stack([rec.position[j] for j in JOINTS], axis=1)


def tip(robot: gw.Mechanism, angles):
    """(T, 2): x and z of the tip [m]."""
    poses = (robot.forward_kinematics(dict(zip(JOINTS, q, strict=True)))["tip"] for q in angles)
    return np.array([(X[0, 3], X[2, 3]) for X in poses])


def draw(robot: gw.Mechanism, runs: dict[str, gw.Recording], path: Path) -> None:
    figure = plt.figure(figsize=(12, 6.4), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.25, 1))
    joints, error = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[1, 0])
    paths = figure.add_subplot(grid[:, 1])
    colours = dict(zip(runs, (COLOURS[1], COLOURS[0]), strict=True))
    time = runs["PD"].time
    q_d = wanted(time[:, None])[0]
    for i, joint in enumerate(JOINTS):
        joints.plot(time, q_d[:, i], color=SOFT, linewidth=3, alpha=0.35, label=None if i else "wanted")
        for name, rec in runs.items():
            joints.plot(time, rec.position[joint], color=colours[name], label=None if i else name)
        joints.annotate(joint, (4, q_d[-1, i]), xytext=(5, 0), textcoords="offset points", color=SOFT, va="center")
    for name, rec in runs.items():
        error.plot(time, np.abs(errors(rec)).max(axis=1), color=colours[name], label=name)
        paths.plot(
            *tip(robot, np.stack([rec.position[j] for j in JOINTS], axis=1)[::4]).T, color=colours[name], label=name
        )
    paths.plot(*tip(robot, q_d[::4]).T, color=SOFT, linewidth=4, alpha=0.3, label="wanted", zorder=0)
    error.set_yscale("log")
    error.yaxis.set_major_formatter(lambda value, _: f"{value:.0e}".replace("e-0", "e-").replace("-", "−"))
    for ax, title, unit in (
        (joints, "joints", "position [rad]"), (error, "the larger of the two errors", "error [rad]"),
        (paths, "the tip's path", "z [m]"),
    ):  # fmt: skip
        ax.set_title(title, loc="left", fontweight="bold")
        ax.set_ylabel(unit)
    for ax in (joints, error):
        ax.set_xlabel("time [s]")
        ax.margins(x=0)
    paths.set_xlabel("x [m]")
    paths.set_aspect("equal")
    joints.legend(frameon=False, fontsize=8, ncols=3, loc="upper left", bbox_to_anchor=(0.2, 1.16))
    figure.suptitle("Computed torque on a two-link arm", x=0.01, ha="left", fontsize=13, fontweight="bold")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
