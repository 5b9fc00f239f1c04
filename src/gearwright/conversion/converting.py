"""`gw.convert`: one file to another, and the proof that the new one says the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gearwright.conversion.checks import Check, table
from gearwright.errors import ModelError
from gearwright.formats import load
from gearwright.given_names import checked_flag
from gearwright.given_numbers import number
from gearwright.model import Mechanism
from gearwright.writing.meshes import MeshMode
from gearwright.writing.report import Loss
from gearwright.writing.saving import save

PathLike = str | os.PathLike[str]
TOLERANCE = 1e-9  # [rad, m]; relative above 1


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """What a conversion wrote, what the new file does not say, and what was compared."""

    source: str
    target: str
    lost: tuple[Loss, ...] = ()  # what the target's format cannot say
    notes: tuple[str, ...] = ()  # what it says in another way
    checks: tuple[Check, ...] = ()  # of verify=True
    tolerance: float = TOLERANCE

    @property
    def verified(self) -> bool | None:
        """Whether all that was compared is within the tolerance; None without a comparison."""
        compared = [c for c in self.checks if c.difference is not None]
        return all(c.ok for c in compared) if compared else None

    @property
    def table(self) -> str:
        """The checks as text."""
        return table(self.checks)

    def __str__(self) -> str:
        lines = [f"{self.source} → {self.target}"]
        lines += [f"  lost: {loss}" for loss in self.lost] + [f"  note: {note}" for note in self.notes]
        return "\n".join([*lines, *([self.table] if self.checks else [])])


def convert(
    source: PathLike, target: PathLike, *, verify: bool = False, tolerance: float = TOLERANCE,
    meshes: MeshMode = "reference", plugins: Any = None, model: str | None = None, search_path: Sequence[PathLike] = (),
    base: Any = None,
) -> Conversion:  # fmt: skip
    """Reads a robot and writes it; the target's suffix selects the format: .sdf, .urdf, .xml (MJCF), .usda.

    verify     reads the result back, and loads it in MuJoCo, Pinocchio and Drake if they are installed and read
               the format; compares poses, mass matrices, bias and motion (`.verified`, `.checks`, `.table`)
    tolerance  largest accepted difference: relative above 1, absolute below
    meshes     "reference" or "copy", as in `save`

    The other arguments are those of `load`. The target is written in any case, even if the comparison fails.
    """
    checked_flag("verify", verify)
    tolerance = number("tolerance", tolerance)
    if not tolerance >= 0:
        raise ModelError(f"tolerance must be at least 0, not {tolerance:g}")
    robot = load(source, plugins=plugins, model=model, search_path=search_path, base=base)
    return write_proved(robot, source, target, verify=verify, tolerance=tolerance, meshes=meshes)


def write_proved(
    robot: Mechanism, source: PathLike, target: PathLike, *, verify: bool, tolerance: float, meshes: MeshMode
) -> Conversion:
    """Writes a robot that was read from `source`."""
    done = save(robot, target, meshes=meshes, source=source)
    checks: tuple[Check, ...] = ()
    if verify:
        from gearwright.conversion.proof import prove

        checks = prove(robot, done.path.read_text(encoding="utf-8"), done.path.suffix.lower(), tolerance)
    return Conversion(
        source=os.fspath(source), target=os.fspath(target), lost=done.lost, notes=done.notes, checks=checks,
        tolerance=tolerance,
    )  # fmt: skip
