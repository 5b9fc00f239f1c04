"""The SDO server of CiA 301: expedited and segmented transfers, and aborts."""

from __future__ import annotations

from gearwright.hardware.protocols.cia402 import aborts
from gearwright.hardware.protocols.cia402.aborts import SdoAbortError
from gearwright.hardware.protocols.cia402.dictionary import Dictionary

LONGEST_DOWNLOAD = 1024  # [bytes] more than any object of the table; a transfer that grows beyond is aborted


class SdoServer:
    """Answers requests of eight bytes with eight bytes. Anything shorter is no SDO and gets no answer."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self.reset()

    def reset(self) -> None:
        self._key = (0, 0)
        self._upload: bytes | None = None  # the rest of it
        self._download: bytearray | None = None
        self._toggle = 0

    def answer(self, request: bytes) -> bytes | None:
        if len(request) != 8:
            return None
        command = request[0] >> 5
        try:
            if command == 1:
                return self._begin_download(request)
            if command == 0:
                return self._download_segment(request)
            if command == 2:
                return self._begin_upload(request)
            if command == 3:
                return self._upload_segment(request)
            if command == 4:  # the client aborts: no answer
                self.reset()
                return None
            raise SdoAbortError(aborts.COMMAND)
        except SdoAbortError as abort:
            key = (int.from_bytes(request[1:3], "little"), request[3]) if command in (1, 2, 5, 6) else self._key
            self.reset()
            return b"\x80" + key[0].to_bytes(2, "little") + bytes([key[1]]) + abort.code.to_bytes(4, "little")

    def _begin_download(self, request: bytes) -> bytes:
        index, sub = self._begin(request)
        expedited, sized = request[0] & 2, request[0] & 1
        row = self.dictionary.row(index, sub)
        if expedited:
            size = 4 - (request[0] >> 2 & 3) if sized else row.type.size
            self.dictionary.write(index, sub, request[4 : 4 + size])
        else:
            announced = int.from_bytes(request[4:8], "little") if sized else 0
            if announced > LONGEST_DOWNLOAD:
                raise SdoAbortError(aborts.TOO_LONG)
            self._download = bytearray()
        return b"\x60" + request[1:4] + bytes(4)

    def _download_segment(self, request: bytes) -> bytes:
        if self._download is None:
            raise SdoAbortError(aborts.COMMAND)
        toggle = self._alternated(request)
        self._download += request[1 : 8 - (request[0] >> 1 & 7)]
        if len(self._download) > LONGEST_DOWNLOAD:
            raise SdoAbortError(aborts.TOO_LONG)
        if request[0] & 1:
            data, self._download = bytes(self._download), None
            self.dictionary.write(*self._key, data)
        return bytes([0x20 | toggle]) + bytes(7)

    def _begin_upload(self, request: bytes) -> bytes:
        index, sub = self._begin(request)
        data = self.dictionary.read(index, sub)
        if 0 < len(data) <= 4:
            return bytes([0x43 | (4 - len(data)) << 2]) + request[1:4] + data.ljust(4, b"\0")
        self._upload = data
        return b"\x41" + request[1:4] + len(data).to_bytes(4, "little")

    def _upload_segment(self, request: bytes) -> bytes:
        if self._upload is None:
            raise SdoAbortError(aborts.COMMAND)
        toggle = self._alternated(request)
        part, rest = self._upload[:7], self._upload[7:]
        self._upload = rest or None
        return bytes([toggle | (7 - len(part)) << 1 | (not rest)]) + part.ljust(7, b"\0")

    def _begin(self, request: bytes) -> tuple[int, int]:
        self.reset()
        self._key = (int.from_bytes(request[1:3], "little"), request[3])
        return self._key

    def _alternated(self, request: bytes) -> int:
        toggle = request[0] & 0x10
        if toggle != self._toggle:
            raise SdoAbortError(aborts.TOGGLE)
        self._toggle ^= 0x10
        return toggle
