"""Executables for the questions of `programs`, and the facts about a step that only its equations know.

`CompiledKernels` makes them when first asked for, or takes them from the disk, where they are found by a hash of
everything that determines them (`keys`). A robot that has been compiled before is therefore not even traced: neither
CasADi nor `dynamics` is imported. `saving.SavedKernels` has them from a file.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from gearwright.compiler import Executable, Program, build, find_backend
from gearwright.compiler.tape import NotFiniteError
from gearwright.errors import CompileError
from gearwright.model import Mechanism
from gearwright.model.layout.control_places import ControlPlaces
from gearwright.model.layout.sensor_layout import SensorLayout
from gearwright.sim.options import Options
from gearwright.sim.programs import keys
from gearwright.sim.programs.programs import TANGENT, TANGENT_STEP, program
from gearwright.sim.recorder.free_memory import require_memory
from gearwright.sim.saving.as_data import from_data, to_data

if TYPE_CHECKING:
    from gearwright.dynamics import Equations

LEAST_MEMORY = 24 * 2**20  # bytes that LLVM takes for any program; where they are missing, it ends the process
MEMORY_PER_OPERATION = 800  # bytes, measured on robots of 24,000 to 750,000 operations
BAD_ALLOC = "bad_alloc"  # of CasADi's error where it gets no memory
FREE_SOME = "free some, or raise the limit of this process (`ulimit -v`)"


@dataclass(frozen=True)
class ControlFacts:
    """A compiled controller in the step: the places of its numbers, and their values after a reset."""

    places: ControlPlaces
    start: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class StepFacts:
    """Facts about a step that only its equations know. They are kept with its code."""

    nominal: Mapping[str, float]  # the parameters' values in the file
    rows: tuple[str, ...]  # of the constraints: names of the entries of `impulse`
    drive_places: Mapping[str, int]  # places in `impulse` of the drives, by coordinate
    sensing: SensorLayout
    control: ControlFacts | None

    @staticmethod
    def of(equations: Equations) -> StepFacts:
        from gearwright.dynamics.constraints.drives import DriveRow

        control, groups = equations.control, equations.groups
        starts = accumulate((group.size for group in groups), initial=0)
        return StepFacts(
            nominal=dict(equations.parameters), rows=equations.rows, sensing=equations.sensing.layout,
            drive_places={g.name: at for g, at in zip(groups, starts, strict=False) if isinstance(g, DriveRow)},
            control=None if control is None else ControlFacts(control.places, tuple(control.start)),
        )  # fmt: skip


class Kernels(ABC):
    """The executables of one robot by name, all for the same device and precision."""

    def __init__(self, robot: Mechanism, options: Options) -> None:
        self.robot, self.options = robot, options

    @abstractmethod
    def __getitem__(self, name: str) -> Executable: ...

    @property
    @abstractmethod
    def facts(self) -> StepFacts: ...

    @property
    @abstractmethod
    def equations(self) -> Any:
        """The equations of motion."""

    @property
    @abstractmethod
    def control_stage(self) -> Any:
        """The controller as a function of its slots; None where it cannot be had."""


def out_of_memory(robot: Mechanism) -> CompileError:
    return CompileError(f"there is not enough memory to compile {robot.name!r}: {FREE_SOME}")


def _shown(name: str) -> str:
    return "a step" if name == "step" else repr(name)


def _too_large(robot: Mechanism) -> str:
    numbers = sorted(robot.parameters.items(), key=lambda row: -abs(row[1].value))[:3]
    largest = ", ".join(f"{name!r} = {number}" for name, number in numbers)
    return f"the numbers of {robot.name!r} are too large to compute with; the largest are {largest}"


class CompiledKernels(Kernels):
    """Compiled here, or taken from the cache on disk."""

    def __init__(self, robot: Mechanism, options: Options) -> None:
        super().__init__(robot, options)
        self._backend = find_backend(options.device)
        self._made: dict[str, Executable] = {}

    def __getitem__(self, name: str) -> Executable:
        if name not in self._made:
            try:
                key = self._key(name)
                self._made[name] = build(
                    lambda: self._program(name), self._backend, identity=key,
                    note=self._note if name == "step" and key is not None else str,
                    precision=self.options.precision,
                    batch=None if name.startswith(TANGENT) else self.options.batch,  # directions are lanes
                )  # fmt: skip
            except NotFiniteError:
                raise CompileError(_too_large(self.robot)) from None
            except (MemoryError, RuntimeError) as error:
                if isinstance(error, RuntimeError) and BAD_ALLOC not in str(error):
                    raise
                raise out_of_memory(self.robot) from None
        return self._made[name]

    def _program(self, name: str) -> Program:
        """Raises CompileError for one that is too large to compile, while it is traced."""
        from gearwright.dynamics.algebra.scalar import TooManyOperationsError, at_most

        most = int(self.options.most_operations)
        try:
            with at_most(most):
                made = program(name, self.equations, self._near if name == "step" else None)
        except TooManyOperationsError:
            raise CompileError(
                f"{self.robot.name!r} takes more than {most:,} operations to compute {_shown(name)}: compiling them "
                "needs minutes and gigabytes of memory. If that is what you want, raise compile(most_operations=…); "
                "couplings and loops that each connect many joints make a robot so expensive"
            ) from None
        operations = sum(len(stage.tape.instructions) for stage in made.stages)
        what = f"compiling {operations:,} operations of {self.robot.name!r}"
        require_memory(LEAST_MEMORY + operations * MEMORY_PER_OPERATION, what, FREE_SOME, CompileError)
        return made

    def _note(self) -> str:
        return json.dumps(to_data(StepFacts.of(self.equations)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without code, which is compiled again or comes from the cache."""
        return CompiledKernels, (self.robot, self.options)

    @cached_property
    def equations(self) -> Any:
        """Only needed for code that is not on the disk."""
        return self._equations_of(self.robot)

    @property
    def _near(self) -> Any:
        """Those of the robot with the contacts that it is drawn with, if these are few."""
        from gearwright.dynamics.steps.apart import near_pairs

        if self.options.device != "cpu" or not self.robot.contacts:
            return None
        pairs = near_pairs(self.robot, self.equations.model.bodies)
        return None if pairs is None else self._equations_of(replace(self.robot, contacts=pairs))

    def _equations_of(self, robot: Mechanism) -> Any:
        from gearwright.dynamics import Equations

        o = self.options
        return Equations(
            robot, parameters=o.parameters, gravity=o.gravity, integrator=o.integrator, solver=o.solver,
            iterations=o.iterations, newton_iterations=o.newton_iterations, switches=o.switches, change=o.change,
            precision=o.precision, drives=o.drives, period=o.dt,
            controller=o.controller, control_period=o.control_period, wrenches=o.wrenches,
        )  # fmt: skip

    @cached_property
    def facts(self) -> StepFacts:
        step = self["step"]
        return from_data(json.loads(step.note)) if step.note else StepFacts.of(self.equations)

    @property
    def control_stage(self) -> Any:
        return self.equations.control.stage

    @cached_property
    def _identity(self) -> tuple[Any, ...] | None:
        model = keys.model_digest(self.robot)
        if model is None or keys.foreign_constraints():
            return None
        o = self.options
        solved = (o.solver, o.iterations, o.newton_iterations, o.switches, o.change)
        rows = (*solved, *o.drives.items(), *((o.dt,) if self.robot.sensors else ()))
        return model, o.inputs, o.gravity, o.integrator, rows, o.precision, *o.wrenches

    def _key(self, name: str) -> str | None:
        if name.startswith(("step", TANGENT_STEP)) and self.options.controller is not None:
            return None  # a user's function is known by what it computes
        return None if self._identity is None else keys.identity("simulation", name, *self._identity)
