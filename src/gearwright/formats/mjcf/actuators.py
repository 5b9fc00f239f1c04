"""<actuator>: each becomes one of ours, on a joint or through a transmission with its gear ratio.

A position or velocity servo is a drive with gains, a motor a source of effort; what is neither is an affine actuator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from gearwright.errors import ModelError
from gearwright.formats.mjcf.actuator_settings import ACTUATOR_TAGS, ActuatorSettings, apply_settings
from gearwright.formats.mjcf.defaults import MAIN
from gearwright.formats.mjcf.drives import made_actuator
from gearwright.formats.mjcf.grammar import ELEMENTS, heed
from gearwright.formats.mjcf.links import effort_range
from gearwright.formats.mjcf.parts import JointPart, Parts, SourceFile
from gearwright.formats.mjcf.start_mass import Places, mass_matrix
from gearwright.formats.mjcf.tendons import TendonPart
from gearwright.formats.mjcf.values import bounds, real
from gearwright.formats.xml.located_xml import Element
from gearwright.model import AxisRef, Transmission
from gearwright.model.actuators import Actuator, AffineActuator
from gearwright.model.mass.inertia import Inertia
from gearwright.model.poses import Array
from gearwright.model.transmissions import SimpleTransmission, TransmissionMap, type_name

ELSEWHERE = {"site": "a site", "body": "a body", "cranksite": "a crank"}  # targets that have no counterpart


@dataclass
class ActuatorTarget:
    """What an actuator acts on, and its gear ratio."""

    name: str
    gear: float
    joint: JointPart | None = None
    tendon: TendonPart | None = None

    @property
    def ratios(self) -> dict[str, float]:
        """By joint, the actuator's speed over the joint's, with all joints at their references."""
        if self.joint is not None:
            return {self.joint.name: self.gear}
        assert self.tendon is not None
        found = self.tendon.scaled(self.gear)
        if found is None:
            return {}
        A = found[0].actuator_per_joint_at(found[0].rest)[0]
        return dict(zip((ref.joint for ref in found[1]), A.tolist(), strict=True))

    @property
    def range(self) -> tuple[float, float] | None:
        return self.joint.range if self.joint is not None else self.tendon.limits if self.tendon is not None else None


class Read(NamedTuple):
    """An actuator of a file before it is made."""

    element: Element
    settings: ActuatorSettings
    target: ActuatorTarget
    file: SourceFile
    control: int  # number of its first control


@dataclass
class ActuatorReader:
    """All of a file: their targets first, since damping ratios depend on what all of them move."""

    parts: Parts
    weights: Mapping[str, Inertia]
    names: list[str | None] = field(default_factory=list)  # by number of a control; None: nothing here takes it

    def add(self) -> None:
        read: list[Read] = []
        for section, file in self.parts.sections("actuator"):
            self._file = file
            for e in section.all(*ACTUATOR_TAGS):
                s, target = self._read(e)
                if target is not None:
                    read.append(Read(e, s, target, file, len(self.names)))
                self.names += [None] * len(s.inputs)
        self.armatures = [(found.settings.armature, found.target) for found in read]
        for found in read:
            name = self._add(found)
            if found.settings.followed is not None:
                self.names[found.control + found.settings.followed] = name

    def _read(self, e: Element) -> tuple[ActuatorSettings, ActuatorTarget | None]:
        """Its settings and its target; None where it is left out."""
        path = f"actuator/{e.tag}"
        if ELEMENTS[path].whole is not None:
            heed(e, path)
            self.parts.draft.refused.add(self._file.prefix + (e.get("name") or ""))
            servo = e.tag == "orientation"
            return ActuatorSettings(gaintype="so3" if servo else "fixed", input=e.get("input") if servo else None), None
        settings = self._file.settings.defaults.of(e, MAIN).actuator.copy()
        apply_settings(e, settings)
        return settings, self._target(e, settings.gear[0])

    def _target(self, e: Element, gear: float) -> ActuatorTarget | None:
        for attribute, what in ELSEWHERE.items():
            if attribute in e.attributes:
                self._leave_out(e, f"it acts on {what}, which has no counterpart here")
                return None
        if "tendon" in e.attributes:
            tendon = self.parts.find(e, "tendon", self.parts.tendons, "tendon", self._file.prefix)
            if tendon is None:
                return None
            if tendon.scaled(gear or 1.0) is None:
                self._leave_out(e, f"its tendon {tendon.name!r} has no map: {tendon.why}")
                return None
            return self._geared(e, ActuatorTarget(tendon.name, gear, tendon=tendon))
        attribute = "jointinparent" if "jointinparent" in e.attributes else "joint"
        joint = self.parts.find(e, attribute, self.parts.joints, "joint", self._file.prefix)
        if joint is None:
            return None
        if not joint.scalar:
            self._leave_out(e, f"joint {joint.name!r} is neither a hinge nor a slide")
            return None
        return self._geared(e, ActuatorTarget(joint.name, gear, joint=joint))

    def _geared(self, e: Element, target: ActuatorTarget) -> ActuatorTarget | None:
        if target.gear:
            return target
        self._leave_out(e, "its gear ratio is 0")
        return None

    def _leave_out(self, e: Element, why: str) -> None:
        name = self._file.prefix + (e.get("name") or "")
        e.recoverable("element-refused", f"<{e.tag}> {name!r}: {why}; it is left out")
        self.parts.draft.refused.add(name)

    # --- one of them ---------------------------------------------------------------------------------------------

    def _add(self, read: Read) -> str | None:
        """Its name; None where it is left out."""
        e, s, target, self._file, _ = read
        draft = self.parts.draft
        name = self.parts.name(e, draft.actuators, "actuator", self._file.prefix, f"{target.name}_{e.tag}")
        self._inherit_range(e, s, target)
        self._damp(e, s, target)
        alone = target.joint is not None and target.gear == 1.0
        fields: dict[str, Any] = {
            "name": name, "source": e.source, "rotor_inertia": s.armature,
            "damping": s.damping[0] if self.parts.option.on("damper") else 0.0,
            "joint": AxisRef(target.name) if alone else None,
        }  # fmt: skip
        if any(s.damping[1:]):
            e.warning("not-simulated", f"actuator {name!r}: its damping is linear; further numbers have no effect")
        try:
            made = self._made(e, s, fields, target)
        except ModelError as error:
            e.error("actuator-value", f"actuator {name!r}: {error}")
            return None
        if isinstance(made, str):
            self._leave_out(e, made)
            return None
        if not draft.add(draft.actuators, "actuator", name, made, e) or alone:
            return name
        if target.joint is not None:
            tie(self.parts, e, f"{name}_gear", name, SimpleTransmission(reduction=target.gear), (AxisRef(target.name),))
        elif target.tendon is not None and (found := target.tendon.scaled(target.gear)) is not None:
            tie(self.parts, e, f"{name}_{target.name}", name, *found)
        return name

    def _made(self, e: Element, s: ActuatorSettings, fields: dict[str, Any], target: ActuatorTarget) -> Actuator | str:
        """The actuator; in words, why there is none. One of a group that is disabled has its rotor, and no effort."""
        if s.group in self.parts.option.disabled_groups:
            why = f"group {s.group:g} is in <option actuatorgroupdisable>; no command has an effect, as in MuJoCo"
            e.info("element-ignored", f"actuator {fields['name']!r}: {why}")
            return AffineActuator(**fields, gain=0.0)
        limited = target.joint is not None and effort_range(target.joint) is not None
        return made_actuator(e, s, fields, self._ranges(e, s), self._joint_effort(target), limited)

    def _ranges(self, e: Element, s: ActuatorSettings) -> dict[str, tuple[float, float]]:
        """Command, effort and activation, where they are limited."""
        found: dict[str, tuple[float, float]] = {}
        for kind in ("ctrl", "force", "act"):
            given = s.range(kind)
            limited = s.limited.get(kind, "auto")
            holds = any(given) and self._file.settings.compiler.autolimits if limited == "auto" else limited == "true"
            if holds and (kind != "ctrl" or self.parts.option.on("clampctrl")):
                both = bounds(e, f"{kind}range", given)
                if both is not None:
                    found[kind] = both
        return found

    def _joint_effort(self, target: ActuatorTarget) -> tuple[float, float]:
        """What its joint lets it do, in the actuator's own unit; symmetric limits are the joint's own affair."""
        limit = None if target.joint is None else effort_range(target.joint)
        if limit is None or limit[0] == -limit[1]:
            return -inf, inf
        low, high = sorted(x / target.gear for x in limit)
        return low, high

    def _inherit_range(self, e: Element, s: ActuatorSettings, target: ActuatorTarget) -> None:
        """The range of what it drives, widened or narrowed about its middle."""
        follows = s.biastype == "affine" and (
            s.gaintype == "pid" or (s.gaintype == "fixed" and s.gainprm[0] == -s.biasprm[1])
        )
        if s.inheritrange <= 0 or not follows:
            return
        kind = "act" if s.dyntype == "integrator" else "ctrl"
        if any(s.range(kind)):
            e.error("actuator-value", f"<{e.tag}> has inheritrange and {kind}range; one of them is enough")
        if target.range is None:
            e.error("actuator-value", f"<{e.tag}>: inheritrange needs a range of {target.name!r}, which has none")
            return
        low, high = target.range
        middle, radius = (low + high) / 2, (high - low) / 2 * s.inheritrange
        s.ranges[kind] = (middle - radius, middle + radius)

    def _damp(self, e: Element, s: ActuatorSettings, target: ActuatorTarget) -> None:
        """A positive b₂ of a servo is a damping ratio: `b₂ = −ζ·2·√(kp·m)`, m the inertia seen by the actuator."""
        ratio, pid = s.biasprm[2], s.gaintype == "pid"
        if s.biastype != "affine" or ratio <= 0 or not (pid or s.gainprm[0] == -s.biasprm[1]):
            return
        s.biasprm[2] = -ratio * 2 * sqrt(max(-s.biasprm[1] * self._seen_mass(e, target), 0.0))

    def _seen_mass(self, e: Element, target: ActuatorTarget) -> float:
        """`1/(A·M⁻¹·Aᵀ)`: what an effort of the actuator has to move, as MuJoCo has it since 4.0."""
        M, places = self._start_mass
        A = row_over(target.ratios, places, len(M))
        try:
            yielding = float(A @ np.linalg.solve(M, A))
        except np.linalg.LinAlgError:
            yielding = 0.0
        if yielding > 0:
            return 1.0 / yielding
        e.error("actuator-value", f"<{e.tag}>: dampratio needs an inertia at {target.name!r}; give kv")
        return 0.0

    @cached_property
    def _start_mass(self) -> tuple[Array, Places]:
        M, places = mass_matrix(self.parts, self.weights)
        along = [
            (real(t.element, "armature"), ActuatorTarget(t.name, 1.0, tendon=t)) for t in self.parts.tendons.values()
        ]
        for armature, target in (*self.armatures, *along):
            if armature:
                A = row_over(target.ratios, places, len(M))
                M += armature * np.outer(A, A)
        return M, places


def row_over(ratios: Mapping[str, float], places: Places, n: int) -> Array:
    """An actuator's speed over those of all joints."""
    A = np.zeros(n)
    for name, ratio in ratios.items():
        A[places[name]] = ratio
    return A


def tie(parts: Parts, e: Element, name: str, actuator: str, map: TransmissionMap, joints: tuple[AxisRef, ...]) -> None:
    """Adds a transmission of one actuator."""
    draft = parts.draft
    free = name if name not in draft.transmissions else draft.numbered(f"{name}_", draft.transmissions)
    made = Transmission(name=free, type=type_name(map), map=map, actuators=(actuator,), joints=joints, source=e.source)
    draft.add(draft.transmissions, "transmission", free, made, e)
