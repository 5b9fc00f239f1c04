"""The EDS file of a drive that one owns: its identity, its PDOs, and the objects that ours does not have."""

from __future__ import annotations

import configparser
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gearwright.errors import ModelError
from gearwright.files import open_regular
from gearwright.hardware.protocols.cia402.objects import I8, I16, I32, TEXT, U8, U16, U32, DataType, Object, Record

LARGEST, MOST_OBJECTS = 4 << 20, 20_000  # bytes of a file, objects
OURS = re.compile(r"^VendorName\s*=\s*Gearwright\s*$", re.MULTILINE)  # a file that we have written
TYPES = {t.code: t for t in (I8, I16, I32, U8, U16, U32, TEXT)} | {
    0x01: DataType(0x01, "B", 0, 1), 0x08: DataType(0x08, "I", 0, (1 << 32) - 1),  # a REAL32 is kept as its bits
    0x1B: DataType(0x1B, "Q", 0, (1 << 64) - 1),
}  # fmt: skip
TAKEN = {0x1000, 0x1008, 0x1009, 0x100A, 0x1018}  # objects of ours whose values are the file's
PDOS = range(0x1400, 0x1C00)  # likewise
_SECTION = re.compile(r"([0-9A-Fa-f]{4})(?:sub([0-9A-Fa-f]{1,2}))?", re.IGNORECASE)

Key = tuple[int, int]
Value = int | str


@dataclass(frozen=True, kw_only=True)
class DriveSheet:
    """What an EDS file says beside what every drive of ours has."""

    objects: tuple[Object, ...] = ()  # that ours does not have, kept as they are
    records: dict[int, Record] = field(default_factory=dict)
    values: dict[Key, Value] = field(default_factory=dict)  # of objects that ours has


def is_ours(path: str | os.PathLike[str]) -> bool:
    """Whether the file may be written again: it is not there, or we have written it."""
    return not os.path.exists(path) or bool(OURS.search(_text(path)))


def read_sheet(path: str | os.PathLike[str], node: int, known: frozenset[int]) -> DriveSheet:
    """Objects of a file whose indices are not known, and values of others. What is wrong raises with the path."""
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=(";", "#"))
    try:
        parser.read_string(_text(path))
    except configparser.Error as error:
        raise ModelError(f"{path} is not an EDS file: {error}") from error
    found = [(s, m) for s in parser.sections() if (m := _SECTION.fullmatch(s.strip()))]
    if not found:
        raise ModelError(f"{path} is not an EDS file: it has no objects, e.g. a section [1000]")
    if len(found) > MOST_OBJECTS:
        raise ModelError(f"{path}: more than {MOST_OBJECTS} objects")
    rows, records = list[Object](), dict[int, Record]()
    for section, match in found:
        index = int(match[1], 16)
        try:
            entry = {k: v.strip() for k, v in parser.items(section)}
            kind = _number(entry.get("objecttype", "7"), node)
            if kind in (8, 9) and match[2] is None:
                records[index] = Record(index, entry.get("parametername", f"{index:04X}"), kind == 8)
                rows += _compact(entry, index, node)
            else:
                rows.append(_object(entry, index, int(match[2] or "0", 16), node))
        except ValueError as error:
            raise ModelError(f"{path}: [{section}]: {error}") from error
    values = {(r.index, r.sub): r.default for r in rows if r.index in known and (r.index in TAKEN or r.index in PDOS)}
    extra = {(r.index, r.sub): r for r in rows if r.index not in known}
    return DriveSheet(
        objects=tuple(extra[key] for key in sorted(extra)), values=values,
        records={i: r for i, r in records.items() if i not in known},
    )  # fmt: skip


def _text(path: str | os.PathLike[str]) -> str:
    try:
        with open_regular(path) as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > LARGEST:
        raise ModelError(f"{path}: larger than {LARGEST} bytes")
    data: bytes = content if isinstance(content, bytes) else content.encode()
    return data.decode("utf-8", "replace")


def _compact(entry: dict[str, str], index: int, node: int) -> Iterator[Object]:
    """The sub-objects of an array that its own section describes."""
    count = _number(entry.get("compactsubobj", "0"), node)
    if count:
        yield Object(index, 0, "Number of entries", U8, "ro", count)
        for sub in range(1, min(count, 254) + 1):
            yield _object(entry, index, sub, node)


def _object(entry: dict[str, str], index: int, sub: int, node: int) -> Object:
    type = TYPES.get(_number(entry.get("datatype", "0x0007"), node), TEXT)
    access = entry.get("accesstype", "rw").lower()
    written = entry.get("defaultvalue", "")
    default: Value = _fitting(_number(written or "0", node), type) if type.size else written
    return Object(
        index, sub, entry.get("parametername", f"{index:04X}sub{sub:X}")[:241], type,
        access if access in ("ro", "wo", "const") else "rw", default, entry.get("pdomapping", "0") not in ("0", ""),
        _limit(entry.get("lowlimit", ""), node, type), _limit(entry.get("highlimit", ""), node, type),
    )  # fmt: skip


def _limit(text: str, node: int, type: DataType) -> int | None:
    return _fitting(_number(text, node), type) if text and type.size else None


def _fitting(value: int, type: DataType) -> int:
    """Hexadecimal numbers of signed types are their bytes."""
    if type.low < 0 and value > type.high:
        value -= (type.high + 1) * 2
    return max(type.low, min(type.high, value))


def _number(text: str, node: int) -> int:
    """Decimal, hexadecimal or octal; `$NODEID+…` is relative to the node."""
    total = 0
    for part in text.replace(" ", "").upper().split("+"):
        if part == "$NODEID":
            total += node
        elif "." in part:
            total += int(float(part))
        else:
            total += int(part, 8) if len(part) > 1 and part[0] == "0" and part.isdecimal() else int(part or "0", 0)
    return total
