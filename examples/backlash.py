"""Play in a gear: with the encoder behind it the table hunts, with the encoder before it an error goes unnoticed.

The same PID runs twice. With the encoder on the table, behind the play, the integral never comes to rest: to correct
the smallest error, the motor must first cross the gap, and then overshoots. The table hunts about its target for ever,
in a limit cycle. With the encoder on the motor nothing moves, and the table stays wherever the play leaves it.
"""

from canvas import BLUE, GREY, HERE, ORANGE, named, save
from matplotlib import pyplot as plt

import gearwright as gw

DT, DURATION, TARGET, RATIO = 5e-4, 4.0, 0.3, 50.0  # [s], [s], [rad], 1
KP, KI, KD = 60.0, 400.0, 4.0  # at the table [N·m/rad], [N·m/(rad·s)], [N·m·s/rad]
GAP = 0.436 / RATIO  # of the play, at the table [rad]
SIDES = {"table_side": ORANGE, "motor_side": BLUE}


class PID:
    """On one encoder, all of it: position, its integral, and its rate by differences, smoothed."""

    def __init__(self, encoder):
        self.encoder, self.ratio = encoder, RATIO if encoder == "motor_side" else 1.0
        self.integral = self.last = self.rate = 0.0

    def __call__(self, sim):
        angle = sim.sensor[self.encoder] / self.ratio
        error = TARGET - angle
        self.rate += 0.1 * ((angle - self.last) / sim.dt - self.rate)
        self.last, self.integral = angle, self.integral + error * sim.dt
        return {"motor": (KP * error + KI * self.integral - KD * self.rate) / RATIO}


def main() -> None:
    sim = gw.compile(HERE / "backlash.sdf", dt=DT)
    figure, panels = plt.subplot_mosaic(
        [["error", "error", "cycle"], ["lead", "torque", "cycle"]], figsize=(11.4, 6.4), layout="constrained"
    )
    for encoder, colour in SIDES.items():
        sim.reset()
        run = sim.run(DURATION, controller=PID(encoder))
        label = f"encoder on the {encoder.removesuffix('_side')}"
        error, shaft = 1e3 * (run.position["turn"] - TARGET), run.actuator["motor"]
        panels["error"].plot(run.time, error, color=colour, label=label)
        late = run.time > DURATION - 0.6
        lead = 1e3 * (shaft.position / RATIO - run.position["turn"])
        panels["lead"].plot(run.time[late], lead[late], color=colour)
        panels["torque"].plot(run.time[late], 1e3 * shaft.torque[late], color=colour)
        panels["cycle"].plot(error, 1e3 * run.velocity["turn"], color=colour, linewidth=0.8, alpha=0.35)
        panels["cycle"].plot(error[late], 1e3 * run.velocity["turn"][late], color=colour, linewidth=2)
        if encoder == "motor_side":
            panels["cycle"].plot(error[-1], 0, "o", color=colour, markersize=7)
    panels["error"].set_ylim(-14, 14)
    panels["error"].axhspan(-500 * GAP, 500 * GAP, color=GREY, alpha=0.12, linewidth=0, label="the play")
    panels["error"].legend(frameon=False, ncols=3, fontsize=8, loc="upper right")
    for edge in (-500 * GAP, 500 * GAP):
        panels["lead"].axhline(edge, color=GREY, linewidth=0.9, linestyle="--")
    panels["cycle"].set(xlim=(-8, 8), ylim=(-190, 190))
    named(panels["error"], "The table, from its target", y="error [mrad]")
    named(panels["lead"], "Motor ahead of the table; dashed: contact", y="[mrad]")
    named(panels["torque"], "Motor", y="torque [mN·m]")
    named(panels["cycle"], "The limit cycle, and the point of rest", "error [mrad]", "speed [mrad/s]")
    save(figure, __file__)


if __name__ == "__main__":
    main()
