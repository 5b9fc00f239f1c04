"""LeRobot's own classes, unmodified, in a Python of its own: `GEARWRIGHT_LEROBOT_PYTHON` names it.

python3.12 -m venv lerobot && lerobot/bin/pip install "lerobot[feetech,damiao]" && lerobot/bin/pip install --no-deps .
GEARWRIGHT_LEROBOT_PYTHON=lerobot/bin/python pytest -m slow tests/hardware/test_lerobot.py
"""

import json
import os
import subprocess
import threading
import time

import pytest
from pytest import approx

import gearwright as gw

from .processes import CLIENTS
from .vendors import wheels

PYTHON = os.environ.get("GEARWRIGHT_LEROBOT_PYTHON")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PYTHON is None, reason="GEARWRIGHT_LEROBOT_PYTHON names no Python that has LeRobot (6 GB)"),
]


def run(name, *arguments):
    command = [PYTHON, CLIENTS / f"{name}.py", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_so101_follower_calibrates_by_file_observes_and_acts(tmp_path):
    with gw.serve("desk_arm") as bench:
        seen = run("lerobot_so101", bench.port, tmp_path)
    assert seen["calibrated"]
    # degrees; friction leaves 0.0524 N·m over 8.9 N·m/rad: 0.34°; the gripper's 100 % are 202°
    assert seen["seen"]["shoulder_pan.pos"] == approx(seen["goals"]["shoulder_pan.pos"], abs=0.5)
    assert seen["seen"]["gripper.pos"] == approx(seen["goals"]["gripper.pos"], abs=0.5)  # [%]
    assert seen["rate"] > 20.0  # loops a second; found 98 on a machine with eight times its load


def test_openarm_follower_over_the_plugin(tmp_path):
    with gw.serve("damiao_arm") as bench:
        seen = run("lerobot_openarm", bench.channel, tmp_path)
    assert seen["seen"]["joint_1.pos"] == approx(
        20.0, abs=0.5
    )  # [deg] what load and friction leave of a proportional drive
    assert seen["rate"] > 50.0  # found 338 on a machine with eight times its load


KOCH = "".join(
    f"j{k}: {{protocol: dynamixel, node: {k}, model: {'xl430-w250' if k < 3 else 'xl330-m288'}}}\n" for k in range(1, 7)
)


@pytest.mark.parametrize("kind", ["koch", "lekiwi"])
def test_other_followers(tmp_path, kind):
    """Two kinds of Dynamixel on one line; wheels beside an arm of Feetech servos."""
    (tmp_path / "devices.yaml").write_text(KOCH)
    served = {"devices": tmp_path / "devices.yaml"} if kind == "koch" else {"protocol": "feetech"}
    with gw.serve(gw.loads(wheels(6 if kind == "koch" else 9, 0.002)), **served) as bench:
        seen = run("lerobot_robots", kind, bench.port, tmp_path)
    assert seen["calibrated"]
    for name, goal in seen["goals"].items():
        assert seen["seen"][name] == approx(goal, abs=0.5 if name.endswith(".pos") else 0.01), name


def test_so101_leader(tmp_path):
    with gw.serve("desk_arm") as bench:
        seen = run("lerobot_robots", "leader", bench.port, tmp_path)
    assert seen["calibrated"] and seen["seen"]["gripper.pos"] == approx(49.9, abs=0.5)  # [%]: 2048 of 900 to 3200


def test_so101_follower_is_calibrated_by_hand(tmp_path):
    limits = {"shoulder_pan": (-1.8, 1.8), "shoulder_lift": (-1.6, 1.6), "elbow_flex": (-1.6, 1.4),
              "wrist_flex": (-1.5, 1.5), "gripper": (-0.1, 1.6)}  # fmt: skip
    with gw.serve("desk_arm") as bench:
        client = subprocess.Popen(
            [PYTHON, "-u", CLIENTS / "lerobot_calibration.py", bench.port, tmp_path], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1,
        )  # fmt: skip
        said = Said(client)
        said.wait_for("middle of its range")
        for joint in (*limits, "wrist_roll"):
            bench.hold(joint, 0.0)
        time.sleep(3.0)
        client.stdin.write("\n")
        said.wait_for("Press ENTER to stop")
        for side in (0, 1):
            for joint, ends in limits.items():
                bench.hold(joint, ends[side])
            time.sleep(4.0)
        client.stdin.write("\n")
        rest = said.to_the_end()
        assert client.returncode == 0, rest
    assert json.loads(rest.splitlines()[-1])["calibrated"]
    written = json.loads((tmp_path / "arm.json").read_text())
    for joint, (low, high) in limits.items():
        count = 4096 / 6.283185307
        assert written[joint]["range_min"] == approx(2047 + low * count, abs=40), joint
        assert written[joint]["range_max"] == approx(2047 + high * count, abs=40), joint


class Said:
    """The output of a client, read while it runs: it prints without end, and a full pipe would stop it."""

    def __init__(self, client):
        self.text = ""
        self._client = client
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while letter := self._client.stdout.read(1):
            self.text += letter

    def wait_for(self, text):
        until = time.monotonic() + 60.0
        while text not in self.text:
            assert self._reader.is_alive() and time.monotonic() < until, self.text
            time.sleep(0.05)

    def to_the_end(self):
        self._reader.join(60.0)
        self._client.wait(60.0)
        return self.text
