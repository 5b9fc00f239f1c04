"""LeRobot's SO101Follower: connects, calibrates by file, observes, acts. Arguments: the port, a folder."""

import builtins
import json
import sys
import time
from pathlib import Path

from lerobot.robots.so_follower import SO101Follower, SO101FollowerConfig

port, folder = sys.argv[1], Path(sys.argv[2])
names = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper"]
calibration = {
    name: {"id": k + 1, "drive_mode": 0, "homing_offset": 20 * k, "range_min": 900, "range_max": 3200}
    for k, name in enumerate(names)
}
(folder / "arm.json").write_text(json.dumps(calibration))
builtins.input = lambda text="": ""  # Enter: the file is right

robot = SO101Follower(SO101FollowerConfig(port=port, id="arm", calibration_dir=folder))
robot.connect()
calibrated = robot.is_calibrated
before = robot.get_observation()
goals = {f"{n}.pos": v for n, v in before.items() for n in [n.removesuffix(".pos")]}
goals["shoulder_pan.pos"] += 20.0
goals["gripper.pos"] += 15.0
begun, loops, seen = time.monotonic(), 0, before
while time.monotonic() - begun < 4.0:
    robot.send_action(goals)
    seen = robot.get_observation()
    loops += 1
rate = loops / (time.monotonic() - begun)
robot.disconnect()
print(json.dumps({"calibrated": calibrated, "before": before, "goals": goals, "seen": seen, "rate": rate}))
