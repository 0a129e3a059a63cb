r"""The arguments behind the floors of a mean, each at its sharpest, for r = 1."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minimaxdp._operations import NUMPY
from minimaxdp._types import Array
from minimaxdp.lower_bounds._forms import fano_form
from minimaxdp.lower_bounds._packing import sphere_packing_size
from minimaxdp.lower_bounds._testing import coupled_distance, fano, sharp_packing_error

__all__ = ["fano_floor", "le_cam_floor", "packing_floor"]


def le_cam_floor(n: Any, alpha: Any, power: Any) -> Array:
    """Le Cam's convex bound, with the coupling of :func:`private_distance`, over masses."""
    n, alpha, power = (np.asarray(x, dtype=float)[..., None] for x in (n, alpha, power))
    # The best p is near 1/(n alpha), or one; each point of the grid is a bound.
    p = np.minimum(1, np.geomspace(1e-3, 1, 300) * 20 / (n * alpha))
    return (p**power * (1 - coupled_distance(n, alpha, p))).max(axis=-1)


@partial(np.vectorize, otypes=[float])  # else the first setting is evaluated twice
def packing_floor(n: float, d: float, epsilon: float, delta: float, power: float) -> float:
    """Packings of the sphere: a pair of points, the unit vectors, and those counted by volume.

    For the pair of points the loss is that of a number, for which Le Cam's bound doubles.
    """
    packings = [(2.0, 2.0, 2.0)]  # separation, size, factor of the loss
    if d > 1:
        packings.append((np.sqrt(2), 2.0 * d, 1.0))
        for s in np.linspace(0.3, 1.35, 15):
            packings.append((s, float(sphere_packing_size(int(d), s)), 1.0))
    best = 0.0
    for s, size, factor in packings:
        scale = np.log(max(size, np.e)) / (n * epsilon)
        log_others = float(np.log(min(size, 1e300) - 1))
        for p in np.unique(np.minimum(1.0, scale * np.geomspace(0.05, 8, 40))):
            square = factor * (s / 2 * p ** (power / 2)) ** 2
            if square <= best:  # not even certain error would help
                continue
            error = sharp_packing_error(int(n), p, log_others, epsilon, delta)
            best = max(best, square * error)
            if factor * (s / 2) ** 2 * error <= best:  # the error falls as p grows
                break
    return best


@partial(np.vectorize, otypes=[float])
def fano_floor(n: float, d: float, rho: float, power: float) -> float:
    r"""Zero-concentrated privacy: a pair of points, and packings by Fano's inequality.

    Two data sets that differ in B records have divergence at most :math:`\rho B^2` (Bun and
    Steinke 2016); a coupling with :math:`B \sim \mathrm{Bin}(n, p)` bounds the information. For a
    pair of opposite points the Bayes risk is at least the squared affinity, :math:`e^{-I}`.
    """
    p: NDArray[np.float64] = np.minimum(1.0, np.geomspace(0.05, 20, 120) * np.sqrt(d / rho) / n)
    information = rho * (n**2 * p**2 + n * p * (1 - p))
    best = float((p**power * np.exp(-information)).max())
    if d > 1:
        for s in np.linspace(0.3, np.sqrt(2), 9):
            size = float(sphere_packing_size(int(d), s)) if d < 200 else np.inf
            # A cap of angle phi has at most half of sin(phi)^(d - 1) of the sphere.
            cap = np.log(2) - (d - 1) / 2 * np.log(min(1.0, s**2 * (1 - s**2 / 4)))
            if s > 1.4:
                size, cap = 2.0 * d, np.log(2.0 * d)  # the unit vectors and their opposites
            log_size = max(cap, np.log(size) if size < np.inf else 0.0)
            wrong = 1 - (information + np.log(2)) / log_size
            if 2 <= size < 2.0**62:
                wrong = np.maximum(wrong, fano(information, int(size)))
            best = max(best, float((s**2 / 4 * p**power * wrong).max()))
    return max(best, float(fano_form(NUMPY, n, d, rho, power)))
