"""What happens between a command and the shaft of a servo: delay, slew, duty, current, and a supply that sags.

Two STS3215 on one weak supply lift the same weight, one after the other. The goal starts after the delay and moves no
faster than the firmware lets it; the duty saturates; the supply drops with what both draw.
"""

from canvas import BLUE, GREEN, GREY, ORANGE, named, save
from matplotlib import pyplot as plt

import gearwright as gw

DT, DURATION, START = 1e-3, 1.2, (0.1, 0.5)  # [s]
BATTERY = gw.Supply(name="battery", voltage=7.4, resistance=0.6)
LINK = """<link name="{n}_arm"><pose>0 0 -0.12 0 0 0</pose><inertial><mass>0.6</mass><inertia><ixx>1e-4</ixx>
  <iyy>1e-4</iyy><izz>1e-4</izz></inertia></inertial></link>
  <joint name="{n}" type="revolute"><pose>0 0 0.12 0 0 0</pose><parent>world</parent><child>{n}_arm</child>
  <axis><xyz>0 -1 0</xyz></axis></joint>"""
COLOURS = {"left": BLUE, "right": ORANGE}


def motion():
    """A recording of both."""
    text = "".join(LINK.format(n=n) for n in COLOURS)
    robot = gw.loads(f'<sdf version="1.11"><model name="pair">{text}</model></sdf>')
    for n in COLOURS:
        robot = robot.with_servo(n, "sts3215", supply=BATTERY, delay=0.03)
    sim = gw.compile(robot, dt=DT)
    command = {n: lambda t, start=start: 1.5 * (t >= start) for n, start in zip(COLOURS, START, strict=True)}
    return sim.run(DURATION, command=command)


def main() -> None:
    run = motion()
    figure, panels = plt.subplot_mosaic(
        [["angle", "duty"], ["current", "supply"]], figsize=(11.4, 6.0), layout="constrained"
    )
    for n, start in zip(COLOURS, START, strict=True):
        servo, colour = run.actuator[n], COLOURS[n]
        panels["angle"].plot(run.time, 1.5 * (run.time >= start), color=GREY, linewidth=0.9, linestyle="--")
        panels["angle"].plot(run.time, servo.goal, color=colour, linewidth=0.9, alpha=0.6)
        panels["angle"].plot(run.time, run.position[n], color=colour, label=n)
        panels["duty"].plot(run.time, servo.duty, color=colour)
        panels["current"].plot(run.time, servo.current, color=colour)
    panels["supply"].plot(run.time, run.actuator["left"].supply, color=GREEN)
    panels["angle"].legend(frameon=False, fontsize=8, loc="lower right")
    named(panels["angle"], "Commands (dashed), goals (thin), shafts", y="[rad]")
    named(panels["duty"], "Duty of the bridge")
    named(panels["current"], "Current of the winding", y="[A]")
    named(panels["supply"], "The supply that they share", y="[V]")
    save(figure, __file__)


if __name__ == "__main__":
    main()
