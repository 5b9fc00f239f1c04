"""Which programs a change changes: the content hash of the step and of every question, robot by robot.

    python benchmarks/programs.py before.txt            # in the tree before the change
    python benchmarks/programs.py after.txt before.txt  # after it: names the programs that differ

`FILES` beside them are robots of your own. `--code` hashes the machine code of steps, too, which takes minutes.
`--renamed new=old` takes a slot or stage that has a new name for the one that had the old name.
"""

from __future__ import annotations

import hashlib
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gearwright as gw
from gearwright import robots
from gearwright.compiler import Program, find_backend
from gearwright.compiler.backends import BACKENDS
from gearwright.compiler.backends.interpreter import Interpreter
from gearwright.dynamics.observers.table import OBSERVERS
from gearwright.errors import GearwrightError

VARIANTS: dict[str, Callable[[gw.Mechanism], dict[str, Any]]] = {
    "midpoint": lambda robot: {},
    "euler": lambda robot: {"integrator": "euler"},
    "rk4": lambda robot: {"integrator": "rk4"},
    "tgs": lambda robot: {"solver": "tgs", "contacts": []},
    "single": lambda robot: {"precision": "single"},
    "drives": lambda robot: {
        "integrator": "euler",
        "drives": {name: gw.Drive(stiffness=50.0, damping=5.0) for name in drivable(robot)},
    },
    "ground": lambda robot: {"ground": True},
    "parameters": lambda robot: {"parameters": [*robot.parameters][:2], "wrenches": [*robot.links][-1:]},
}


def drivable(robot: gw.Mechanism) -> list[str]:
    followers = {c.follower.joint for c in robot.couplings.values() if c.mode == "exact"}
    return [n for n, j in robot.joints.items() if j.kind in ("revolute", "prismatic") and n not in followers][:3]


STORE = r"Store\(address=Address\(slot='\w+', element=\d+\), value=\d+\)"
STORES = rf"{STORE}(?:, {STORE})+"  # in the order of the slots' names


def _place(store: str) -> tuple[str, int]:
    slot, element = re.findall(r"slot='(\w+)', element=(\d+)", store)[0]
    return slot, int(element)


def content_hash(program: Program, old_names: dict[str, str]) -> str:
    """Its hash, with the slots and stages that were renamed under their old names."""
    text = repr((program.slots, program.body))
    for new, old in old_names.items():
        text = re.sub(rf"'{new}((?:_before)?)'", rf"'{old}\1'", text)
    text = re.sub(STORES, lambda run: ", ".join(sorted(re.findall(STORE, run[0]), key=_place)), text)
    return hashlib.sha256(text.encode()).hexdigest()


def hashes(robot: gw.Mechanism, old_names: dict[str, str], *, code: bool) -> Iterator[tuple[str, str]]:
    """(variant and question, hash) of every program that the robot has."""
    found: dict[str, str] = {}

    class Hashing(Interpreter):
        def identity(self, precision: str, batch: int | None) -> str:
            return str(time.time_ns())  # never on the disk

        def code(self, program: Program, precision: str, batch: int | None) -> bytes:
            found[program.name] = content_hash(program, old_names)
            if code and program.name == "step":
                made = find_backend("cpu").code(program, precision, batch)
                found["step's code"] = hashlib.sha256(made).hexdigest()
            return super().code(program, precision, batch)

    BACKENDS["hashing"] = Hashing
    for variant, options in VARIANTS.items():
        found.clear()
        try:
            sim = gw.compile(robot, device="hashing", **options(robot))
        except GearwrightError as error:
            yield variant, f"{type(error).__name__}: {error}".splitlines()[0]
            continue
        if variant in ("midpoint", "drives"):
            for question in (*OBSERVERS, *(["sense_start"] if robot.sensors else [])):
                try:
                    sim.kernels[question]
                except (GearwrightError, IndexError, ValueError) as error:
                    found[question] = f"{type(error).__name__}: {error}".splitlines()[0]
        yield from ((f"{variant} {name}", text) for name, text in found.items())


def main() -> None:
    warnings.simplefilter("ignore")
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    old_names = dict(w.split("=", 1) for w in words if "=" in w)
    words = [w for w in words if "=" not in w]
    files = [w for w in words if not w.endswith(".txt")]
    target, *before = (Path(w) for w in words if w.endswith(".txt"))
    rows = {}
    for file in files or robots.names():
        try:
            robot = gw.load(file)
        except GearwrightError as error:
            rows[f"{file} load"] = type(error).__name__
            continue
        rows |= {f"{file} {name}": text for name, text in hashes(robot, old_names, code="--code" in sys.argv)}
        target.write_text("".join(f"{name}: {text}\n" for name, text in rows.items()))
    for old in before:
        known = dict(line.split(": ", 1) for line in old.read_text().splitlines())
        changed = [name for name in {**known, **rows} if known.get(name) != rows.get(name)]
        print(f"{len(rows)} programs, {len(changed)} differ from {old}:", *changed, sep="\n")


if __name__ == "__main__":
    main()
