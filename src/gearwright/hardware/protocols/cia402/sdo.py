"""The SDO server of CiA 301: expedited, segmented and block transfers, and aborts."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.hardware.protocols.cia402 import aborts
from gearwright.hardware.protocols.cia402.aborts import SdoAbortError
from gearwright.hardware.protocols.cia402.dictionary import Dictionary
from gearwright.hardware.protocols.cia402.sdo_block import BlockDownload, BlockUpload

LONGEST_DOWNLOAD = 1024  # [bytes] more than any object of the table; a transfer that grows beyond is aborted
SILENCE = 1.0  # [s] after which a block that a client has begun is given up: its segments look like requests


class SdoServer:
    """Answers requests of eight bytes with frames of eight. Anything shorter is no SDO and gets no answer."""

    def __init__(self, dictionary: Dictionary, written: Callable[[int], None] = lambda index: None) -> None:
        self.dictionary = dictionary
        self._written = written  # called with the index after a download
        self._last = 0.0  # [s]
        self.reset()

    def reset(self) -> None:
        self._key = (0, 0)
        self._upload: bytes | None = None  # the rest of it
        self._download: bytearray | None = None
        self._toggle = 0
        self._block_upload: BlockUpload | None = None
        self._block_download: BlockDownload | None = None

    def answer(self, request: bytes, t: float = 0.0) -> list[bytes]:
        if len(request) != 8:
            return []
        if t - self._last > SILENCE:
            self._block_download = None
        self._last = t
        command = request[0] >> 5
        try:
            return self._answer(request, command)
        except SdoAbortError as abort:
            begins = command in (1, 2, 5, 6) and self._block_download is None
            key = (int.from_bytes(request[1:3], "little"), request[3]) if begins else self._key
            self.reset()
            return [b"\x80" + key[0].to_bytes(2, "little") + bytes([key[1]]) + abort.code.to_bytes(4, "little")]

    def _answer(self, request: bytes, command: int) -> list[bytes]:
        if request[0] == 0x80 or (command == 4 and self._block_download is None):  # the client aborts: no answer
            self.reset()
            return []
        if self._block_download is not None:
            return self._take_block(self._block_download, request)
        if command in SINGLE:
            return [SINGLE[command](self, request)]
        if command == 6 and not request[0] & 1:
            self._begin(request)
            self.dictionary.row(*self._key)
            self._block_download = BlockDownload(request, LONGEST_DOWNLOAD)
            return [self._block_download.begin(request)]
        if command == 5:
            return self._block(request)
        raise SdoAbortError(aborts.COMMAND)

    # --- blocks -------------------------------------------------------------------------------------------------

    def _block(self, request: bytes) -> list[bytes]:
        if not request[0] & 3:
            self._begin(request)
            self._block_upload = BlockUpload(self.dictionary.read(*self._key), request)
            return [self._block_upload.begin(request)]
        if self._block_upload is None:
            raise SdoAbortError(aborts.COMMAND)
        frames = self._block_upload.answer(request)
        if frames is None:
            self.reset()
        return frames or []

    def _take_block(self, block: BlockDownload, request: bytes) -> list[bytes]:
        frames = block.answer(request)
        if block.data is not None:
            self._write(block.data)
            self.reset()
        return frames

    # --- single frames ------------------------------------------------------------------------------------------

    def _begin_download(self, request: bytes) -> bytes:
        index, sub = self._begin(request)
        expedited, sized = request[0] & 2, request[0] & 1
        row = self.dictionary.row(index, sub)
        if expedited:
            size = 4 - (request[0] >> 2 & 3) if sized else row.type.size or 4
            self._write(request[4 : 4 + size])
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
            self._write(data)
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

    def _write(self, data: bytes) -> None:
        self.dictionary.write(*self._key, data)
        self._written(self._key[0])

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


SINGLE: dict[int, Callable[[SdoServer, bytes], bytes]] = {
    0: SdoServer._download_segment, 1: SdoServer._begin_download, 2: SdoServer._begin_upload,
    3: SdoServer._upload_segment,
}  # fmt: skip
