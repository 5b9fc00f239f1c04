"""What the README shows: its commands, its Python, and for each command of its table a line that runs it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
TABLE = re.findall(r"^\| `gearwright ([\w-]+)", README, re.MULTILINE)
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
COMMANDS = [
    line.split("#")[0].strip()
    for block in re.findall(r"```bash\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("gearwright ")
]
EXAMPLES = sorted(set(re.findall(r"\]\((examples/\w+\.py)\)", README)))
VARY = ["--vary", "motor.stall_torque=0.02:0.05:3", "--metric", "best=motor.velocity:max", "--duration", "0.002"]
ARGUMENTS = {
    "check": ["wrist"],
    "show": ["gripper", "--svg", "gripper.svg"],
    "run": ["gripper", "--duration", "0.01", "--out", "run.parquet", "--plot", "run.png", "--report", "run.html"],
    "view": ["gripper", "--port", "0"],
    "serve": ["gripper", "--protocol", "cia402", "--tcp", "0", "--socketcand", "0", "--can", "virtual:test"],
    "sweep": ["gripper", *VARY, "--out", "designs.parquet", "--plot", "designs.png"],
    "export": ["gripper", "--out", "gripper_step"],
    "migrate": ["gearbox.sdf", "coupled.sdf"],
    "identify": ["wheel.urdf", "wheel.csv", "--fit", "axle.damping"],
    "with-bus": ["--", sys.executable, "-c", "print(1)"],
    "convert": ["gripper", "gripper.urdf"],
    "diff": ["gripper", "gripper"],
    "demo": ["--quick"],
    "bench": ["--quick"],
}
SERVERS = {"view": "http://127.0.0.1:", "serve": "ready: "}  # what they print once they run
IN_A_CLONE = {"bench"}
ONLY_LINUX = {"with-bus"}
GEARBOX = """<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/><link name='c'/>
<joint name='p' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name='q' type='revolute'><parent>a</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name='g' type='gearbox'><parent>b</parent><child>c</child><gearbox_ratio>2</gearbox_ratio>
<gearbox_reference_body>a</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
WHEEL = """<robot name="wheel"><link name="base"/><link name="rim"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="axle" type="continuous"><parent link="base"/><child link="rim"/><axis xyz="0 0 1"/>
<dynamics damping="0.2"/></joint></robot>"""
RECORDED = """import gearwright as gw
sim = gw.compile(gw.load("wheel.urdf"))
sim.reset(velocity={"axle": 1.0})
sim.run(0.5, every=10).save("wheel.csv")
"""


def write_files(folder: Path) -> None:
    """What the commands read, besides bundled robots and the recording that RECORDED makes."""
    (folder / "gearbox.sdf").write_text(GEARBOX, encoding="utf-8")
    (folder / "wheel.urdf").write_text(WHEEL, encoding="utf-8")
