"""Every product against its data sheet: no-load speed, stall torque and current at its supply, in the simulation."""

from math import pi

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.protocols import protocol
from gearwright.hardware.rig import Rig
from gearwright.hardware.setpoints import Duty

WITHIN = 0.03
KG_CM = 0.0980665

# rpm, N·m, A at V. Sources: ROBOTIS' e-manual (X series, AX, MX); FEETECH's data sheets ST-3215-C018, ST-3250-C001,
# HL-3930-C001, SCS0009; Better Actuator Models, M1, for the STS3215 at 7.4 V; Hiwonder's product page of the LX-16A;
# TowerPro's data sheets of MG996R and SG90. None: no figure is published
FIGURES = {
    ("dynamixel", "xm430-w350"): (46.0, 4.1, 2.3, 12.0),
    ("dynamixel", "xm430-w210"): (77.0, 3.0, 2.3, 12.0),
    ("dynamixel", "xm540-w150"): (53.0, 7.3, 4.4, 12.0),
    ("dynamixel", "xm540-w270"): (30.0, 10.6, 4.4, 12.0),
    ("dynamixel", "xl430-w250"): (61.0, 1.5, 1.4, 12.0),
    ("dynamixel", "xl330-m288"): (103.0, 0.52, 1.47, 5.0),
    ("dynamixel", "xl330-m077"): (383.0, 0.215, None, 5.0),  # 1.47 A cannot give them: 5 V·1.47 A < τ·ω
    ("dynamixel", "xc330-t288"): (65.0, 0.92, 0.80, 11.1),
    ("dynamixel1", "ax-12a"): (59.0, 1.5, 1.5, 12.0),
    ("dynamixel1", "mx-28"): (55.0, 2.5, 1.4, 12.0),
    ("dynamixel1", "mx-64"): (63.0, 6.0, 4.1, 12.0),
    ("dynamixel1", "mx-106"): (45.0, 8.4, 5.2, 12.0),
    ("lx16a", "lx-16a"): (62.5, 19.5 * KG_CM, None, 7.4),
    ("pigpio", "mg996r"): (60 / (6 * 0.14), 11 * KG_CM, 2.5, 6.0),
    ("pigpio", "sg90"): (60 / (6 * 0.1), 1.8 * KG_CM, None, 4.8),
    ("feetech", "sts3215"): (50.2, 3.25, 2.68, 7.4),
    ("feetech", "sts3215-191"): (86.0, 10.8 * KG_CM, 2.44, 7.4),
    ("feetech", "sts3215-147"): (122.0, 8.3 * KG_CM, 2.44, 7.4),
    ("feetech", "sts3215-12v"): (45.0, 30 * KG_CM, 2.7, 12.0),
    ("feetech", "sts3250"): (60 / (6 * 0.133), 50 * KG_CM, None, 12.0),
    ("feetech_hls", "hls3930m"): (45.0, 35 * KG_CM, 2.8, 12.0),
    ("feetech_scs", "scs0009"): (60 / (6 * 0.1), 2.3 * KG_CM, None, 6.0),
}

WHEEL = """<robot name="wheel"><link name="a"/><link name="b"><inertial><mass value="1"/>
  <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="axle" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize("name", sorted({n for n, _ in FIGURES}))
def test_every_product_has_figures(name):
    assert set(protocol(name).models) == {model for n, model in FIGURES if n == name}


@pytest.mark.parametrize(("name", "model"), FIGURES)
def test_figures(name, model):
    rpm, torque, amps, volts = FIGURES[name, model]
    rig = Rig.of(gw.loads(WHEEL), name, model=model)
    (drive,) = rig.plant.drives.values()
    drive.write(Duty(1.0))
    rig.step(1000)
    assert drive.sample.voltage == volts
    assert drive.sample.velocity * 30 / pi == approx(rpm, rel=WITHIN)
    drive.faults.stall = True
    rig.step(500)
    assert drive.sample.torque == approx(torque, rel=WITHIN)
    if amps is not None:
        assert drive.sample.current == approx(amps, rel=WITHIN)
