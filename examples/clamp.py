"""A ball screw clamps a part. When the motor lets go, an efficient screw gives way, and one that locks itself holds.

A screw that loses more than half of the power forwards does not run backwards. The part is a stiff spring between the
jaws; it pushes the jaw back as far as the screw lets it.
"""

import numpy as np
from canvas import BLUE, GREY, ORANGE, named, poses_of, save, strip
from matplotlib import pyplot as plt

import gearwright as gw
from gearwright.drawing import Camera

DT, OFF, DURATION = 1e-3, 0.5, 0.8  # [s]
TORQUE, LEAD = 0.02, 0.005  # of the motor [N·m], travel per turn [m]
SCREWS = {"ball screw, 90 %": (0.9, BLUE), "trapezoidal screw, 35 %": (0.35, ORANGE)}
CAMERA = Camera(azimuth=24.0, elevation=22.0)

VICE = """<sdf version="1.11"><model name="vice">
  <link name="bed">
    <visual name="bed"><pose>0 0 -0.01 0 0 0</pose><geometry><box><size>0.3 0.1 0.02</size></box></geometry></visual>
    <visual name="anvil"><pose>-0.06 0 0.03 0 0 0</pose><geometry><box><size>0.04 0.08 0.06</size></box></geometry></visual>
    <collision name="anvil"><pose>-0.06 0 0.03 0 0 0</pose>
      <geometry><box><size>0.04 0.08 0.06</size></box></geometry></collision> </link>
  <joint name="mount" type="fixed"><parent>world</parent><child>bed</child></joint>
  <link name="jaw">
    <inertial><mass>0.8</mass><inertia><ixx>1e-3</ixx><iyy>1e-3</iyy><izz>1e-3</izz></inertia></inertial>
    <visual name="jaw"><pose>0.02 0 0.03 0 0 0</pose><geometry><box><size>0.04 0.08 0.06</size></box></geometry>
      <material><diffuse>0 0.45 0.7 1</diffuse></material></visual>
    <collision name="jaw"><pose>0.02 0 0.03 0 0 0</pose>
      <geometry><box><size>0.04 0.08 0.06</size></box></geometry></collision> </link>
  <joint name="slide" type="prismatic"><parent>bed</parent><child>jaw</child>
    <axis><xyz>1 0 0</xyz><limit><lower>-0.03</lower><upper>0.08</upper></limit></axis></joint>
  <actuator name="motor" type="electric_motor"><stall_torque>0.2</stall_torque><no_load_speed>300</no_load_speed>
    <torque_limit>0.02</torque_limit><rotor_inertia>1e-6</rotor_inertia></actuator>
  <transmission name="screw" type="screw"><lead>{lead}</lead><actuator>motor</actuator><joint>slide</joint>
    <efficiency>{efficiency}</efficiency></transmission>
</model></sdf>"""


def scene(efficiency):
    """A part lies between the anvil and the jaw; the bed carries it."""
    world = gw.World()
    world.add(gw.loads(VICE.format(lead=LEAD, efficiency=efficiency)))
    world.box(
        "part", size=(0.06, 0.04, 0.04), mass=0.3, pose=(-0.01, 0, 0.02), friction=0.4, stiffness=5e5, damping=500
    )
    world.box("plate", size=(0.3, 0.1, 0.02), pose=(0, 0, -0.01))
    return world.finish()


def commanded(sim):
    return {"motor": -TORQUE if sim.time < OFF else 0.0}


def clamped(efficiency):
    sim = gw.compile(scene(efficiency), dt=DT)
    sim.reset(position={"slide": 0.04})
    return sim


def grip(run):
    """Of the jaw on the part [N]."""
    return run.sensor["jaw_force.fx"]


def with_sensor(efficiency):
    robot = scene(efficiency).with_sensor(gw.ContactSensor(name="jaw_force", link="jaw"))
    sim = gw.compile(robot, dt=DT)
    sim.reset(position={"slide": 0.04})
    return sim


def main() -> None:
    figure, panels = plt.subplot_mosaic(
        [["strip", "strip"], ["grip", "slide"]], figsize=(9.6, 5.4), height_ratios=(1, 1), layout="constrained"
    )
    for words, (efficiency, colour) in SCREWS.items():
        run = with_sensor(efficiency).run(DURATION, controller=commanded)
        panels["grip"].plot(run.time, grip(run), color=colour, label=words)
        panels["grip"].axhline(TORQUE * 2 * np.pi / LEAD * efficiency, color=colour, linewidth=0.9, linestyle="--")
        panels["slide"].plot(run.time, 1e3 * run.position["slide"], color=colour)
    for name in ("grip", "slide"):
        panels[name].axvline(OFF, color=GREY, linewidth=0.9, linestyle="--")
    panels["grip"].legend(frameon=False, fontsize=8)
    named(panels["grip"], "Force on the part; dashed: of the torque alone", y="[N]")
    named(panels["slide"], "Place of the jaw", y="[mm]")
    strip(panels["strip"], scene(0.9), moments(), CAMERA, apart=330)
    save(figure, __file__)


def moments():
    sim = clamped(0.9)
    for t in (0.0, 0.06, 0.3, DURATION):
        if t > sim.time:
            sim.run(t - sim.time, controller=commanded)
        yield f"{t:.2f} s", poses_of(sim)


if __name__ == "__main__":
    main()
