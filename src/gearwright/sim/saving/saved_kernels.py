"""Kernels that come from a file: code for this machine, and the facts about the step beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from gearwright.compiler import Executable, Program, find_backend
from gearwright.errors import CompileError
from gearwright.model import Mechanism
from gearwright.sim.options import Options
from gearwright.sim.programs.kernels import Kernels, StepFacts


class SavedKernels(Kernels):
    """`code`: by kernel its outline, and the code as `Backend.portable` made it. Loaded when first asked for."""

    def __init__(
        self, robot: Mechanism, options: Options, facts: StepFacts, code: Mapping[str, tuple[Program, bytes]], path: str
    ) -> None:
        super().__init__(robot, options)
        self._facts, self._code, self._path = facts, dict(code), path
        self._backend = find_backend(options.device)
        self._loaded: dict[str, Executable] = {}

    def __getitem__(self, name: str) -> Executable:
        if name not in self._code:
            there = ", ".join(self._code)
            raise CompileError(f"{self._path} has no code for {name!r}: it was saved with {there}")
        if name not in self._loaded:
            program, code = self._code[name]
            self._loaded[name] = self._backend.load_portable(program, code, self.options.precision, self.options.batch)
        return self._loaded[name]

    def __reduce__(self) -> tuple[Any, ...]:
        return SavedKernels, (self.robot, self.options, self._facts, self._code, self._path)

    @property
    def code(self) -> Mapping[str, tuple[Program, bytes]]:
        return self._code

    @property
    def facts(self) -> StepFacts:
        return self._facts

    def for_batch(self, batch: int, threads: int | None) -> SavedKernels:
        options = replace(self.options, batch=batch, threads=threads)
        return SavedKernels(self.robot, options, self._facts, self._code, self._path)

    @property
    def equations(self) -> NoReturn:
        raise CompileError(
            f"{self._path} holds code and no equations, which linearizing and exporting need: compile the robot with "
            "gearwright.compile"
        )

    @property
    def control_stage(self) -> None:
        return None
