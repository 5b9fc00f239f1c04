"""<equality> of MJCF: couplings as polynomials of joints or as tendons, loops as connected points.

MuJoCo's constraints are springs and dampers that are scaled by the inertia they move, so that (μ, ζ) of a compliant
coupling carries over: `solref="−μ² −2μζ"`. Others are as stiff as the time step allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb

import numpy as np

from gearwright.model import IDENTITY, Coupling, Joint, Mechanism, Pose
from gearwright.model.poses import Array
from gearwright.writing.fields import leave_rest
from gearwright.writing.mjcf.bodies import STIFF, site_at
from gearwright.writing.mjcf.names import MjcfNames
from gearwright.writing.mjcf.tendons import add_fixed_tendon
from gearwright.writing.nodes import Node, numbers
from gearwright.writing.placing import Placing
from gearwright.writing.report import LossLog

POWERS = 4  # the highest of a polynomial
LEVER = 0.1  # [m] between the two points that hold an axis
CLOSED = 1e-14  # [m] rounding of poses; loops that are further apart are tied at a site in each body
SAID = ("name", "follower", "leaders", "offset", "reference", "powers", "mode", "natural_frequency", "damping_ratio",
        "spelling", "alias")  # fmt: skip


def add_couplings(robot: Mechanism, names: MjcfNames, losses: LossLog, sections: Mapping[str, Node]) -> None:
    for c in robot.couplings.values():
        shown = f"coupling {c.name!r}"
        if c.through is not None:
            losses.lose(shown, "", f"MuJoCo has no map such as that of {c.through.transmission!r}")
            continue
        coefficients = polynomial(c)
        if len(coefficients) > POWERS + 1:
            losses.lose(shown, "powers", f"MuJoCo's polynomials go up to the power {POWERS}")
        name = names.free("equality", c.name)
        if len(c.leaders) == 1:
            kept = coefficients[: POWERS + 1]
            kept = from_references(kept, names.reference(c.leaders[0].axis), names.reference(c.follower))
            padded = (*kept, *[0.0] * (POWERS + 1 - len(kept)))
            joints = {"joint1": names.axis(c.follower), "joint2": names.axis(c.leaders[0].axis)}
            node = sections["equality"].add("joint", name=name, **joints, polycoef=padded)
        else:
            node = _add_tendon(c, name, names, sections)
        node.attributes |= Node("", **_softness(c)).attributes
        if c.mode != "compliant":
            losses.note("couplings that are exact or hard are stiff springs in MuJoCo")
        leave_rest(losses, shown, c, SAID, "MuJoCo has its own settings for constraints")


def polynomial(c: Coupling) -> tuple[float, ...]:
    """Coefficients in the leader itself, lowest first: `Σ cₖ·(q − r)ᵏ`, multiplied out."""
    r = c.reference
    given = [c.offset, c.leaders[0].multiplier, *c.powers]
    if len(c.leaders) > 1:
        return (c.offset - r * sum(t.multiplier for t in c.leaders),)
    return tuple(
        sum(x * comb(k, i) * (-r) ** (k - i) for k, x in enumerate(given) if k >= i) + 0.0 for i in range(len(given))
    )


def from_references(coefficients: tuple[float, ...], leader: float, follower: float) -> tuple[float, ...]:
    """Of the same polynomial between positions that count from `ref`, as MuJoCo's do."""
    shifted = [
        sum(x * comb(k, i) * leader ** (k - i) for k, x in enumerate(coefficients) if k >= i)
        for i in range(len(coefficients))
    ]
    return (shifted[0] - follower + 0.0, *shifted[1:])


def _add_tendon(c: Coupling, name: str, names: MjcfNames, sections: Mapping[str, Node]) -> Node:
    """`follower − Σ mᵢ·leaderᵢ` is a tendon's length, held at the offset, which counts from its length at `ref`."""
    shares = [(c.follower, 1.0), *((t.axis, -t.multiplier) for t in c.leaders)]
    tendon = add_fixed_tendon(sections, names, c.name, ((names.axis(axis), share) for axis, share in shares))
    length = sum(share * names.reference(axis) for axis, share in shares)
    held = (polynomial(c)[0] - length, 0.0, 0.0, 0.0, 0.0)
    return sections["equality"].add("tendon", name=name, tendon1=tendon, polycoef=held)


def _softness(c: Coupling) -> dict[str, object]:
    if c.mode != "compliant":
        return dict(STIFF)
    assert c.natural_frequency is not None and c.damping_ratio is not None
    mu, zeta = c.natural_frequency, c.damping_ratio
    return {"solref": (-mu * mu, -2 * mu * zeta), "solimp": STIFF["solimp"]}


# --- loops ------------------------------------------------------------------------------------------------------------


def add_loops(
    robot: Mechanism, placing: Placing, names: MjcfNames, losses: LossLog, sections: Mapping[str, Node],
    nodes: Mapping[str, Node],
) -> None:  # fmt: skip
    """Joints that close loops: a point for a ball, two for an axis, a weld for a fixed one. Others are lost."""
    for j in placing.joints:
        if j.name not in placing.closing:
            continue
        shown, equality = f"joint {j.name!r}", sections["equality"]
        if j.kind == "ball":
            _connect(equality, names, j, np.zeros(3), nodes, placing)
        elif j.kind in ("revolute", "continuous"):
            axis = np.array(j.axes[0].xyz)
            for end in (-LEVER, LEVER):
                _connect(equality, names, j, end * axis, nodes, placing)
        elif j.kind == "fixed":
            X_PC, bodies = j.X_PJ @ j.X_CJ.inverse(), {"body1": j.parent, "body2": j.child}
            relpose = (*numbers(X_PC.p), *numbers(X_PC.quaternion))
            equality.add("weld", name=names.free("equality", j.name), **bodies, relpose=relpose, **STIFF)
        else:
            losses.lose(shown, "", f"MuJoCo closes no loop by a {j.kind} joint")
            continue
        losses.note(f"{shown}: it closes a loop with a stiff spring in MuJoCo")
        _leave_axes(j, shown, losses)


def _connect(
    equality: Node, names: MjcfNames, j: Joint, at: Array, nodes: Mapping[str, Node], placing: Placing
) -> None:
    """A point in the joint's frame that both bodies have, `at`.

    MuJoCo takes the second body's from where it is drawn; where the loop is open there, each body has a site.
    """
    X_W, point = placing.poses_at(names.drawn_at), Pose(IDENTITY.R, at)
    ends = {j.parent: j.X_PJ @ point, j.child: j.X_CJ @ point}
    here, there = ((X_W[body] @ X).p for body, X in ends.items())
    where: dict[str, object] = {"body1": j.parent, "body2": j.child, "anchor": numbers(ends[j.parent].p)}
    if np.abs(here - there).max() > CLOSED * (1.0 + np.abs(here).max()):
        sites = [site_at(nodes, names, body, f"{j.name}.{body}", Pose(IDENTITY.R, X.p)) for body, X in ends.items()]
        where = {"site1": sites[0], "site2": sites[1]}
    equality.add("connect", name=names.free("equality", j.name), **where, **STIFF)


def _leave_axes(j: Joint, shown: str, losses: LossLog) -> None:
    for i, axis in enumerate(j.axes, 1):
        for part in ("limits", "dynamics"):
            reason = "MuJoCo has none of it where a loop closes"
            leave_rest(losses, shown, getattr(axis, part), (), reason, f"axes.{i}.{part}.")
