"""`xacro.load_yaml`: plain data from yaml, with xacro's units. No tag of yaml makes an object here."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from typing import Any

from gearwright.formats.xacro.budget import MAX_ITEMS, Budget
from gearwright.formats.xacro.errors import XacroError, shown, too_much
from gearwright.formats.xacro.functions import dotted
from gearwright.formats.xacro.values import Value, weigh

MAX_YAML = 256 * 1024  # bytes
MAX_NUMBER = 100  # characters
_STEPS = 50  # of the budget for one value: reading it takes so much longer than evaluating
UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180.0,
    "!meters": 1.0,
    "!millimeters": 0.001,
    "!foot": 0.3048,
    "!inches": 0.0254,
}


def read_yaml(text: str, budget: Budget, evaluate: Callable[[str], Value], name: str) -> Value:
    """The data of a yaml text; `evaluate` computes the expressions of values with a unit."""
    import yaml

    loader = _loader(yaml, budget, evaluate)(text)
    try:
        data = _plain(weigh(loader.get_single_data(), budget))
    except (yaml.YAMLError, ValueError, TypeError, LookupError, ArithmeticError) as e:
        mark = getattr(e, "problem_mark", None)
        where = f" line {mark.line + 1}" if mark is not None else ""
        problem = getattr(e, "problem", None) or str(e)
        raise XacroError(f"{shown(name)}{where} cannot be read as yaml: {str(problem)[:200]}") from None
    finally:
        loader.dispose()
    return dotted(data)


def _loader(yaml: Any, budget: Budget, evaluate: Callable[[str], Value]) -> Any:
    """PyYAML's safe loader, which draws from the budget."""

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            budget.spend(_STEPS)
            return super().compose_node(parent, index)

        def compose_scalar_node(self, anchor: Any) -> Any:
            node = super().compose_scalar_node(anchor)
            if node.tag.rpartition(":")[2] in ("int", "float", "timestamp") and len(node.value) > MAX_NUMBER:
                raise too_much(f"a number of more than {MAX_NUMBER} characters")
            return node

        def flatten_mapping(self, node: Any) -> None:
            """Merge keys copy what they name, and could double it at every level."""
            merged = [v for k, v in node.value if k.tag == "tag:yaml.org,2002:merge"]
            parts = [p for v in merged for p in (v.value if isinstance(v, yaml.SequenceNode) else [v])]
            size = 0
            for part in parts:
                if isinstance(part, yaml.MappingNode):
                    self.flatten_mapping(part)
                    size += len(part.value)
                    budget.spend(len(part.value))
                if size > MAX_ITEMS:
                    raise too_much(f"merge keys that copy more than {MAX_ITEMS:,} values")
            super().flatten_mapping(node)

        def unit(self, node: Any) -> float:
            return float(evaluate(str(self.construct_scalar(node)))) * UNITS[node.tag]

    for tag in UNITS:
        Loader.add_constructor(tag, Loader.unit)
    return Loader


def _plain(value: Value) -> Value:
    """Only the types of expressions: dates become the text they print as."""
    if isinstance(value, dict):
        return {_plain(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set)):
        return type(value)(_plain(v) for v in value)
    if isinstance(value, datetime.date):
        return str(value)
    if isinstance(value, bytes):
        raise XacroError("a yaml file with binary data")
    return value
