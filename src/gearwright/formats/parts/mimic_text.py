"""<mimic> as text: what a coupling of two axes looks like in an SDFormat file."""

from __future__ import annotations

AXES = ("axis", "axis2")  # an axis's element by its index
# by hand: xml.sax.saxutils imports http and ssl, a fifth of the time that the first load takes
REFERENCES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)
Lines = list[tuple[int, str]]  # how deep a line stands, and the line


def mimic_lines(leader: str, multiplier: float, axis: int = 0) -> Lines:
    """`follower = multiplier·leader`, with all children that the format asks for."""
    which = f' axis="{AXES[axis]}"' if axis else ""
    return [
        (0, f"<mimic joint={quoted(leader)}{which}>"),
        (1, f"<multiplier>{number_text(multiplier)}</multiplier>"),
        (1, "<offset>0</offset>"),
        (1, "<reference>0</reference>"),
        (0, "</mimic>"),
    ]


def inline(lines: Lines) -> str:
    return "".join(text for _, text in lines)


def indented(lines: Lines, indent: str, unit: str, newline: str) -> str:
    """One below the other, each with its line end."""
    return "".join(f"{indent}{unit * depth}{text}{newline}" for depth, text in lines)


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number; whole numbers without a point."""
    return repr(float(value) + 0.0).removesuffix(".0")


def quoted(value: str) -> str:
    """An attribute's value; line ends and tabs as references, which a parser does not turn into spaces."""
    return '"' + value.translate(REFERENCES) + '"'
