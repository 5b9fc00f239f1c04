"""Windows has neither pseudo-terminals nor unix sockets: TCP works all the same. Tried here by taking them away."""

import subprocess
import sys

WITHOUT = """
import socket, sys
for name in ("fcntl", "termios", "tty", "pty"):
    sys.modules[name] = None
pair, family = socket.socketpair, socket.AF_UNIX
socket.socketpair = lambda: pair(family)
del socket.AF_UNIX
import importlib.util as util
found = util.find_spec
util.find_spec = lambda name, *rest: None if name in ("fcntl", "termios", "tty", "pty") else found(name, *rest)
import warnings; warnings.simplefilter("ignore")
import gearwright as gw
"""


def run(script):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + script], capture_output=True, text=True, check=False, timeout=120
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_json_lines_serve_an_arm_of_serial_servos():
    said = run("""
import json
with gw.serve("desk_arm", tcp="0") as bench, socket.create_connection(bench.address) as client:
    file = client.makefile("rw")
    print(json.loads(file.readline())["robot"])
    file.write('{"devices": {}}\\n'); file.flush()
    print(len(json.loads(file.readline())["devices"]))
    print(bench.rig.notes[0])
    try:
        bench.port
    except gw.ModelError as error:
        print(error)
""")
    assert said[:2] == ["desk_arm", "6"] and said[2] == said[3] and "no pseudo-terminals" in said[2]


def test_socketcand_serves_a_can_bus():
    said = run("""
import can
with gw.serve("canopen_arm", socketcand="0") as bench:
    port = bench.servers[0].port
    with can.Bus(interface="socketcand", host="127.0.0.1", port=port, channel="can0") as bus:
        bus.send(can.Message(arbitration_id=0x601, data=bytes.fromhex("4000100000000000"), is_extended_id=False))
        while (message := bus.recv(5.0)).arbitration_id != 0x581:
            pass
        print(message.data.hex())
    print(bench.rig.notes[-1])
""")
    assert said[0] == "4300100092010200" and "socketcand" in said[1]
