"""Every product against the table of the docs: speed, torque, current, unit and protection, in the simulation."""

from math import pi
from pathlib import Path

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.protocols import protocol
from gearwright.hardware.rig import Rig
from gearwright.hardware.setpoints import Duty

WITHIN = 0.03
DOCS = Path(__file__).parents[2] / "docs" / "hardware-products.md"


def _number(cell):
    return None if cell == "–" else float(cell.removesuffix("†"))


# rpm, N·m, A at V; mA of a count; s of a jam until an overload is reported. None: nobody publishes it
FIGURES = {
    (cells[0].strip("`"), cells[1].strip("`")): tuple(map(_number, cells[2:8]))
    for cells in ([c.strip() for c in line.split("|")[1:-1]] for line in DOCS.read_text().splitlines())
    if len(cells) == 9 and cells[0].startswith("`")
}

WHEEL = """<robot name="wheel"><link name="a"/><link name="b"><inertial><mass value="1"/>
  <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="axle" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize("name", sorted({n for n, _ in FIGURES}))
def test_every_product_has_figures(name):
    assert set(protocol(name).models) == {model for n, model in FIGURES if n == name}


@pytest.mark.parametrize(("name", "model"), FIGURES)
def test_figures(name, model):
    volts, rpm, torque, amps, *_ = FIGURES[name, model]
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


READ_CURRENT = {"feetech": 69, "feetech_hls": 69, "dynamixel": 126}  # two bytes, signed or with a sign bit


@pytest.mark.parametrize(("name", "model"), [key for key, row in FIGURES.items() if row[4] is not None])
def test_units_of_current(name, model):
    """A count of the register, from the current of a jammed servo."""
    rig = Rig.of(gw.loads(WHEEL), name, model=model)
    (device,) = rig.devices.values()
    device.drive.write(Duty(0.5))
    device.drive.faults.stall = True
    rig.step(500)
    found = device.read(READ_CURRENT[name], 2)
    counts = int.from_bytes(found[1] if isinstance(found, tuple) else found, "little")
    unit = FIGURES[name, model][4]
    assert 1e3 * device.drive.sample.current / unit == approx(counts, rel=WITHIN, abs=1.0)


GOALS = {  # registers that switch on and move
    "feetech": ((40, b"\1"), (42, (2900).to_bytes(2, "little"))),
    "feetech_scs": ((40, b"\1"), (42, (900).to_bytes(2, "big"))),
    "dynamixel": ((64, b"\1"), (116, (2900).to_bytes(4, "little"))),
    "dynamixel1": ((24, b"\1"), (30, (900).to_bytes(2, "little"))),
}


@pytest.mark.parametrize(("name", "model"), [key for key, row in FIGURES.items() if row[5] is not None])
def test_protection_times(name, model):
    rig = Rig.of(gw.loads(WHEEL), name, model=model)
    (device,) = rig.devices.values()
    device.drive.faults.stall = True
    for address, value in GOALS[name]:
        device.write(address, value, *([] if name == "dynamixel1" else [0.0]))
    while not device.errors and rig.time < 10.0:
        rig.step()
    assert set(device.errors) <= {"overload", "current"}
    assert rig.time == approx(FIGURES[name, model][5], rel=0.05)  # until it stands still
