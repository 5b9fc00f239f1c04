"""<tendon>: fixed ones are sums of joint positions, `L = Σ cᵢ·qᵢ`; spatial ones paths of straight lines over sites."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.parts import Parts
from gearwright.formats.mjcf.spatial_tendons import spatial_map
from gearwright.formats.mjcf.values import bounds, is_limited, real, reals
from gearwright.formats.xml.located_xml import Element
from gearwright.model import AxisRef
from gearwright.model.transmissions import LinearMap, TransmissionMap


@dataclass
class TendonPart:
    """A tendon, with what acts along it."""

    name: str
    element: Element
    coefficients: dict[str, float] | None  # by joint; None: its length is not a sum
    map: TransmissionMap | None = None  # of a spatial one
    joints: tuple[str, ...] = ()  # in the order of the map
    why: str = ""  # it has no map
    rest: float = 0.0  # length with every joint at its reference

    @property
    def limits(self) -> tuple[float, float] | None:
        e = self.element
        if not is_limited(e, "limited", "range", True):
            return None
        low, high = reals(e, "range", (0.0, 0.0))
        return bounds(e, "range", (low, high))

    @property
    def length_at_reference(self) -> float:
        return self.rest if self.map is None else float(self.map.joint_to_actuator_position(self.map.rest)[0])

    def scaled(self, gear: float) -> tuple[TransmissionMap, tuple[AxisRef, ...]] | None:
        """The map of an actuator that pulls it with a gear ratio; None where there is none."""
        if self.coefficients:
            rows = tuple((gear * c,) for c in self.coefficients.values())
            if not all(isfinite(row[0]) for row in rows):
                return None
            return LinearMap(matrix=rows), tuple(AxisRef(name) for name in self.coefficients)
        if self.map is None:
            return None
        return self.map.geared(gear), tuple(AxisRef(name) for name in self.joints)  # type: ignore[attr-defined]


def read_tendons(parts: Parts) -> None:
    for section, file in parts.sections("tendon"):
        for e in section.all("fixed", "spatial"):
            file.settings.defaults.fill(e, tag="tendon")
            heed(e, f"tendon/{e.tag}")
            name = parts.name(e, parts.tendons, "tendon", file.prefix, f"{file.prefix}{e.tag}_tendon")
            read = _fixed if e.tag == "fixed" else _spatial
            parts.tendons[name] = read(e, name, parts, file.prefix)


def _fixed(e: Element, name: str, parts: Parts, prefix: str) -> TendonPart:
    coefficients: dict[str, float] = {}
    rest = 0.0
    for child in e.all("joint"):
        heed(child, "tendon/fixed/joint")
        j = parts.find(child, "joint", parts.joints, "joint", prefix)
        if j is None:
            continue
        if not j.scalar:
            child.error(
                "mimic-axis-missing", f"tendon {name!r} takes hinge and slide joints, and {j.name!r} is neither"
            )
            continue
        coefficients[j.name] = coefficients.get(j.name, 0.0) + real(child, "coef")
        rest += real(child, "coef") * j.ref
    if not coefficients:
        e.error("element-missing", f"tendon {name!r} has no <joint>")
    moved = {n: c for n, c in coefficients.items() if c}
    return TendonPart(name, e, moved, rest=rest, why="" if moved else "no joint changes its length")


def _spatial(e: Element, name: str, parts: Parts, prefix: str) -> TendonPart:
    found = spatial_map(e, name, parts, prefix)
    if isinstance(found, str):
        return TendonPart(name, e, None, why=found)
    return TendonPart(name, e, None, map=found[0], joints=found[1])
