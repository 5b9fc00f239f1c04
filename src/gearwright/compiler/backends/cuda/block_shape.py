"""How a kernel wants to be launched, as the first line of its text says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

Launch = Callable[[int, tuple[Any, ...]], None]  # robots, arguments of the kernel
THREADS = 64  # of a block: up to 255 registers each, and many blocks to go round
WARP = 32
FEW = 16_384  # robots up to which a block is one warp, so that more multiprocessors have one
MULTIPROCESSORS = 132  # that few robots are spread over


class BlockShape(NamedTuple):
    """Of a block `threads` at most, of a robot `lanes`; bytes of `shared` memory; `elements` of a robot's memory."""

    threads: int = THREADS
    lanes: int = 1
    shared: int = 0
    elements: int = 0  # or as many as are kept between calls

    def line(self) -> str:
        return f"// block: {' '.join(map(str, self))}"

    @property
    def goes_together(self) -> bool:
        return self.threads > THREADS

    @staticmethod
    def of(text: str) -> BlockShape:
        found = re.match(r"// block: (\d+) (\d+) (\d+) (\d+)\n", text)
        return BlockShape(*map(int, found.groups())) if found else BlockShape()

    def launched(self, robots: int) -> tuple[int, int]:
        """Blocks, and threads of each."""
        if not self.shared:
            threads = self.threads if robots > FEW else WARP
        else:
            each = -(-robots * self.lanes // MULTIPROCESSORS)
            threads = min(self.threads, -(-each // WARP) * WARP)
        return -(-robots * self.lanes // threads), threads
