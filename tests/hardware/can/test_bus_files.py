"""EDS and DBC files, read by the tools that they are for."""

from __future__ import annotations

import canopen
import cantools
import pytest

from gearwright.hardware.protocols import protocol
from gearwright.hardware.protocols.cia402.objects import OBJECTS
from tests.hardware.can.turntable import Turntable
from tests.tolerances import ROUNDING


def database(table: Turntable, name: str):
    return cantools.database.load_string(protocol(name).dbc({"m": table.device}), "dbc")


def test_an_eds_has_every_object_with_its_default(tmp_path):
    device = Turntable("cia402", 5).device
    path = tmp_path / "node.eds"
    path.write_text(protocol("cia402").eds(device))
    found = canopen.import_od(str(path), node_id=5)
    for row in OBJECTS:
        object = found[row.index]
        variable = object if isinstance(object, canopen.objectdictionary.ODVariable) else object[row.sub]
        assert (variable.data_type, variable.access_type) == (row.type.code, row.access), hex(row.index)
        assert variable.default == device.objects.defaults[row.index, row.sub], hex(row.index)


def test_a_dbc_decodes_pdos():
    table = Turntable("cia402", 5)
    found = database(table, "cia402")
    assert found.decode_message(0x285, bytes.fromhex("10270000ffffffff")) == {
        "Position_actual_value": 10000, "Velocity_actual_value": -1,
    }  # fmt: skip


def test_a_dbc_decodes_an_odrive():
    table = Turntable("odrive", 3)
    found = database(table, "odrive")
    for frame in table.run(0.2):
        assert found.decode_message(frame.id, frame.data)
    assert found.decode_message(0x61, bytes(4) + b"\x08\0\0\0")["Axis_State"] == "CLOSED_LOOP_CONTROL"


def test_a_dbc_makes_and_reads_damiao_frames():
    table = Turntable("damiao", 2, model="4340")
    found = database(table, "damiao")
    values = {"Position": 1.0, "Velocity": -2.0, "Kp": 100.0, "Kd": 2.0, "Torque": 5.0}
    table.send(2, b"\xff" * 7 + b"\xfc")
    (answer,) = table.send(2, found.encode_message(2, values, strict=False))
    setpoint = table.drive.setpoint
    assert (setpoint.velocity, setpoint.kp) == pytest.approx((-2.0, 100.0), rel=ROUNDING)  # whole steps of 12 bits
    assert setpoint.position == pytest.approx(1.0, abs=2e-4)  # half a step of 16 bits
    state = found.decode_message(0x12, answer.data)
    assert (state["Status"], state["Node"], state["Rotor_Temperature"]) == (1, 2, 25)


def test_what_has_no_file_says_so():
    import gearwright as gw

    for name in ("moteus", "robstride"):
        with pytest.raises(gw.ModelError, match="no DBC"):
            protocol(name).dbc({})
    with pytest.raises(gw.ModelError, match="no EDS"):
        protocol("odrive").eds(Turntable("odrive").device)
