"""Diagnostics: what is wrong with a file, and where.

A reader collects all of them in a `Report` before it fails, so that a file can be corrected in one pass.
The codes and what each of them means are listed in `CODES`; `docs/diagnostics.md` is written from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gearwright.errors import nearest, suggestion

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a part of a model was written."""

    file: str
    line: int  # counted from 1; 0 when unknown
    element: str = ""  # e.g. joint[shoulder]/axis/mimic


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnostic:
    """One message about a file; prints as `file:line: severity: message [code]`."""

    severity: Severity  # "error", "warning" or "info"
    code: str  # a row of CODES, such as "mimic-leader-not-found"
    message: str  # what is wrong, and the nearest valid name
    file: str = ""  # as it was given
    line: int = 0  # counted from 1; 0 when unknown
    element: str = ""  # e.g. joint[shoulder]/axis/mimic

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.severity}: {self.message} [{self.code}]"


@dataclass(slots=True)
class Report:
    """Collects diagnostics; `limit`, for each severity, bounds what a hostile file can make it hold."""

    limit: int = 1000
    strict: bool = False  # what the mechanism is sound without is an error, too
    diagnostics: list[Diagnostic] = field(default_factory=list)
    failed: bool = False  # an error was added
    unread: int = 0  # numbers that could not be read
    _once: set[object] = field(default_factory=set)
    _searches: int = 0
    _counts: dict[str, int] = field(default_factory=dict)
    _leaving_out: LeavingOut | None = None

    def add(self, severity: Severity, code: str, message: str, source: Source | None = None) -> None:
        if code not in CODES:
            raise ValueError(f"{code!r} is not a diagnostic code; add it to CODES")
        self.unread += code == "number-invalid"
        if severity == "error" and self._leaving_out is not None:
            severity, message = self._leaving_out.judge(message)
        self.failed = self.failed or severity == "error"
        count = self._counts[severity] = self._counts.get(severity, 0) + 1
        s = source or Source(file="", line=0)
        if count == self.limit + 1:
            severity, code, message = "info", "diagnostics-many", f"only the first {self.limit} {severity}s are shown"
            s = Source(file=s.file, line=0)
        if count > self.limit + 1:
            return
        if not message.isprintable():  # names come from the file, and a diagnostic is one line
            message = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
        self.diagnostics.append(
            Diagnostic(severity=severity, code=code, message=message, file=s.file, line=s.line, element=s.element)
        )

    def error(self, code: str, message: str, source: Source | None = None) -> None:
        self.add("error", code, message, source)

    def warning(self, code: str, message: str, source: Source | None = None) -> None:
        self.add("warning", code, message, source)

    def info(self, code: str, message: str, source: Source | None = None) -> None:
        self.add("info", code, message, source)

    def recoverable(self, code: str, message: str, source: Source | None = None) -> None:
        """A warning if the mechanism does not depend on the faulty part; an error if strict."""
        self.add("error" if self.strict else "warning", code, message, source)

    def leaving_out(self, part: str) -> LeavingOut:
        """A context in which an error becomes a warning that this part is left out; with strict it stays an error."""
        return LeavingOut(self, part)

    def near(self, name: str, valid: Iterable[str], *, listed: bool = True) -> str:
        """Message part after an unknown name. The search is slow, so a file gets it for its first fifty mistakes."""
        if self._searches >= 50:
            return ""
        self._searches += 1
        return suggestion(name, valid) if listed else nearest(name, valid)

    def first(self, key: object) -> bool:
        """True the first time that `key` is seen: for messages once per kind."""
        if key in self._once:
            return False
        self._once.add(key)
        return True

    def drop(self, code: str, message: str) -> None:
        """Takes back a warning or info that an error now says."""
        self.diagnostics = [d for d in self.diagnostics if (d.code, d.message) != (code, message)]

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        for d in diagnostics:
            self.add(d.severity, d.code, d.message, Source(file=d.file, line=d.line, element=d.element))

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(in_line_order(self.diagnostics))


class LeavingOut:
    """Reads a part that the mechanism does not depend on: see `Report.leaving_out`."""

    __slots__ = ("_before", "failed", "part", "report")

    def __init__(self, report: Report, part: str) -> None:
        self.report = report
        self.part = part
        self.failed = False  # an error came up, and the part is to be left out
        self._before: LeavingOut | None = None

    def judge(self, message: str) -> tuple[Severity, str]:
        """Severity and message of an error inside."""
        self.failed = True
        return ("error", message) if self.report.strict else ("warning", f"{message}; {self.part} is left out")

    def __enter__(self) -> LeavingOut:
        self._before, self.report._leaving_out = self.report._leaving_out, self
        return self

    def __exit__(self, *_: object) -> None:
        self.report._leaving_out = self._before


def in_line_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file, in the order of first occurrence, and by line."""
    listed = list(diagnostics)
    files = {f: i for i, f in reversed(list(enumerate(d.file for d in listed)))}
    return sorted(listed, key=lambda d: (files[d.file], d.line))


def first_of(found: Sequence[Diagnostic], file: str) -> str:
    """One line for several: the first, with its place, and how many more there are."""
    d, others = found[0], len(found) - 1
    place = f"{file}:{d.line}: " if d.line else f"{file}: " if file else ""
    return f"{place}{d.message} [{d.code}]" + (f"; {others} more in robot.diagnostics" if others else "")


# code → when it is given. One row per code; every row has a test with a minimal file.
CODES: dict[str, str] = {
    # the text
    "file-unreadable": "the file does not exist, is not a file, cannot be read or is too large",
    "xml-malformed": "the text is not XML",
    "usd-malformed": "the text is not USD, or usd-core cannot open the file",
    "xml-lenient": "not well-formed XML, but read as TinyXML does: undeclared prefix, late declaration, hyphens, NUL",
    "xml-unsafe": "a DTD, an entity, or nesting and sizes beyond the limits for a robot",
    "xacro-failed": "a xacro file that cannot be expanded: an expression, macro, property or argument is wrong",
    "xacro-limit": "a xacro file whose expansion exceeds the limits of time or size",
    "xacro-refused": "a xacro file that reads the environment without permission",
    "xacro-argument": "an argument was given that the xacro file does not have",
    "xacro-message": "a message that the xacro file prints, or a note about its expansion",
    "package-not-found": "a package named by $(find …) or package:// that is not on the search path",
    "format-unknown": "the root element is neither sdf, robot nor mujoco, and the file is not USD",
    "version-unknown": "a format version that is unknown, cannot be read or is older than SDFormat 1.4",
    "model-choice": "the file holds no model, or several models or worlds, and none was chosen",
    "include-not-found": "an included file, or a model:// or package:// address, that does not exist",
    "include-cycle": "files that include each other, or includes nested too deeply",
    "include-unsafe": "an include that leaves the folders it may read from",
    "saved-code": "a saved simulation that is damaged, not for this machine or version, or not to be trusted",
    # structure
    "name-duplicate": "two parts of the same type with the same name; tags and transmissions get a number",
    "name-missing": "a part without a name",
    "name-reserved": "a name that the format reserves",
    "link-not-found": "a link that is named but not declared",
    "joint-not-found": "a joint that is named but not declared",
    "joint-world-child": "the world as a joint's child",
    "joint-self": "a joint whose parent and child are the same link",
    "frame-cycle": "frames whose definitions form a cycle",
    "frame-not-found": "a frame that is named but not declared",
    "element-missing": "a required element or attribute",
    # values
    "joint-type-unknown": "an unknown joint type",
    "base-falls": "a floating base without a ground or other environment below it",
    "axis-missing": "a joint without an axis; the format's default is used",
    "axis-zero": "an axis of length zero",
    "axis-not-unit": "an axis that is not of unit length; it is normalised",
    "limit-inverted": "a lower limit above the upper one",
    "limit-missing": "a revolute or prismatic joint of a URDF without limits",
    "dynamics-invalid": "a damping, friction, armature, rotor inertia, spring or stop below zero",
    "inertia-invalid": "a mass or inertia that is not physical",
    "inertia-missing": "joints that move no mass, alone or together; missing values, which get the format's defaults",
    "inertia-auto": "an inertia that cannot be computed from the collision shapes, or needs an assumption",
    "surface-value": "a friction, stiffness or restitution of a surface that is out of range; it is left out",
    "contact-shape": "a mesh or image that touches as a coarser shape, or that cannot be read and touches nothing",
    "number-invalid": "a number, vector or truth value that cannot be read",
    "pose-invalid": "a pose that cannot be read",
    # couplings
    "mimic-self": "an axis that mimics itself",
    "mimic-axis-name": "a leader's axis that is neither axis nor axis2",
    "mimic-leader-not-found": "a leader that does not exist",
    "mimic-axis-missing": "an axis that the joint does not have",
    "mimic-leader-fixed": "a leader that cannot move",
    "mimic-contradiction": "a coupling cycle whose ratios contradict each other, so that nothing in it can move",
    "mimic-cycle": "exact couplings that form a cycle",
    "mimic-zero": "a multiplier of zero",
    "mimic-follower-fixed": "a follower that cannot move; the coupling is dropped",
    "mimic-limits-conflict": "limits of leader and follower with no common range",
    "mimic-limits-tighten": "limits of a follower that tighten its leader's",
    "mimic-duplicate": "two couplings with the same follower",
    "coupling-value": "a coupling's parameter that is out of range or does not fit its mode",
    "coupling-implied": "a coupling that a closed loop implies; the loop's rows are left out",
    "coupling-contradicted": "a coupling that contradicts a closed loop and would lock it; it is not simulated",
    # older spellings
    "gearbox-deprecated": "a gearbox joint; read as a coupling",
    "gearbox-unresolved": "a gearbox whose links are not joined with its reference body by joints about its axes",
    "mimic-joint-deprecated": "a joint of the draft type mimic; read as a coupling",
    # transmissions
    "transmission-type-unknown": "an unknown transmission type; kept by name, without a map",
    "transmission-ratio-zero": "a reduction of zero",
    "transmission-size": "a number of actuators, joints or values that does not fit the transmission",
    "transmission-role": "a role that the transmission does not have, or one given twice",
    "transmission-actuator-not-found": "an actuator that is named but not declared",
    "transmission-joint-not-found": "a joint that is not declared; the transmission is left out (an error if strict)",
    "transmission-repeats": "a joint or actuator that is named twice; the part is left out (an error if strict)",
    "transmission-joint-fixed": "a transmission whose joint cannot move",
    "transmission-start": "a linkage that does not reach the position its joint starts at",
    "plugin-untrusted": "code named by a file, which the caller has not allowed",
    "plugin-not-found": "code named by a file that does not exist or cannot be loaded",
    # devices
    "actuator-type-unknown": "an unknown actuator type; the actuator is left out (an error if strict)",
    "device-protocol-unknown": "a `<device>` of an actuator with an unknown protocol",
    "device-value": "a value of a `<device>` that is not allowed",
    "actuator-value": "an actuator's parameter that is missing or out of range",
    "encoder-target-not-found": "a sensor whose transmission, actuator or joint does not exist",
    "encoder-value": "a sensor's parameter that is out of range",
    # ros2_control
    "ros2-mimic-command-interface": "a mimic joint with a command interface",
    "ros2-mimic-not-in-urdf": 'mimic="true" on a joint that mimics nothing in the URDF',
    "ros2-mimic-leader-missing": "a mimic joint whose leader is not in the same ros2_control tag",
    "ros2-joint-not-found": "a ros2_control joint that is not in the URDF",
    "ros2-joint-fixed": "a ros2_control joint that cannot move",
    # topology and the rest
    "loop-closed": "a kinematic loop, and its loop-closing joint",
    "loop-rigid": "a kinematic loop that moves to first order only, so it is rigid; its loop-closing joint is fixed",
    "loop-open": "a kinematic loop that cannot be closed from the poses in the file",
    "closure-value": "a list of closures (`closures=…`) that cannot be understood",
    "root-multiple": "a URDF with several root links, or none",
    "element-refused": "MJCF or USD without a counterpart here; an actuator is left out (an error if strict)",
    "element-ignored": "a known element that does not describe the mechanism",
    "element-unknown": "an unknown element or attribute",
    "mesh-missing": "a mesh file that does not exist or cannot be shown; reported by `check` and `view`",
    "kind-shadowed": "a plug-in type with the name of a built-in one; it is not used; reported by `check`",
    "diagnostics-many": "there are more diagnostics than are shown",
    "implausible": "a number that is possible but probably not intended: degrees for radians, millimetres, grams",
    # simulation
    "redundant-rows": "constraint rows that depend on others, as in a planar loop of spatial joints; they are left out",
    "not-simulable": "a part that cannot be simulated as it is written; the file loads, but `compile` refuses it",
    "self-locking": "a transmission with an efficiency below 0.5: by default joints cannot back-drive its actuator",
    "not-simulated": "a part of the mechanism that the step does not simulate yet",
    # the command line's own
    "model-error": "the model does not support the request",
    "internal-error": "a fault of Gearwright itself, not of the file; please report it",
}
