"""modelDescription.xml of an FMU, and the list of its sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from gearwright import __version__
from gearwright.export.fmu.variables import Variable

# exponents of SI units, as FMI writes a unit: "N·m" is kg¹·m²·s⁻²
BASE = {
    "s": {"s": 1}, "m": {"m": 1}, "rad": {"rad": 1}, "kg": {"kg": 1}, "A": {"A": 1}, "K": {"K": 1},
    "N": {"kg": 1, "m": 1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2}, "W": {"kg": 1, "m": 2, "s": -3},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1}, "Ω": {"kg": 1, "m": 2, "s": -3, "A": -2}, "Hz": {"s": -1},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2}, "Pa": {"kg": 1, "m": -1, "s": -2},
}  # fmt: skip
POWERS = {"²": 2, "³": 3}


def model_description(name: str, robot: str, token: str, dt: float, found: Sequence[Variable]) -> str:
    units = sorted({v.unit for v in found if _exponents(v.unit) is not None})
    outputs = [(i, v) for i, v in enumerate(found) if v.causality == "output"]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<fmiModelDescription fmiVersion="3.0" modelName={_quoted(robot)} instantiationToken="{{{token}}}"',
        f'    generationTool="Gearwright {__version__}" variableNamingConvention="flat">',
        f'  <CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true"',
        f'      canGetAndSetFMUState="true" canSerializeFMUState="true" fixedInternalStepSize="{dt!r}"/>',
        "  <UnitDefinitions>", *map(_unit, units), "  </UnitDefinitions>",
        f'  <DefaultExperiment startTime="0" stepSize="{dt!r}"/>',
        "  <ModelVariables>", *(_variable(i, v) for i, v in enumerate(found)), "  </ModelVariables>",
        "  <ModelStructure>",
        *(f'    <Output valueReference="{i}"/>' for i, _ in outputs),
        *(f'    <InitialUnknown valueReference="{i}"/>' for i, _ in outputs),
        "  </ModelStructure>",
        "</fmiModelDescription>",
        "",
    ]  # fmt: skip
    return "\n".join(lines)


def build_description(name: str, sources: Sequence[str]) -> str:
    files = "".join(f'      <SourceFile name="{source}"/>\n' for source in sources)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="{name}">
    <SourceFileSet language="C99">
{files}    </SourceFileSet>
    <Library name="m"/>
  </BuildConfiguration>
</fmiBuildDescription>
"""


def _variable(reference: int, v: Variable) -> str:
    facts = {"name": v.name, "valueReference": str(reference), "causality": v.causality}
    if v.causality == "parameter":
        facts |= {"variability": "tunable" if v.tunable else "fixed"}
    else:
        facts |= {"variability": "continuous"}
    if v.unit and _exponents(v.unit) is not None:
        facts["unit"] = v.unit
    if v.start is not None:
        facts["start"] = repr(v.start)
    return "    <Float64 " + " ".join(f"{key}={_quoted(value)}" for key, value in facts.items()) + "/>"


def _unit(unit: str) -> str:
    exponents = _exponents(unit) or {}
    given = "".join(f' {base}="{power}"' for base, power in exponents.items() if power)
    return f"    <Unit name={_quoted(unit)}><BaseUnit{given}/></Unit>"


def _exponents(unit: str) -> dict[str, int] | None:
    """Of a unit such as "N·m·s/rad" or "m/s²"; None of one that is not made of SI units."""
    found: dict[str, int] = {}
    above, _, below = unit.partition("/")
    for part, sign in ((above, 1), (below, -1)):
        for factor in filter(None, re.split(r"[·*]", part)):
            symbol, power = (factor[:-1], POWERS[factor[-1]]) if factor[-1] in POWERS else (factor, 1)
            if symbol not in BASE:
                return None
            for base, exponent in BASE[symbol].items():
                found[base] = found.get(base, 0) + sign * power * exponent
    return found if unit else None


def _quoted(text: str) -> str:
    """As an attribute; characters that XML does not have are left out."""
    return quoteattr("".join(c for c in text if c >= " "))
