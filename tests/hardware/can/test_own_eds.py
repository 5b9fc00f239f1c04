"""A drive with the EDS file of its maker: identity, PDOs and objects that no other drive has."""

from __future__ import annotations

import random

import canopen
import pytest

import gearwright as gw
from gearwright.errors import ModelError
from gearwright.hardware.protocols import protocol
from gearwright.hardware.protocols.cia402.data_sheets import is_ours
from gearwright.hardware.rig import Rig
from tests.hardware.can.turntable import Turntable

EDS = """[FileInfo]
FileName=maker.eds
[DeviceInfo]
VendorName=A maker
[1018]
ParameterName=Identity
ObjectType=0x9
SubNumber=3
[1018sub0]
ParameterName=Number of entries
DataType=0x5
AccessType=ro
DefaultValue=2
[1018sub1]
ParameterName=Vendor id
DataType=0x7
AccessType=ro
DefaultValue=0x000000FB
[1018sub2]
ParameterName=Product code
DataType=0x7
AccessType=ro
DefaultValue=0x65100000
[1600]
ParameterName=First mapping
ObjectType=0x9
SubNumber=3
[1600sub0]
ParameterName=Number of objects
DataType=0x5
AccessType=rw
DefaultValue=2
[1600sub1]
ParameterName=Controlword
DataType=0x7
AccessType=rw
DefaultValue=0x60400010
[1600sub2]
ParameterName=Own
DataType=0x7
AccessType=rw
DefaultValue=0x30010110
[1A01]
ParameterName=Second mapping
ObjectType=0x9
SubNumber=2
[1A01sub0]
ParameterName=Number of objects
DataType=0x5
AccessType=rw
DefaultValue=1
[1A01sub1]
ParameterName=An object that is not there
DataType=0x7
AccessType=rw
DefaultValue=0x4FFF0020
[2000]
ParameterName=Node of its own
ObjectType=0x7
DataType=0x0005
AccessType=rw
DefaultValue=$NODEID+2
HighLimit=0x7F
PDOMapping=0
[3001]
ParameterName=Motor data
ObjectType=0x9
SubNumber=2
[3001sub0]
ParameterName=Number of entries
DataType=0x5
AccessType=ro
DefaultValue=1
[3001sub1]
ParameterName=Nominal current
DataType=0x3
AccessType=rw
DefaultValue=0xFFFE
PDOMapping=1
[3002]
ParameterName=Compact
ObjectType=0x8
CompactSubObj=3
DataType=0x6
AccessType=rw
DefaultValue=7
[3003]
ParameterName=Serial text
ObjectType=0x7
DataType=0x9
AccessType=ro
DefaultValue=abc
"""


@pytest.fixture
def sheet(tmp_path):
    path = tmp_path / "maker.eds"
    path.write_text(EDS)
    return str(path)


def test_a_master_finds_what_the_file_says(wheel, sheet):
    """canopen reads the same file, and asks for every object of it."""
    with gw.serve(wheel, protocol="cia402", options={"eds": sheet}) as bench:
        network = canopen.Network()
        network.connect(interface="gearwright", channel=bench.channel)
        node = network.add_node(1, sheet)
        node.sdo.RESPONSE_TIMEOUT = 3.0
        assert node.sdo[0x1018][1].raw == 0xFB and node.sdo[0x1018][2].raw == 0x65100000
        assert node.sdo[0x2000].raw == 3
        assert node.sdo[0x3001][1].raw == -2
        assert [node.sdo[0x3002][k].raw for k in (1, 2, 3)] == [7, 7, 7]
        assert node.sdo[0x3003].raw == "abc"
        node.sdo[0x3001][1].raw = 1234
        assert node.sdo[0x3001][1].raw == 1234
        with pytest.raises(canopen.SdoAbortedError):
            node.sdo[0x2000].raw = 0x80  # beyond its limit
        network.disconnect()


def test_pdos_of_the_file_carry_its_objects(sheet):
    device = Turntable("cia402", eds=sheet).device
    assert device.receive[0].mapped == [(0x6040, 0, 2), (0x3001, 1, 2)]
    assert device.transmit[1].mapped == Turntable("cia402").device.transmit[1].mapped  # that of the file is not there


def test_our_own_file_has_them_too(wheel, sheet):
    device = Rig.of(wheel, "cia402", options={"eds": sheet}).devices["motor"]
    text = protocol("cia402").eds(device)
    assert "[3001sub1]" in text and "ParameterName=Nominal current" in text
    dictionary = canopen.import_od(_file(sheet, text), 1)
    assert dictionary[0x3002][3].default == 7


def _file(sheet, text):
    path = sheet.replace("maker", "ours")
    with open(path, "w") as file:
        file.write(text)
    assert is_ours(path) and not is_ours(sheet) and is_ours(path + ".none")
    return path


@pytest.mark.parametrize("text", ["", "[FileInfo]\nx=1\n", "no section", "[1000]\nDataType=zzz\n"])
def test_files_that_are_none(tmp_path, text):
    path = tmp_path / "x.eds"
    path.write_text(text)
    with pytest.raises(ModelError, match=r"x\.eds"):
        Turntable("cia402", eds=str(path))


def test_broken_files_never_break_the_drive(tmp_path):
    rng, path = random.Random(4), tmp_path / "x.eds"
    for _ in range(150):
        data = bytearray(EDS.encode())
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(bytes(data[: rng.randrange(1, len(data))]))
        try:
            table = Turntable("cia402", eds=str(path))
        except ModelError:
            continue
        table.run(0.01)
