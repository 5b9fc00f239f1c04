"""Images as bytes with what they ask of a machine: one line of JSON, then the code."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.batches.spans import ACQUIRE, HEAD, RELEASE, SPAN
from gearwright.compiler.backends.cpu.image.image import Image
from gearwright.compiler.backends.cpu.image.loaded_image import check_machine
from gearwright.compiler.backends.cpu.llvm.rollout import CallTable
from gearwright.compiler.program import Program
from gearwright.errors import CompileError

LANES = (1, 2, 4, 8, 16)
LONGEST_HEAD = 2**20  # bytes
# instruction sets that a compiler may use for such code, as Linux names them; SSE2 is part of every x86-64
INSTRUCTION_SETS = {
    "pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "avx", "f16c", "fma", "avx2", "bmi1", "bmi2", "abm", "movbe", "adx",
    "gfni", "avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx512ifma", "avx512vbmi", "avx512_vbmi2",
    "avx512_bitalg", "avx512_vpopcntdq", "avx512_vnni", "avx512_fp16",
}  # fmt: skip


@cache
def instruction_sets() -> frozenset[str]:
    """Those of this CPU. None where the system does not say."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    flags = next((line.partition(":")[2] for line in lines if line.startswith("flags")), "")
    return frozenset(INSTRUCTION_SETS & set(flags.split()))


def _interface(layout: BlockLayout) -> str:
    """A digest of how Python calls the code: words of its tables, places of slots."""
    parts = (
        HEAD,
        SPAN,
        ACQUIRE,
        RELEASE,
        tuple(CallTable(layout).words),
        tuple(layout.arena.items()),
        layout.program.state_elements,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def to_bytes(image: Image, layout: BlockLayout) -> bytes:
    """For `from_bytes`, there or on another machine."""
    head = {
        "lanes": layout.lanes, "needs": sorted(instruction_sets()), "interface": _interface(layout),
        "entry": image.entry, "scratch": image.scratch_elements, "imports": [*image.imports.items()],
        "own": [*image.own.items()],
    }  # fmt: skip
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + image.code


def from_bytes(content: bytes, program: Program) -> tuple[Image, BlockLayout]:
    """Raises CompileError for code that is damaged, or not for this machine and version."""
    head, end, code = content.partition(b"\n")
    try:
        if not end or len(head) > LONGEST_HEAD:
            raise ValueError
        facts = json.loads(head)
        image = _image(facts, code)
        lanes, needs, interface = facts["lanes"], [str(name) for name in facts["needs"]], facts["interface"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise CompileError("the code is damaged: its description cannot be read") from None
    check_machine()
    if missing := sorted({*needs} - instruction_sets()):
        raise CompileError(
            f"the code is for a CPU with {', '.join(missing)}, which this CPU does not have: compile and save the "
            "robot on a machine like this one"
        )
    if lanes not in LANES:
        raise CompileError(f"the code is damaged: it steps {lanes!r:.20} robots at a time")
    layout = BlockLayout(program, lanes)
    if interface != _interface(layout):
        raise CompileError("the code was made for another version: save the simulation again")
    return image, layout


def _image(facts: dict[str, Any], code: bytes) -> Image:
    imports = {_whole(at): str(name) for at, name in facts["imports"]}
    own = {_whole(at): _whole(target) for at, target in facts["own"]}
    return Image(code, _whole(facts["entry"]), _whole(facts["scratch"]), imports, own)


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise ValueError(value)
    return value
