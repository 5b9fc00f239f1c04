"""Feetech's own examples, and clients by others, unmodified: servos move that nobody has switched on."""

import os
import subprocess
import sys

import pytest
from pytest import approx

import gearwright as gw

from .vendors import output, running, until, vendor, wheels

PORT = "/dev/ttyUSB0"  # as it is written in the examples
SPEED = 20.0  # of the simulation's clock: some examples move with a quarter of a degree in a second
STS = ["ping", "read", "write", "read_write", "sync_write", "reg_write", "sync_read", "wheel"]
HLS = [*STS, "ofscal", "reset"]
SCS = ["ping", "read", "write", "read_write", "sync_write", "wheel"]  # reg_write.py is no valid Python
PRINTS = {"ping": "ping Succeeded", "read": "PresPos:", "sync_read": "[ID:010] PresPos:", "ofscal": "cal Succeeded",
          "reset": "reset Succeeded"}  # fmt: skip
EXAMPLES = [
    *(("feetech", "sms_sts", e) for e in STS), *(("feetech_hls", "hls", e) for e in HLS),
    *(("feetech_scs", "scscl", e) for e in SCS),
]  # fmt: skip


@pytest.fixture(scope="module")
def benches():
    """One at a time: the SDK waits 50 ms for an answer, and two fast servers in a process take turns."""
    made = {}

    def bench(protocol):
        if protocol not in made:
            for other in [*made]:
                made.pop(other).close()
            made[protocol] = gw.serve(gw.loads(wheels(10)), protocol=protocol, factor=SPEED)
        made[protocol].reset()
        return made[protocol]

    yield bench
    for each in made.values():
        each.close()


@pytest.mark.parametrize(("protocol", "folder", "example"), EXAMPLES)
def test_ftservo_python(benches, protocol, folder, example):
    code = vendor("FTServo_Python") / folder
    bench = benches(protocol)
    with running(code / f"{example}.py", cwd=code, path=[code.parent], ports={PORT: bench.port}) as client:
        if example in PRINTS:
            lines = []
            while not any(PRINTS[example] in line for line in lines):
                line = client.stdout.readline()
                assert line, "".join(lines)
                lines.append(line)
        else:
            last = "j10" if example in ("sync_write", "reg_write") else "j1"
            assert until(lambda: abs(bench.sim.position[last]) > 0.05), example
    assert not any(d.malformed for d in bench.rig.devices.values())
    if example == "ofscal":
        assert bench.rig.devices["j1"].position == 1024


QUICK_START = """
from st3215 import ST3215
servo = ST3215('/dev/ttyUSB0')
assert servo.PingServo(1) and not servo.PingServo(17)
servo.MoveTo(1, 3000)
import time
while abs(servo.ReadPosition(1) - 3000) > 20:
    time.sleep(0.05)
print(servo.ReadVoltage(1), servo.ReadMode(1))
servo.Rotate(1, 500)
"""


def test_st3215(benches):
    """The lines of its README: no torque is switched on."""
    pytest.importorskip("st3215")
    bench = benches("feetech")
    with running(QUICK_START, ports={PORT: bench.port}) as client:
        assert output(client).split()[-1] == "0"
    assert until(lambda: bench.sim.velocity["j1"] > 0.5)


PYTHON_ST3215 = """
from python_st3215 import ST3215
controller = ST3215("/dev/ttyUSB0", read_timeout=0.05)
servo = controller.wrap_servo(1)
print(servo.sram.read_current_location())
servo.sram.write_target_location(2500)
import time
position = None
while position is None or abs(position - 2500) > 20:  # None: the answer was later than it waits
    time.sleep(0.05)
    position = servo.sram.read_current_location()
print(controller.list_servos(timeout=0.05) if hasattr(controller, "list_servos") else [1])
controller.close()
"""


def test_python_st3215(benches):
    pytest.importorskip("python_st3215")
    bench = benches("feetech")
    with running(PYTHON_ST3215, ports={PORT: bench.port}) as client:
        assert output(client, 40).splitlines()[0] == "2048"
    assert bench.rig.devices["j1"].position == approx(2500, abs=20)


VASSAR = """
import sys
from vassar_feetech_servo_sdk import ServoController
servos = ServoController(servo_ids=[1, 2], servo_type=sys.argv[1] if len(sys.argv) > 1 else KIND, port='/dev/ttyUSB0')
servos.connect()
print(servos.write_position({1: 2600, 2: 1500}))
import time

def position(servo):
    for _ in range(30):  # on a loaded machine an answer may be later than the SDK waits
        try:
            return servos.read_position(servo)
        except Exception as error:
            late = error
            time.sleep(0.1)
    raise late

while abs(position(1) - 2600) > 20 or abs(position(2) - 1500) > 20:
    time.sleep(0.05)
if KIND == "hls":
    servos.write_torque({1: 0.2})
    time.sleep(0.2)
servos.disconnect()
print("done")
"""


@pytest.mark.parametrize(("protocol", "kind"), [("feetech", "sts"), ("feetech_hls", "hls")])
def test_vassar(benches, protocol, kind):
    """It sets the phase to 0: velocities then count 0.732 rpm."""
    code = vendor("vassar_feetech_servo_sdk")
    bench = benches(protocol)
    with running(f"KIND = '{kind}'\n{VASSAR}", path=[code], ports={PORT: bench.port}) as client:
        assert output(client).splitlines()[-1] == "done"
    with bench.lock:
        assert bench.rig.devices["j1"].table["phase"] == 0


def test_a_port_of_another_process_is_redirected_by_the_command(benches):
    code = vendor("FTServo_Python") / "sms_sts"
    bench = benches("feetech")
    command = ["-m", "gearwright", "with-bus", "--port", f"{PORT}={bench.port}", "--", sys.executable, "ping.py"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(code.parent), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, *command], cwd=code, env=env, capture_output=True, text=True, timeout=40, check=True
    )
    assert "ping Succeeded. SCServo model number : 777" in done.stdout
