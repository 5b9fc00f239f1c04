"""The peers' cases: YAML files of the corpus, each with models beside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.corpus.files import corpus


@dataclass(frozen=True)
class Case:
    file: str  # "project/file"
    name: str
    values: dict[str, Any]  # inputs, expected, tolerance, …
    folder: Path  # the YAML file's
    default_model: str | None = None

    def __str__(self) -> str:
        return f"{self.file}: {self.name}"

    @property
    def expected(self) -> dict[str, Any]:
        return self.values.get("expected", {})

    @property
    def inputs(self) -> dict[str, Any]:
        return self.values.get("inputs", {})

    @property
    def model(self) -> Path:
        return self.folder / (self.values.get("model") or self.default_model or "no model")


@cache
def cases() -> tuple[Case, ...]:
    import yaml

    found, loader = [], getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    folder = corpus()
    for path in sorted((folder / "peers").glob("*/*.yaml")) if folder is not None else ():
        content = yaml.load(path.read_text(), loader)
        name = f"{path.parent.name}/{path.stem}"
        found += [Case(name, c["name"], c, path.parent, content.get("model")) for c in content["cases"]]
    return tuple(found)
