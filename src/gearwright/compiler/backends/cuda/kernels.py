"""Which kernel a program gets, by counted cost."""

from __future__ import annotations

from gearwright.compiler.backends.cuda.block_shape import THREADS
from gearwright.compiler.backends.cuda.limb_text import LimbKernel, packed_program, room
from gearwright.compiler.backends.cuda.thread_text import Kernel
from gearwright.compiler.c_code import Dialect
from gearwright.compiler.ops import OUTSIDE
from gearwright.compiler.passes import ends_known, optimise, without_unread_stores
from gearwright.compiler.program import Program

ALONE = 3000  # instructions of a step up to which one thread holds a robot, and goes its own way
TOGETHER = 5500  # up to which a block's threads go together, each with its robot
NEAR = 7000  # up to which slots are in shared memory, and one thread per robot is enough
WORTH_IT = 0.8  # of the arithmetic, that packing must leave at most
MOVED = (*OUTSIDE, "pack", "lane")
LIMBS = 2  # that are alike: left and right
MANY, FEWER = 256, 192  # threads of a block
ENOUGH = 0.75  # of a robot's numbers that should find room in shared memory


def cuda_source(program: Program, precision: str) -> str:
    """CUDA source with one kernel, `run`; also valid C++, where `run` walks all robots one by one."""
    optimised = without_unread_stores(ends_known(program)).map_tapes(optimise)
    dialect, count = Dialect(precision), _count(optimised)
    if count <= TOGETHER:
        together = count > ALONE and precision == "single"
        return Kernel(optimised, dialect, MANY if together else THREADS).text()
    packed = packed_program(optimised, LIMBS) if count > NEAR else None
    if packed is not None and _arithmetic(packed) <= WORTH_IT * _arithmetic(optimised):
        return _limb_text(packed, dialect, LIMBS)
    return _limb_text(packed_program(optimised, 1), dialect, 1)


def _limb_text(program: Program, dialect: Dialect, lanes: int) -> str:
    numbers = sum(slot.size for slot in program.slots)
    threads = MANY if lanes == 1 or room(dialect, lanes, MANY) >= ENOUGH * numbers else FEWER
    return LimbKernel(program, dialect, lanes, threads).text()


def _arithmetic(program: Program) -> int:
    """Instructions but for those that move values."""
    return sum(i.op not in MOVED for stage in program.stages for i in stage.tape.instructions)


def _count(program: Program) -> int:
    return sum(len(stage.tape.instructions) for stage in program.stages)
