"""Small robots with actuators: wheels and sliders on the world, without gravity, and what drives them."""

from dataclasses import replace

import gearwright as gw
from gearwright.model import AxisRef, Transmission

BODY = (
    "<link name='{link}'><inertial><mass>{mass!r}</mass>"
    "<inertia><ixx>{across!r}</ixx><iyy>{across!r}</iyy><izz>{izz!r}</izz></inertia></inertial></link>"
    "<joint name='{joint}' type='{kind}'><parent>world</parent><child>{link}</child>"
    "<axis><xyz>0 0 1</xyz>{limit}</axis></joint>"
)


def rigid(*bodies):
    text = "".join(bodies)
    return gw.loads(
        f"<sdf version='1.11'><world name='w'><gravity>0 0 0</gravity><model name='m'>{text}</model></world></sdf>"
    )


def body(joint, inertia=0.01, kind="revolute", limit=None):
    """On the world by one joint; `inertia` is the mass of what slides [kg·m², kg]."""
    stop = "" if limit is None else "<limit><lower>{}</lower><upper>{}</upper></limit>".format(*limit)
    mass, izz = (inertia, 1.0) if kind == "prismatic" else (1.0, inertia)
    across = max(1.0, izz)  # no body has a moment above the sum of the others
    return BODY.format(link=f"{joint}_link", joint=joint, mass=mass, izz=izz, across=across, kind=kind, limit=stop)


def driven(robot, *actuators, joints=("j",), through=None, **more):
    """With actuators: each on its joint, or all `through` one map called "gear"."""
    if through is None:
        placed = [a if a.joint else replace(a, joint=AxisRef(j)) for a, j in zip(actuators, joints, strict=True)]
        return replace(robot, actuators={a.name: a for a in placed})
    names, axes = tuple(a.name for a in actuators), tuple(map(AxisRef, joints))
    gear = Transmission(name="gear", type="test", map=through, actuators=names, joints=axes, **more)
    return replace(robot, actuators={a.name: a for a in actuators}, transmissions={"gear": gear})


def wheel(actuator, inertia=0.01, ratio=None, kind="revolute", limit=None, **more):
    """One body on joint "j", driven directly or behind a reduction."""
    through = None if ratio is None else gw.SimpleTransmission(reduction=ratio)
    return driven(rigid(body("j", inertia, kind, limit)), actuator, through=through, **more)


def motor(**values):
    return gw.ElectricMotor(name="motor", **values)
