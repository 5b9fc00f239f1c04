"""The version of an SDFormat file."""

from __future__ import annotations

import re

from gearwright.formats.xml.located_xml import Element

Version = tuple[int, int]
LATEST: Version = (1, 12)
OLDEST: Version = (1, 4)


def read_version(root: Element) -> Version:
    """The version of <sdf>; the latest, with a warning, if it is unknown."""
    text = root.get("version")
    version = parsed_version(text)
    latest = f"{LATEST[0]}.{LATEST[1]}"
    if version is None:
        what = "no version" if text is None else f"a version that cannot be read ({text[:20]!r})"
        root.warning("version-unknown", f"<{root.tag}> has {what}; {latest} is used")
        return LATEST
    if not (1, 0) <= version <= LATEST:
        root.warning("version-unknown", f"SDFormat {version[0]}.{version[1]} is not known; read as {latest}")
        return LATEST
    if version < OLDEST:
        likely = f" (did you mean {text.strip()}0?)" if version == (1, 1) and text else ""
        message = (
            f"SDFormat {version[0]}.{version[1]} is older than 1.4{likely}; elements that changed are not converted"
        )
        root.warning("version-unknown", message)
    return version


def parsed_version(text: str | None) -> Version | None:
    """`1.9`; None where it is no version. A third number, as in 1.9.0, is a libsdformat's, not a format's."""
    match = re.fullmatch(r"\s*(\d{1,3})\.(\d{1,3})\s*", text or "")
    return None if match is None else (int(match[1]), int(match[2]))
