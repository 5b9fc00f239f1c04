"""Robots of the pains: small grippers and wheels, as people write them."""

import gearwright as gw

MODES = ("exact", "hard", "compliant")
INERTIA = '<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/>'


def link(name, mass=0.2):
    return f'<link name="{name}"><inertial><mass value="{mass}"/>{INERTIA}</inertial></link>'


def joint(name, kind, child, mimic="", limit="lower='-1' upper='1'", axis="0 1 0", parent="palm", more=""):
    limits = "" if kind == "continuous" else f"<limit {limit} effort='100' velocity='10'/>"
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>'
        f"{limits}{mimic}{more}</joint>"
    )


def urdf(*parts):
    return gw.loads(f'<robot name="r"><link name="palm"/>{"".join(parts)}</robot>')


def fingers(mimic, kind="prismatic", limit="lower='-1' upper='1'", follower_limit="lower='-3' upper='3'", more=""):
    """A right finger and a left one with the given <mimic>."""
    return urdf(
        link("a"), link("b"), joint("right", kind, "a", limit=limit),
        joint("left", kind, "b", mimic, limit=follower_limit, axis="0 -1 0"), more,
    )  # fmt: skip


def follows(multiplier=1.0, offset=0.0, leader="right"):
    return f'<mimic joint="{leader}" multiplier="{multiplier}" offset="{offset}"/>'


def wheels(ratio, leader, follower, **mode):
    """Two wheels [kg·m²]; `f` follows `l`."""
    inertia = '<inertia ixx="1" iyy="1" izz="{}" ixy="0" ixz="0" iyz="0"/>'
    text = "".join(
        f'<link name="{n}_link"><inertial><mass value="1"/>{inertia.format(i)}</inertial></link>'
        f'<joint name="{n}" type="continuous"><parent link="palm"/><child link="{n}_link"/><axis xyz="0 0 1"/>'
        + (f'<mimic joint="l" multiplier="{ratio}"/>' if n == "f" else "") + "</joint>"
        for n, i in (("l", leader), ("f", follower))
    )  # fmt: skip
    return urdf(text).with_coupling("f", **mode)
