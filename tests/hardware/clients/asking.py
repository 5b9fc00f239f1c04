"""A client's side: results to the test, and requests for faults that a client cannot cause itself."""

import atexit
import json
import sys
import time

from pauses import Pauses

pauses = Pauses().__enter__()
atexit.register(lambda: tell(pause=pauses.longest))


def tell(**results) -> None:
    """Results of a step, by name."""
    print(json.dumps(results, default=str), flush=True)


def ask(request: str) -> None:
    """`inject KIND [ACTUATOR]`, `clear`, `run SECONDS`, `reset`, `clock MODE`: done before this returns."""
    print(f"> {request}", flush=True)
    sys.stdin.readline()


def wait(condition, seconds: float = 15.0) -> bool:
    """Until a condition holds; False after so many seconds, in which a busy machine simulates only a part of them."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True
