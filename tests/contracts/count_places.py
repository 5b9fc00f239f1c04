"""How many places a new kind touches, family by family: `make count`.

For one kind of each family it lists where the source names it, by class, by the name in files or by its module's path:
its own file, its row in the family's table, and everything else. Re-exports for users (`__init__.py`) are no places:
they are optional.
"""

from __future__ import annotations

import io
import sys
import tokenize
from dataclasses import dataclass
from functools import cache
from pathlib import Path

EXAMPLES = ("demo/", "bench/")  # these use kinds as any user does
SOURCE = Path(__file__).parents[2] / "src/gearwright"


@dataclass(frozen=True)
class Sample:
    """A kind that stands for its family."""

    family: str
    names: tuple[str, ...]  # its class or function, and its name in files
    file: str
    table: str  # where its row is
    argued: tuple[str, ...] = ()  # other files that name it, each for a reason in ARGUED


# why a file may name a kind although a new one would not have to
ARGUED = {
    "formats/transmissions/kinds.py": "spellings of ros2_control and older files that are not a field each",
    "formats/transmissions/plugins.py": "the map that stands in for a compiled plugin",
    "formats/urdf/robot.py": "URDF's planar joint has an optional axis and no limits",
    "formats/drake/joints.py": "Drake's own spelling of planar joints",
    "formats/drake/constraints.py": "Drake's constraints, each of which is a joint that closes a loop",
    "formats/loops/closures.py": "other names of joint types in lists of closures",
    "formats/loops/closure_lists.py": "other names of joint types in lists of closures",
    "display/maps.py": "words that say more than the fields; without them a kind shows its numbers",
    "model/checks/simulation_checks.py": "offsets and bounds of efforts, which only the matrix has",
    "dynamics/actuation/gears.py": "offsets and bounds of efforts, which only the matrix has",
    "hardware/ros2_bindings.py": "plug-ins of ros2_control that imply a protocol; without a row <device> names it",
    "sim/saving/as_data.py": "the base of users' own sensors, in the same module",
    "study/store.py": "tables of sweeps, which are no recordings",
    "hardware/plant.py": "drives home at the limit switches of their joint",
    "dynamics/sensing/kinds.py": "counts and noise in whole numbers; other sensors are traced from their `read`",
}
SAMPLES = (
    Sample("transmission", ("LinearMap", '"linear_map"'), "model/transmissions/linear_map.py",
           "model/transmissions/__init__.py",
           ("formats/transmissions/kinds.py", "formats/transmissions/plugins.py", "display/maps.py",
            "dynamics/actuation/gears.py", "model/checks/simulation_checks.py")),
    Sample("transmission", ("FourBarLinkage", '"four_bar_linkage"'), "model/transmissions/linkage.py",
           "model/transmissions/__init__.py", ("display/maps.py",)),
    Sample("actuator", ("PneumaticCylinder", '"pneumatic"'), "model/actuators/linear_actuators.py",
           "model/actuators/__init__.py"),
    Sample("actuator", ("DCMotor", '"dc_motor"'), "model/actuators/dc_motor.py", "model/actuators/__init__.py"),
    Sample(
        "sensor", ("LimitSwitch",), "model/sensors/sensors.py", "model/sensors/sensors.py",
        ("dynamics/sensing/kinds.py", "hardware/plant.py", "sim/saving/as_data.py"),
    ),
    Sample("joint", ("Planar", '"planar"'), "model/joints/planar.py", "model/joints/joint.py",
           ("formats/urdf/robot.py", "formats/drake/joints.py", "formats/drake/constraints.py")),
    Sample("joint", ("Screw", '"screw"'), "model/joints/screw.py", "model/joints/joint.py",
           ("formats/transmissions/kinds.py",)),
    Sample("joint", ("Universal", '"universal"'), "model/joints/two_axes.py", "model/joints/joint.py",
           ("formats/loops/closure_lists.py", "formats/loops/closures.py", "formats/drake/constraints.py")),
    Sample("back end", ("Interpreter", '"interpreter"'), "compiler/backends/interpreter.py",
           "compiler/backends/__init__.py"),
    Sample("row type", ("BacklashRow",), "dynamics/actuation/backlash.py", "dynamics/steps/constraint_groups.py"),
    Sample("friction", ("Stribeck", '"stribeck"'), "model/frictions/stribeck.py", "model/frictions/__init__.py"),
    Sample("friction", ("ShaftFrictionRow",), "dynamics/actuation/shaft_rows.py", "dynamics/actuation/shaft_rows.py"),
    Sample("protocol", ('"odrive"',), "hardware/protocols/odrive/__init__.py", "model/hardware/device_bindings.py",
           ("hardware/ros2_bindings.py",)),
    Sample("recording format", ("CsvSink", '".csv"'), "sim/recordings/csv_text.py", "sim/recordings/formats.py",
           ("study/store.py",)),
)  # fmt: skip


def places(sample: Sample) -> set[str]:
    """Files whose code names it: comments, docstrings and re-exports do not count."""
    found = set()
    for path in sorted(SOURCE.rglob("*.py")):
        file = path.relative_to(SOURCE).as_posix()
        if file.startswith(EXAMPLES) or file in (sample.file, sample.table):
            continue
        if path.name == "__init__.py":
            continue
        text = path.read_text(encoding="utf-8")
        named = any(name.strip('"') in text for name in sample.names) and _names(text) & {*sample.names}
        if named or _path(sample.file) in _names(text):
            found.add(file)
    return found


def _path(file: str) -> str:
    """A file's module as texts name it: "model.transmissions.linear_map"."""
    return '"' + file.removesuffix(".py").removesuffix("/__init__").replace("/", ".") + '"'


@cache
def _names(text: str) -> frozenset[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    kinds = (tokenize.NAME, tokenize.STRING)
    found = {t.string.replace("'", '"') for t in tokens if t.type in kinds}
    texts = {name.strip('"').partition(":")[0] for name in found if name.startswith('"')}
    return frozenset(found | {f'"{text.removeprefix("gearwright.")}"' for text in texts})


def main() -> int:
    print(f"{'family':18}{'kind':20}{'file':42}{'row in':36}others")
    wrong = 0
    for s in SAMPLES:
        others = places(s)
        unexpected = sorted(others - {*s.argued})
        wrong += len(unexpected)
        shown = ", ".join(f"{f}{' (!)' if f in unexpected else ''}" for f in sorted(others)) or "none"
        print(f"{s.family:18}{s.names[0]:20}{s.file:42}{s.table:36}{shown}")
    print("\nOne file and one row each; test_outside_kinds.py and test_backends.py add one from outside the package.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
