"""Mechanisms that touch: a leg behind gears, a gripper whose fingers are light, a rod that slides on its end."""

from dataclasses import replace

import numpy as np

import gearwright as gw
from gearwright.model import AxisRef, Joint, Mechanism, Transmission
from gearwright.model.geometry import Box, Capsule, Geometry, Sphere
from gearwright.model.joints import WORLD, Axis
from gearwright.model.links import Link
from gearwright.model.mass.inertia import Inertia
from gearwright.model.poses import Pose
from gearwright.model.shapes.surface import Surface
from tests.dynamics.contact.scenes import G, body, scene, still


def at(x=0.0, y=0.0, z=0.0):
    return Pose(np.eye(3), (x, y, z))


def joint(name, kind, parent, child, xyz, X_PJ, X_CJ=None):
    own = {} if X_CJ is None else {"X_CJ": X_CJ}
    return Joint(name=name, kind=kind, parent=parent, child=child, axes=(Axis(xyz=xyz),), X_PJ=X_PJ, **own)


def without_collision(link):
    return replace(link, collisions=())


def leg(ratio=100.0):
    """A trunk of 3 kg on a vertical rail, thigh and shank of 0.2 m, motors with curves behind gears."""
    links = [
        without_collision(body("trunk", Box(size=(0.1, 0.1, 0.1)), 3.0)),
        without_collision(body("thigh", Capsule(radius=0.02, length=0.16), 0.3)),
        without_collision(body("shank", Capsule(radius=0.01, length=0.18), 0.1)),
        body("foot", Sphere(radius=0.02), 0.05, friction=1.0),
    ]
    floor = still("ground", friction=1.0)
    joints = [
        joint("rail", "prismatic", WORLD, "trunk", (0.0, 0.0, 1.0), at()),
        joint("hip", "revolute", "trunk", "thigh", (0.0, 1.0, 0.0), at(), at(z=0.1)),
        joint("knee", "revolute", "thigh", "shank", (0.0, 1.0, 0.0), at(z=-0.1), at(z=0.1)),
        Joint(name="ankle", kind="fixed", parent="shank", child="foot", X_PJ=at(z=-0.1)),
    ]
    bases = {"floor": Joint(name="floor", kind="fixed", parent=WORLD, child="ground")}
    motors = [
        gw.ElectricMotor(
            name=f"{j}_motor", stall_torque=0.3, no_load_speed=900.0, rotor_inertia=2e-6, command="position",
            stiffness=60.0 / ratio**2, damping_gain=1.5 / ratio**2,
        )
        for j in ("hip", "knee")
    ]  # fmt: skip
    gears = {
        j: Transmission(
            name=j, type="simple", map=gw.SimpleTransmission(reduction=ratio), actuators=(f"{j}_motor",),
            joints=(AxisRef(j),),
        )
        for j in ("hip", "knee")
    }  # fmt: skip
    return Mechanism(
        name="leg", links={link.name: link for link in (*links, floor)}, joints={j.name: j for j in joints},
        bases=bases, actuators={m.name: m for m in motors}, transmissions=gears,
    )  # fmt: skip


def gripper(mass=1.0, finger=1e-3, friction=0.6):
    """Two light fingers on rails hold a ball between them."""
    ball = body("ball", Sphere(radius=0.05), mass, friction=friction)
    tips = [body(f"finger{i}", Box(size=(0.02, 0.02, 0.02)), finger, friction=friction) for i in range(2)]
    tips = [replace(t, collisions=tuple(replace(c, shape=Sphere(radius=0.01)) for c in t.collisions)) for t in tips]
    m = scene([ball])
    joints = {
        f"rail{i}": joint(f"rail{i}", "prismatic", WORLD, f"finger{i}", (1.0, 0.0, 0.0), at(x=s * 0.06))
        for i, s in enumerate((-1.0, 1.0))
    }
    return replace(m, links={**m.links, **{t.name: t for t in tips}}, joints=joints)


def rod(friction):
    """Painlevé's: a thin rod whose lower end slides on the ground."""
    r = body("rod", Capsule(radius=1e-3, length=1.0), 1.0, friction=friction)
    return scene([r], [still("ground", friction=10.0)])


__all__ = ["G", "gripper", "leg", "rod"]


def spoked_wheel(spokes, inertia):
    """A wheel of 1 kg without a rim; its spokes, of 1 m, end in small feet on either side."""
    tip, r = 1e-3, 1.0 - 1e-3
    feet = [
        Geometry(
            name=f"foot{k}_{side}", shape=Sphere(radius=tip), surface=Surface(friction=3.0),
            pose=at(r * np.sin(2 * np.pi * k / spokes), 0.3 * side, r * np.cos(2 * np.pi * k / spokes)),
        )
        for k in range(spokes)
        for side in (-1, 1)
    ]  # fmt: skip
    return Link(name="wheel", inertia=Inertia(mass=1.0, moments=(0.3, inertia, 0.3)), collisions=tuple(feet))


def jointed(rng):
    """A floating body with two links on hinges that have stops, friction and a coupling; or a four-bar of bodies."""
    a, b, c = (rng.uniform(0.1, 0.3, 3) * (1.0, 0.3, 0.3) for _ in range(3))

    def link(name, size, x, z):
        shapes = (
            f"<box><size>{size[0]} {size[1]} {size[2]}</size></box>",
            f"<sphere><radius>{size[1]}</radius></sphere>",
            f"<capsule><radius>{size[1] / 2}</radius><length>{size[0]}</length></capsule>",
        )
        m = 10.0 ** rng.uniform(-1.0, 1.0)
        inertia = "".join(f"<{i}>{m * 0.02}</{i}>" for i in ("ixx", "iyy", "izz"))
        return (
            f"<link name='{name}'><pose>{x} 0 {z} 0 0 0</pose><inertial><mass>{m}</mass><inertia>{inertia}</inertia>"
            f"</inertial><collision name='c'><geometry>{shapes[rng.integers(3)]}</geometry><surface><friction><ode>"
            f"<mu>{rng.uniform(0.0, 1.2)}</mu></ode></friction></surface></collision></link>"
        )

    def hinge(name, parent, child, x, z, extra=""):
        return (
            f"<joint name='{name}' type='revolute'><parent>{parent}</parent><child>{child}</child>"
            f"<pose>{x} 0 {z} 0 0 0</pose><axis><xyz>0 1 0</xyz>{extra}</axis></joint>"
        )

    stops = "<limit><lower>-0.5</lower><upper>0.5</upper></limit>"
    stops += f"<dynamics><friction>{rng.uniform(0, 0.2)}</friction></dynamics>"
    if rng.random() < 0.5:
        mimic = (
            f"<mimic joint='left'><multiplier>{rng.uniform(-2, 2)}</multiplier></mimic>" if rng.random() < 0.7 else ""
        )
        parts = [link("trunk", a, 0, 0), link("one", b, -0.3, 0), link("two", c, 0.3, 0)]
        parts += [
            hinge("left", "trunk", "one", 0.15, 0, stops),
            hinge("right", "trunk", "two", -0.15, 0, stops + mimic),
        ]
    else:
        parts = [link("trunk", a, 0, 0), link("one", b, -0.2, 0.15), link("two", c, 0.2, 0.15), link("top", a, 0, 0.3)]
        parts += [hinge("p", "trunk", "one", 0, -0.15), hinge("q", "trunk", "two", 0, -0.15)]
        parts += [hinge("r", "one", "top", -0.2, 0), hinge("s", "two", "top", 0.2, 0)]
    return gw.loads(f"<sdf version='1.11'><model name='thrown'>{''.join(parts)}</model></sdf>", base="floating")
