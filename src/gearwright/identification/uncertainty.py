"""What a fit's data say: how sure each number is, and which combinations they say nothing of.

    H = JᵀJ/s²          the information, with s² the variance of the residuals
    C = τ·H⁻¹           the covariance; τ: how many samples stand for one, as residuals of neighbours are alike

Along an eigenvector of H with a small eigenvalue the numbers can go together without changing what was measured.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from gearwright.sim.state.values import Array

CONFIDENCE = 0.95
LOOSE = 0.5  # of its own size: a combination that is not known to half of it is not determined
MEMBER = 0.1  # of the largest entry: what counts as part of a combination
ROUNDING = 1e-13  # of the largest eigenvalue: what rounding leaves of none
LEAST = 1e-300


@dataclass(frozen=True, kw_only=True)
class Information:
    """Of the parameters, without the starts of logs, which are allowed for."""

    matrix: Array  # (p, p), in shares of the parameters' scales
    inflation: float  # τ

    def covariance(self, determined: Sequence[int]) -> Array:
        """Of these parameters, the others held; in shares of their scales."""
        own = self.matrix[np.ix_(determined, determined)]
        return self.inflation * np.linalg.pinv(own, hermitian=True)

    def half_widths(self, held: Collection[int], vague: Collection[int]) -> Array:
        """(p,) of the confidence intervals, in shares of the scales, with some parameters held; the vague have none."""
        free = [i for i in range(len(self.matrix)) if i not in held]
        deviation = np.zeros(len(self.matrix))
        if free:
            deviation[free] = np.sqrt(np.maximum(np.diag(self.covariance(free)), 0.0))
        half = quantile(len(self.matrix) - len(vague)) * deviation
        half[list(vague)] = np.inf
        return half

    def loose_directions(self) -> Array:
        """(d, p): combinations that are not determined, each with as few parameters as it can be written with."""
        values, vectors = np.linalg.eigh(self.matrix)
        spread = np.sqrt(self.inflation / np.maximum(values, LEAST))
        loose = (spread > LOOSE) | (values < ROUNDING * values.max(initial=0.0))
        return _sparse(vectors[:, loose].T)


def squared(jacobian: Array) -> Array:
    """JᵀJ, (z, z), by numpy's own loop: the threads of a BLAS wait for each other where other processes run."""
    return np.asarray(np.einsum("mi,mj->ij", jacobian, jacobian))


def information(
    residuals: Array, jacobian: Array, scales: Array, parameters: Sequence[int], parts: Sequence[slice]
) -> Information:  # fmt: skip
    """`jacobian`: (m, z) of weighted residuals; `parameters`: columns that are no starts; `parts`: rows by output."""
    m = len(residuals)
    J = jacobian * scales
    nuisance = [i for i in range(J.shape[1]) if i not in set(parameters)]
    variance = float(residuals @ residuals) / max(1, m - J.shape[1])
    variance = max(variance, LEAST)
    H = squared(J) / variance
    P, N = np.ix_(parameters, parameters), np.ix_(nuisance, nuisance)
    cross = H[np.ix_(parameters, nuisance)]
    matrix = H[P] - cross @ np.linalg.pinv(H[N], hermitian=True) @ cross.T if nuisance else H[P]
    return Information(matrix=0.5 * (matrix + matrix.T), inflation=_correlation_time(residuals, parts))


def _correlation_time(residuals: Array, parts: Sequence[slice]) -> float:
    """τ = 1 + 2·Σ ρ_k over lags, as long as pairs of them are positive (Geyer 1992), on average over the outputs."""
    each = []
    for part in parts:
        r = residuals[part] - residuals[part].mean()
        n, power = len(r), float(r @ r)
        if n < 4 or power <= 0:
            continue
        size = 1 << (2 * n - 1).bit_length()
        spectrum = np.abs(np.fft.rfft(r, size)) ** 2
        rho = np.fft.irfft(spectrum, size)[: n // 2] / power
        total = 1.0
        for k in range(1, len(rho) - 1, 2):
            pair = rho[k] + rho[k + 1]
            if pair <= 2.0 / np.sqrt(n):  # what is left is noise
                break
            total += 2.0 * pair
        each.append(total)
    return float(np.mean(each)) if each else 1.0


def quantile(count: int) -> float:
    """Of the normal distribution, so that all of `count` intervals hold together at the confidence (Bonferroni)."""
    return NormalDist().inv_cdf(1.0 - 0.5 * (1.0 - CONFIDENCE) / max(1, count))


def _sparse(rows: Array) -> Array:
    """The same space by other rows: each has a 1 where all others have a 0 (Gauss–Jordan, largest pivots first)."""
    found = rows.copy()
    used: list[int] = []
    for k in range(len(found)):
        free = np.abs(found[k:])
        free[:, used] = 0.0
        i, j = divmod(int(np.argmax(free)), free.shape[1])
        if free[i, j] < 1e-9:
            return found[:k]
        swapped = found[k].copy()
        found[k], found[k + i] = found[k + i], swapped
        found[k] /= found[k, j]
        for other in range(len(found)):
            if other != k:
                found[other] -= found[other, j] * found[k]
        used.append(j)
    norms = np.abs(found).max(axis=1, keepdims=True)
    return np.where(np.abs(found) >= MEMBER * norms, found, 0.0)
