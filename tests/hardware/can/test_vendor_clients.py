"""Clients with SocketCAN or Damiao's adapter in their code, from the package index, unmodified."""

from __future__ import annotations

from math import tau

import pytest

import gearwright as gw
from tests.hardware.vendors import output, running, vendor, wheels

DAMIAO = """
import sys, time
from motorbridge import Controller
controller = CONTROLLER
motor = controller.add_damiao_motor(1, 0x11, "4310")
motor.ensure_mode(1)
motor.enable()
position, end = 0.0, time.monotonic() + 10
while abs(position - 0.5) > 0.02 and time.monotonic() < end:
    motor.send_mit(0.5, 0, 30, 1, 0)
    time.sleep(0.005)
    controller.poll_feedback_once()
    state = motor.get_state()
    position = state.pos if state else 0.0
print(position, motor.get_register_f32(21))
motor.disable()
controller.close()
"""


def test_motorbridge_over_damiaos_adapter():
    pytest.importorskip("motorbridge")
    with gw.serve("damiao_arm", adapters=["dm_serial"]) as bench:
        script = DAMIAO.replace("CONTROLLER", f"Controller.from_dm_serial({bench.port!r})")
        with running(script) as client:
            position, limit = map(float, output(client).split())
        assert bench.network.malformed == 0
    assert position == pytest.approx(0.5, abs=0.02) and limit == 12.5


def test_motorbridge_over_socketcan():
    """Compiled code: it opens the raw socket itself."""
    pytest.importorskip("motorbridge")
    with gw.serve("damiao_arm") as bench:
        script = DAMIAO.replace("CONTROLLER", 'Controller("can0")')
        with running(script, channels={"can0": bench.channel}, preload=True) as client:
            assert float(output(client).split()[0]) == pytest.approx(0.5, abs=0.02)


ROBSTRIDE_DYNAMICS = """
import time
from robstride_dynamics import RobstrideBus, Motor
bus = RobstrideBus("can0", {"j": Motor(id=1, model="rs-02")})
bus.connect()
bus.enable("j")
position, end = 0.0, time.monotonic() + 10
while abs(position - 0.5) > 0.02 and time.monotonic() < end:
    bus.write_operation_frame("j", 0.5, 30.0, 1.0)
    position, *_ = bus.read_operation_frame("j")
bus.disconnect()
print(position)
"""
TMOTOR = """
import time
from TMotorCANControl.mit_can import TMotorManager_mit_can
with TMotorManager_mit_can(motor_type="AK80-9", motor_ID=1, max_mosfett_temp=90) as motor:
    motor.set_zero_position()
    time.sleep(0.2)
    motor.set_impedance_gains_real_unit(K=20, B=0.5)
    end = time.monotonic() + 10
    while abs(motor.get_output_angle_radians() - 0.5) > 0.02 and time.monotonic() < end:
        motor.set_output_angle_radians(0.5)
        motor.update()
        time.sleep(0.005)
    position = motor.get_output_angle_radians()
print(position)
"""
PYVESC = """
import time
from pyvesc import VESC
with VESC(serial_port="PORT") as motor:
    motor.set_rpm(3000)
    motor.start_heartbeat(can_id=2)
    motor.set_rpm(-1000, can_id=2)
    time.sleep(2.5)  # more than an unheard drive waits
    values = motor.get_measurements()
    print(motor.get_firmware_version(), values.rpm, values.v_in, values.tachometer)
"""


def test_pyvesc_over_the_usb_port():
    """PyVESC from its repository, at $GEARWRIGHT_VENDORS/PyVESC, with its crccheck."""
    pytest.importorskip("crccheck")
    with gw.serve(gw.loads(wheels(2, 0.01)), protocol="vesc") as bench:
        with running(PYVESC.replace("PORT", bench.port), path=[vendor("PyVESC")]) as client:
            version, rpm, volts, steps = output(client).split()
        with bench.lock:
            speeds = [bench.sim.velocity[name] * 7 * 60 / tau for name in ("j1", "j2")]
        assert version == "6.2.103" and float(volts) == 48.0
        assert float(rpm) == pytest.approx(3000, abs=1) and float(steps) == pytest.approx(6 * 3000 / 60 * 2.5, rel=0.3)
        assert speeds == pytest.approx([3000, -1000], abs=1)
        assert bench.network.malformed == 0


CLIENTS = {
    "robstride_dynamics": ("robstride", "RS02", ROBSTRIDE_DYNAMICS),
    "TMotorCANControl": ("cubemars", "AK80-9", TMOTOR),
}


@pytest.mark.parametrize("package", CLIENTS)
def test_socketcan_in_the_code(package):
    pytest.importorskip(package.replace("TMotorCANControl", "TMotorCANControl.mit_can"))
    protocol, model, script = CLIENTS[package]
    with (
        gw.serve(gw.loads(wheels(1, 0.01)), protocol=protocol, model=model) as bench,
        running(script, channels={"can0": bench.channel}) as client,
    ):
        assert float(output(client).split()[-1]) == pytest.approx(0.5, abs=0.02)
