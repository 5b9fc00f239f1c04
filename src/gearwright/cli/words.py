"""Options by other words: --time suggests --duration."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

OTHER_WORDS = {
    "--time": "--duration", "--seconds": "--duration", "--position": "--set", "--output": "--out",
    "--samples": "--designs", "--figure": "--plot",
}  # fmt: skip


class SuggestingCommand(TyperCommand):
    """A command that knows what an option is called elsewhere."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            meant = OTHER_WORDS.get(str(getattr(error, "option_name", "")))
            if meant is not None and any(meant in p.opts for p in self.params):
                error.possibilities = [meant]  # type: ignore[attr-defined]
            raise
