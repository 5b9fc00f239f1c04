"""Limits of an expansion: every loop draws from one budget, so that time and size are bounded.

Memory needs no account of its own: what a step makes is at most some 64 bytes, and the steps are counted.
"""

from __future__ import annotations

from time import thread_time

from gearwright.formats.xacro.errors import too_much
from gearwright.formats.xml.located_xml import MAX_ELEMENTS

MAX_STEPS = 2_000_000  # parts of expressions and elements; 720 links, each by nested macros, take 232,000
MAX_SECONDS = 5.0  # [s] of this thread's processor time
MAX_NODES = 3 * MAX_ELEMENTS  # elements made, those of blocks that are used nowhere among them
MAX_CHARACTERS = 32 * 2**20  # of the expanded document, and of evaluated text: no more than a file may have
MAX_TEXT = 200_000  # characters of one evaluated text
MAX_ITEMS = 50_000  # values in a list or dictionary, those inside its parts counted
MAX_BITS = 16_384  # of an integer
MAX_NESTING = 10_000  # open tasks; a macro that calls itself inside a condition has six of them a turn
MAX_INCLUDE_DEPTH = 50
CALL_STEPS = 25  # what a call of a macro takes, beside evaluating a name
NODE_STEPS = 5  # and an element, or a parameter of a macro
FUNCTION_STEPS = 5  # a call of a function, and each part of a lambda
CHARACTERS_PER_STEP = 16  # of texts that are made or gone through
MAX_FILES = 500  # included or loaded, repetitions counted
_LOOK = 2_000  # steps between two looks at the clock


class Budget:
    """Remaining steps, time and sizes. Raises XacroError with the code xacro-limit when one is exhausted."""

    def __init__(self) -> None:
        self.steps = MAX_STEPS
        self.nodes = MAX_NODES
        self.characters = MAX_CHARACTERS
        self.files = MAX_FILES
        self._look_at = MAX_STEPS - _LOOK
        self._ends = thread_time() + MAX_SECONDS

    def spend(self, steps: int = 1) -> None:
        self.steps -= steps
        if self.steps < self._look_at:
            self._look()

    def _look(self) -> None:
        if self.steps < 0:
            raise too_much(f"the expansion takes more than {MAX_STEPS:,} steps")
        if thread_time() > self._ends:
            raise too_much(f"the expansion takes more than {MAX_SECONDS:g} s")
        self._look_at = self.steps - _LOOK

    def node(self, attributes: int) -> None:
        """An element of the document."""
        self.spend(NODE_STEPS + attributes)
        self.nodes -= 1
        if self.nodes < 0:
            raise too_much(f"the expansion makes more than {MAX_NODES:,} elements")

    def text(self, length: int) -> None:
        """Text of the document, as it is written or evaluated."""
        self.characters -= length
        if self.characters < 0:
            raise too_much(f"the expansion makes more than {MAX_CHARACTERS:,} characters")

    def file(self) -> None:
        self.files -= 1
        if self.files < 0:
            raise too_much(f"more than {MAX_FILES} files are read")
