"""What a browser does to the page, without one: requests with headers of its choice, and messages of its choice."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import viser
import websockets
import zstandard

UPGRADE = {
    "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": f"viser-v{viser.__version__}",
}  # fmt: skip
CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1.0, 0.0, 0.0, 0.0], "position": [1.0, 1.0, 1.0], "fov": 1.0, "near": 0.01,
    "far": 100.0, "image_height": 100, "image_width": 100, "look_at": [0.0, 0.0, 0.0], "up_direction": [0.0, 0.0, 1.0],
}  # fmt: skip


def address(page: Any) -> tuple[int, str]:
    """Port and token."""
    port, _, token = page.url.removeprefix("http://127.0.0.1:").partition("/")
    return int(port), token


def answer(port: int, path: str, headers: list[tuple[str, str]]) -> bytes:
    """The first line of the answer to a request, and what follows it for a moment."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    with socket.create_connection(("127.0.0.1", port), timeout=20) as made:
        made.sendall(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1"))
        found = b""
        while b"\r\n" not in found and (data := made.recv(65536)):
            found += data
        made.settimeout(0.2)
        try:
            while data := made.recv(65536):
                found += data
        except TimeoutError:
            found += b"\n(still open)"
    return found


class Tab:
    """A connection that was let in: the controls by their labels, and messages of any content."""

    def __init__(self, connection: Any) -> None:
        self._connection, self.messages = connection, list[dict[str, Any]]()

    async def read(self, patience: float = 0.3) -> None:
        """All that comes for a moment."""
        while True:
            try:
                raw = await asyncio.wait_for(self._connection.recv(), patience)
            except TimeoutError:
                return
            size, packed = struct.unpack("<QQ", raw[:16])
            text = zstandard.ZstdDecompressor().decompress(raw[16 : 16 + packed], max_output_size=size)
            self.messages += msgspec.msgpack.decode(text)["messages"]

    def uuid(self, label: str) -> str:
        (found,) = (m["uuid"] for m in self.messages if m.get("props", {}).get("label") == label)
        return str(found)

    async def send(self, message: dict[str, Any]) -> None:
        await self._connection.send(msgspec.msgpack.encode(message))

    async def update(self, label: str, **updates: Any) -> None:
        await self.send({"type": "GuiUpdateMessage", "uuid": self.uuid(label), "updates": updates})


@asynccontextmanager
async def opened(page: Any):
    """As the page's own code does it."""
    port, token = address(page)
    url, options = f"ws://127.0.0.1:{port}/{token}", {"max_size": None, "compression": None}
    protocols = [f"viser-v{viser.__version__}"]
    origin = f"http://127.0.0.1:{port}"
    async with websockets.connect(url, origin=origin, subprotocols=protocols, **options) as connection:  # type: ignore[arg-type]
        tab = Tab(connection)
        await tab.read()
        await tab.send(CAMERA)
        await tab.read()
        yield tab


async def until(condition: Callable[[], bool], patience: float = 10.0) -> bool:
    for _ in range(int(patience / 0.02)):
        if condition():
            return True
        await asyncio.sleep(0.02)
    return condition()
