"""Changed copies of a mechanism: parts added, parts taken away, another mechanism attached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gearwright.errors import ModelError, UnknownNameError, nearest
from gearwright.model.couplings import Couplings
from gearwright.model.joints import WORLD, Joint
from gearwright.model.keyframes import Keyframe, joined, within
from gearwright.model.poses import IDENTITY, Pose
from gearwright.model.renaming import with_prefix

if TYPE_CHECKING:
    from gearwright.model.links import Link
    from gearwright.model.mechanism import Mechanism

FAMILIES = ("links", "joints", "couplings", "transmissions", "actuators", "sensors", "hardware", "frames")


def with_joint(m: Mechanism, joint: Joint) -> Mechanism:
    """A copy with a joint added, or replacing the one of the same name."""
    bases = {n: b for n, b in m.bases.items() if b.child != joint.child or joint.parent == joint.child}
    known = [*m.links, WORLD]
    for end in (joint.parent, joint.child):
        if end not in known:
            raise ModelError(f"joint {joint.name!r}: there is no link {end!r}{nearest(end, known)}")
    return replace(m, joints={**m.joints, joint.name: joint}, bases=bases)


def with_link(m: Mechanism, link: Link, joint: Joint | None) -> Mechanism:
    """A copy with a link added on a joint, or replacing the one of the same name."""
    links = {**m.links, link.name: link}
    if joint is None and link.name not in m.links:
        raise ModelError(f"link {link.name!r} is new: give the joint that carries it, with_link(link, joint)")
    if joint is None:
        return replace(m, links=links)
    if link.name not in (joint.child, joint.parent):
        raise ModelError(f"joint {joint.name!r} does not carry link {link.name!r}: its child is {joint.child!r}")
    other = joint.parent if joint.child == link.name else joint.child
    if other not in [*links, WORLD]:
        raise ModelError(f"joint {joint.name!r}: there is no link {other!r}{nearest(other, [*m.links, WORLD])}")
    bases = {n: b for n, b in m.bases.items() if b.child != joint.child}
    return replace(m, links=links, joints={**m.joints, joint.name: joint}, bases=bases)


# --- taking away ------------------------------------------------------------------------------------------------------


def without(m: Mechanism, names: Sequence[str], kind: str | None) -> Mechanism:
    """A copy without these parts, and without everything that depends on them."""
    gone: dict[str, set[str]] = {family: set() for family in FAMILIES}
    for name in names:
        gone[_family(m, name, kind)].add(name)
    _carried(m, gone)
    axes = gone["joints"]
    gone["couplings"] |= {
        c.name for c in m.couplings.values() if c.follower.joint in axes or any(t.axis.joint in axes for t in c.leaders)
    }
    gone["transmissions"] |= {
        t.name for t in m.transmissions.values()
        if any(j.joint in axes for j in t.joints) or gone["actuators"] & {*t.actuators}
    }  # fmt: skip
    lost = {a for t in gone["transmissions"] for a in m.transmissions[t].actuators}
    left = {a for n, t in m.transmissions.items() if n not in gone["transmissions"] for a in t.actuators}
    gone["actuators"] |= {
        a.name for a in m.actuators.values()
        if (a.joint is not None and a.joint.joint in axes) or (a.name in lost - left and a.joint is None)
    }  # fmt: skip
    gone["sensors"] |= {s.name for s in m.sensors.values() if _reads(s, gone)}
    gone["frames"] |= {f.name for f in m.frames.values() if f.link in gone["links"]}
    return _left(m, gone)


def _family(m: Mechanism, name: str, kind: str | None) -> str:
    """Where a name is a part's."""
    families = FAMILIES if kind is None else tuple(f for f in FAMILIES if f.removesuffix("s") == kind or f == kind)
    if not families:
        raise UnknownNameError("kind of part", str(kind), [f.removesuffix("s") for f in FAMILIES])
    found = [f for f in families if name in getattr(m, f)]
    if not found:
        raise UnknownNameError("part", name, [n for f in families for n in getattr(m, f)])
    own = [f for f in found if f != "couplings" or name not in m.joints]  # a mimic has its follower's name
    if len(own) > 1:
        kinds = " and a ".join(f.removesuffix("s") for f in own)
        raise ModelError(f"{name!r} is a {kinds}: say which with kind={own[0].removesuffix('s')!r}")
    return own[0] if own else found[0]


def _carried(m: Mechanism, gone: dict[str, set[str]]) -> None:
    """Links that hang on what is taken away, and the joints at both."""
    for b in m.tree.branches:  # parents before children
        if b.parent in gone["links"] or b.joint.name in gone["joints"]:
            gone["links"].add(b.link)
    gone["joints"] |= {j.name for j in m.joints.values() if {j.parent, j.child} & gone["links"]}
    if not {*m.links} - gone["links"]:
        raise ModelError("nothing would be left of the robot: keep at least one link")


def _reads(sensor: Any, gone: dict[str, set[str]]) -> bool:
    named = (("joints", sensor.joint and sensor.joint.joint), ("joints", sensor.reaction), ("links", sensor.link),
             ("actuators", sensor.actuator), ("transmissions", sensor.transmission))  # fmt: skip
    return any(name in gone[family] for family, name in named if name is not None)


def _left(m: Mechanism, gone: dict[str, set[str]]) -> Mechanism:
    families = (f for f in FAMILIES if f != "couplings")
    kept: dict[str, Any] = {f: {n: x for n, x in getattr(m, f).items() if n not in gone[f]} for f in families}
    links, joints = kept["links"], kept["joints"]
    kept["hardware"] = {
        n: replace(
            h, joints=tuple(c for c in h.joints if c.name in joints),
            transmissions=tuple(t for t in h.transmissions if t not in gone["transmissions"]),
            mimic_joints=tuple(x for x in h.mimic_joints if x.joint in joints and x.leader in joints),
            limits={k: x for k, x in h.limits.items() if k in joints},
            soft_limits={k: x for k, x in h.soft_limits.items() if k in joints},
        )
        for n, h in kept["hardware"].items()
    }  # fmt: skip
    bases = {n: b for n, b in m.bases.items() if b.child in links}
    return replace(
        m, **kept, bases=bases,
        couplings=Couplings(c for c in m.couplings.values() if c.name not in gone["couplings"]),
        cut=tuple(n for n in m.cut if n in joints),
        initial={n: q for n, q in m.initial.items() if n in joints or n in bases},
        keyframes={n: within(k, {*joints, *bases}, kept["actuators"]) for n, k in m.keyframes.items()},
        self_collide=tuple(n for n in m.self_collide if n in links),
        no_contact=tuple(p for p in m.no_contact if all(n in links or n == WORLD for n in p)),
        contacts=tuple(c for c in m.contacts if all(n in links or n == WORLD for n in c.links)),
    )  # fmt: skip


# --- attaching --------------------------------------------------------------------------------------------------------


def attach(m: Mechanism, other: Mechanism, at: str, pose: Pose, prefix: str, joint: str | None) -> Mechanism:
    """A copy with another mechanism fixed to a link or frame; what held that to the world holds it there."""
    named = with_prefix(other, prefix)
    link, X_LM = _mount(m, at)
    X = X_LM @ pose
    if len(named.bases) > 1:
        raise ModelError(f"{other.name!r} cannot be attached: it has {len(named.bases)} parts that no joint connects")
    mounts = [_mount_of(base, link, X, joint or f"{at}_to_{base.child}") for base in named.bases.values()]
    joints = {n: _moved(j, link, X) for n, j in named.joints.items()}
    frames = {
        n: replace(f, link=link, X_LF=X @ f.X_LF) if f.link == WORLD else f for n, f in named.frames.items()
    }  # fmt: skip
    _check_apart(m, named, [j.name for j in mounts])
    merged: dict[str, Any] = {f: {**getattr(m, f), **getattr(named, f)} for f in FAMILIES if f not in SPECIAL}
    return replace(
        m, **merged, joints={**m.joints, **{j.name: j for j in mounts}, **joints}, frames={**m.frames, **frames},
        links={**m.links, **{n: x for n, x in named.links.items() if n != WORLD}},
        couplings=Couplings([*m.couplings.values(), *named.couplings.values()]), cut=(*m.cut, *named.cut),
        initial={**m.initial, **{n: q for n, q in named.initial.items() if n not in named.bases}},
        self_collide=(*m.self_collide, *named.self_collide), no_contact=(*m.no_contact, *named.no_contact),
        contacts=(*m.contacts, *named.contacts), keyframes=_keyframes_of_both(m, named),
    )  # fmt: skip


def _keyframes_of_both(m: Mechanism, other: Mechanism) -> dict[str, Keyframe]:
    """Those of one name become one; what carried the other mechanism is no joint any more."""
    found = dict(m.keyframes)
    for n, k in other.keyframes.items():
        kept = within(k, other.joints, other.actuators)
        found[n] = joined(found[n], kept) if n in found else kept
    return found


SPECIAL = ("couplings", "joints", "frames", "links")


def _mount_of(base: Joint, link: str, X: Pose, name: str) -> Joint:
    """A base as a fixed joint."""
    X_PJ = X @ base.X_PJ if base.kind == "fixed" else X
    return Joint(name=name, kind="fixed", parent=link, child=base.child, X_PJ=X_PJ, X_CJ=base.X_CJ)


def _moved(j: Joint, link: str, X: Pose) -> Joint:
    """A joint of the world is one of the link."""
    return replace(j, parent=link, X_PJ=X @ j.X_PJ) if j.parent == WORLD else j


def _mount(m: Mechanism, at: str) -> tuple[str, Pose]:
    if at in m.frames and at not in m.links:
        return m.frames[at].link, m.frames[at].X_LF
    if at not in m.links:
        raise UnknownNameError("link or frame", at, [*m.links, *m.frames])
    return at, IDENTITY


def _check_apart(m: Mechanism, other: Mechanism, mounts: Sequence[str]) -> None:
    """Names of both have to be different."""
    for family in FAMILIES:
        both = [n for n in getattr(other, family) if n in getattr(m, family) and n != WORLD]
        if both:
            kind = family.removesuffix("s")
            raise ModelError(
                f"both mechanisms have a {kind} {both[0]!r}; attach(…, prefix='{other.name}_') renames those of one"
            )
    for name in mounts:
        if name in m.joints or name in other.joints:
            raise ModelError(f"there is a joint {name!r} already; name the new one: attach(…, joint=…)")
