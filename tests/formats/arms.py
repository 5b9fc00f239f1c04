"""A small arm to hang actuation elements on."""

from __future__ import annotations

import pytest

import gearwright
from gearwright import LoadError, Mechanism

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def text(parts: str) -> str:
    """An arm whose joints' names are not in the order of the file, nor of the alphabet."""
    links = "".join(f'<link name="l{i}">{MASS}</link>' for i in range(3))
    joints = "".join(
        f'<joint name="{n}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="0 0 1"/></joint>'
        for i, n in enumerate(("zeta", "alpha"))
    )
    return f'<robot name="r">{links}{joints}{parts}</robot>'


def robot(parts: str) -> Mechanism:
    return gearwright.loads(text(parts))


def errors(parts: str) -> list[str]:
    with pytest.raises(LoadError) as caught:
        robot(parts)
    return [d.code for d in caught.value.diagnostics if d.severity == "error"]


MOTORS = '<actuator name="m"/><actuator name="n"/>'
ENDS = "<actuator>m</actuator><joint>zeta</joint>"
