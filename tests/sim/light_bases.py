"""Free bases that weigh little beside what they carry, and one whose centre of mass is far from its frame."""

from typing import Any, NamedTuple

import gearwright as gw

BASE = [0.1, 0.0, 0.0, 1.0, 0.5, 0.7]  # its velocity [m/s, rad/s]
SMALL = (1e-6, 1.3e-6, 1.6e-6)  # moments of inertia of 0.1 g [kg·m²]
LARGE = (0.01, 0.014, 0.018)


class Light(NamedTuple):
    """A robot, and the velocities that it is set off with."""

    robot: gw.Mechanism
    velocity: dict[str, Any]


def link(name, mass, center="0 0 0.02", moments=SMALL, at="0 0 0"):
    xx, yy, zz = moments
    return (
        f"<link name='{name}'><pose>{at} 0 0 0</pose><inertial><pose>{center} 0.2 0.1 0.3</pose><mass>{mass}</mass>"
        f"<inertia><ixx>{xx}</ixx><iyy>{yy}</iyy><izz>{zz}</izz></inertia></inertial></link>"
    )


def heavy(moments=LARGE):
    return link("heavy", 1.0, "0.3 0.1 0.2", moments, at="0.2 0 0")


def joint(name, parent, child, axis="0 0 1", kind="revolute", more=""):
    axes = {"ball": "", "universal": f"<axis><xyz>{axis}</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"}
    axis = axes.get(kind, f"<axis><xyz>{axis}</xyz>{more}</axis>")
    return (
        f"<joint name='{name}' type='{kind}'><pose>0 0 0 0.1 0.2 0</pose><parent>{parent}</parent>"
        f"<child>{child}</child>{axis}</joint>"
    )


def sdf(*parts):
    return gw.loads(f"<sdf version='1.11'><model name='m'>{''.join(parts)}</model></sdf>")


def planar():
    text = "<robot name='p'><link name='world'/>"
    for name, mass, center, moment in (("root", 1e-4, "0 0 0", 1e-6), ("heavy", 1.0, "0.3 0.1 0", 0.01)):
        moments = " ".join(f"{k}='{moment}'" for k in ("ixx", "iyy", "izz")) + " ixy='0' ixz='0' iyz='0'"
        text += f"<link name='{name}'><inertial><origin xyz='{center}'/><mass value='{mass}'/><inertia {moments}/>"
        text += "</inertial></link>"
    text += "<joint name='slab' type='planar'><parent link='world'/><child link='root'/><axis xyz='0 0 1'/></joint>"
    text += "<joint name='j' type='continuous'><parent link='root'/><child link='heavy'/><origin xyz='0.2 0 0'/>"
    return gw.loads(text + "<axis xyz='0 0 1'/></joint></robot>")


root = link("root", 1e-4)
middle = link("middle", 1e-4, at="0.1 0 0")
mimic = "<mimic joint='j'><multiplier>0.5</multiplier><offset>0</offset><reference>0</reference></mimic>"
LIGHT = {
    "hinge": Light(sdf(root, heavy(), joint("j", "root", "heavy")), {"base": BASE, "j": 1.0}),
    "ball": Light(sdf(root, heavy(), joint("j", "root", "heavy", kind="ball")), {"base": BASE, "j": [1.0, 2.0, 0.5]}),
    "slide": Light(sdf(root, heavy(), joint("j", "root", "heavy", "1 0 0", "prismatic")), {"base": BASE, "j": 0.1}),
    "two light links": Light(
        sdf(root, middle, heavy(), joint("j", "root", "middle"), joint("k", "middle", "heavy", "0 1 0")),
        {"base": BASE, "j": 1.0, "k": -1.0},
    ),
    "coupled": Light(
        sdf(root, middle, heavy(), joint("j", "root", "middle"), joint("k", "middle", "heavy", "0 1 0", more=mimic)),
        {"base": BASE, "j": 1.0},
    ),
    "light and wide": Light(
        sdf(link("root", 1e-4, moments=LARGE), heavy((1e-4, 1.3e-4, 1.6e-4)), joint("j", "root", "heavy")),
        {"base": BASE, "j": 1.0},
    ),
    "far from its frame": Light(
        sdf(link("root", 1.0, "1 0.5 0.3", (1e-4, 1.3e-4, 1.6e-4))), {"base": BASE}
    ),
    "planar": Light(planar(), {"slab.rz": 1.0, "slab.x": 0.1, "j": 2.0}),
}  # fmt: skip
