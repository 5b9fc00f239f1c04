"""The mass properties of a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.model.fields import check, quantity
from gearwright.model.poses import IDENTITY, Array, Pose


@dataclass(frozen=True, kw_only=True)
class Inertia:
    """Mass and inertia as the file says them: about the centre of mass, in the axes of a frame of their own."""

    mass: float = quantity("kg", at_least=0, doc="mass")
    moments: tuple[float, float, float] = quantity("kg·m²", doc="ixx, iyy, izz", default=(0.0, 0.0, 0.0))
    products: tuple[float, float, float] = quantity("kg·m²", doc="ixy, ixz, iyz", default=(0.0, 0.0, 0.0))
    pose: Pose = IDENTITY  # X_LI: the inertial frame in the link's; its origin is the centre of mass

    def __post_init__(self) -> None:
        check(self)

    @property
    def center(self) -> Array:
        """The centre of mass in the link's frame, (3,) [m]."""
        return self.pose.p

    @property
    def tensor(self) -> Array:
        """The rotational inertia about the centre of mass in the link's axes, (3, 3) [kg·m²]."""
        R = self.pose.R
        tensor: Array = R @ np.array(self.own_tensor()) @ R.T
        return tensor

    def own_tensor(self) -> list[list[float]]:
        """The same in the axes of its own frame."""
        (xx, yy, zz), (xy, xz, yz) = self.moments, self.products
        return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


MASSLESS = Inertia(mass=0.0)
SMALLEST_RADIUS = 1e-8  # [m] a radius of gyration below which a moment is what rounding left of zero
LIGHTEST = 0.01  # [kg] lighter bodies are judged as if they had this mass: files leave 1e-20 kg·m² without any


def flaws(inertias: Sequence[Inertia]) -> list[str | None]:
    """By inertia, why no body can have it, or None.

    The principal moments of a body are not negative, and none exceeds the sum of the other two.
    The slack of 1e-6 of the largest one is what six printed digits lose; what is left of zero is not judged.
    """
    if not inertias:
        return []
    principal = np.linalg.eigvalsh(np.array([i.own_tensor() for i in inertias]))  # (n, 3), ascending
    return [_flaw(i.mass, *moments) for i, moments in zip(inertias, principal.tolist(), strict=True)]


def _flaw(mass: float, a: float, b: float, c: float) -> str | None:
    slack = 1e-6 * max(abs(a), abs(c)) + max(mass, LIGHTEST) * SMALLEST_RADIUS**2
    if a < -slack:
        return f"the smallest principal moment is negative ({a:.3g} kg·m²)"
    if c > a + b + slack:
        return f"the largest principal moment ({c:.3g} kg·m²) exceeds the sum of the others ({a + b:.3g})"
    return None
