"""The kernel as CUDA text: one thread walks its robot through all steps of a call, with every slot in registers.

    read the robot's memory → for each step: inputs, stages and loops, look at the states, record → write it back

A robot whose state stops being finite, or passes a bound, is walked again from the call's beginning up to its last
good step: the same numbers come out, and steps that go well pay nothing for keeping a copy.

Memory is `[element][robot]`, so that neighbouring threads touch neighbouring numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite

from gearwright.compiler.backends.cuda.block_shape import THREADS, BlockShape
from gearwright.compiler.backends.cuda.walking import walking_lines
from gearwright.compiler.c_code import Dialect, flat, stage_function
from gearwright.compiler.program import Program, Slot, SlotKind, Stage, slot_offsets

KEPT = (SlotKind.STATE, SlotKind.DERIVED, SlotKind.INPUT, SlotKind.PARAMETER, SlotKind.OUTPUT)
WRITTEN = (SlotKind.STATE, SlotKind.DERIVED, SlotKind.OUTPUT)
STEPS = 2  # which of a kernel's arguments is the number of steps
INLINED = 12_000  # instructions of a step that the compiler is given as one function, to hold slots in registers

PREAMBLE = """
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define GW_FUNCTION static __device__
#define GW_INLINE static __device__ __forceinline__
#else
#define GW_FUNCTION static
#define GW_INLINE static inline
#endif
typedef long long integer;
"""
TOGETHER = """
#if defined(GW_BLOCK) && (defined(__CUDACC__) || defined(__CUDACC_RTC__))
#define GW_ANY(x) __syncthreads_or(x)
#define GW_TOGETHER() __syncthreads()
#else
#define GW_ANY(x) (x)
#define GW_TOGETHER()
#endif
"""


@dataclass(frozen=True)
class KernelLayout:
    """Where slots stand in a robot's memory; of a program, the outline is enough."""

    program: Program

    @cached_property
    def kept(self) -> tuple[Slot, ...]:
        """All but scratch, states first."""
        return tuple(s for kind in KEPT for s in self.program.of_kind(kind))

    @cached_property
    def offsets(self) -> dict[str, int]:
        return slot_offsets([*self.kept, *self.program.of_kind(SlotKind.SCRATCH)])

    @cached_property
    def kept_elements(self) -> int:
        return sum(slot.size for slot in self.kept)

    @cached_property
    def all_elements(self) -> int:
        return sum(slot.size for slot in self.program.slots)


class Kernel:
    """One thread per robot, its slots in registers. `threads`: of a block; of a large one, they go together.

    `merged`: the text says nothing twice, which in double precision costs registers: a third slower.
    """

    def __init__(
        self, program: Program, dialect: Dialect, threads: int = THREADS, *, merged: bool | None = None
    ) -> None:
        self.shape, self.merged = BlockShape(threads), dialect.precision == "single" if merged is None else merged
        self.program, self.dialect, self.layout = program, dialect, KernelLayout(program)
        self.memory = flat(self.layout.offsets)
        self.names = {id(stage): f"stage{n}" for n, stage in enumerate(program.stages)}

    def text(self) -> str:
        size = sum(len(stage.tape.instructions) for stage in self.program.stages)
        qualifiers = "GW_INLINE" if size <= INLINED else "GW_FUNCTION"
        real, f = self.dialect.real, self.dialect.suffix
        sincos = f"GW_INLINE void gw_sincos(real x, real *s, real *c) {{ sincos{f}(x, s, c); }}"
        stages = [
            stage_function(
                self.names[id(s)], s.tape, self.memory, self.dialect, qualifiers=qualifiers, parameters="real *a"
            )
            for s in self.program.stages
        ]
        together = "#define GW_BLOCK\n" if self.shape.goes_together else ""
        head = (
            f"{self.shape.line()}\n{PREAMBLE}{together}{TOGETHER}"
            f"typedef {real} real;\n#define GW_LARGEST {self.largest}\n{sincos}\n"
        )
        return "\n".join([head, *stages, self._robot(), self._run()])

    @property
    def largest(self) -> str:
        return {"double": "1.7976931348623157e308", "single": "3.4028234663852886e38f"}[self.dialect.precision]

    # what a call is given ------------------------------------------------------------------------------------------

    def parameters(self) -> list[tuple[str, str]]:
        """Type and name; `instance.CudaInstance` fills them in the same order."""
        fixed = [
            ("real *", "memory"), ("integer", "batch"), ("integer", "steps"), ("integer", "first_step"),
            ("integer", "continues"), ("integer", "every"), ("integer", "until_first"), ("integer *", "failed_step"),
            ("integer *", "failed_element"), ("double *", "failed_value"), ("integer *", "any_failed"),
        ]  # fmt: skip
        inputs = [("const real *", f"input{k}") for k in range(len(self.program.inputs))]
        records = [("real *", f"record{k}") for k in range(len(self.program.recordable))]
        return [*fixed, *inputs, *records]

    # one robot -----------------------------------------------------------------------------------------------------

    def _robot(self) -> str:
        parameters = ", ".join(f"{kind} {name}" for kind, name in self.parameters())
        return f"""
GW_FUNCTION void walk(const integer robot, {parameters})
{{
    real a[{max(1, self.layout.all_elements)}];
    const bool failed_before = continues && failed_step[robot] >= 0;
    integer last = failed_before ? 0 : steps, step = 0, left = until_first, row = 0;
    for (;;) {{
        bool bad = false;
{indented(self._read(), 2)}
        for (step = 0, left = until_first, row = 0; step < last; ++step) {{
{indented(self._changing_inputs(), 3)}
{indented(self._body(), 3)}
{indented(self._watch(), 3)}
            if (bad) break;
            if (--left == 0) {{
{indented(self._record(), 4)}
            }}
        }}
        if (!bad) break;
        failed_step[robot] = first_step + step;
        any_failed[0] = 1;
{indented(self._note(), 2)}
        last = step;
    }}
    for (; step < steps; ++step) {{
        if (--left == 0) {{
{indented(self._record(), 3)}
        }}
    }}
{indented(self._write(), 1)}
}}
"""

    def _read(self) -> list[str]:
        return [f"a[{e}] = memory[{e} * batch + robot];" for e in range(self.layout.kept_elements)]

    def _write(self) -> list[str]:
        spans = [(self.layout.offsets[s.name], s.size) for s in self.layout.kept if s.kind in WRITTEN]
        return [f"memory[{e} * batch + robot] = a[{e}];" for start, n in spans for e in range(start, start + n)]

    def _changing_inputs(self) -> list[str]:
        lines = []
        for k, slot in enumerate(self.program.inputs):
            start = self.layout.offsets[slot.name]
            each = [f"a[{start + e}] = input{k}[(step * {slot.size} + {e}) * batch + robot];" for e in range(slot.size)]
            lines += [f"if (input{k}) {{", *(f"    {line}" for line in each), "}"]
        return lines

    def _body(self) -> list[str]:
        def call(stage: Stage, wanted: str) -> str:
            return f"if ({wanted}) {self.names[id(stage)]}(a);"

        return walking_lines(self.program.body, self.memory, call, merged=self.merged)

    def bounds(self) -> dict[int, str]:
        """The states that a step writes, and how large each may be."""
        stored = {address for s in self.program.stages for address in s.tape.writes()}
        return {
            self.layout.offsets[slot.name] + e: (
                self.dialect.number(slot.bound) if isfinite(slot.bound) else "GW_LARGEST"
            )
            for slot in self.program.of_kind(SlotKind.STATE)
            for e in range(slot.size)
            if (slot.name, e) in stored
        }

    def _watch(self) -> list[str]:
        f = self.dialect.suffix
        return [f"bad |= !(fabs{f}(a[{e}]) <= {bound});" for e, bound in self.bounds().items()]

    def _note(self) -> list[str]:
        """Which state was the first to fail: later lines are overwritten by earlier elements."""
        f = self.dialect.suffix
        return [
            f"if (!(fabs{f}(a[{e}]) <= {bound})) {{ failed_element[robot] = {e}; failed_value[robot] = a[{e}]; }}"
            for e, bound in reversed(self.bounds().items())
        ]

    def _record(self) -> list[str]:
        lines = []
        for k, slot in enumerate(self.program.recordable):
            start = self.layout.offsets[slot.name]
            each = [f"record{k}[(row * {slot.size} + {e}) * batch + robot] = a[{start + e}];" for e in range(slot.size)]
            lines += [f"if (record{k}) {{", *(f"    {line}" for line in each), "}"]
        return [*lines, "left = every;", "++row;"]

    # all robots ----------------------------------------------------------------------------------------------------

    def _run(self) -> str:
        parameters = ", ".join(f"{kind} {name}" for kind, name in self.parameters())
        arguments = ", ".join(name for _, name in self.parameters())
        return f"""
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
extern "C" __global__ void __launch_bounds__({self.shape.threads}) run({parameters})
{{
    const integer robot = (integer)blockIdx.x * blockDim.x + threadIdx.x;
    if (robot >= batch) return;
    if (!continues) failed_step[robot] = -1;
    walk(robot, {arguments});
}}
#else
extern "C" void run({parameters})
{{
    for (integer robot = 0; robot < batch; ++robot) {{
        if (!continues) failed_step[robot] = -1;
        walk(robot, {arguments});
    }}
}}
#endif
"""


def indented(lines: list[str], depth: int) -> str:
    return "\n".join("    " * depth + line for line in lines)
