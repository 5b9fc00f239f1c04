"""SDO abort codes of CiA 301."""

from __future__ import annotations

TOGGLE = 0x05030000
COMMAND = 0x05040001
BLOCK_SIZE = 0x05040002
SEQUENCE = 0x05040003
CHECKSUM = 0x05040004
WRITE_ONLY = 0x06010001
READ_ONLY = 0x06010002
NO_OBJECT = 0x06020000
NOT_MAPPABLE = 0x06040041
MAP_TOO_LONG = 0x06040042
LENGTH = 0x06070010
TOO_LONG = 0x06070012
NO_SUBINDEX = 0x06090011
RANGE = 0x06090030
DEVICE_STATE = 0x08000022
GENERAL = 0x08000000


class SdoAbortError(Exception):
    """A request that the drive refuses, with the code it answers."""

    def __init__(self, code: int) -> None:
        super().__init__(f"SDO abort 0x{code:08X}")
        self.code = code
