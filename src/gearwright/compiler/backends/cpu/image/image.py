"""Machine code as one block of bytes: a relocatable object of LLVM's, linked once, so that loading needs no linker.

    sections one behind the other, stubs of functions outside, table of addresses

Code refers to itself by distances, which are the same wherever the block stands. Only the table of addresses is
filled in when it is loaded. x86-64 ELF, as LLVM writes it with position-independent code and the small code model.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import NamedTuple

from gearwright.errors import CompileError

ELF64_X86 = b"\x7fELF\x02\x01\x01"
RELOCATABLE = b"\x01\x00\x3e\x00"  # for x86-64
ALIGNMENT = 64  # of sections: what vectors of 512 bits ask for
STUB = b"\xff\x25"  # jmp *distance(%rip)
WORD = struct.calcsize("Q")  # bytes of an address
ENTRY, SCRATCH = "run_spans", "scratch_elements"


class Section(IntEnum):
    """Kinds of sections in ELF."""

    PROGBITS = 1
    SYMTAB = 2
    RELA = 4


class Flag(IntFlag):
    """Flags of sections in ELF."""

    WRITE = 1
    ALLOC = 2


class Distance(IntEnum):
    """Kinds of relocations in x86-64's ELF: to a symbol, S + A − P, or to its word in the table, G + GOT + A − P."""

    PC32 = 2
    PLT32 = 4
    GOTPCREL = 9
    GOTPCRELX = 41
    REX_GOTPCRELX = 42

    @property
    def to_table(self) -> bool:
        return self in (Distance.GOTPCREL, Distance.GOTPCRELX, Distance.REX_GOTPCRELX)


@dataclass(frozen=True)
class Image:
    """`code` runs at any address once `imports` (offset → function) and `own` (offset → offset) are filled in."""

    code: bytes
    entry: int
    scratch_elements: int
    imports: dict[int, str]
    own: dict[int, int]


class _Section(NamedTuple):
    kind: int
    flags: int
    content: bytes
    link: int  # of symbols: the section of their names
    target: int  # of relocations: the section that they change


class _Symbol(NamedTuple):
    name: str
    section: int  # 0: outside
    value: int


def linked(code: bytes) -> Image:
    """An object file as an image. Raises CompileError for one of another machine or with kinds that are not known."""
    if not code.startswith(ELF64_X86) or code[16:20] != RELOCATABLE:
        raise CompileError("the code is not an object file of Linux on x86-64")
    return _Linking(_sections(code)).image()


def _sections(code: bytes) -> list[_Section]:
    (at,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    found = []
    for i in range(count):
        _, kind, flags, _, offset, length, link, info, _, _ = struct.unpack_from("<IIQQQQIIQQ", code, at + i * size)
        found.append(_Section(kind, flags, code[offset : offset + length], link, info))
    return found


@dataclass
class _Linking:
    sections: list[_Section]
    block: bytearray = field(default_factory=bytearray)
    places: dict[int, int] = field(default_factory=dict)  # section → offset
    words: dict[str, int] = field(default_factory=dict)  # symbol → offset of its address in the table
    stubs: dict[str, int] = field(default_factory=dict)

    def image(self) -> Image:
        kept = [i for i, s in enumerate(self.sections) if s.kind == Section.PROGBITS and s.flags & Flag.ALLOC]
        if any(self.sections[i].flags & Flag.WRITE for i in kept):
            raise CompileError("code with variables of its own cannot be linked")
        for i in kept:
            self.places[i] = self._append(self.sections[i].content, ALIGNMENT)
        symbols = self._symbols()
        for s in self.sections:
            if s.kind == Section.RELA and s.target in self.places:
                for place, kind, symbol, addend in _relocations(s.content):
                    self._relocate(self.places[s.target] + place, kind, symbols[symbol], addend)
        by_name = {s.name: s for s in symbols if s.name and s.section in self.places}
        (scratch,) = struct.unpack_from("<q", self.block, self._offset(by_name[SCRATCH]))
        outside = {offset: name for name, offset in self.words.items() if name not in by_name}
        own = {offset: self._offset(by_name[name]) for name, offset in self.words.items() if name in by_name}
        return Image(bytes(self.block), self._offset(by_name[ENTRY]), scratch, outside, own)

    def _symbols(self) -> list[_Symbol]:
        (table,) = (s for s in self.sections if s.kind == Section.SYMTAB)
        strings = self.sections[table.link].content
        rows = struct.iter_unpack("<IBBHQQ", table.content)
        return [
            _Symbol(strings[name : strings.index(b"\0", name)].decode(), section, value)
            for name, _, _, section, value, _ in rows
        ]

    def _relocate(self, place: int, kind: int, symbol: _Symbol, addend: int) -> None:
        if kind not in [*Distance]:
            raise CompileError(f"code with relocations of kind {kind} cannot be linked")
        if Distance(kind).to_table:
            target = self._word(symbol.name)
        elif symbol.section:
            target = self._offset(symbol)
        else:
            target = self._stub(symbol.name)
        struct.pack_into("<i", self.block, place, target + addend - place)

    def _offset(self, symbol: _Symbol) -> int:
        return self.places[symbol.section] + symbol.value

    def _stub(self, name: str) -> int:
        """A jump to a function outside: a call reaches 2 GB, and libraries stand further away."""
        if name not in self.stubs:
            word = self._word(name)
            at = self._append(b"", 2 * WORD)
            self._append(STUB + struct.pack("<i", word - (at + len(STUB) + 4)), 1)
            self.stubs[name] = at
        return self.stubs[name]

    def _word(self, name: str) -> int:
        if name not in self.words:
            self.words[name] = self._append(bytes(WORD), WORD)
        return self.words[name]

    def _append(self, content: bytes, alignment: int) -> int:
        self.block += bytes(-len(self.block) % alignment)
        at = len(self.block)
        self.block += content
        return at


def _relocations(content: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Place, kind, number of the symbol, addend."""
    for place, info, addend in struct.iter_unpack("<QQq", content):
        yield place, info & 0xFFFFFFFF, info >> 32, addend
