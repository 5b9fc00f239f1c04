"""The passes that suit every back end, in order; back ends append their own.

Each is a function from tape to tape. With GEARWRIGHT_VERIFY set, the tape is verified after every one; otherwise once,
when the program is made of its tapes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from gearwright.compiler.arithmetic import (
    expand_functions,
    fuse_multiply_add,
    pair_sines_and_cosines,
    share_reciprocals,
)
from gearwright.compiler.simplify import remove_dead_code, simplify
from gearwright.compiler.tape import Tape

Pass = Callable[[Tape], Tape]
PASSES: tuple[Pass, ...] = (
    expand_functions,
    simplify,
    share_reciprocals,
    pair_sines_and_cosines,
    remove_dead_code,
    fuse_multiply_add,
    remove_dead_code,  # products that were fused away
)


def optimise(tape: Tape, passes: Sequence[Pass] = PASSES) -> Tape:
    """The tape after all passes."""
    careful = bool(os.environ.get("GEARWRIGHT_VERIFY"))
    for run_pass in passes:
        tape = run_pass(tape)
        if careful:
            tape.verify()
    return tape
