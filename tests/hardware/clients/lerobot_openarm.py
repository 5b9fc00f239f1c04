"""LeRobot's OpenArmFollower over python-can's interface "gearwright". Arguments: the channel, a folder."""

import builtins
import json
import sys
import time
from pathlib import Path

from lerobot.robots.openarm_follower import OpenArmFollower, OpenArmFollowerConfig

builtins.input = lambda text="": ""
config = OpenArmFollowerConfig(
    port=sys.argv[1], can_interface="gearwright", id="arm", calibration_dir=Path(sys.argv[2]), side="right"
)
robot = OpenArmFollower(config)
robot.connect()
before = robot.get_observation()
goals = {k: v for k, v in before.items() if k.endswith(".pos")}
goals["joint_1.pos"] = 20.0
begun, loops, seen = time.monotonic(), 0, before
while time.monotonic() - begun < 4.0:
    robot.send_action(goals)
    seen = robot.get_observation()
    loops += 1
rate = loops / (time.monotonic() - begun)
robot.disconnect()
print(json.dumps({"before": before, "seen": seen, "rate": rate}))
