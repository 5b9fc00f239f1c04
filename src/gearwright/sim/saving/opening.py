"""`gearwright.open`: a simulation from a file, without CasADi and LLVM."""

from __future__ import annotations

import os
from math import isfinite
from typing import Any

import numpy as np

import gearwright
from gearwright.compiler import Program
from gearwright.compiler.program_text import from_text
from gearwright.errors import GearwrightError
from gearwright.given_names import checked_flag
from gearwright.model import Mechanism
from gearwright.sim.options import Options
from gearwright.sim.programs.kernels import StepFacts
from gearwright.sim.saving import container
from gearwright.sim.saving.as_data import from_data
from gearwright.sim.saving.saved_kernels import SavedKernels
from gearwright.sim.simulation import Simulation
from gearwright.sim.state.snapshot import HELD, Snapshot
from gearwright.sim.state.values import Array

MOST_ELEMENTS = 10**7  # of a robot's slots; the largest of the corpus has 10⁵


def open(
    path: str | os.PathLike[str], *, batch: int | None = None, threads: int | None = None, trust: bool = False
) -> Simulation:
    """Opens a simulation that `Simulation.save` has written, in its saved state, without compiling anything.

    It needs only NumPy; code for a GPU needs CuPy. With `batch`, it has another number of robots, in their initial
    state. `threads` is that of `gearwright.compile`. Raises LoadError for a file that is damaged, of another version,
    or for another machine. It also raises LoadError for a file that this user has not saved on this machine, unless
    `trust` is true, because its code runs as you.
    """
    checked_flag("trust", trust)
    content = container.read(path)
    try:
        head, parts = container.unpacked(content, trust=trust)
        _check_version(head)
        kernels = _kernels(head, parts, os.fspath(path))
        kernels["step"]  # for this machine?
        held = _held(kernels, parts)
        start, steps = head["clock"]
        if not (isinstance(start, float) and isfinite(start) and type(steps) is int and 0 <= steps <= 2**53):
            raise ValueError("the clock is not valid")
        return _made(kernels, Snapshot(held, start, steps, None), batch, threads)
    except GearwrightError as error:
        raise container.refused(path, str(error)) from error
    except (MemoryError, RecursionError) as error:
        raise container.refused(path, f"the file is too large for this machine ({type(error).__name__})") from error
    except Exception as error:  # whatever classes of a mechanism make of numbers that nobody writes
        raise container.refused(path, f"the file is damaged: {error}") from error


def _check_version(head: dict[str, Any]) -> None:
    if head.get("gearwright") != gearwright.__version__:
        raise GearwrightError(
            f"saved by Gearwright {head.get('gearwright')!r:.20}, and this is {gearwright.__version__}: save it again "
            "with this version, or install that one"
        )


def _kernels(head: dict[str, Any], parts: dict[str, bytes], path: str) -> SavedKernels:
    robot, options, facts = (from_data(head[part]) for part in ("robot", "options", "facts"))
    if not (isinstance(robot, Mechanism) and isinstance(options, Options) and isinstance(facts, StepFacts)):
        raise ValueError("it holds no model")
    code = {name: (_outline(text), parts[f"code {name}"]) for name, text in head["programs"].items()}
    return SavedKernels(robot, options, facts, code, path)


def _outline(text: str) -> Program:
    program = from_text(text)
    if program.stages or sum(slot.size for slot in program.slots) > MOST_ELEMENTS:
        raise ValueError("the outline of a program is not valid")
    if any(type(n) is not int or n < 0 for slot in program.slots for n in slot.shape):
        raise ValueError("a slot has no size")
    return program


def _held(kernels: SavedKernels, parts: dict[str, bytes]) -> dict[str, Array]:
    """States, inputs and parameters, (B, *shape) each."""
    found, batch, made = {}, int(kernels.options.batch), kernels["step"]
    for slot in made.program.of_kind(*HELD):
        values = np.frombuffer(parts[f"slot {slot.name}"], made.dtype.newbyteorder("<"))
        if values.size != batch * slot.size:
            raise ValueError(f"the numbers of {slot.name!r} do not fit")
        found[slot.name] = values.reshape(batch, *slot.shape)
    return found


def _made(kernels: SavedKernels, snapshot: Snapshot, batch: int | None, threads: int | None) -> Simulation:
    o = kernels.options
    changed = batch is not None and batch != o.batch
    if changed or threads is not None:
        kernels = kernels.for_batch(o.batch if batch is None else batch, threads or o.threads)
    sim = Simulation(kernels.robot, kernels.options, kernels)
    if not changed:
        snapshot.restore(sim)
    return sim
