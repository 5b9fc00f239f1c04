"""Sections of the documentation that benchmarks write. Each gives the day, the machine and the versions."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.bench.machine import machine
from gearwright import __version__
from gearwright.files import write_whole

PERFORMANCE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"


def conditions(*packages: str) -> str:
    """The day, the machine, and the versions of these packages where they are installed."""
    found = [f"gearwright {__version__}"]
    for package in dict.fromkeys(p for p in packages if p != "gearwright"):
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return f"Measured on {today()} on {machine()}; {', '.join(found)}."


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def write_section(page: Path, begin: str, end: str, text: str, heading: str = "") -> None:
    """Puts the text between the two markers. A page without them gets a section of this heading at its end."""
    before = page.read_text(encoding="utf-8") if page.is_file() else "# Performance\n"
    section = f"{begin}\n{text}\n{end}"
    if begin in before and end in before:
        head, _, rest = before.partition(begin)
        after = head + section + rest.partition(end)[2]
    else:
        after = f"{before.rstrip()}\n\n## {heading}\n\n{section}\n"
    page.parent.mkdir(parents=True, exist_ok=True)
    write_whole(page, after)
