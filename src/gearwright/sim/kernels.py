"""Executables for the questions of `programs`: made when first asked for, or taken from the disk.

They are found by what decides them (`keys`), so that a robot that has been compiled before is not even traced.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from gearwright.compiler import Executable, build, find_backend
from gearwright.model import Mechanism
from gearwright.sim import keys
from gearwright.sim.options import Options
from gearwright.sim.programs import program

if TYPE_CHECKING:
    from gearwright.dynamics.control.controller import Control


class Kernels:
    """The executables of one robot, all for the same device and precision."""

    def __init__(self, robot: Mechanism, options: Options) -> None:
        self.robot, self.options = robot, options
        self._backend = find_backend(options.device)
        self._made: dict[str, Executable] = {}

    def __getitem__(self, name: str) -> Executable:
        if name not in self._made:
            self._made[name] = build(
                lambda: program(name, self.equations), self._backend, identity=self._key(name),
                precision=self.options.precision, batch=self.options.batch,
            )  # fmt: skip
        return self._made[name]

    @cached_property
    def equations(self) -> Any:
        """The equations of motion; only needed for code that is not on the disk."""
        from gearwright.dynamics import TOLERANCE, Equations

        o = self.options
        return Equations(
            self.robot, parameters=o.parameters, gravity=o.gravity, integrator=o.integrator, solver=o.solver,
            iterations=o.iterations, tolerance=TOLERANCE[o.precision], drives=o.drives, period=o.dt,
            controller=o.controller, control_period=o.control_period, wrenches=o.wrenches,
        )  # fmt: skip

    @cached_property
    def nominal(self) -> dict[str, float]:
        """The parameters' values in the file."""
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
        if model is None or keys.foreign_constraints():
            return None
        o = self.options
        rows = (o.solver, o.iterations, *o.drives.items(), *((o.dt,) if self.robot.sensors else ()))
        return model, o.inputs, o.gravity, o.integrator, rows, o.precision, *o.wrenches

    def _key(self, name: str) -> str | None:
        if name == "step" and self.options.controller is not None:
            return None  # a user's function is known by what it computes
        return None if self._identity is None else keys.key("simulation", name, *self._identity)
