"""Colours and dashes of plots, light and dark."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.errors import ModelError, suggestion

# distinct for colour-blind readers too (Okabe and Ito, with two more); past the last, lines are dashed, then dotted
COLOURS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7f6bb3", "#8c6d31", "#6b7280", "#b8a900",
)  # fmt: skip
ON_DARK = (
    "#5bb4f0", "#f2b134", "#3ecf9b", "#e39ac6", "#ff8552", "#9ad4f5", "#ab98e6", "#c9a66b", "#a3abb8", "#ded233",
)  # fmt: skip
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class Theme:
    """Colours of one scheme."""

    ink: str
    soft: str
    grid: str
    edge: str
    paper: str
    limit: str  # beyond a limit
    saturated: str
    lines: tuple[str, ...]


THEMES = {
    "light": Theme("#1d2129", "#6a7180", "#e3e6eb", "#c3c8d1", "#ffffff", "#c0392b", "#e5383b", COLOURS),
    "dark": Theme("#e8eaee", "#9aa3b2", "#2b313c", "#454d5b", "#15181e", "#ff6b5e", "#ff5c5c", ON_DARK),
}


@dataclass(frozen=True)
class Look:
    """Colour and dashes of a line."""

    colour: str
    dash: str = "solid"


def find_theme(name: str) -> Theme:
    if name not in THEMES:
        raise ModelError(f"there is no theme {name!r}{suggestion(str(name), THEMES)}")
    return THEMES[name]


def background(theme: Theme) -> Look:
    """The look of lines without a name, which lie behind the others."""
    return Look(theme.edge)


def looks(names: list[str], dashed: set[str], theme: Theme) -> dict[str, Look]:
    """One for each joint or device, the same in every panel; followers are dashed, since they may lie on leaders."""
    count = len(theme.lines)
    found = {}
    for n, name in enumerate(dict.fromkeys(names)):
        dash = "dash" if name in dashed else DASHES[n // count % len(DASHES)]
        found[name] = Look(theme.lines[n % count], dash)
    return found
