"""Other LeRobot devices: connect, observe, act. Arguments: koch, lekiwi or leader; the port; a folder."""

import builtins
import json
import sys
import time
from pathlib import Path

kind, port, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
arm = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper"]
names, goals = arm, {}
if kind == "koch":
    from lerobot.robots.koch_follower import KochFollower, KochFollowerConfig

    made = lambda **common: KochFollower(KochFollowerConfig(**common))  # noqa: E731
elif kind == "lekiwi":
    from lerobot.robots.lekiwi import LeKiwi, LeKiwiConfig

    names = [f"arm_{name}" for name in arm] + [f"base_{side}_wheel" for side in ("left", "back", "right")]
    goals = {"x.vel": 0.1, "y.vel": 0.0, "theta.vel": 0.0}
    made = lambda **common: LeKiwi(LeKiwiConfig(cameras={}, **common))  # noqa: E731
else:
    from lerobot.teleoperators.so_leader import SO101Leader, SO101LeaderConfig

    made = lambda **common: SO101Leader(SO101LeaderConfig(**common))  # noqa: E731

ends = {name: (0, 4095) if "wheel" in name else (900, 3200) for name in names}
calibration = {
    name: {"id": k + 1, "drive_mode": 0, "homing_offset": 0, "range_min": ends[name][0], "range_max": ends[name][1]}
    for k, name in enumerate(names)
}
(folder / "arm.json").write_text(json.dumps(calibration))
builtins.input = lambda text="": ""  # Enter: the file is right
robot = made(port=port, id="arm", calibration_dir=folder)


def patiently(call, *given):
    """LeRobot tries once; on a loaded machine an answer may be later than it waits, and would be that to the next."""
    for _ in range(30):
        try:
            return call(*given)
        except ConnectionError as error:
            late = error
            time.sleep(0.1)
            robot.bus.port_handler.ser.reset_input_buffer()
    raise late


robot.connect()
if kind == "leader":
    seen = patiently(robot.get_action)
else:
    seen = patiently(robot.get_observation)
    goals |= {name: value for name, value in seen.items() if name.endswith(".pos")}
    goals[next(name for name in goals if name.endswith("shoulder_pan.pos"))] += 20.0
    begun = time.monotonic()
    while time.monotonic() - begun < 4.0:
        patiently(robot.send_action, goals)
        seen = patiently(robot.get_observation)
calibrated = patiently(lambda: robot.is_calibrated)
robot.disconnect()
print(json.dumps({"calibrated": calibrated, "goals": goals, "seen": seen}))
