"""LeRobot's calibration by hand: it asks on stdout, and reads Enter from stdin. Arguments: the port, a folder."""

import json
import sys
from pathlib import Path

from lerobot.robots.so_follower import SO101Follower, SO101FollowerConfig

robot = SO101Follower(SO101FollowerConfig(port=sys.argv[1], id="arm", calibration_dir=Path(sys.argv[2])))
robot.connect(calibrate=True)
calibrated = robot.is_calibrated
robot.disconnect()
print(json.dumps({"calibrated": calibrated}), flush=True)
