"""Subframes of the multiplex protocol: registers written and read as int8, int16, int32 or float, and byte streams."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, isnan, nan
from struct import Struct
from typing import NamedTuple

TYPES = (Struct("<b"), Struct("<h"), Struct("<i"), Struct("<f"))
FLOAT = 3
WRITE, READ, REPLY, READ_ERROR = 0x00, 0x10, 0x20, 0x31
CLIENT_DATA, SERVER_DATA, CLIENT_POLL, NOP = 0x40, 0x41, 0x42, 0x50
LONGEST = 64


class Written(NamedTuple):
    register: int
    type: int  # index of TYPES
    raw: float


class Asked(NamedTuple):
    register: int  # the first
    type: int
    number: int  # of registers


class RegisterStream(NamedTuple):
    channel: int
    data: bytes | None  # None: the client polls
    most: int = 0


class MalformedError(Exception):
    """The rest of a frame makes no sense."""


def parse(data: bytes) -> Iterator[Written | Asked | RegisterStream]:
    """The subframes of a frame from a client; raises `MalformedError` where one ends early or is unknown."""
    at = 0
    while at < len(data):
        code, at = data[at], at + 1
        if code == NOP:
            continue
        if code < REPLY:
            kind, count = code >> 2 & 3, code & 3
            if count == 0:
                count, at = _whole(data, at)
            register, at = _whole(data, at)
            if code & READ:
                yield Asked(register, kind, count)
                continue
            for n in range(count):
                size = TYPES[kind].size
                if at + size > len(data):
                    raise MalformedError
                yield Written(register + n, kind, TYPES[kind].unpack_from(data, at)[0])
                at += size
        elif code in (CLIENT_DATA, CLIENT_POLL):
            channel, at = _whole(data, at)
            length, at = _whole(data, at)
            if code == CLIENT_POLL:
                yield RegisterStream(channel, None, length)
                continue
            if at + length > len(data):
                raise MalformedError
            yield RegisterStream(channel, data[at : at + length])
            at += length
        else:
            raise MalformedError


def _whole(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first."""
    value = 0
    for n in range(5):
        if at + n >= len(data):
            raise MalformedError
        value |= (data[at + n] & 0x7F) << 7 * n
        if not data[at + n] & 0x80:
            return value, at + n + 1
    raise MalformedError


def whole(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def scaled(raw: float, kind: int, scale: tuple[float, float, float] | None) -> float:
    """A written number in its unit; the most negative integer is NaN."""
    if kind == FLOAT or scale is None:
        return raw
    return nan if raw == -(1 << (8 << kind) - 1) else raw * scale[kind]


def packed(value: float, kind: int, scale: tuple[float, float, float] | None) -> bytes:
    """A number for a reply, at the ends of its type where it is beyond them."""
    if kind == FLOAT:
        return TYPES[FLOAT].pack(nan if isnan(value) else min(max(value, -3.4e38), 3.4e38))
    most = (1 << (8 << kind) - 1) - 1
    if not isfinite(value) and scale is not None:
        return TYPES[kind].pack(-most - 1)
    if scale is None:
        bits = 8 << kind
        whole = int(value) & (1 << bits) - 1
        return TYPES[kind].pack(whole - (1 << bits) if whole > most else whole)
    return TYPES[kind].pack(int(min(max(value / scale[kind], -most), most)))
