"""Several controllers as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gearwright.control.declared import declared
from gearwright.errors import ModelError


class CombinedControllers:
    """Several controllers as one; their commands, memories and parameters must have different names."""

    def __init__(self, *controllers: Any) -> None:
        self._each = [declared(c) for c in controllers]
        self.memory: dict[str, float] = {}
        self.parameters: dict[str, float] = {}
        for own in self._each:
            for mine, theirs in ((self.memory, own.memory), (self.parameters, own.parameters)):
                if shared := mine.keys() & theirs.keys():
                    raise ModelError(f"two controllers declare {min(shared)!r}")
                mine.update(theirs)
        if not self.memory:
            self.memory = {"combined": 0.0}  # so that all are called in the one way

    def __call__(self, sim: Any, memory: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        commands: dict[str, Any] = {}
        after = dict(memory)
        for own in self._each:
            more, kept = own.called(sim, {n: memory[n] for n in own.memory})
            if shared := commands.keys() & more.keys():
                raise ModelError(f"two controllers command {min(shared)!r}")
            commands |= more
            after |= kept
        return commands, after
