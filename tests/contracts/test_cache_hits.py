"""Code that is on the disk is run without tracing anything: neither CasADi nor `dynamics` is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import gearwright as gw

arm = gw.load("reference_arm")
sensed = gw.load("reference_arm_driven").with_sensor(gw.Imu(name="imu", link="b8"))
ball = gw.build("ball", base="floating").link("ball", mass=1.0).sphere("ball", 0.1).finish()
drives = {"j1": gw.Drive(stiffness=100.0, damping=10.0)}
sims = [
    gw.compile("gripper"),  # couplings, a motor, an encoder
    gw.compile("reference_arm_driven", batch=2),  # motors
    gw.compile("four_bar"),  # a loop
    gw.compile(sensed.with_sensor(gw.ForceTorque(name="wrist", joint="j6"))),
    gw.compile(ball.with_sensor(gw.ContactSensor(name="touch", link="ball")), ground=True),
    gw.compile("desk_arm"),  # servos
    gw.compile(arm, drives=drives, parameters=("b3.mass",), integrator="euler"),
]
for sim in sims:
    sim.reset()
    sim.step(n=2)
    numbers = [sim.velocity[name] for name in sim.coordinates], dict(sim.sensor), sim.energy
    shafts = [view.velocity for view in sim.actuator.values()]
    assert [*sim.contacts] or not sim.robot.contacts
    assert sim.state.size and sim.run(0.01).time.size == 11
print(all(sim.from_cache for sim in sims), *sorted({name.partition(".")[0] for name in sys.modules} & {"casadi"}),
      *sorted(name for name in sys.modules if name.startswith("gearwright.dynamics")))
"""


def test_a_robot_from_the_cache_is_not_traced(tmp_path: Path) -> None:
    own = os.environ | {"GEARWRIGHT_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", SCRIPT]
    first, second = (subprocess.run(command, check=False, env=own, capture_output=True, text=True) for _ in range(2))
    assert first.stdout.startswith("False casadi gearwright.dynamics"), first.stderr
    assert second.stdout == "True\n", second.stderr
