"""A PID controller in machine code: one arm, five gains at once, an encoder in the loop.

Run `python examples/pid.py [FOLDER]`; it leaves pid.png there, or in out/.

A motor behind a gear of 50:1 lifts an arm. The controller sees what a controller sees, the encoder's counts and not the
arm, 500 times a second; it is traced once, and the five robots of the batch, each with a gain of its own, never leave
machine code.
"""

import sys
from pathlib import Path
from time import perf_counter

import matplotlib as mpl
import numpy as np

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT / "src"))  # so that it runs from a checkout that is not installed

import gearwright as gw  # noqa: E402
from gearwright.drawing import COLOURS, INK, SOFT, STYLE  # noqa: E402

mpl.use("Agg")
mpl.rcParams.update(STYLE)
import matplotlib.pyplot as plt  # noqa: E402

ARM = """<sdf version="1.11"><model name="arm">
  <link name="base"/> <joint name="mount" type="fixed"><parent>world</parent><child>base</child></joint>
  <link name="forearm"><inertial><pose>0.2 0 0 0 0 0</pose><mass>1.2</mass>
    <inertia><ixx>0.002</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia></inertial></link>
  <joint name="elbow" type="revolute"><parent>base</parent><child>forearm</child>
    <axis><xyz>0 -1 0</xyz><dynamics><damping>0.05</damping></dynamics></axis></joint>
  <actuator name="motor" type="electric_motor"><stall_torque>0.4</stall_torque><no_load_speed>400</no_load_speed>
    <torque_limit>0.15</torque_limit><rotor_inertia>1e-5</rotor_inertia></actuator>
  <transmission name="gear" type="simple"><actuator>motor</actuator><joint>elbow</joint>
    <mechanical_reduction>50</mechanical_reduction></transmission>
  <encoder name="encoder" type="position"><actuator>motor</actuator><resolution>1024</resolution></encoder>
</model></sdf>"""
TARGET = 0.8  # [rad]
LIMIT = 0.15  # [N·m]
RATIO = 50
GAINS = np.array([0.08, 0.15, 0.3, 0.6, 1.2])  # [N·m at the motor per rad of the joint]
SHOWN, CLOSE = 3, (0.6, 0.7)  # the robot, and the time [s], that are looked at from near by


class EncoderPID:
    """Position from counts, velocity from their difference, filtered; no integral while the motor is at its limit."""

    def __init__(self) -> None:
        self.memory = {"integral": 0.0, "last": 0.0, "rate": 0.0}
        self.parameters = {"kp": 0.2, "ki": 0.3, "kd": 0.02}

    def __call__(self, sim, memory):
        kp, ki, kd = (sim.parameters[gain] for gain in ("kp", "ki", "kd"))
        angle = sim.sensor["encoder"] / RATIO
        rate = memory["rate"] + 0.3 * ((angle - memory["last"]) / sim.control_dt - memory["rate"])
        error = TARGET - angle
        integral = memory["integral"] + error * sim.control_dt
        wanted = kp * error + ki * integral - kd * rate
        command = np.clip(wanted, -LIMIT, LIMIT)
        kept = np.where(command == wanted, integral, memory["integral"])
        return {"motor": command}, {"integral": kept, "last": angle, "rate": rate}


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else CHECKOUT / "out"
    out.mkdir(parents=True, exist_ok=True)
    sim = gw.compile(gw.loads(ARM), dt=1e-3, batch=len(GAINS), controller=EncoderPID(), control_period=0.002)
    sim.set_parameters({"kp": GAINS, "kd": 0.14 * np.sqrt(GAINS / 2)})
    sim.reset()
    started = perf_counter()
    rec = sim.run(3.0)
    took = perf_counter() - started
    print(f"{len(GAINS)} robots, {len(rec) - 1} steps in {1e3 * took:.1f} ms")
    for i, gain in enumerate(GAINS):
        error = np.abs(rec.position["elbow"][:, i] - TARGET)
        last = np.flatnonzero(error > 0.02 * TARGET)[-1]
        settled = "later than 3 s" if last == len(rec) - 1 else f"after {rec.time[last]:.2f} s"
        over = max(0.0, rec.position["elbow"][:, i].max() / TARGET - 1)
        print(f"kp {gain:4.2f}: within 2 % {settled}, overshoot {100 * over:4.1f} %")
    draw(rec, out / "pid.png")
    print(f"wrote {out / 'pid.png'}")


def draw(rec: gw.Recording, path: Path) -> None:
    figure, (top, middle, bottom) = plt.subplots(3, 1, figsize=(8, 8), layout="constrained")
    for i, gain in enumerate(GAINS):
        top.plot(rec.time, rec.position["elbow"][:, i], color=COLOURS[i], label=f"kp = {gain:g}")
        middle.plot(rec.time, rec.command["motor"][:, i], color=COLOURS[i], linewidth=1.0)
    top.axhline(TARGET, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), label="target")
    middle.axhspan(LIMIT, 0.18, color="#e3e6eb")
    middle.annotate(
        "beyond the motor's limit", (2.98, LIMIT), (0, 3), textcoords="offset points", ha="right", color=SOFT
    )
    middle.set_ylim(None, 0.18)
    close = (rec.time >= CLOSE[0]) & (rec.time <= CLOSE[1])
    joint, encoder = rec.position["elbow"][close, SHOWN], rec.sensor["encoder"][close, SHOWN] / RATIO
    bottom.plot(rec.time[close], 1e3 * joint, color=COLOURS[SHOWN], label="joint")
    bottom.plot(rec.time[close], 1e3 * encoder, color=INK, linewidth=0.9, drawstyle="steps-post", label="encoder / 50")
    for ax, title, unit in (
        (top, "elbow", "position [rad]"), (middle, "what the controller asks of the motor", "torque [N·m]"),
        (bottom, f"counts from near by, kp = {GAINS[SHOWN]:g}", "position [mrad]"),
    ):  # fmt: skip
        ax.set_title(title, loc="left", fontweight="bold")
        ax.set_ylabel(unit)
        ax.set_xlabel("time [s]")
        ax.margins(x=0)
    top.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)
    bottom.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)
    title = "PID on an encoder, 500 Hz, five gains in one batch"
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, fontweight="bold")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
