"""MCAP files with messages of ROS 2 (a bag): joint states and plain numbers, decoded from their bytes (CDR).

Columns of `/joint_states` are `JOINT.position`, `JOINT.velocity` and `JOINT.effort`; of another topic they begin with
its name, and hold their last value until the next message.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.errors import ModelError
from gearwright.files import open_regular
from gearwright.identification.log import Log
from gearwright.optional import require

JOINT_STATES = "joint_states"
MOST_ITEMS = 1 << 20  # of an array in a message


class _Cdr:
    """Reads a message: numbers are aligned to their size, counted from behind the four bytes of its header."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 4
        self._order = "<" if data[1:2] == b"\x01" else ">"

    def number(self, code: str) -> Any:
        size = struct.calcsize(code)
        self._at += -(self._at - 4) % size
        (value,) = struct.unpack_from(self._order + code, self._data, self._at)
        self._at += size
        return value

    def count(self) -> int:
        found = int(self.number("I"))
        if found > MOST_ITEMS or found > len(self._data):
            raise struct.error
        return found

    def text(self) -> str:
        size = self.count()
        value = self._data[self._at : self._at + max(0, size - 1)]
        self._at += size
        return value.decode(errors="replace")

    def doubles(self) -> list[float]:
        return [float(self.number("d")) for _ in range(self.count())]


class _Row(NamedTuple):
    time: float | None  # of the message's own header
    values: dict[str, float]


def _joint_state(data: bytes) -> _Row:
    r = _Cdr(data)
    time = r.number("i") + 1e-9 * r.number("I")
    r.text()  # the frame
    names = [r.text() for _ in range(r.count())]
    each = {what: r.doubles() for what in ("position", "velocity", "effort")}
    return _Row(time or None, {f"{n}.{what}": x for what, xs in each.items() for n, x in zip(names, xs, strict=False)})


def _float_array(data: bytes) -> _Row:
    r = _Cdr(data)
    for _ in range(r.count()):  # dimensions: label, size, stride
        r.text(), r.number("I"), r.number("I")
    r.number("I")  # where the data begin
    return _Row(None, {f"[{i}]": x for i, x in enumerate(r.doubles())})


def _float(code: str) -> Callable[[bytes], _Row]:
    return lambda data: _Row(None, {"": float(_Cdr(data).number(code))})


MESSAGES: dict[str, Callable[[bytes], _Row]] = {  # by the name of their schema
    "sensor_msgs/msg/JointState": _joint_state,
    "std_msgs/msg/Float64MultiArray": _float_array,
    "std_msgs/msg/Float64": _float("d"),
    "std_msgs/msg/Float32": _float("f"),
    "std_msgs/msg/Bool": _float("?"),
}


def read_ros_bag(path: Path) -> Log:
    """The rows are those of the joint states; without them, of the topic with the most messages."""
    topics: dict[str, list[_Row]] = {}
    for topic, row in _messages(path):
        topics.setdefault(topic, []).append(row)
    if not topics:
        raise ModelError(f"{path.name}: no messages of {', '.join(MESSAGES)} in it, and no recording of Gearwright")
    main = next((t for t in topics if t.endswith(JOINT_STATES)), max(topics, key=lambda t: len(topics[t])))
    time = np.array([row.time for row in topics[main]], float)
    columns: dict[str, Any] = {}
    for topic, rows in topics.items():
        stamps = np.array([row.time for row in rows], float)
        last = np.clip(np.searchsorted(stamps, time, side="right") - 1, 0, len(rows) - 1)
        prefix = "" if topic == main and topic.endswith(JOINT_STATES) else topic.strip("/")
        for name in rows[0].values:
            values = np.array([row.values.get(name, np.nan) for row in rows])
            columns[f"{prefix}{'.' if prefix and name[:1] not in ('', '[') else ''}{name}"] = values[last]
    return Log(name=path.name, time=time - time[0], columns=columns)


def _messages(path: Path) -> Iterator[tuple[str, _Row]]:
    require("mcap.reader", "an .mcap log")
    from mcap.exceptions import McapError
    from mcap.reader import make_reader

    with open_regular(path) as file:
        try:
            for schema, channel, message in make_reader(file).iter_messages():
                decode = None if schema is None else MESSAGES.get(schema.name)
                if decode is not None and channel.message_encoding == "cdr":
                    time, values = decode(message.data)
                    yield channel.topic, _Row(1e-9 * message.log_time if time is None else time, values)
        except (
            McapError,
            struct.error,
            EOFError,
            ValueError,
            IndexError,
            OSError,
        ) as error:  # it seeks before its start
            raise ModelError(f"{path.name}: not an MCAP file, or damaged ({type(error).__name__})") from None
