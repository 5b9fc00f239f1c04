"""Registers of Damiao's drives: number, name, type, access, range and value as delivered. One row per register."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from struct import Struct

FLOAT, WHOLE = Struct("<f"), Struct("<I")


@dataclass(frozen=True)
class DamiaoRegister:
    number: int
    name: str
    type: Struct
    writable: bool = False
    default: float = 0.0
    low: float = -inf
    high: float = inf

    def pack(self, value: float) -> bytes:
        if self.type is WHOLE:
            return WHOLE.pack(min(max(int(value), 0), 0xFFFFFFFF))
        return FLOAT.pack(min(max(value, -3.4e38), 3.4e38))

    def unpack(self, data: bytes) -> float | None:
        """None where the register does not take it."""
        (value,) = self.type.unpack(data)
        return float(value) if isfinite(value) and self.low <= value <= self.high else None


def _rw(number: int, name: str, type: Struct, default: float, low: float = 0.0, high: float = 3.4e38) -> DamiaoRegister:
    return DamiaoRegister(number, name, type, True, default, low, high)


ROWS = (
    _rw(0, "UV_Value", FLOAT, 15.0, 10.0),
    _rw(1, "KT_Value", FLOAT, 0.0),
    _rw(2, "OT_Value", FLOAT, 100.0, 80.0, 199.0),
    _rw(3, "OC_Value", FLOAT, 0.98, 0.0, 1.0),
    _rw(4, "ACC", FLOAT, 2.0),
    _rw(5, "DEC", FLOAT, -2.0, -3.4e38, 0.0),
    _rw(6, "MAX_SPD", FLOAT, 100.0),
    _rw(7, "MST_ID", WHOLE, 0, 0, 0x7FF),
    _rw(8, "ESC_ID", WHOLE, 0, 0, 0x7FF),
    _rw(9, "TIMEOUT", WHOLE, 0, 0, 0xFFFFFFFF),
    _rw(10, "CTRL_MODE", WHOLE, 1, 1, 4),
    DamiaoRegister(11, "Damp", FLOAT),
    DamiaoRegister(12, "Inertia", FLOAT),
    DamiaoRegister(13, "hw_ver", WHOLE),
    DamiaoRegister(14, "sw_ver", WHOLE, default=5013),
    DamiaoRegister(15, "SN", WHOLE),
    DamiaoRegister(16, "NPP", WHOLE, default=14),
    DamiaoRegister(17, "Rs", FLOAT),
    DamiaoRegister(18, "Ls", FLOAT),
    DamiaoRegister(19, "Flux", FLOAT),
    DamiaoRegister(20, "Gr", FLOAT, default=1.0),
    _rw(21, "PMAX", FLOAT, 12.5, 1e-3),
    _rw(22, "VMAX", FLOAT, 30.0, 1e-3),
    _rw(23, "TMAX", FLOAT, 10.0, 1e-3),
    _rw(24, "I_BW", FLOAT, 1000.0, 100.0, 10000.0),
    _rw(25, "KP_ASR", FLOAT, 0.0),
    _rw(26, "KI_ASR", FLOAT, 0.0),
    _rw(27, "KP_APR", FLOAT, 0.0),
    _rw(28, "KI_APR", FLOAT, 0.0),
    _rw(29, "OV_Value", FLOAT, 60.0),
    _rw(30, "GREF", FLOAT, 1.0, 0.0, 1.0),
    _rw(31, "Deta", FLOAT, 4.0, 1.0, 30.0),
    _rw(32, "V_BW", FLOAT, 100.0, 0.0, 500.0),
    _rw(33, "IQ_c1", FLOAT, 1000.0, 100.0, 10000.0),
    _rw(34, "VL_c1", FLOAT, 50.0, 0.0, 10000.0),
    _rw(35, "can_br", WHOLE, 4, 0, 4),
    DamiaoRegister(36, "sub_ver", WHOLE),
    *(
        DamiaoRegister(n, name, FLOAT)
        for n, name in ((50, "u_off"), (51, "v_off"), (52, "k1"), (53, "k2"), (54, "m_off"))
    ),
    DamiaoRegister(55, "dir", FLOAT, default=1.0),
    DamiaoRegister(56, "m_off of the motor", FLOAT),
    *(DamiaoRegister(n, name, FLOAT) for n, name in ((59, "Imax"), (60, "VBus"), (61, "Tpcb"), (62, "Tmtr"))),
    *(DamiaoRegister(n, name, FLOAT) for n, name in ((63, "Iu_off"), (64, "Iv_off"), (65, "Iw_off"))),
    DamiaoRegister(80, "p_m", FLOAT),
    DamiaoRegister(81, "xout", FLOAT),
)

REGISTERS = {row.number: row for row in ROWS}
