"""A limit cycle that only static friction explains: a position loop with an integral that never rests.

The same table under the same PID three times. With Coulomb friction alone it comes to rest a little beside its target,
and what is left shrinks with every time that the integral moves it on. With static friction above the kinetic one it
hunts for ever: it sticks, the integral grows until the table breaks away, and then there is too much push. LuGre's
bristles do the same, and show the small motion before each break-away.
"""

from canvas import BLUE, GREY, ORANGE, named, save
from matplotlib import pyplot as plt

import gearwright as gw

DT, DURATION, TARGET = 1e-3, 40.0, 0.5  # [s], [s], [rad]
KP, KI, KD = 30.0, 90.0, 6.0  # [N·m/rad], [N·m/(rad·s)], [N·m·s/rad]
KINETIC, STATIC, SPEED = 1.0, 1.6, 0.02  # [N·m], [N·m], [rad/s]
TABLE = """<sdf version="1.11"><model name="table"><link name="table"><inertial><mass>4</mass><inertia>
  <ixx>0.5</ixx><iyy>0.5</iyy><izz>0.5</izz></inertia></inertial></link>
  <joint name="turn" type="revolute"><parent>world</parent><child>table</child><axis><xyz>0 0 1</xyz></axis></joint>
  <actuator name="motor" type="ideal"><joint>turn</joint></actuator></model></sdf>"""
FRICTIONS = {
    "Coulomb": (GREY, gw.Friction(kinetic=KINETIC)),
    "static above kinetic": (ORANGE, gw.Friction(kinetic=KINETIC, static=STATIC, stribeck_speed=SPEED)),
    "LuGre": (BLUE, gw.LuGre(kinetic=KINETIC, static=STATIC, stribeck_speed=SPEED, stiffness=1e4, damping=60.0)),
}


class PID:
    """On the table's angle."""

    def __init__(self):
        self.integral = 0.0

    def __call__(self, sim):
        error = TARGET - sim.position["turn"]
        self.integral += error * sim.dt
        return {"motor": KP * error + KI * self.integral - KD * sim.velocity["turn"]}


def motions():
    """Recordings by the name of the friction."""
    table = gw.loads(TABLE)
    found = {}
    for name, (_, friction) in FRICTIONS.items():
        sim = gw.compile(table.with_friction("turn", friction), dt=DT)
        found[name] = sim.run(DURATION, controller=PID(), every=4)
    return found


def main() -> None:
    figure, panels = plt.subplot_mosaic(
        [["error", "error"], ["torque", "cycle"]], figsize=(11.4, 6.8), layout="constrained"
    )
    for name, run in motions().items():
        colour = FRICTIONS[name][0]
        error = 1e3 * (run.position["turn"] - TARGET)
        late = run.time > DURATION - 12.0
        panels["error"].plot(run.time, error, color=colour, label=name)
        panels["torque"].plot(run.time[late], run.actuator["motor"].torque[late], color=colour)
        panels["cycle"].plot(error[late], 1e3 * run.velocity["turn"][late], color=colour)
    panels["error"].set_ylim(-40, 40)
    panels["error"].legend(frameon=False, ncols=3, fontsize=8, loc="upper right")
    for level in (KINETIC, STATIC):
        panels["torque"].axhline(level, color=GREY, linewidth=0.9, linestyle="--")
        panels["torque"].axhline(-level, color=GREY, linewidth=0.9, linestyle="--")
    named(panels["error"], "The table, from its target", y="error [mrad]")
    named(panels["torque"], "Motor; dashed: kinetic and static friction", y="torque [N·m]")
    named(panels["cycle"], "Sticking and slipping", "error [mrad]", "speed [mrad/s]")
    save(figure, __file__)


if __name__ == "__main__":
    main()
