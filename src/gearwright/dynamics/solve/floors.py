"""The size below which a number counts as zero: the residue of rounding."""

from __future__ import annotations

from typing import NamedTuple


class Floors(NamedTuple):
    """Residues of numbers that should be zero, from rounding to `eps`. All are shares of a row's own response A_kk.

    dependent   A pivot of LDLᵀ is A_kk less squares that sum to no more than A_kk (A is semidefinite), so it is off by
                a few n·eps·A_kk, and a pivot p·A_kk gives λ to eps/p. At 1000·eps three digits of λ are left. What
                λ does to velocities stays exact: without a bias, u* is projected, whatever the pivot.
    noise       of the largest row of a loop. J is off by eps of its levers, A by the square; 1e4 between the units.
    """

    dependent: float
    noise: float

    @staticmethod
    def of(eps: float) -> Floors:
        return Floors(dependent=1e3 * eps, noise=(1e4 * eps) ** 2)
