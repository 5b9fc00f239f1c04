"""Units of logs, converted to those of signals."""

from __future__ import annotations

from math import pi

from gearwright.errors import ModelError

# by SI unit: other spellings and multiples of it, with their factors
MULTIPLES: dict[str, dict[str, float]] = {
    "rad": {"deg": pi / 180, "degree": pi / 180, "degrees": pi / 180, "°": pi / 180, "mrad": 1e-3, "rev": 2 * pi,
            "turn": 2 * pi, "turns": 2 * pi},
    "m": {"mm": 1e-3, "cm": 1e-2, "um": 1e-6, "µm": 1e-6, "in": 0.0254},
    "rad/s": {"deg/s": pi / 180, "°/s": pi / 180, "rpm": pi / 30, "1/min": pi / 30, "rev/s": 2 * pi},
    "m/s": {"mm/s": 1e-3, "cm/s": 1e-2},
    "N·m": {"Nm": 1.0, "N*m": 1.0, "N m": 1.0, "mNm": 1e-3, "mN·m": 1e-3, "kgf·cm": 0.0980665, "kg·cm": 0.0980665},
    "N": {"mN": 1e-3, "kN": 1e3},
    "A": {"mA": 1e-3},
    "V": {"mV": 1e-3},
    "kg": {"g": 1e-3},
    "s": {"ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "°C": {"C": 1.0, "degC": 1.0},
}  # fmt: skip


def factor(what: str, given: str, wanted: str) -> float:
    """By which a column in one unit is multiplied to be in another; raises ModelError for one of another quantity."""
    if given in ("", wanted):
        return 1.0
    known = MULTIPLES.get(wanted, {})
    if given in known:
        return known[given]
    if given in MULTIPLES or any(given in own for own in MULTIPLES.values()) or known:
        valid = ", ".join([wanted, *known])
        raise ModelError(f"{what} is in {given!r}, and must be in {wanted or 'no unit'} (known: {valid})")
    raise ModelError(
        f"{what} is in {given!r}, a unit that is not known here; convert it to {wanted or 'a plain number'}"
    )
