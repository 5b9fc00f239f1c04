"""Backlash or friction? Both lose motion at a reversal. A weight on the arm tells them apart.

A motor turns an arm slowly back and forth. One gear has play; the other has none, but twists under the friction behind
it. Seen at the arm, both lose the same 20 mrad at each reversal. Then a weight hangs on the arm: it keeps the teeth of
the gear with play on one flank, so nothing is lost any more, while friction still twists the other gear.
"""

import numpy as np
from canvas import BLUE, ORANGE, named, save
from matplotlib import pyplot as plt

import gearwright as gw

DT, PERIOD, SWING = 1e-3, 8.0, 0.15  # [s], [s], [rad]
LOST = 0.02  # [rad] at a reversal
STIFFNESS, FRICTION = 60.0, 0.6  # [N·m/rad], [N·m]: the twist under friction is ±10 mrad
WEIGHT = 0.5  # [kg] at 0.4 m, the arm level: 2 N·m
ARM = """<sdf version="1.11"><model name="arm"><link name="arm"><inertial><mass>0.05</mass>
  <inertia><ixx>2e-2</ixx><iyy>2e-2</iyy><izz>2e-2</izz></inertia></inertial></link>
  <link name="weight"><pose>0.4 0 0 0 0 0</pose><inertial><mass>{weight}</mass><inertia><ixx>1e-6</ixx><iyy>1e-6</iyy>
  <izz>1e-6</izz></inertia></inertial></link>
  <joint name="hook" type="fixed"><parent>arm</parent><child>weight</child></joint>
  <joint name="shoulder" type="revolute"><parent>world</parent><child>arm</child>
  <axis><xyz>0 1 0</xyz></axis></joint>
  <actuator name="motor" type="ideal"><rotor_inertia>0.01</rotor_inertia><command>position</command>
  <stiffness>4000</stiffness><damping_gain>40</damping_gain></actuator></model></sdf>"""
GEARS = {
    "play": (ORANGE, gw.Backlash(gap=LOST - 2 * 0.05 / 2e3, stiffness=2e3, damping=2.0), gw.Friction(kinetic=0.05)),
    "friction": (BLUE, gw.ElasticGear(stiffness=STIFFNESS, damping=3.0), gw.Friction(kinetic=FRICTION)),
}


def motion(gear, friction, weight):
    """A recording of one slow swing, after one to get used to."""
    robot = gw.loads(ARM.format(weight=weight)).with_transmission(
        "gear", gw.SimpleTransmission(reduction=1.0), actuators="motor", joints="shoulder", backlash=gear
    )
    sim = gw.compile(robot.with_friction("shoulder", friction), dt=DT)
    return sim.run(2 * PERIOD, command={"motor": lambda t: SWING * np.sin(2 * np.pi * t / PERIOD)}, every=5)


def lost(run):
    """Way of the arm that is missing between going up and going down, where the motor is in the middle."""
    late = run.time > PERIOD
    motor, arm = run.position["motor.rotor"][late], run.position["shoulder"][late]
    up = np.gradient(motor) > 0
    near = np.abs(motor - motor.mean()) < 0.02
    behind = arm - motor
    return abs(behind[near & up].mean() - behind[near & ~up].mean())


def main() -> None:
    figure, panels = plt.subplots(1, 2, figsize=(11.4, 4.6), layout="constrained", sharey=True)
    for panel, weight, title in zip(panels, (1e-6, WEIGHT), ("Without a weight", "With a weight"), strict=True):
        for name, (colour, gear, friction) in GEARS.items():
            run = motion(gear, friction, weight)
            late = run.time > PERIOD
            motor = 1e3 * run.position["motor.rotor"][late]
            behind = 1e3 * run.position["shoulder"][late] - motor
            behind -= 0.5 * (behind.max() + behind.min())
            panel.plot(motor, behind, color=colour, label=f"{name}: {1e3 * lost(run):.1f} mrad lost")
        panel.legend(frameon=False, fontsize=8, loc="upper right")
        named(panel, title, "motor [mrad]", "arm behind the motor [mrad]" if weight < WEIGHT else "")
    panels[0].set_ylim(-16, 16)
    save(figure, __file__)


if __name__ == "__main__":
    main()
