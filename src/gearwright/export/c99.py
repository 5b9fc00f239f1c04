"""`gw.export_c`: one C99 file and its header, without allocation, and a program that tests them.

NAME.h        a struct with the robot's numbers, a comment on every element; NAME_init, NAME_step
NAME.c        the step
NAME_test.c   makes steps and compares them with what the simulation gave
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.compiler import Program, Slot, SlotKind, Stage
from gearwright.compiler.c_code import Dialect, body_lines, stage_function
from gearwright.compiler.passes import ends_known, optimise, without_unread_stores
from gearwright.errors import CompileError
from gearwright.export.harness import harness_text
from gearwright.export.sines import sines_text
from gearwright.export.slots import element_names, meaning
from gearwright.files import checked_path, write_together
from gearwright.model.layout.slots import StepSlot

if TYPE_CHECKING:
    from gearwright.export.actuation import ActuationText
    from gearwright.model import Mechanism
    from gearwright.sim import Simulation

FORBIDDEN = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "real",
    "bool", "main",
}  # fmt: skip


ADDED = ("memcpy", "memset")  # that compilers put in for loops which copy or clear
TOGETHER = {"sin": "sincos", "sinf": "sincosf"}  # and for a sine and a cosine of one angle


@dataclass(frozen=True)
class Exported:
    """The files that were written, and their figures."""

    source: Path
    header: Path
    harness: Path
    functions: tuple[str, ...]  # of the C library that the step calls
    state_bytes: int  # of the struct

    def __repr__(self) -> str:
        return f"<{self.source.name}, {self.header.name}: {self.state_bytes} bytes per robot; calls {self.needed}>"

    @property
    def needed(self) -> str:
        """Functions of the C library that have to be there, in words."""
        *most, last = (*ADDED, *(both for one, both in TOGETHER.items() if one in self.functions))
        return f"{', '.join(self.functions) or 'nothing'}; compilers may add {', '.join(most)} and {last}"


def export_c(
    robot: Mechanism | str | Path, name: str | Path, *, precision: str = "double", part: str | None = None,
    **options: Any,
) -> Exported:  # fmt: skip
    """Writes NAME.c, NAME.h and NAME_test.c: one step of the robot in C99, with static memory only.

    robot      a mechanism, or a file, which is loaded
    name       path of the files without ending; its last part is the prefix of all names in them
    precision  "double" or "single"
    part       "actuation": motors, gears and encoders alone, with NAME_line and NAME_move instead of the step
    options    options of `gearwright.compile`: dt, integrator, parameters, gravity, drives, controller, …
    """
    from gearwright.sim import compile as compiled
    from gearwright.sim.programs.programs import program

    path = Path(checked_path(name, "exported C"))
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", path.name) or path.name in FORBIDDEN:
        raise CompileError(f"{path.name!r} cannot be the prefix of names in C: letters, digits and _")
    for given in ("batch", "device", "threads"):
        if given in options:
            raise CompileError(f"exported C is plain code for one robot: {given}= has no meaning there")
    found: Any = compiled(robot, precision=precision, part=part, **options)
    sim: Simulation = found if part is None else found.simulation
    step = without_unread_stores(ends_known(program("step", sim.kernels.equations))).map_tapes(optimise)
    text = CText(path.name, step, sim)
    if part is not None:
        from gearwright.export.actuation import ActuationText

        text.further = ActuationText(found, text)
    files = {".h": text.header(), ".c": text.source(), "_test.c": harness_text(path.name, sim)}
    written = [path.with_name(path.name + ending) for ending in files]
    write_together(dict(zip(written, files.values(), strict=True)))
    header, source, harness = written
    return Exported(source, header, harness, text.functions, text.state_bytes)


class CText:
    """The step of one simulation as C. `beside`: further functions `NAME_key`, each of some programs in turn."""

    def __init__(
        self, name: str, step: Program, sim: Simulation, beside: Mapping[str, Sequence[Program]] | None = None
    ) -> None:
        self.name, self.step, self.sim, self.beside = name, step, sim, beside or {}
        others = [program for each in self.beside.values() for program in each]
        self.answers = [s for program in others for s in program.of_kind(SlotKind.OUTPUT) if s.size]
        self.dialect = Dialect(sim.options.precision)
        self.further: ActuationText | None = None  # functions of ours around the step
        self.kept = [s for s in step.slots if s.kind is not SlotKind.SCRATCH and s.size]
        self.scratch = [s for s in step.slots if s.kind is SlotKind.SCRATCH and s.size]
        self._all_stages = [*step.stages, *(stage for program in others for stage in program.stages)]
        self.stages = {id(stage): f"{name}_stage{n}" for n, stage in enumerate(self._all_stages)}

    def _member(self, slot: str) -> str:
        member = "".join(c if c.isascii() and c.isalnum() else "_" for c in slot)
        return f"{member}_" if member in FORBIDDEN else member

    def _place(self, slot: str, element: int) -> str:
        return f"r->{self._member(slot)}[{element}]"

    @property
    def state_bytes(self) -> int:
        """Size of the struct: all numbers, and the copy of the states by which a step that fails is undone."""
        each = {"double": 8, "single": 4}[self.dialect.precision]
        return each * (sum(s.size for s in (*self.kept, *self.scratch, *self.answers)) + self._states)

    @property
    def _states(self) -> int:
        return sum(s.size for s in self.step.of_kind(SlotKind.STATE))

    @property
    def functions(self) -> tuple[str, ...]:
        """Functions of <math.h> that the step calls."""
        called = set(re.findall(r"\b([a-z][a-z0-9]*)\(", self._stage_texts)) - {"if", "for"}
        if "gw_sincos(" in self._stage_texts:
            called |= {f"{name}{self.dialect.suffix}" for name in ("sin", "cos")}
        return tuple(sorted(called))

    # the header ----------------------------------------------------------------------------------------------------

    def header(self) -> str:
        guard, real = f"{self.name.upper()}_H", self.dialect.real
        members = "\n".join(self._declaration(slot) for slot in self.kept)
        if self.scratch:
            members += "\n    /* these pass from one stage of a step to another, and mean nothing after it */\n"
            members += "\n".join(f"    {real} {self._member(slot.name)}[{slot.size}];" for slot in self.scratch)
        if self.answers:
            members += "\n    /* answers of the functions beside the step */\n"
            members += "\n".join(f"    {real} {self._member(s.name)}[{s.size}];" for s in self.answers)
        declared = "".join(f"\nvoid {self.name}_{key}({self.name}_t *r);\n" for key in self.beside)
        declared += "" if self.further is None else self.further.header()
        return f"""/* One step of {plain(self.sim.robot.name)!r}, written by Gearwright. All memory is the struct's. */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {{
#endif

typedef struct {{
{members}
    /* the states before the step, to which one that fails goes back */
    {real} before[{max(1, self._states)}];
}} {self.name}_t;

/* The state at the start, parameters as in the file, dt = {self.sim.dt!r} s, no efforts. */
void {self.name}_init({self.name}_t *r);

/* One step of r->dt[0] seconds. Returns 0, or 1 if a state is not finite or passes its bound: it is then as before. */
int {self.name}_step({self.name}_t *r);
{declared}
#ifdef __cplusplus
}}
#endif
#endif
"""

    def _declaration(self, slot: Slot) -> str:
        named = [(i, n) for i, n in enumerate(element_names(self.sim, slot)) if n]
        listed = "".join(f"\n     *   [{i}] {plain(n)}" for i, n in named)
        comment = f"    /* {plain(meaning(slot))}{listed} */"
        return f"{comment}\n    {self.dialect.real} {self._member(slot.name)}[{slot.size}];"

    # the source ----------------------------------------------------------------------------------------------------

    def source(self) -> str:
        f = self.dialect.suffix
        sincos = sines_text(self.dialect) if "gw_sincos(" in self._stage_texts else ""

        lines = self._lines(self.step)
        fast = "FP_FAST_FMAF" if f else "FP_FAST_FMA"
        return f"""#include "{self.name}.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

typedef {self.dialect.real} real;
/* one rounding where the machine has it, two otherwise; -DGW_EXACT asks for one everywhere, slowly */
#if defined({fast}) || defined(GW_EXACT)
#define GW_FMA(a, b, c) fma{f}((a), (b), (c))
#else
#define GW_FMA(a, b, c) ((a) * (b) + (c))
#endif

{sincos}
{self._stage_texts}
{self._init()}
int {self.name}_step({self.name}_t *r)
{{
    bool good = true;
{self._save()}
{lines}
{self._watch()}
    if (!good) {{
{self._restore()}
    }}
    return good ? 0 : 1;
}}
{self._functions_beside()}{"" if self.further is None else self.further.source()}"""

    def _lines(self, program: Program) -> str:
        def called(stage: Stage) -> str:
            return f"{self.stages[id(stage)]}(r)"

        return "\n".join(f"    {line}" for line in body_lines(program.body, self._place, called))

    def _functions_beside(self) -> str:
        each = ((key, "\n".join(map(self._lines, programs))) for key, programs in self.beside.items())
        return "".join(f"\nvoid {self.name}_{key}({self.name}_t *r)\n{{\n{lines}\n}}\n" for key, lines in each)

    @cached_property
    def _stage_texts(self) -> str:
        texts = [
            stage_function(
                self.stages[id(s)], s.tape, self._place, self.dialect, qualifiers="static",
                parameters=f"{self.name}_t *r",
            )
            for s in self._all_stages
        ]  # fmt: skip
        return re.sub(r"\bfmaf?\(", "GW_FMA(", "\n".join(texts))

    def _init(self) -> str:
        state, lines = self.sim.batch_state, []
        for slot in self.kept:
            values = np.asarray(state.get(slot.name), float).reshape(-1)
            lines += [
                f"    r->{self._member(slot.name)}[{i}] = {self.dialect.number(x)};" for i, x in enumerate(values)
            ]
        if any(s.name == StepSlot.FRESH for s in self.kept):
            lines.append("    r->fresh[0] = 0;")
        return f"void {self.name}_init({self.name}_t *r)\n{{\n" + "\n".join(lines) + "\n}\n"

    def _copies(self) -> list[tuple[str, int]]:
        places = [(f"r->{self._member(s.name)}", i) for s in self.step.of_kind(SlotKind.STATE) for i in range(s.size)]
        return [(f"{member}[{i}]", n) for n, (member, i) in enumerate(places)]

    def _save(self) -> str:
        return "\n".join(f"    r->before[{n}] = {place};" for place, n in self._copies())

    def _restore(self) -> str:
        lines = [f"        {place} = r->before[{n}];" for place, n in self._copies()]
        if any(s.name == StepSlot.FRESH for s in self.kept):
            lines.append("        r->fresh[0] = 0;")
        return "\n".join(lines)

    def _watch(self) -> str:
        stored = {address for s in self.step.stages for address in s.tape.writes()}
        f, lines = self.dialect.suffix, []
        for slot in self.step.of_kind(SlotKind.STATE):
            bound = self.dialect.largest if np.isinf(slot.bound) else self.dialect.number(slot.bound)
            lines += [
                f"    good &= fabs{f}({self._place(slot.name, i)}) <= {bound};"
                for i in range(slot.size) if (slot.name, i) in stored
            ]  # fmt: skip
        return "\n".join(lines)


def plain(text: str) -> str:
    """Text that cannot end a comment."""
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ").encode("ascii", "replace").decode()
