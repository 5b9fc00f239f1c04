"""The results of a benchmark run, as plain data: `gearwright bench --json` is these classes, field by field."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.bench.agreement import Agreement
from benchmarks.bench.clock import StepTiming

SCHEMA = "gearwright-bench/1"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One engine on one robot. Without timings where it could not be compared; `note` says why."""

    engine: str  # name in the table of peers, or gearwright
    title: str
    agreement: Agreement | None = None  # with Gearwright; None for Gearwright itself
    couplings: bool = True  # False: of the robot without its mimic joints, and so is the ratio
    one: StepTiming | None = None
    batch: StepTiming | None = None
    threads: int = 1  # in the batch
    ratio_one: float | None = None  # CPU time over Gearwright's
    ratio_batch: float | None = None  # CPU time, that is, per core
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Compilation:
    """Seconds to the first step in a fresh process, after imports, and of the imports; CPU time but for `…_wall`."""

    cold: float
    cold_wall: float
    cached: float
    cached_wall: float
    imports_cold: float
    imports_cached: float


@dataclass(frozen=True, kw_only=True)
class RobotResult:
    """One robot."""

    name: str
    title: str
    joints: int  # that move
    dof: int  # independent
    entries: tuple[Entry, ...]
    call_overhead_ns: float  # of `sim.step()` beyond the machine code, CPU time
    compilation: Compilation | None = None


@dataclass(frozen=True, kw_only=True)
class Case:
    """A robot with its rows in one mode and one situation. MuJoCo's entry notes its setting; ratios are of medians."""

    robot: str
    title: str
    joints: int  # that move
    dof: int  # independent
    mode: str  # of all couplings
    situation: str
    entries: tuple[Entry, ...]  # Gearwright's, then MuJoCo's


@dataclass(frozen=True, kw_only=True)
class SizePoint:
    """A random mechanism: CPU nanoseconds of a robot's step, seconds to compile without a cache."""

    shape: str
    dof: int
    one_ns: float
    batch_ns: float
    compile_s: float  # the code for one robot
    mujoco_ns: float | None = None


@dataclass(frozen=True, kw_only=True)
class ChainPoint:
    """A chain of mimics with one degree of freedom: CPU nanoseconds of a robot's step, seconds to compile."""

    shape: str
    mode: str  # of all couplings
    joints: int
    one_ns: float
    batch_ns: float
    compile_s: float  # the code for one robot
    mujoco_ns: float | None = None


@dataclass(frozen=True, kw_only=True)
class BatchPoint:
    """A batch of the reference arm on one thread."""

    robots: int
    wall_ns: float
    cpu_ns: float
    bytes_per_robot: float
    state_and_commands: float  # bytes per robot that the numbers themselves need


@dataclass(frozen=True, kw_only=True)
class Results:
    """All of it."""

    machine: str
    versions: dict[str, str]
    cores: int
    load: float  # load average at the start of the run
    date: str  # of the run: year-month-day, UTC
    dt: float  # [s]
    robots: tuple[RobotResult, ...]
    cases: tuple[Case, ...] = ()  # with couplings, stops and friction
    driven: tuple[Case, ...] = ()  # with motors, gears and encoders, too
    sizes: tuple[SizePoint, ...] = ()
    chains: tuple[ChainPoint, ...] = ()
    batches: tuple[BatchPoint, ...] = ()
    how: dict[str, str] = field(default_factory=dict)  # engine → what was called
    command: str = "gearwright bench --peers"
    schema: str = SCHEMA

    def as_data(self) -> dict[str, Any]:
        return asdict(self)
