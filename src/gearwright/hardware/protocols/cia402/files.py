"""Files that describe a CiA 402 drive to its master: an EDS, and its PDOs for a DBC."""

from __future__ import annotations

from gearwright.hardware.protocols.cia402.device import Cia402
from gearwright.hardware.protocols.cia402.objects import NODE_RELATIVE, Object
from gearwright.hardware.protocols.dbc import DbcSignal, Message

VARIABLE, ARRAY, RECORD = 0x7, 0x8, 0x9
MANDATORY = (0x1000, 0x1001, 0x1018)


def eds(device: Cia402) -> str:
    """An electronic data sheet, as CiA 306 has it. It fits every node of this product: ids are relative to it."""
    indices = sorted({index for index, _ in device.objects.rows})
    optional = [index for index in indices if index not in MANDATORY]
    head = [
        "[FileInfo]", "FileName=gearwright.eds", "FileVersion=1", "FileRevision=1", "EDSVersion=4.0",
        "Description=Simulated CiA 402 drive", "", "[DeviceInfo]", "VendorName=Gearwright", "VendorNumber=0",
        "ProductName=Simulated drive", "ProductNumber=1026", "RevisionNumber=1",
        *(f"BaudRate_{rate}=1" for rate in (10, 20, 50, 125, 250, 500, 800, 1000)),
        "SimpleBootUpMaster=0", "SimpleBootUpSlave=1", "Granularity=8", "DynamicChannelsSupported=0",
        "GroupMessaging=0", "NrOfRXPDO=4", "NrOfTXPDO=4", "LSS_Supported=0", "",
    ]  # fmt: skip
    lists = [*_listed("MandatoryObjects", MANDATORY), *_listed("OptionalObjects", optional)]
    return "\n".join([*head, *lists, *(line for index in indices for line in _object(device, index))]) + "\n"


def _listed(section: str, indices: tuple[int, ...] | list[int]) -> list[str]:
    numbered = [f"{n}=0x{index:04X}" for n, index in enumerate(indices, 1)]
    return [f"[{section}]", f"SupportedObjects={len(indices)}", *numbered, ""]


def _object(device: Cia402, index: int) -> list[str]:
    record, rows = device.objects.records.get(index), device.objects.rows
    if record is None:
        return _variable(device, f"{index:04X}", rows[index, 0])
    subs = [row for row in rows.values() if row.index == index]
    lines = [f"[{index:04X}]", f"ParameterName={record.name}", f"ObjectType=0x{ARRAY if record.array else RECORD:X}"]
    lines += [f"SubNumber={len(subs)}", ""]
    return lines + [line for row in subs for line in _variable(device, f"{index:04X}sub{row.sub:X}", row)]


def _variable(device: Cia402, section: str, row: Object) -> list[str]:
    return [
        f"[{section}]", f"ParameterName={row.name}", f"ObjectType=0x{VARIABLE:X}", f"DataType=0x{row.type.code:04X}",
        f"AccessType={row.access}", f"DefaultValue={_default(device, row)}", f"PDOMapping={int(row.mappable)}", "",
    ]  # fmt: skip


def _default(device: Cia402, row: Object) -> str:
    value = device.objects.defaults[row.index, row.sub]
    if isinstance(value, int) and row.index in NODE_RELATIVE and row.sub == (0 if row.index == 0x1014 else 1):
        return f"$NODEID+0x{value - device.node:X}"
    return str(value)  # decimal: a negative number in hexadecimal is read as a positive one


def messages(device: Cia402) -> list[Message]:
    """The PDOs as they are mapped now, the emergency message and the heartbeat."""
    node = device.node
    made = []
    for number, pdo in enumerate((*device.receive, *device.transmit)):
        if pdo.valid:
            sends = number >= len(device.receive)
            name = f"Node{node}_{'T' if sends else 'R'}PDO{number % len(device.receive) + 1}"
            made.append(
                Message(pdo.id, name, pdo.size, f"Node{node}" if sends else "Master", _signals(device, pdo.mapped))
            )
    emergency = (DbcSignal("Error_code", 0, 16), DbcSignal("Error_register", 16, 8))
    made.append(Message(0x80 + node, f"Node{node}_EMCY", 8, f"Node{node}", emergency))
    made.append(Message(0x700 + node, f"Node{node}_Heartbeat", 1, f"Node{node}", (DbcSignal("NMT_state", 0, 7),)))
    return made


def _signals(device: Cia402, mapped: list[tuple[int, int, int]]) -> tuple[DbcSignal, ...]:
    signals, at = [], 0
    for index, sub, size in mapped:
        row = device.objects.rows[index, sub]
        name = row.name.replace(" ", "_") if index >= 0x6000 else f"Object_{index:04X}_{sub}"
        signals.append(DbcSignal(name, at, size * 8, "signed" if row.type.low < 0 else "unsigned"))
        at += size * 8
    return tuple(signals)
