"""The version of an SDFormat file."""

from __future__ import annotations

import re

from gearwright.formats.located_xml import Element

Version = tuple[int, int]
LATEST: Version = (1, 12)


def read_version(root: Element) -> Version:
    """What <sdf version> says; the latest, with a warning, where that is nothing known."""
    text = root.get("version")
    match = re.fullmatch(r"\s*(\d{1,3})\.(\d{1,3})\s*", text or "")
    latest = f"{LATEST[0]}.{LATEST[1]}"
    if match is None:
        what = "no version" if text is None else f"a version that cannot be read ({text[:20]!r})"
        root.warning("version-unknown", f"<{root.tag}> has {what}; {latest} is taken")
        return LATEST
    version = (int(match[1]), int(match[2]))
    if not (1, 0) <= version <= LATEST:
        root.warning("version-unknown", f"SDFormat {version[0]}.{version[1]} is not known; read as {latest}")
        return LATEST
    return version
