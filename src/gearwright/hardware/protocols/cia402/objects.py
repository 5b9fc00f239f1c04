"""The object dictionary of a CiA 402 drive: one row an object, in the order of their indices.

A row is index, subindex, name, type, access, default and whether a PDO may carry it. Sub-objects follow their record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct


@dataclass(frozen=True)
class DataType:
    """A CANopen data type: its number in an EDS file and its bytes on the wire."""

    code: int
    format: str
    low: int = 0
    high: int = 0

    @property
    def struct(self) -> Struct:
        return _STRUCTS[self.format]

    @property
    def size(self) -> int:
        """Bytes on the wire; 0 for text, which has no fixed length."""
        return self.struct.size if self.format else 0


_STRUCTS = {f: Struct("<" + f) for f in ("b", "h", "i", "B", "H", "I", "Q")}

I8 = DataType(0x02, "b", -(1 << 7), (1 << 7) - 1)
I16 = DataType(0x03, "h", -(1 << 15), (1 << 15) - 1)
I32 = DataType(0x04, "i", -(1 << 31), (1 << 31) - 1)
U8 = DataType(0x05, "B", 0, (1 << 8) - 1)
U16 = DataType(0x06, "H", 0, (1 << 16) - 1)
U32 = DataType(0x07, "I", 0, (1 << 32) - 1)
TEXT = DataType(0x09, "")


@dataclass(frozen=True)
class Object:
    """One row: an object or a sub-object of the dictionary."""

    index: int
    sub: int
    name: str
    type: DataType
    access: str  # "ro", "rw", "wo" or "const"
    default: int | str = 0
    mappable: bool = False
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Record:
    """An index with sub-objects; `array` where all of them are alike."""

    index: int
    name: str
    array: bool = False


def _plain(index: int, name: str, type: DataType, access: str, default: int | str = 0, **more: object) -> Object:
    return Object(index, 0, name, type, access, default, **more)  # type: ignore[arg-type]


def _mapped(index: int, name: str, type: DataType, access: str, **more: object) -> Object:
    return Object(index, 0, name, type, access, 0, mappable=True, **more)  # type: ignore[arg-type]


def _record(index: int, name: str, *subs: tuple[object, ...], array: bool = False) -> tuple[Record | Object, ...]:
    """Subindex 0 holds the highest subindex; the rest are numbered from 1, or begin with their own number."""
    rows: list[Record | Object] = [Record(index, name, array)]
    rows.append(Object(index, 0, f"Highest subindex of {name.lower()}", U8, "const", len(subs)))
    for number, sub in enumerate(subs, 1):
        rows.append(Object(index, number, *sub))  # type: ignore[arg-type]
    return tuple(rows)


def _communication(index: int, name: str, cob: int, kind: int, timer: int = 0) -> tuple[Record | Object, ...]:
    """A PDO's communication record. Subindex 4 is reserved by CiA 301 and absent."""
    return (
        Record(index, name),
        Object(index, 0, f"Highest subindex of {name.lower()}", U8, "const", 5),
        Object(index, 1, "COB-ID", U32, "rw", cob),
        Object(index, 2, "Transmission type", U8, "rw", kind),
        Object(index, 3, "Inhibit time", U16, "rw", 0),
        Object(index, 5, "Event timer", U16, "rw", timer),
    )


def _mapping(index: int, name: str, *entries: int) -> tuple[Record | Object, ...]:
    padded = (*entries, *[0] * (8 - len(entries)))
    return (
        Record(index, name),
        Object(index, 0, "Number of mapped objects", U8, "rw", len(entries), high=8),
        *(Object(index, i, f"Mapped object {i}", U32, "rw", entry) for i, entry in enumerate(padded, 1)),
    )


def _pdos() -> Iterator[Record | Object]:
    """Defaults: state and mode as they change and every 100 ms, motion at every SYNC."""
    receive = ((0x60400010, 0x60600008), (0x607A0020, 0x60FF0020), (0x60710010, 0x60B20010), ())
    transmit = ((0x60410010, 0x60610008), (0x60640020, 0x606C0020), (0x60770010, 0x603F0010), ())
    off = 0x80000000
    for n, entries in enumerate(receive):
        base = (0x200 + 0x100 * n) | (0 if entries else off)
        yield from _communication(0x1400 + n, f"RPDO {n + 1} communication", base, 255)
        yield from _mapping(0x1600 + n, f"RPDO {n + 1} mapping", *entries)
    for n, entries in enumerate(transmit):
        base = (0x180 + 0x100 * n) | (0 if entries else off)
        kind, timer = (255, 100) if n == 0 else (1, 0)
        yield from _communication(0x1800 + n, f"TPDO {n + 1} communication", base, kind, timer)
        yield from _mapping(0x1A00 + n, f"TPDO {n + 1} mapping", *entries)


NODE_RELATIVE = frozenset(
    {0x1014, *range(0x1400, 0x1404), *range(0x1800, 0x1804)}
)  # defaults to which the node is added

COMMUNICATION: tuple[Record | Object, ...] = (
    _plain(0x1000, "Device type", U32, "const", 0x00020192),
    _plain(0x1001, "Error register", U8, "ro", mappable=True),
    Record(0x1003, "Pre-defined error field", array=True),
    Object(0x1003, 0, "Number of errors", U8, "rw", high=0),
    *(Object(0x1003, i, f"Standard error field {i}", U32, "ro") for i in range(1, 9)),
    _plain(0x1005, "COB-ID SYNC", U32, "rw", 0x80),
    _plain(0x1006, "Communication cycle period", U32, "rw"),
    _plain(0x1008, "Manufacturer device name", TEXT, "const", "Gearwright simulated drive"),
    _plain(0x1009, "Manufacturer hardware version", TEXT, "const", "1"),
    _plain(0x100A, "Manufacturer software version", TEXT, "const", "1"),
    _plain(0x100C, "Guard time", U16, "rw"),
    _plain(0x100D, "Life time factor", U8, "rw"),
    *_record(0x1010, "Store parameters", ("Save all parameters", U32, "rw", 1), array=True),
    *_record(0x1011, "Restore default parameters", ("Restore all default parameters", U32, "rw", 1), array=True),
    _plain(0x1014, "COB-ID EMCY", U32, "rw", 0x80),
    _plain(0x1015, "Inhibit time EMCY", U16, "rw"),
    *_record(0x1016, "Consumer heartbeat time", ("Consumer 1", U32, "rw"), ("Consumer 2", U32, "rw"), array=True),
    _plain(0x1017, "Producer heartbeat time", U16, "rw"),
    *_record(
        0x1018,
        "Identity object",
        ("Vendor-ID", U32, "const", 0),
        ("Product code", U32, "const", 0x402),
        ("Revision number", U32, "const", 1),
        ("Serial number", U32, "const", 1),
    ),
    _plain(0x1019, "Synchronous counter overflow value", U8, "rw", high=240),
    *_record(0x1029, "Error behaviour", ("Communication error", U8, "rw", 0, False, 0, 2), array=True),
    *_pdos(),
)

DRIVE: tuple[Record | Object, ...] = (
    _plain(0x6007, "Abort connection option code", I16, "rw", 1, low=0, high=3),
    _mapped(0x603F, "Error code", U16, "ro"),
    _mapped(0x6040, "Controlword", U16, "rw"),
    _mapped(0x6041, "Statusword", U16, "ro"),
    _plain(0x605A, "Quick stop option code", I16, "rw", 2, low=0, high=7),
    _plain(0x605B, "Shutdown option code", I16, "rw", 0, low=0, high=1),
    _plain(0x605C, "Disable operation option code", I16, "rw", 1, low=0, high=1),
    _plain(0x605D, "Halt option code", I16, "rw", 1, low=1, high=3),
    _plain(0x605E, "Fault reaction option code", I16, "rw", 2, low=0, high=2),
    _mapped(0x6060, "Modes of operation", I8, "rw"),
    _mapped(0x6061, "Modes of operation display", I8, "ro"),
    _mapped(0x6062, "Position demand value", I32, "ro"),
    _mapped(0x6063, "Position actual internal value", I32, "ro"),
    _mapped(0x6064, "Position actual value", I32, "ro"),
    _plain(0x6065, "Following error window", U32, "rw"),
    _plain(0x6066, "Following error time out", U16, "rw", 20),
    _plain(0x6067, "Position window", U32, "rw"),
    _plain(0x6068, "Position window time", U16, "rw", 2),
    _mapped(0x606B, "Velocity demand value", I32, "ro"),
    _mapped(0x606C, "Velocity actual value", I32, "ro"),
    _plain(0x606D, "Velocity window", U16, "rw"),
    _plain(0x606E, "Velocity window time", U16, "rw", 2),
    _plain(0x606F, "Velocity threshold", U16, "rw"),
    _mapped(0x6071, "Target torque", I16, "rw"),
    _plain(0x6072, "Max torque", U16, "rw"),
    _plain(0x6073, "Max current", U16, "rw"),
    _mapped(0x6074, "Torque demand", I16, "ro"),
    _plain(0x6075, "Motor rated current", U32, "ro"),
    _plain(0x6076, "Motor rated torque", U32, "ro"),
    _mapped(0x6077, "Torque actual value", I16, "ro"),
    _mapped(0x6078, "Current actual value", I16, "ro"),
    _mapped(0x6079, "DC link circuit voltage", U32, "ro"),
    _mapped(0x607A, "Target position", I32, "rw"),
    _plain(0x607C, "Home offset", I32, "rw"),
    *_record(
        0x607D,
        "Software position limit",
        ("Min position limit", I32, "rw", I32.low),
        ("Max position limit", I32, "rw", I32.high),
        array=True,
    ),
    _plain(0x607E, "Polarity", U8, "rw"),
    _plain(0x607F, "Max profile velocity", U32, "rw"),
    _plain(0x6080, "Max motor speed", U32, "rw"),
    _mapped(0x6081, "Profile velocity", U32, "rw"),
    _plain(0x6082, "End velocity", U32, "rw"),
    _mapped(0x6083, "Profile acceleration", U32, "rw"),
    _mapped(0x6084, "Profile deceleration", U32, "rw"),
    _plain(0x6085, "Quick stop deceleration", U32, "rw"),
    _plain(0x6086, "Motion profile type", I16, "rw", 0, low=0, high=0),
    _mapped(0x6087, "Torque slope", U32, "rw"),
    *_record(
        0x608F,
        "Position encoder resolution",
        ("Encoder increments", U32, "ro"),
        ("Motor revolutions", U32, "ro", 1),
        array=True,
    ),
    *_record(
        0x6091, "Gear ratio", ("Motor revolutions", U32, "ro", 1), ("Shaft revolutions", U32, "ro", 1), array=True
    ),
    _plain(0x6098, "Homing method", I8, "rw", 37, low=-4, high=37),
    *_record(
        0x6099,
        "Homing speeds",
        ("Speed during search for switch", U32, "rw"),
        ("Speed during search for zero", U32, "rw"),
        array=True,
    ),
    _plain(0x609A, "Homing acceleration", U32, "rw"),
    _mapped(0x60B0, "Position offset", I32, "rw"),
    _mapped(0x60B1, "Velocity offset", I32, "rw"),
    _mapped(0x60B2, "Torque offset", I16, "rw"),
    *_record(
        0x60C2,
        "Interpolation time period",
        ("Interpolation time period value", U8, "rw", 1),
        ("Interpolation time index", I8, "rw", -3),
    ),
    _mapped(0x60F4, "Following error actual value", I32, "ro"),
    _mapped(0x60FC, "Position demand internal value", I32, "ro"),
    _mapped(0x60FD, "Digital inputs", U32, "ro"),
    _mapped(0x60FF, "Target velocity", I32, "rw"),
    _plain(0x6402, "Motor type", U16, "const", 10),
    _plain(0x6403, "Motor catalogue number", TEXT, "rw", ""),
    _plain(0x6404, "Motor manufacturer", TEXT, "rw", ""),
    _plain(0x6502, "Supported drive modes", U32, "const", 0x3AD),
)

ROWS = COMMUNICATION + DRIVE
OBJECTS = tuple(row for row in ROWS if isinstance(row, Object))
RECORDS = {row.index: row for row in ROWS if isinstance(row, Record)}
