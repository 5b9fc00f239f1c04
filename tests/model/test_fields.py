"""Meanings of fields: ranges, messages, and that every field of a part has one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, nan
from typing import Literal, Optional

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import ACTUATORS, SENSORS, AxisDynamics, Backlash, Coupling, Inertia, Limits, Losses
from gearwright.model.fields import NOTHING, check, highlights, meanings, quantity
from gearwright.model.transmissions import TRANSMISSIONS

PARTS = [*ACTUATORS.values(), *SENSORS.values(), *TRANSMISSIONS.values()]
PARTS += [AxisDynamics, Backlash, Coupling, Inertia, Limits, Losses]


@dataclass(frozen=True, kw_only=True)
class Part:
    size: float = quantity("m", above=0, doc="size", default=1.0)
    share: float = quantity(at_least=0, at_most=1, doc="share", default=0.5)
    limit: float = quantity("N·m | N", at_least=0, infinite=True, doc="limit", default=inf)
    ratio: tuple[float, ...] = quantity(nonzero=True, doc="ratio", default=(1.0,))
    side: str = quantity(choices=("left", "right"), doc="side", default="left")

    def __post_init__(self) -> None:
        check(self, "part: ")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"size": 0.0}, "part: size must be positive, not 0"),
        ({"size": nan}, "size must be positive, not nan"),
        ({"size": inf}, "size must be finite, not inf"),
        ({"size": 0}, "size must be positive, not 0"),
        ({"share": -0.1}, r"share cannot be negative \(-0.1\)"),
        ({"share": 1.1}, "share must be at most 1, not 1.1"),
        ({"limit": nan}, "limit cannot be negative"),
        ({"ratio": (1.0, 0.0)}, r"ratio\[1\] must be finite and not zero, not 0.0"),
        ({"side": "up"}, "side must be left or right, not 'up'"),
        ({"ratio": (np.int64(0),)}, r"ratio\[0\] must be finite and not zero, not 0\.0"),
        ({"ratio": (np.float32(0),)}, "must be finite and not zero"),
        ({"ratio": (10**400,)}, "must be finite and not zero, not inf"),
        ({"size": np.float32("nan")}, "size must be positive, not nan"),
        ({"share": np.float16(2)}, "share must be at most 1, not 2"),
        ({"size": Fraction(-1, 4)}, r"size must be positive, not -0\.25"),
    ],
)
def test_ranges(values: dict[str, object], says: str) -> None:
    with pytest.raises(gw.ModelError, match=says):
        Part(**values)  # type: ignore[arg-type]


def test_what_passes() -> None:
    Part(size=5e-324, share=1.0, limit=inf, ratio=(-1.0, 1e300), side="right")


Length = float  # an alias, resolved in its module


@dataclass(frozen=True, kw_only=True)
class Spelt:
    turned: None | float = quantity(doc="None first", default=None)  # noqa: RUF036
    optional: Optional[float] = quantity(doc="as older code writes it", default=None)  # noqa: UP045
    alias: Length = quantity(doc="another name", default=1.0)
    count: int = quantity(doc="of teeth", default=1)
    word: None | str = quantity(doc="a text", default=None)  # noqa: RUF036
    pair: tuple[Length, Length] = quantity(doc="two", default=(1.0, 2.0))
    table: tuple[tuple[float, float], ...] = quantity(doc="rows", default=())
    choice: None | Literal["a", "b"] = quantity(choices=("a", "b"), doc="one of two", default=None)  # noqa: RUF036
    function: object = None

    def __post_init__(self) -> None:
        check(self)


def test_types_are_resolved_whatever_their_spelling() -> None:
    forms = [m.form for m in meanings(Spelt)]
    assert forms == ["number", "number", "number", "whole", "text", "numbers", "matrix", "choice", "other"]
    assert [m.name for m in meanings(Spelt) if m.is_parameter] == ["turned", "optional", "alias", "pair", "table"]


def test_the_types_in_words() -> None:
    words = {m.name: m.type for m in meanings(Spelt)}
    assert (words["turned"], words["optional"], words["alias"]) == ("None | float", "float | None", "float")
    assert (words["pair"], words["choice"]) == ("tuple[float, float]", "None | Literal['a', 'b']")


def test_ranges_in_words() -> None:
    words = {m.name: m.quantity.range_text for m in meanings(Part)}
    assert words == {"size": "> 0", "share": "0 … 1", "limit": "≥ 0", "ratio": "not 0", "side": "left, right"}


def test_whole_numbers() -> None:
    with pytest.raises(gw.ModelError, match=r"count must be a whole number, not 2\.5"):
        Spelt(count=2.5)  # type: ignore[arg-type]
    Spelt(count=3)


def test_a_type_that_is_not_understood_is_named() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Odd:
        size: complex = quantity(doc="not a number of files", default=1j)

    with pytest.raises(gw.ModelError, match=r"Odd\.size is a complex; a quantity is a float, int"):
        meanings(Odd)


@pytest.mark.parametrize("kind", PARTS, ids=lambda kind: kind.__name__)
def test_every_number_has_a_meaning(kind: type) -> None:
    for m in meanings(kind):
        if m.real or m.type.startswith(("int", "bool", "Literal")):
            assert m.quantity is not NOTHING and m.quantity.doc, m.name


def test_units_of_sliding_axes() -> None:
    meaning = next(m.quantity for m in meanings(Limits) if m.name == "effort")
    assert (meaning.unit_on(slides=False), meaning.unit_on(slides=True)) == ("N·m", "N")


def test_highlights_are_what_is_not_usual() -> None:
    assert [h.text for h in highlights(Part(size=2.0, side="right"))] == ["size {}", "right"]
