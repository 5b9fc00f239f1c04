"""Which kernel a program gets, by counted cost."""

from __future__ import annotations

from gearwright.compiler.backends.cuda.block_shape import THREADS
from gearwright.compiler.backends.cuda.limb_text import LimbKernel, packed_program, room
from gearwright.compiler.backends.cuda.thread_text import Kernel
from gearwright.compiler.c_code import Dialect
from gearwright.compiler.ops import OUTSIDE
from gearwright.compiler.passes import ends_known, optimise, without_unread_stores
from gearwright.compiler.program import Body, Loop, Program, Stage

ALONE = 3000  # instructions of a step up to which one thread holds a robot, and goes its own way
TOGETHER = 5500  # up to which a block's threads go together, each with its robot
NEAR = 7000  # up to which slots are in shared memory, and one thread per robot is enough
WORTH_IT = 0.8  # of the arithmetic, that packing must leave at most
MOVED = (*OUTSIDE, "pack", "lane")
LIMBS = 2  # that are alike: left and right
LEGS = 4  # that are alike: left and right, front and rear
FEW_STEPS = 2  # of a call
MANY, FEWER = 256, 192  # threads of a block
ENOUGH = 0.75  # of a robot's numbers that should find room in shared memory


def cuda_source(program: Program, precision: str) -> str:
    """CUDA source with one kernel, `run`; also valid C++, where `run` walks all robots one by one."""
    optimised, dialect = _optimised(program), Dialect(precision)
    count = _count(optimised)
    if count <= TOGETHER:
        together = count > ALONE and precision == "single"
        return Kernel(optimised, dialect, MANY if together else THREADS).text()
    packed = packed_program(optimised, LIMBS) if count > NEAR else None
    if packed is None or not _is_worth_it(packed, optimised):
        return _limb_text(packed_program(optimised, 1), dialect, 1)
    if not _finds_room(packed, dialect, LIMBS):  # with more threads for fewer robots it does
        smaller = packed_program(optimised, LEGS)
        if _finds_room(smaller, dialect, LEGS) and _is_worth_it(smaller, packed):
            return _limb_text(smaller, dialect, LEGS)
    return _limb_text(packed, dialect, LIMBS)


def few_steps_source(program: Program, precision: str) -> str | None:
    """The same for calls of up to `FEW_STEPS` steps, where another kernel is quicker.

    A step that repeats others, as an environment's does, is not one of few.
    """
    optimised = _optimised(program)
    if precision == "double" or _count(optimised) > TOGETHER or _repeats(optimised.body):
        return None
    return Kernel(optimised, Dialect(precision), merged=False).text()


def _optimised(program: Program) -> Program:
    return without_unread_stores(ends_known(program)).map_tapes(optimise)


def _repeats(body: Body) -> bool:
    """Whether something is done a number of times that is known."""
    inner = [node for node in body if not isinstance(node, Stage)]
    return any((isinstance(node, Loop) and not node.until) or _repeats(node.body) for node in inner)


def _is_worth_it(packed: Program, program: Program) -> bool:
    return _arithmetic(packed) <= WORTH_IT * _arithmetic(program)


def _finds_room(program: Program, dialect: Dialect, lanes: int) -> bool:
    """Whether enough of a robot's numbers are in shared memory if a block has many threads."""
    return lanes == 1 or room(dialect, lanes, MANY) >= ENOUGH * sum(slot.size for slot in program.slots)


def _limb_text(program: Program, dialect: Dialect, lanes: int) -> str:
    return LimbKernel(program, dialect, lanes, MANY if _finds_room(program, dialect, lanes) else FEWER).text()


def _arithmetic(program: Program) -> int:
    """Instructions but for those that move values."""
    return sum(i.op not in MOVED for stage in program.stages for i in stage.tape.instructions)


def _count(program: Program) -> int:
    return sum(len(stage.tape.instructions) for stage in program.stages)
