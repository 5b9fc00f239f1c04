"""How checks ask: which errors and warnings a file gives, and small files around one element.

`CHECKS` maps "project/file: case" to the function that checks it; `check` adds one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gearwright as gw
from gearwright.model import Coupling
from tests.corpus.peer_files import Case

Check = Callable[[Case], None]
CHECKS: dict[str, Check] = {}


def check(file: str, *names: str) -> Callable[[Check], Check]:
    def register(function: Check) -> Check:
        CHECKS.update({f"{file}: {name}": function for name in names})
        return function

    return register


def errors(source: Path | str, **options: Any) -> list[str]:
    """Codes of the errors, in their order; none where it loads."""
    try:
        gw.load(source, **options) if isinstance(source, Path) else gw.loads(source, **options)
    except gw.LoadError as error:
        found = [d for d in error.diagnostics if d.severity == "error"]
        assert all(d.line > 0 for d in found)
        return [d.code for d in found]
    return []


def warnings(robot: gw.Mechanism) -> set[str]:
    return {d.code for d in robot.diagnostics if d.severity == "warning"}


def text_of(case: Case) -> str:
    return case.model.read_text()


def with_joints(text: str) -> str:
    """A ROS 1 file of transmissions alone, with the joints that they name, and links for those, put in."""
    names = dict.fromkeys(re.findall(r'<joint name="(\w+)"', text))
    parts = ["<link name='base'/>"]
    for name in names:
        parts.append(
            f"<link name='{name}_link'/><joint name='{name}' type='continuous'><parent link='base'/>"
            f"<child link='{name}_link'/></joint>"
        )
    return text.replace("</robot>", "".join(parts) + "</robot>")


def one_by_one(text: str) -> list[str]:
    """The same file once for each of its transmissions."""
    blocks = re.findall(r"<transmission.*?</transmission>", text, re.DOTALL)
    head = text[: text.index(blocks[0])]
    return [with_joints(f"{re.sub('<!--.*?-->', '', head)}{b}</robot>") for b in blocks]


def two_joints(follower: str, leader_kind: str = "revolute", version: str = "1.11") -> gw.Mechanism:
    """Joint `l` and its follower `f`, whose axis holds the given XML."""
    return gw.loads(two_joints_text(follower, leader_kind, version))


def two_joints_text(follower: str, leader_kind: str = "revolute", version: str = "1.11") -> str:
    return f"""<sdf version='{version}'><model name='m'><link name='a'/><link name='b'/><link name='c'/>
        <joint name='l' type='{leader_kind}'><parent>a</parent><child>b</child>
          <axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
        <joint name='f' type='revolute'><parent>a</parent><child>c</child>
          <axis><xyz>0 0 1</xyz>{follower}</axis></joint></model></sdf>"""


def assert_follows(c: Coupling, leader: str, multiplier: float, offset: float, reference: float = 0.0) -> None:
    assert str(c.leader) == leader
    assert (c.multiplier, c.offset, c.reference) == (multiplier, offset, reference)
