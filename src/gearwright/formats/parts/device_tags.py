"""`<device protocol="cia402" node="3"/>` of an actuator: the bus that it is on."""

from __future__ import annotations

from gearwright.formats.xml.located_xml import Element
from gearwright.model.hardware.device_bindings import PROTOCOLS, DeviceBinding

_OWN = ("protocol", "node", "model")


def read_device(e: Element, actuator: str) -> DeviceBinding | None:
    """The binding; other attributes and children are the protocol's options. What is wrong is reported."""
    written = {**e.attributes, **{c.tag: c.words for c in e.children}}
    e.consume()
    protocol = written.get("protocol", "")
    if protocol not in PROTOCOLS:
        near = e.report.near(protocol, list(PROTOCOLS))
        e.error("device-protocol-unknown", f"actuator {actuator!r}: there is no protocol {protocol!r}{near}")
        return None
    node = written.get("node")
    number = None if node is None else _whole(node)
    if node is not None and number is None:
        e.error("device-value", f"actuator {actuator!r}: a device's node must be a whole number, not {node!r}")
        return None
    options = tuple((k, v) for k, v in written.items() if k not in _OWN)
    return DeviceBinding(
        protocol=protocol, node=number, model=written.get("model"), options=options, source=e.source
    )  # fmt: skip


def _whole(text: str) -> int | None:
    """A decimal or hexadecimal number that a bus could have as an id."""
    try:
        number = int(text, 0)
    except ValueError:
        return None
    return number if 0 <= number < 2**29 else None
