"""The kernel of a large robot: its slots in shared memory, and several threads where it has limbs that are alike.

One thread's registers do not hold a large robot, and its code does not fit in the instruction cache of a
multiprocessor. So a block's threads go through the code together (`walking`), slots are in shared memory as far as it
goes, those that are used least in the robots' memory, and the threads of a robot compute alike values side by side
(`superword`), which makes the code shorter and leaves each of them half the values.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

from gearwright.compiler.backends.cpu.passes import each_tape
from gearwright.compiler.backends.cpu.scheduling.schedule import schedule
from gearwright.compiler.backends.cpu.superword import vectors
from gearwright.compiler.backends.cpu.superword.contiguous import contiguous_scratch, movable_slots
from gearwright.compiler.backends.cpu.superword.packing import pack_isomorphic
from gearwright.compiler.backends.cuda.block_shape import BlockShape
from gearwright.compiler.backends.cuda.limb_stage import LimbStage, Places
from gearwright.compiler.backends.cuda.thread_text import PREAMBLE, WRITTEN, Kernel, indented
from gearwright.compiler.backends.cuda.walking import walking_lines
from gearwright.compiler.c_code import Dialect
from gearwright.compiler.program import Body, Branch, Program, Slot, SlotKind, Stage, slot_offsets
from gearwright.compiler.tape import Address

SHARED = 231_424  # bytes of a multiprocessor's shared memory that a block can have
READ = (SlotKind.PARAMETER, SlotKind.INPUT)
RARE = 0.1  # how often a branch is taken, about
BYTES = {"double": 8, "single": 4}

TEXT = """
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
extern __shared__ real gw_shared[];
#define GW_ROBOTS (GW_THREADS / GW_LANES)
#define GW_STAGE static __device__ __noinline__
#define GW_CALLED static __device__ __noinline__
#define GW_MEMORY_PARAMETER real *const g, const integer GW_BATCH,
#define GW_MEMORY_ARGUMENT g, GW_BATCH,
#define GW_MEMORY const int k = threadIdx.x % GW_LANES; real *const a = gw_shared + threadIdx.x / GW_LANES; \\
    const real gw_sign = (real)(k ? -1 : 1); (void)gw_sign;
#define GW_SIGN gw_sign
#define GW_EACH(type, v, ...) const type v = __VA_ARGS__;
#define GW_FOR_EACH
#define GW_ROLLED _Pragma("unroll 1")
#define GW_OWN(v) v
#define GW_LANE(v, i) __shfl_sync(0xffffffffu, v, i, GW_LANES)
#define GW_PAUSE() __syncwarp()
#if GW_LANES > 2
#define GW_ANY(x) __any_sync(0xffffffffu, x)
#define GW_TOGETHER() __syncwarp()
#else
#define GW_ANY(x) __syncthreads_or(x)
#define GW_TOGETHER() __syncthreads()
#endif
#define GW_SPREAD(e, start, n) _Pragma("unroll 1") for (int e = (start) + k; e < (start) + (n); e += GW_LANES)
#define GW_SPREAD_OFTEN(e, start, n) for (int e = (start) + k; e < (start) + (n); e += GW_LANES)
#define GW_SPREAD_AHEAD(e, start, n) _Pragma("unroll 8") GW_SPREAD_OFTEN(e, start, n)
GW_INLINE bool gw_any_lane(bool x)
{
    for (int i = 1; i < GW_LANES; i *= 2) x |= __shfl_xor_sync(0xffffffffu, (int)x, i);
    return x;
}
#else
#define GW_ROBOTS 1
#define GW_STAGE static
#define GW_CALLED static
#define GW_MEMORY_PARAMETER real *const a, real *const g, const integer GW_BATCH,
#define GW_MEMORY_ARGUMENT a, g, GW_BATCH,
#define GW_MEMORY
#define GW_SIGN (real)(k ? -1 : 1)
#define GW_EACH(type, v, ...) type v[GW_LANES]; for (int k = 0; k < GW_LANES; ++k) v[k] = __VA_ARGS__;
#define GW_ROLLED
#define GW_FOR_EACH for (int k = 0; k < GW_LANES; ++k)
#define GW_OWN(v) v[k]
#define GW_LANE(v, i) v[i]
#define GW_PAUSE()
#define GW_ANY(x) (x)
#define GW_TOGETHER()
#define GW_SPREAD(e, start, n) for (int e = (start); e < (start) + (n); ++e)
#define GW_SPREAD_OFTEN GW_SPREAD
#define GW_SPREAD_AHEAD GW_SPREAD
GW_INLINE bool gw_any_lane(bool x) { return x; }
#endif
"""


def packed_program(program: Program, lanes: int) -> Program:
    """The program, not verified, with alike values in vectors of at most so many lanes."""
    pack = partial(pack_isomorphic, widest=lanes, movable=movable_slots(program))
    return contiguous_scratch(each_tape(pack, schedule, rules=vectors.RULES)(program))


def room(dialect: Dialect, lanes: int, threads: int) -> int:
    """Numbers of a robot that find room in shared memory."""
    return SHARED * lanes // (BYTES[dialect.precision] * threads)


class LimbKernel(Kernel):
    """Of a packed program. `threads`: of a block, the only one on its multiprocessor."""

    def __init__(self, program: Program, dialect: Dialect, lanes: int, threads: int) -> None:
        super().__init__(program, dialect)
        size = BYTES[dialect.precision]
        near = _near_slots(program, room(dialect, lanes, threads))
        moved = [s for s in self.layout.kept if s.name not in near and s.kind not in READ]
        far = self.layout.offsets | slot_offsets(moved, self.layout.all_elements)  # a call may begin again
        self.series = {s.name: k for k, s in enumerate(program.inputs) if s.name not in near and s.size}
        self.places = Places(near, far, {name: f"i{k}" for name, k in self.series.items()}, lanes)
        self.memory = lambda slot, element: self.places.of(Address(slot, element))
        self.copied = [s for s in self.layout.kept if s.size and (s.name in near or s in moved)]
        used = sum(program.slot(name).size for name in near)
        elements = self.layout.all_elements + sum(slot.size for slot in moved)
        self.shape = BlockShape(threads, lanes, used * size * threads // lanes, elements)

    def text(self) -> str:
        real, f = self.dialect.real, self.dialect.suffix
        sincos = (
            "struct gw_pair { real s, c; };\n"
            f"GW_CALLED gw_pair gw_both(real x) {{ gw_pair p; sincos{f}(x, &p.s, &p.c); return p; }}\n"
            "GW_INLINE void gw_sincos(real x, real *s, real *c) { gw_pair p = gw_both(x); *s = p.s; *c = p.c; }"
        )
        stages = [LimbStage(self.names[id(s)], s.tape, self.places, self.dialect).text() for s in self.program.stages]
        head = (
            f"{self.shape.line()}\n{PREAMBLE}typedef {real} real;\n#define GW_LARGEST {self.largest}\n"
            f"#define GW_LANES {self.shape.lanes}\n#define GW_THREADS {self.shape.threads}\n{TEXT}{sincos}\n"
        )
        return "\n".join([head, *stages, self._read_function(), self._robot(), self._run()])

    def _read_function(self) -> str:
        """Eight numbers are asked for before the first is there. That takes registers, which a call gives back."""
        each = [f"GW_SPREAD_AHEAD(e, 0, {s.size}) {self._each(s)} = {self._kept(s)};" for s in self.copied]
        head = "GW_STAGE void read_robot(GW_MEMORY_PARAMETER const bool wanted)"
        return f"{head}\n{{\n    GW_MEMORY\n    if (wanted) {{\n{indented(each, 2)}\n    }}\n}}\n"

    def _write(self) -> list[str]:
        written = [s for s in self.copied if s.kind in WRITTEN]
        return [f"GW_SPREAD(e, 0, {s.size}) {self._kept(s)} = {self._each(s)};" for s in written]

    def _kept(self, slot: Slot) -> str:
        return f"g[(e + {self.layout.offsets[slot.name]}) * GW_BATCH]"

    def _each(self, slot: Slot) -> str:
        """Element `e`."""
        return self.places.of(Address(slot.name, 0)).replace("[", "[(e + ", 1).replace(" *", ") *", 1)

    def _changing_inputs(self) -> list[str]:
        return [
            f"if (input{k}) GW_SPREAD(e, 0, {s.size}) "
            f"{self._each(s)} = input{k}[(step * {s.size} + e) * batch + robot];"
            for k, s in enumerate(self.program.inputs)
            if s.size and s.name not in self.series
        ]

    def _pointers(self) -> list[str]:
        """To inputs that are not in shared memory: the series' values of this step, or those that are held."""
        return [
            f"const real *const i{k} = "
            f"input{k} ? input{k} + step * {self.program.slot(name).size} * batch + robot "
            f": g + {self.layout.offsets[name]} * GW_BATCH;"
            for name, k in self.series.items()
        ]

    def _runs(self) -> list[tuple[Slot, int, int, str]]:
        runs: list[list[Any]] = []
        bounds = self.bounds()
        for slot in self.program.of_kind(SlotKind.STATE):
            for e in range(slot.size):
                bound = bounds.get(self.layout.offsets[slot.name] + e)
                if bound is None:
                    continue
                if runs and runs[-1][0] is slot and runs[-1][1] + runs[-1][2] == e and runs[-1][3] == bound:
                    runs[-1][2] += 1
                else:
                    runs.append([slot, e, 1, bound])
        return [tuple(r) for r in runs]

    def _watch(self) -> list[str]:
        f = self.dialect.suffix
        return [
            f"GW_SPREAD_OFTEN(e, {start}, {n}) bad |= !(fabs{f}({self._each(slot)}) <= {bound});"
            for slot, start, n, bound in self._runs()
        ]

    def _note(self) -> list[str]:
        f = self.dialect.suffix
        return [
            f"GW_ROLLED for (int e = {start + n - 1}; e >= {start}; --e) "
            f"if (!(fabs{f}({self._each(slot)}) <= {bound})) "
            f"{{ failed_element[robot] = {self.layout.offsets[slot.name]} + e; "
            f"failed_value[robot] = {self._each(slot)}; }}"
            for slot, start, n, bound in reversed(self._runs())
        ]

    def _record(self) -> list[str]:
        lines = [
            f"if (record{k}) GW_SPREAD(e, 0, {s.size}) "
            f"record{k}[(row * {s.size} + e) * batch + robot] = {self._each(s)};"
            for k, s in enumerate(self.program.recordable)
            if s.size
        ]
        return [*lines, "left = every;", "++row;"]

    def _body(self) -> list[str]:
        def call(stage: Stage, wanted: str) -> str:
            return f"{self.names[id(stage)]}(GW_MEMORY_ARGUMENT {self.places.arguments()}{wanted});"

        return walking_lines(self.program.body, self.memory, call, "now")

    def _robot(self) -> str:
        parameters = ", ".join(f"{kind} {name}" for kind, name in self.parameters())
        return f"""
GW_FUNCTION void walk(const integer robot, const bool there, {parameters})
{{
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
    GW_MEMORY
#else
    real a[{max(1, self.layout.all_elements)}];
#endif
    real *const g = memory + robot;
    const integer GW_BATCH = batch;
    const bool failed_before = continues && failed_step[robot] >= 0;
    integer last = failed_before ? 0 : steps, left = until_first, row = 0;
    bool again = there;
    for (;;) {{
        bool bad = false;
        integer step = 0;
        if (again) {{
            left = until_first; row = 0;
        }}
        read_robot(GW_MEMORY_ARGUMENT again);
        GW_PAUSE();
        for (;;) {{
            const bool now = again && !bad && step < last;
            if (!GW_ANY(now)) break;
{indented(self._pointers(), 3)}
            if (now) {{
{indented(self._changing_inputs(), 4)}
            }}
            GW_PAUSE();
{indented(self._body(), 3)}
            if (now) {{
{indented(self._watch(), 4)}
            }}
            bad = gw_any_lane(bad);
            if (now && !bad) {{
                ++step;
                if (--left == 0) {{
{indented(self._record(), 5)}
                }}
            }}
        }}
        if (bad) {{
            failed_step[robot] = first_step + step;
            any_failed[0] = 1;
{indented(self._note(), 3)}
            last = step;
        }}
        again = bad;
        GW_PAUSE();
        if (!GW_ANY(again)) break;
    }}
    if (!there) return;
    for (integer step = last; step < steps; ++step) {{
        if (--left == 0) {{
{indented(self._record(), 3)}
        }}
    }}
{indented(self._write(), 1)}
}}
"""

    def _run(self) -> str:
        parameters = ", ".join(f"{kind} {name}" for kind, name in self.parameters())
        arguments = ", ".join(name for _, name in self.parameters())
        return f"""
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
extern "C" __global__ void __launch_bounds__(GW_THREADS, 1) run({parameters})
{{
    const integer own = (integer)blockIdx.x * (blockDim.x / GW_LANES) + threadIdx.x / GW_LANES;
    const bool there = own < batch;
    const integer robot = there ? own : batch - 1;
    if (!continues && there) failed_step[robot] = -1;
    walk(robot, there, {arguments});
}}
#else
extern "C" void run({parameters})
{{
    for (integer robot = 0; robot < batch; ++robot) {{
        if (!continues) failed_step[robot] = -1;
        walk(robot, true, {arguments});
    }}
}}
#endif
"""


def _near_slots(program: Program, room: int) -> dict[str, int]:
    """The slots that a step uses most and so many elements hold, and where each begins."""
    often, found, used = _accesses(program), dict[str, int](), 0
    for slot in sorted(program.slots, key=lambda s: -often[s.name] / max(1, s.size)):
        if used + slot.size <= room and often[slot.name]:
            found[slot.name] = used
            used += slot.size
    return found


def _accesses(program: Program) -> Counter[str]:
    """How often a step reads and writes each slot: what is in branches counts less."""
    found: Counter[str] = Counter()

    def look(body: Body, weight: float) -> None:
        for node in body:
            if isinstance(node, Stage):
                for address in (*node.tape.reads(), *node.tape.writes()):
                    found[address.slot] += weight  # type: ignore[assignment]
            else:
                look(node.body, weight * (RARE if isinstance(node, Branch) else 1.0))

    look(program.body, 1.0)
    return found
