"""Machine code for the questions of `programs`: made when first asked for, or taken from the disk.

An entry is found by what decides it (`keys`), so that a robot that has been compiled before is not even traced. It
holds the names and shapes of the program's slots, and the object code.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gearwright.compiler import Kernel, Kind, Program, Slot, cache, compile_program
from gearwright.compiler.layout import Layout
from gearwright.compiler.llvm import LoadedCode, object_code
from gearwright.compiler.passes import optimise_program
from gearwright.compiler.target import host
from gearwright.model import Mechanism
from gearwright.sim import keys
from gearwright.sim.options import Options
from gearwright.sim.programs import PROGRAMS

if TYPE_CHECKING:
    from gearwright.dynamics.control import Control


class Kernels:
    """The kernels of one robot, all for the same lanes and precision."""

    def __init__(self, robot: Mechanism, options: Options) -> None:
        self.robot, self.options = robot, options
        self.lanes = 1 if options.batch == 1 else host().lanes(options.precision)
        self._made: dict[str, Kernel] = {}

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._made:
            self._made[name] = self._from_disk(name) or self._new(name)
        return self._made[name]

    @cached_property
    def equations(self) -> Any:
        """The equations of motion; only needed for code that is not on the disk."""
        from gearwright.dynamics import TOLERANCE, Equations

        o = self.options
        return Equations(
            self.robot, parameters=o.parameters, gravity=o.gravity, integrator=o.integrator, solver=o.solver,
            iterations=o.iterations, tolerance=TOLERANCE[o.precision], drives=o.drives, period=o.dt,
            controller=o.controller, control_period=o.control_period,
        )  # fmt: skip

    @cached_property
    def nominal(self) -> dict[str, float]:
        """What the file says of the parameters."""
        from gearwright.dynamics.parameters import numbers, with_symbols

        o = self.options
        own = {} if o.controller is None else o.controller.parameters
        return {**with_symbols(self.robot, numbers(self.robot, o.gravity), o.parameters)[2], **own}

    @cached_property
    def control(self) -> Control | None:
        """The controller's part of the step."""
        found: Control | None = None if self.options.controller is None else self.equations.control
        return found

    @cached_property
    def _identity(self) -> tuple[Any, ...] | None:
        model = keys.model_digest(self.robot)
        if model is None:
            return None
        o, target = self.options, host()
        rows = (o.solver, o.iterations, *o.drives.items(), *((o.dt,) if self.robot.sensors else ()))
        return model, o.inputs, o.gravity, o.integrator, rows, o.precision, self.lanes, target

    def _key(self, name: str) -> str | None:
        if name == "step" and self.options.controller is not None:
            return None  # a user's function is known by what it computes
        return None if self._identity is None else keys.key("simulation", name, *self._identity)

    def _from_disk(self, name: str) -> Kernel | None:
        key = self._key(name)
        entry = None if key is None else cache.load(key)
        if entry is None:
            return None
        described, _, code = entry.partition(b"\n")
        slots = tuple(Slot(name=n, kind=Kind(k), shape=tuple(shape)) for n, k, shape in json.loads(described))
        return self._kernel(Program(name=name, slots=slots, body=()), code, from_cache=True)

    def _new(self, name: str) -> Kernel:
        program = PROGRAMS[name](self.equations)
        key = self._key(name)
        if key is None:  # found by the program itself, which has to be traced then
            return compile_program(program, lanes=self.lanes, precision=self.options.precision)
        optimised = optimise_program(program)
        code = object_code(optimised, Layout(optimised, self.lanes), self.options.precision, host())
        described = json.dumps([[s.name, s.kind, s.shape] for s in program.slots]).encode()
        cache.save(key, described + b"\n" + code)
        return self._kernel(program, code, from_cache=False)

    def _kernel(self, program: Program, code: bytes, from_cache: bool) -> Kernel:
        loaded = LoadedCode(code, host())
        return Kernel(program, Layout(program, self.lanes), self.options.precision, loaded, from_cache)
