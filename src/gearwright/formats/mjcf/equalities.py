"""<equality>: joints and tendons that follow others become couplings, connected and welded bodies close loops.

`q₁ − ref₁ = c₀ + c₁·(q₂ − ref₂) + … + c₄·(q₂ − ref₂)⁴`; without a second joint, the first one stays at `ref₁ + c₀`.
"""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.parts import JointPart, MjcfBody, Parts
from gearwright.formats.mjcf.tendons import TendonPart
from gearwright.formats.mjcf.values import exactly, reals, truth, vector
from gearwright.formats.xml.located_xml import Element
from gearwright.model import AxisRef, Coupling, Joint
from gearwright.model.couplings import Mode, Term
from gearwright.model.joints import WORLD
from gearwright.model.poses import IDENTITY, Pose, rotation_quaternion
from gearwright.model.tree.topology import Components

KINDS = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain")
POLYNOMIAL = (0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass
class Following:
    """Which joints hang together by couplings, so that none of them closes a circle."""

    together: Components
    followers: set[str]

    def mode(self, follower: str, leaders: list[str]) -> Mode:
        """Exact, as far as that has a meaning: a joint that follows twice, or itself, is held by a constraint."""
        apart = follower not in self.followers
        for leader in leaders:
            apart = self.together.join(leader, follower) and apart
        self.followers.add(follower)
        return "exact" if apart else "hard"


def add_equalities(parts: Parts) -> None:
    following = Following(Components(), set())
    for section, file in parts.sections("equality"):
        prefix = file.prefix
        for e in section.all(*KINDS):
            file.settings.defaults.fill(e, tag="equality")
            if not heed(e, f"equality/{e.tag}"):
                continue
            if not truth(e, "active", True):
                e.info("element-ignored", f"<{e.tag}> is not active; not used here")
            elif not parts.option.on("equality"):
                e.consume()
            elif e.tag in ("connect", "weld"):
                _close(e, parts, prefix)
            elif e.tag == "joint":
                _couple_joints(e, parts, following, prefix)
            else:
                _couple_tendons(e, parts, following, prefix)


# --- couplings --------------------------------------------------------------------------------------------------------


def _couple_joints(e: Element, parts: Parts, following: Following, prefix: str) -> None:
    follower = parts.find(e, "joint1", parts.joints, "joint", prefix)
    leader = parts.find(e, "joint2", parts.joints, "joint", prefix) if "joint2" in e.attributes else None
    c = reals(e, "polycoef", POLYNOMIAL)
    named = [j for j in (follower, leader) if j is not None]
    if follower is None or len(named) < ("joint2" in e.attributes) + 1:
        return
    if not all(j.scalar for j in named):
        e.error("mimic-axis-missing", "<equality> <joint> takes hinge and slide joints")
    elif follower is leader:
        e.error("mimic-self", f"joint {follower.name!r} cannot follow itself")
    elif leader is None:
        hold(follower, follower.ref + c[0], parts, e)
    else:
        powers = c[2:]
        while powers and powers[-1] == 0.0:
            powers = powers[:-1]
        _add(
            e, parts, name=prefix + (e.get("name") or follower.name), follower=AxisRef(follower.name),
            leaders=(Term(AxisRef(leader.name), c[1]),), offset=follower.ref + c[0], reference=leader.ref,
            powers=powers, mode=following.mode(follower.name, [leader.name]),
        )  # fmt: skip


def hold(j: JointPart, position: float, parts: Parts, e: Element) -> None:
    """A joint that stays where it is becomes a fixed one, at that position."""
    made = parts.draft.joints.get(j.name)
    if made is None or made.kind == "fixed":
        return
    X_PJ = made.X_PJ @ made.motion((position,))
    parts.draft.joints[j.name] = Joint(
        name=j.name, kind="fixed", parent=made.parent, child=made.child, X_PJ=X_PJ, X_CJ=made.X_CJ, source=made.source
    )
    parts.draft.initial.pop(j.name, None)
    e.info("element-ignored", f"<{e.tag}> holds joint {j.name!r} at {position:g}: it is a fixed joint here")


def _couple_tendons(e: Element, parts: Parts, following: Following, prefix: str) -> None:
    """`Σ aᵢqᵢ − L₁ = c₀ + c₁·(Σ bᵢqᵢ − L₂)`, solved for the first joint of the first tendon."""
    first = parts.find(e, "tendon1", parts.tendons, "tendon", prefix)
    second = parts.find(e, "tendon2", parts.tendons, "tendon", prefix) if "tendon2" in e.attributes else None
    if first is None or ("tendon2" in e.attributes and second is None):
        return
    c = reals(e, "polycoef", POLYNOMIAL)
    lines = [t.coefficients for t in (first, second) if t is not None]
    if any(line is None for line in lines):
        e.error("element-refused", f"<{e.tag}>: the length of a spatial tendon cannot be prescribed here")
        return
    if any(c[2:]) and second is not None:
        e.error("element-refused", f"<{e.tag}>: tendons follow each other linearly here; polycoef has higher powers")
        return
    row, constant = _row(first, second, c)
    if not row:
        e.error("element-refused", f"<{e.tag}>: its tendons hold nothing")
        return
    follower, *others = sorted(row, key=lambda name: name in following.followers)
    if not others:
        hold(parts.joints[follower], -constant / row[follower], parts, e)
        return
    terms = tuple(Term(AxisRef(name), -row[name] / row[follower]) for name in others)
    _add(
        e, parts, name=prefix + (e.get("name") or first.name), follower=AxisRef(follower), leaders=terms,
        offset=-constant / row[follower], mode=following.mode(follower, others), spelling="coupling",
    )  # fmt: skip


def _row(first: TendonPart, second: TendonPart | None, c: tuple[float, ...]) -> tuple[dict[str, float], float]:
    """`Σ Gᵢqᵢ + γ = 0`."""
    row = dict(first.coefficients or {})
    constant = -first.rest - c[0]
    if second is not None:
        for name, b in (second.coefficients or {}).items():
            row[name] = row.get(name, 0.0) - c[1] * b
        constant += c[1] * second.rest
    return {name: g for name, g in row.items() if g}, constant


def _add(e: Element, parts: Parts, **fields: object) -> None:
    made = parts.draft.build(e, "coupling-value", f"coupling {fields['name']!r}", Coupling, **fields)
    if made is not None:
        parts.draft.couplings.append(made)


# --- loops ------------------------------------------------------------------------------------------------------------


def _close(e: Element, parts: Parts, prefix: str) -> None:
    """A ball joint, or a fixed one, that closes a loop. Without sites, it holds what the bodies' poses say."""
    ends = _site_frames(e, parts, prefix) if "site1" in e.attributes else _body_frames(e, parts, prefix)
    if ends is None:
        return
    (a, X_AJ), (b, X_BJ) = ends
    if a.carrier is b.carrier:
        e.warning("joint-self", f"<{e.tag}> ties {a.name!r} to itself, or to what it is welded to; it has no effect")
        return
    if a.name == WORLD:  # which is no child
        (a, X_AJ), (b, X_BJ) = (b, X_BJ), (a, X_AJ)
    parent, child, X_PJ, X_CJ = (b, a, X_BJ, X_AJ) if b.name == WORLD else (a, b, X_AJ, X_BJ)
    name = prefix + (e.get("name") or f"{child.name}_{e.tag}")
    if name in parts.draft.joints:
        name = parts.draft.numbered(f"{name}_", parts.draft.joints)
    kind = "ball" if e.tag == "connect" else "fixed"
    joint = Joint(name=name, kind=kind, parent=parent.name, child=child.name, X_PJ=X_PJ, X_CJ=X_CJ, source=e.source)
    if parts.draft.add(parts.draft.joints, "joint", name, joint, e):
        parts.draft.cut.append(name)


Frames = tuple[tuple[MjcfBody, Pose], tuple[MjcfBody, Pose]]


def _site_frames(e: Element, parts: Parts, prefix: str) -> Frames | None:
    sites = [parts.find(e, name, parts.sites, "site", prefix) for name in ("site1", "site2")]
    if sites[0] is None or sites[1] is None:
        return None
    return (sites[0].body, sites[0].X_BS), (sites[1].body, sites[1].X_BS)


def _body_frames(e: Element, parts: Parts, prefix: str) -> Frames | None:
    if "body1" not in e.attributes:
        e.error("element-missing", f"<{e.tag}> needs body1, or site1 and site2")
    a, b = (parts.body(e, name, prefix) for name in ("body1", "body2"))
    if a is None or b is None:
        return None
    anchor = vector(e, "anchor")
    X_AB = a.X_WB.inverse() @ b.X_WB
    if e.tag == "connect":
        if "anchor" not in e.attributes:
            e.error("element-missing", "<connect> needs anchor, a point in the frame of body1")
            return None
        at = Pose(IDENTITY.R, anchor)
        return (a, at), (b, X_AB.inverse() @ at)
    relative = exactly(e, "relpose", 7)
    if relative is not None and any(relative[3:]):
        X_AB = Pose(rotation_quaternion(relative[3], relative[4], relative[5], relative[6]), relative[:3])
    at = Pose(IDENTITY.R, anchor)
    return (a, X_AB @ at), (b, at)
