"""Writes docs/reference/parameters.md: everything of a mechanism that can be a parameter, from the fields' meanings."""

from __future__ import annotations

import re

import gearwright as gw
from gearwright.model import ACTUATORS
from gearwright.model.fields import meanings
from gearwright.model.frictions import FRICTIONS
from gearwright.model.transmissions import TRANSMISSIONS

# one of everything that is no device; its parameters are listed with these names
ROBOT = """<sdf version="1.11"><model name="m">
  <link name="LINK"/><link name="other"/>
  <joint name="JOINT" type="revolute"><parent>world</parent><child>LINK</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="FOLLOWER" type="revolute"><parent>world</parent><child>other</child><axis><xyz>0 0 1</xyz>
    <mimic joint="JOINT"><multiplier>2</multiplier><mode>MODE</mode><natural_frequency>100</natural_frequency>
    <damping_ratio>1</damping_ratio><powers>0.1</powers></mimic></axis></joint>
</model></sdf>"""
HEAD = """\
# Parameters

<!-- written by docs/generate.py -->

Every number of this page can be an input of the compiled step: `gw.compile(robot, parameters=("arm.mass",))`, then
`sim.set_parameters({"arm.mass": …})` with a number or one for each robot, without compiling again. `gw.sweep` and
`randomize=` of learning environments take the same names. `robot.parameters` lists those of a robot, with values and
units.

```python
import gearwright as gw

robot = gw.load("gripper")
print(robot.parameters["motor.stall_torque"], robot.parameters["left_finger.multiplier"])
sim = gw.compile(robot, parameters=("motor.stall_torque",), batch=3)
sim.set_parameters({"motor.stall_torque": [0.02, 0.03, 0.04]})
```

Units of rotating and sliding axes stand side by side. A device whose name a link, joint or coupling has is
`device.NAME`.

A value is the number in the file: results are those of the file with that number in it. A rotor that has a coordinate
of its own (`MOTOR.rotor`, by `<backlash>` or `<rotor>body</rotor>`) follows from its motor, its joint and its
transmission; its numbers are no parameters. Zeros that leave a joint without mass to move are refused.
"""


def parameters_page() -> str:
    lines = [HEAD]
    found = {}
    for mode in ("compliant", "hard"):
        found |= gw.loads(ROBOT.replace("MODE", mode)).parameters
    groups = {"Links": "LINK", "Joints": "JOINT", "Couplings": "FOLLOWER", "Gravity": "gravity"}
    for title, prefix in groups.items():
        lines += [f"## {title}", "", "| name | unit | meaning |", "|---|---|---|"]
        joints = {name.partition(".")[2] for name in found if name.startswith("JOINT.")}
        for name, p in found.items():
            owner, _, field = name.partition(".")
            if owner == prefix and not (prefix == "FOLLOWER" and field in joints):
                lines.append(f"| `{name}` | {_unit(p.quantity.unit)} | {p.doc} |")
        lines.append("")
    for title, owner, registry in (
        ("Actuators", "ACTUATOR", ACTUATORS), ("Transmissions", "TRANSMISSION", TRANSMISSIONS),
        ("Friction models", "JOINT.friction_model", FRICTIONS),
    ):  # fmt: skip
        lines += [f"## {title}", "", "| kind | name | unit | meaning |", "|---|---|---|---|"]
        for kind in registry.rows:
            for m in meanings(registry[kind]):
                if m.is_parameter and m.quantity.doc:
                    name = f"{owner}.{m.name}" + ("1, …" if m.form in ("numbers", "matrix") else "")
                    lines.append(f"| `{kind}` | `{name}` | {_unit(m.quantity.unit)} | {m.quantity.doc} |")
        lines.append("")
    lines += ["Of a `series`, names are those of its stages: `TRANSMISSION.stage1.reduction`. A controller adds its"]
    lines += ["own: `ACTUATOR.kp` of a `gw.PID`.", ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _unit(unit: str) -> str:
    return unit.replace("|", "\\|")
