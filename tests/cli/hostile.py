"""A robot whose names try to be markup, a terminal command and a script."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

MARKUP = "[bold red]not bold[/bold red]"
SCRIPT = "</text><script>alert('x')</script>&amp;"
TURNED = "abc\u202egnp"  # right-to-left override
C1 = "clear\u009b2J"  # a one-character escape sequence
NAMES = (MARKUP, SCRIPT, TURNED, C1, ":warning:", "名前" * 30)


def write(folder: Path) -> Path:
    """A chain of links and joints with those names, each joint with a motor of the same name."""
    parts = [f"<robot name={quoteattr(MARKUP)}><link name='base'/>"]
    parent = "base"
    for name in NAMES:
        quoted = quoteattr(name)
        parts.append(
            f"<link name={quoted}><inertial><mass value='1'/>"
            "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
            f"<joint name={quoted} type='revolute'><parent link={quoteattr(parent)}/><child link={quoted}/>"
            "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
            f"<actuator name={quoted} type='electric_motor'><joint>{quoted[1:-1]}</joint></actuator>"
        )
        parent = name
    file = folder / "hostile.urdf"
    file.write_text("".join(parts) + "</robot>", encoding="utf-8")
    return file


def write_broken(folder: Path) -> Path:
    """A file with an error whose message holds such a name."""
    file = folder / "broken.urdf"
    child = quoteattr(MARKUP + C1)
    file.write_text(
        "<robot name='r'><link name='a'/>\n"
        f"<joint name='j' type='fixed'><parent link='a'/><child link={child}/></joint></robot>", encoding="utf-8",
    )  # fmt: skip
    return file
