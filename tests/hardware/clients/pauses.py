"""How long the machine did not run a process: deadlines of clients are on the wall clock and do not allow for that."""

import threading
import time

LOOK = 0.005  # [s] between two looks at the clock


class Pauses(threading.Thread):
    """A thread that looks at the clock while it is entered; `longest`: the longest time in which it could not."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.longest = 0.0  # [s]
        self._ended = threading.Event()

    def run(self) -> None:
        before = time.monotonic()
        while not self._ended.wait(LOOK):
            now = time.monotonic()
            self.longest, before = max(self.longest, now - before - LOOK), now

    def __enter__(self) -> "Pauses":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self.join()
