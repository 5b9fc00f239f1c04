"""<dcmotor>: a motor by its winding, or by what its data sheet says at a nominal voltage.

The motor constant K is √(Kt·Ke), since one number turns current into torque and speed into voltage. A nominal voltage V
with a stall torque τ₀ and a no-load speed ω₀ gives `Ke = V/ω₀` and `R = K·V/τ₀`; viscous friction B slows the shaft
down, so that with it `ω₀ = V·Ke/(Ke² + R·B)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from gearwright.formats.mjcf.values import reals
from gearwright.formats.xml.located_xml import Element


@dataclass
class DCMotorSettings:
    """Numbers in the order in which the attributes have them."""

    motorconst: tuple[float, ...] = (0.0, 0.0)  # Kt, Ke
    resistance: tuple[float, ...] = (0.0,)
    nominal: tuple[float, ...] = (0.0, 0.0, 0.0)  # voltage, stall torque, no-load speed
    saturation: tuple[float, ...] = (0.0, 0.0, 0.0)  # torque, current, rate of the current
    inductance: tuple[float, ...] = (0.0, 0.0)  # L, or L/R
    cogging: tuple[float, ...] = (0.0, 0.0, 0.0)
    controller: tuple[float, ...] = (0.0,) * 6  # kp, ki, kd, slewmax, imax, highest voltage
    thermal: tuple[float, ...] = (0.0,) * 6  # resistance, capacitance, time constant, coefficient, reference, ambient
    lugre: tuple[float, ...] = (0.0,) * 5
    K: float = 0.0  # [N·m/A, V·s/rad]
    R: float = 0.0  # [Ω]


NAMES = (
    "motorconst", "resistance", "nominal", "saturation", "inductance", "cogging", "controller", "thermal", "lugre",
)  # fmt: skip


def read_dc_motor(e: Element, m: DCMotorSettings, viscous: float) -> None:
    for name in NAMES:
        setattr(m, name, reals(e, name, getattr(m, name)))
    Kt, Ke = m.motorconst
    R, (V, stall, no_load) = m.resistance[0], m.nominal
    if V > 0 and Ke <= 0 and no_load > 0:
        Ke = _back_emf(V, stall, no_load, R, viscous)
    m.K = sqrt(Kt * Ke) if Kt > 0 and Ke > 0 else max(Kt, Ke)
    m.R = m.K * V / stall if R == 0 and V > 0 and stall > 0 else R
    if e.parent is not None and e.parent.tag != "default" and (m.K <= 0 or m.R <= 0):
        what = "motor constant (motorconst, or nominal)" if m.K <= 0 else "resistance (resistance, or nominal)"
        e.error("actuator-value", f"<dcmotor> needs a positive {what}")


def _back_emf(V: float, stall: float, no_load: float, R: float, B: float) -> float:
    """From `ω₀ = V·Ke/(Ke² + R·B)`."""
    if B > 0 and R > 0:
        squared = V * V - 4 * R * B * no_load * no_load
        return (V + sqrt(squared)) / (2 * no_load) if squared > 0 else V / no_load
    if B > 0 and stall > 0:
        exact = V / no_load - V * B / stall
        return exact if exact > 0 else V / no_load
    return V / no_load
