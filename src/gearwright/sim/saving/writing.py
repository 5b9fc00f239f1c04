"""`Simulation.save`: code, model and state of a simulation to a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import gearwright
from gearwright.compiler import Program, find_backend
from gearwright.compiler.program_text import to_text
from gearwright.errors import UnknownNameError
from gearwright.files import checked_path
from gearwright.given_names import checked_names
from gearwright.sim.saving import container
from gearwright.sim.saving.as_data import to_data
from gearwright.sim.saving.saved_kernels import SavedKernels
from gearwright.sim.state.snapshot import HELD

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

# kernels of the questions that a simulation answers, beside those that it cannot do without
QUESTIONS = (
    "observation", "link_poses", "link_velocity", "link_acceleration", "reaction", "screws", "energy", "momentum",
    "mass_matrix", "bias", "inverse_dynamics",
)  # fmt: skip


def save(sim: Simulation, path: str | os.PathLike[str], questions: Sequence[str] | None = None) -> None:
    """See `Simulation.save`."""
    checked_path(path, "a saved simulation")
    asked = QUESTIONS if questions is None else checked_names("save(questions=…)", questions)
    for name in asked:
        if name not in QUESTIONS:
            raise UnknownNameError("question", name, QUESTIONS)
    code = _code(sim, [*_needed(sim), *asked])
    head = {
        "gearwright": gearwright.__version__,
        "robot": to_data(sim.robot),
        "options": to_data(sim.options),
        "facts": to_data(sim.kernels.facts),
        "programs": {name: to_text(program.outline()) for name, (program, _) in code.items()},
        "clock": [sim.clock.start, sim.clock.steps],
    }
    parts = {f"code {name}": content for name, (_, content) in code.items()}
    state = sim.batch_state
    parts |= {f"slot {s.name}": state.get(s.name).tobytes() for s in state.program.of_kind(*HELD)}
    container.written(path, container.packed(head, parts))


def _needed(sim: Simulation) -> list[str]:
    """Kernels without which there is no reset, and no reading of followers, motors and contacts."""
    found = ["step", "tree"]
    found += ["sense_start"] if sim.robot.sensors else []
    found += ["shafts"] if sim.layout.commanded else []
    found += ["contacts", "contact_force"] if sim.signals.family("contact_force").signals else []
    return [*found, "closure", "cut_joints"] if sim.robot.tree.cuts else found


def _code(sim: Simulation, names: list[str]) -> dict[str, tuple[Program, bytes]]:
    kernels, o = sim.kernels, sim.options
    if isinstance(kernels, SavedKernels):  # opened, and saved again
        return {name: kernels.code[name] for name in names if name in kernels.code}
    backend = find_backend(o.device)
    found = {}
    for name in names:
        made = kernels[name]
        found[name] = made.program, backend.portable(made.program, made.kept_code, o.precision, int(o.batch))
    return found
