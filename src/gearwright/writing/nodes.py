"""XML elements to be written, and the text of numbers, poses and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import atan2, cos, hypot, sin

from gearwright.errors import ModelError
from gearwright.formats.parts.mimic_text import number_text, quoted
from gearwright.model import Pose
from gearwright.model.poses import Array

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
INDENT = "  "
TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


class Node:
    """An element under construction: `node.add("mass", 2.0)`; numbers are written so that they read back the same."""

    __slots__ = ("attributes", "children", "tag", "text")

    def __init__(self, tag: str, text: object = None, **attributes: object) -> None:
        self.tag = tag
        self.text = "" if text is None else value_text(text)
        self.attributes = {k.rstrip("_"): value_text(v) for k, v in attributes.items() if v is not None}
        self.children: list[Node] = []

    def add(self, tag: str, text: object = None, **attributes: object) -> Node:
        """A child, which is returned. Attributes that are None are left out."""
        child = Node(tag, text, **attributes)
        self.children.append(child)
        return child

    def xml(self) -> str:
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + "".join(self.lines(""))

    def lines(self, indent: str) -> Iterator[str]:
        start = " ".join([self.tag, *(f"{k}={quoted(_xml(v))}" for k, v in self.attributes.items())])
        if not self.text and not self.children:
            yield f"{indent}<{start}/>\n"
        elif not self.children:
            yield f"{indent}<{start}>{_xml(self.text).translate(TEXT)}</{self.tag}>\n"
        else:
            yield f"{indent}<{start}>{_xml(self.text).translate(TEXT)}\n"
            for child in self.children:
                yield from child.lines(indent + INDENT)
            yield f"{indent}</{self.tag}>\n"


def _xml(text: str) -> str:
    wrong = NOT_XML.search(text)
    if wrong:
        what = f"U+{ord(wrong[0]):04X}"
        raise ModelError(f"{text!r:.80} holds the character {what}, which XML has no way to write; rename the part")
    return text


def value_text(value: object) -> str:
    """The text of a number, of several, of a truth value, or a text itself."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return " ".join(map(value_text, value))
    return str(value)


def numbers(values: Iterable[float]) -> tuple[float, ...]:
    """Plain floats, none of them −0."""
    return tuple(float(x) + 0.0 for x in values)


def rpy(R: Array) -> tuple[float, float, float]:
    """Roll, pitch, yaw of a rotation. The roll is taken after the yaw, so that nothing is lost near a pitch of ±90°."""
    pitch = atan2(-R[2, 0], hypot(R[0, 0], R[1, 0]))
    yaw = atan2(R[1, 0], R[0, 0]) if hypot(R[0, 0], R[1, 0]) > 1e-300 else 0.0
    roll = atan2(sin(yaw) * R[0, 2] - cos(yaw) * R[1, 2], cos(yaw) * R[1, 1] - sin(yaw) * R[0, 1])
    return float(roll) + 0.0, float(pitch) + 0.0, float(yaw) + 0.0


def pose_text(X: Pose) -> str:
    """`x y z roll pitch yaw`."""
    return value_text((*numbers(X.p), *rpy(X.R)))


def is_identity(X: Pose) -> bool:
    return not X.p.any() and bool((X.R == Pose.from_rpy((0, 0, 0), (0, 0, 0)).R).all())
