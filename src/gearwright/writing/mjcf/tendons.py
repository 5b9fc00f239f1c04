"""<tendon> of MJCF: sums of joint positions, which couplings hold and actuators pull at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gearwright.writing.mjcf.names import MjcfNames
from gearwright.writing.nodes import Node


def add_fixed_tendon(
    sections: Mapping[str, Node], names: MjcfNames, wanted: str, shares: Iterable[tuple[str, float]],
    ends: tuple[float, float] | None = None,
) -> str:  # fmt: skip
    """A tendon whose length is `Σ coef·position` of these joints; its name, which is `wanted` if that is free.

    `ends`: the range of that length.
    """
    name = names.free("tendon", wanted)
    tendon = sections["tendon"].add("fixed", name=name, range=ends)
    for joint, coef in shares:
        tendon.add("joint", joint=joint, coef=coef)
    return name
