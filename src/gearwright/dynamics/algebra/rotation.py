"""Rotations as products of cheap factors.

Turning a vector by a dense matrix takes 15 operations, about a coordinate axis 6, by quarter turns none. Robots are
mostly quarter turns and joint angles, so that a rotation is kept as a chain of such factors instead of multiplied out.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from math import hypot
from typing import Protocol

import numpy as np

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import Force, Mass, Motion, Symmetric, Vector
from gearwright.given_numbers import Array

Rows = tuple[Vector, Vector, Vector]  # of a 3x3 matrix

# Files write a right angle as a decimal fraction of π, with 12 digits or 17, and composing a few such turns adds
# rounding: cosines of 1e-13 or 1e-16 where the robot has exact zeros, each of which would cost as much as any other
# number (a third of a whole step for some files). What a file can mean on purpose is far larger (1.5708 for π/2 is
# wrong by 4e-6), and turning a link by 5e-11 rad changes masses and forces by 5e-11 of their size: a twentieth of the
# 1e-9 that they are promised to. An entry near 1 beside zeros has only rounding to lose.
NEGLIGIBLE = 5e-11  # 1.57079632679 is 5e-12 short of π/2; a few of them add up
_ROUNDING = 1e-15


def snapped(values: Array) -> Array:
    """Rotation entries that a file means to be 0, 1 or −1 made so."""
    exact = np.where(np.abs(values) < NEGLIGIBLE, 0.0, values)
    return np.where(np.abs(np.abs(exact) - 1.0) < _ROUNDING, np.sign(exact), exact)


class Factor(Protocol):
    """A rotation R_AB: `apply` takes B's components to A's."""

    def apply(self, v: Vector) -> Vector: ...
    def undo(self, v: Vector) -> Vector: ...
    def turn(self, S: Symmetric) -> Symmetric:
        """R·S·Rᵀ."""

    def turn_rows(self, B: Rows) -> Rows:
        """R·B·Rᵀ of any matrix, by its rows."""

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Factor:
        """The same with other numbers."""

    @property
    def inverse(self) -> Factor: ...


class QuarterTurns:
    """A signed permutation of the axes: free."""

    def __init__(self, R: Array) -> None:
        self.forth = tuple((int(np.argmax(np.abs(row))), float(row[np.argmax(np.abs(row))])) for row in R)
        self.back = tuple((int(np.argmax(np.abs(row))), float(row[np.argmax(np.abs(row))])) for row in R.T)

    def apply(self, v: Vector) -> Vector:
        return Vector(*(v[k] if sign > 0 else -v[k] for k, sign in self.forth))

    def undo(self, v: Vector) -> Vector:
        return Vector(*(v[k] if sign > 0 else -v[k] for k, sign in self.back))

    def turn(self, S: Symmetric) -> Symmetric:
        rows = S.rows
        (i, a), (j, b), (k, c) = self.forth
        xy, xz, yz = a * b * rows[i][j], a * c * rows[i][k], b * c * rows[j][k]
        return Symmetric(rows[i][i], rows[j][j], rows[k][k], xy, xz, yz)

    def turn_rows(self, B: Rows) -> Rows:
        turned = [self.apply(row) for row in B]
        return tuple(turned[k] if sign > 0 else -turned[k] for k, sign in self.forth)  # type: ignore[return-value]

    def mapped(self, change: Callable[[Scalar], Scalar]) -> QuarterTurns:
        return self

    @property
    def inverse(self) -> QuarterTurns:
        turned = copy(self)
        turned.forth, turned.back = self.back, self.forth
        return turned


class AboutAxis:
    """The turn about a coordinate axis with cosine c and sine s."""

    def __init__(self, axis: int, c: Scalar, s: Scalar) -> None:
        self.axes = (axis, (axis + 1) % 3, (axis + 2) % 3)
        self.c, self.s = c, s

    def apply(self, v: Vector) -> Vector:
        _, i, j = self.axes
        out = [v.x, v.y, v.z]
        out[i] = self.c * v[i] - self.s * v[j]
        out[j] = self.c * v[j] + self.s * v[i]
        return Vector(*out)

    def undo(self, v: Vector) -> Vector:
        _, i, j = self.axes
        out = [v.x, v.y, v.z]
        out[i] = self.c * v[i] + self.s * v[j]
        out[j] = self.c * v[j] - self.s * v[i]
        return Vector(*out)

    def turn(self, S: Symmetric) -> Symmetric:
        """`u = s·(Sᵢᵢ − Sⱼⱼ) + 2c·Sᵢⱼ` turns the block of the plane in 10 operations."""
        k, i, j = self.axes
        rows = S.rows
        u = self.s * (rows[i][i] - rows[j][j]) + 2.0 * self.c * rows[i][j]
        out = [list(row) for row in rows]
        su = self.s * u
        out[i][i], out[j][j] = rows[i][i] - su, rows[j][j] + su
        out[i][j] = out[j][i] = self.c * u - rows[i][j]
        out[i][k] = out[k][i] = self.c * rows[i][k] - self.s * rows[j][k]
        out[j][k] = out[k][j] = self.c * rows[j][k] + self.s * rows[i][k]
        return _symmetric(out)

    def turn_rows(self, B: Rows) -> Rows:
        """The block of the plane as in `turn`, of which Bᵢⱼ and Bⱼᵢ change places."""
        k, i, j = self.axes
        out = [list(row) for row in B]
        u = self.s * (B[i][i] - B[j][j]) + self.c * (B[i][j] + B[j][i])
        su, cu = self.s * u, self.c * u
        out[i][i], out[j][j] = B[i][i] - su, B[j][j] + su
        out[i][j], out[j][i] = cu - B[j][i], cu - B[i][j]
        out[i][k] = self.c * B[i][k] - self.s * B[j][k]
        out[j][k] = self.c * B[j][k] + self.s * B[i][k]
        out[k][i] = self.c * B[k][i] - self.s * B[k][j]
        out[k][j] = self.c * B[k][j] + self.s * B[k][i]
        return Vector(*out[0]), Vector(*out[1]), Vector(*out[2])

    def mapped(self, change: Callable[[Scalar], Scalar]) -> AboutAxis:
        return AboutAxis(self.axes[0], change(self.c), change(self.s))

    @property
    def inverse(self) -> AboutAxis:
        return AboutAxis(self.axes[0], self.c, -self.s)


class Dense:
    """A matrix by its rows."""

    def __init__(self, rows: tuple[Vector, Vector, Vector]) -> None:
        self.rows = rows
        self.columns = (Vector(*(r.x for r in rows)), Vector(*(r.y for r in rows)), Vector(*(r.z for r in rows)))

    def apply(self, v: Vector) -> Vector:
        return Vector(*(row @ v for row in self.rows))

    def undo(self, v: Vector) -> Vector:
        return Vector(*(column @ v for column in self.columns))

    def turn(self, S: Symmetric) -> Symmetric:
        SR = [Vector(*(s @ row for s in S.rows)) for row in self.rows]  # S·Rᵀ, by columns
        pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        return Symmetric(*(self.rows[i] @ SR[j] for i, j in pairs))

    def turn_rows(self, B: Rows) -> Rows:
        BR = [Vector(*(b @ row for row in self.rows)) for b in B]  # B·Rᵀ, by rows
        x, y, z = ((BR[0] * r.x + BR[1] * r.y) + BR[2] * r.z for r in self.rows)
        return x, y, z

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Dense:
        x, y, z = (Vector(*map(change, row)) for row in self.rows)
        return Dense((x, y, z))

    @property
    def inverse(self) -> Dense:
        return Dense(self.columns)


def _symmetric(m: list[list[Scalar]]) -> Symmetric:
    return Symmetric(m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2])


class Rotation(tuple[Factor, ...]):
    """R_AB as a product of factors, the first nearest to A."""

    def apply(self, v: Vector) -> Vector:
        for factor in reversed(self):
            v = factor.apply(v)
        return v

    def undo(self, v: Vector) -> Vector:
        for factor in self:
            v = factor.undo(v)
        return v

    def turn(self, S: Symmetric) -> Symmetric:
        for factor in reversed(self):
            S = factor.turn(S)
        return S

    def turn_rows(self, B: Rows) -> Rows:
        for factor in reversed(self):
            B = factor.turn_rows(B)
        return B


class Transform:
    """The pose X_AB of frame B in frame A: rotation R and translation r."""

    __slots__ = ("R", "r")

    def __init__(self, R: Rotation, r: Vector) -> None:
        self.R, self.r = R, r

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Transform:
        """The same with other numbers."""
        return Transform(Rotation(factor.mapped(change) for factor in self.R), Vector(*map(change, self.r)))

    @property
    def inverse(self) -> Transform:
        """X_BA."""
        return Transform(Rotation(factor.inverse for factor in reversed(self.R)), -self.R.undo(self.r))

    def point(self, p: Vector) -> Vector:
        return self.R.apply(p) + self.r

    def velocity(self, V: Motion) -> Motion:
        """The velocity of B's origin, in B's axes, if B is fixed in A, which moves with V."""
        return Motion(self.R.undo(V.angular), self.R.undo(V.linear + V.angular.cross(self.r)))

    def force(self, F: Force) -> Force:
        """From B to A: `n = R·n + r × R·f`."""
        f = self.R.apply(F.linear)
        return Force(self.R.apply(F.moment) + self.r.cross(f), f)

    def mass(self, I: Mass) -> Mass:  # noqa: E741  # the book's symbol
        """From B to A."""
        return Mass(I.m, self.R.apply(I.h), self.R.turn(I.S)).shifted(self.r)


def factored(R: Array) -> Rotation:
    """A constant rotation matrix as the cheapest chain of factors."""
    R = snapped(R)
    if np.isin(R, (0.0, 1.0, -1.0)).all():
        return Rotation(() if np.array_equal(R, np.eye(3)) else (QuarterTurns(R),))
    zeros = R == 0.0
    kept = [(i, j) for i in range(3) for j in range(3) if zeros[i].sum() == 2 and zeros[:, j].sum() == 2 and R[i, j]]
    if kept:
        return _about_one_axis(R, *kept[0])
    return _about_three_axes(R)


def _about_three_axes(R: Array) -> Rotation:
    """Euler's z, x, z. The last turn is what the first two leave of R, so that a first one which a small tilt leaves
    ill-defined does no harm; there is none where a frame was chosen with its x axis across the parent's z."""
    sine = hypot(R[0, 2], R[1, 2])
    first, second = _axis_turn(2, -R[1, 2] / sine, R[0, 2] / sine), _axis_turn(0, R[2, 2], sine)
    left = [second.undo(first.undo(Vector(*column))) for column in R.T.tolist()]
    c, s = snapped(np.array([left[0].x, left[0].y]))
    return Rotation((first, second) if c == 1.0 and s == 0.0 else (first, second, _axis_turn(2, c, s)))


def _about_one_axis(R: Array, i: int, j: int) -> Rotation:
    """`R = A·P`: quarter turns P that bring axis j to axis i, then a turn A about axis i."""
    P = np.zeros((3, 3))
    P[i, j] = R[i, j]
    (a, b), (c, d) = [k for k in range(3) if k != i], [k for k in range(3) if k != j]
    P[a, c] = P[b, d] = 1.0
    P[b, d] *= np.sign(np.linalg.det(P))
    A = R @ P.T
    k = (i + 1) % 3
    turn = _axis_turn(i, A[k, k], A[(i + 2) % 3, k])
    return Rotation((turn,) if np.array_equal(P, np.eye(3)) else (turn, QuarterTurns(P)))


def _axis_turn(axis: int, c: float, s: float) -> AboutAxis:
    return AboutAxis(axis, float(c), float(s))


# --- rotation matrices by rows ---------------------------------------------------------------------------------------


def rotate(R: Rows, a: Vector) -> Vector:
    return Vector(R[0] @ a, R[1] @ a, R[2] @ a)


def rotate_inverse(R: Rows, a: Vector) -> Vector:
    x, y, z = (Vector(*row) for row in zip(*R, strict=True))
    return Vector(x @ a, y @ a, z @ a)


def composed(rows: Rows, p: Vector, R: Rotation, r: Vector) -> tuple[Rows, Vector]:
    """Each row of A·R is the row of A turned by Rᵀ."""
    a, b, c = rows
    return (R.undo(a), R.undo(b), R.undo(c)), p + Vector(a @ r, b @ r, c @ r)
