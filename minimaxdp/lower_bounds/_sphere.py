r"""The unit sphere: what can be told about a uniform direction, by likelihood ratio or in nats.

Every function is for one dimension d and arrays of its other argument. Where a maximum or an
inverse is found numerically, the error is on the safe side of the floors that use it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv, gammaln

from minimaxdp._types import Array

__all__ = [
    "binomial_bins",
    "cap_height",
    "least_distortion",
    "log_moment",
    "longest_mean",
    "tail",
]

# Dimensions up to which the moment-generating function is tabulated; above, a closed form serves.
_TABULATED = 400


def tail(gamma: Any, d: int) -> tuple[Any, Any]:
    """P(U_1 > gamma) and E[U_1; U_1 > gamma] for U uniform on the sphere, gamma in [0, 1]."""
    gamma = np.asarray(gamma, dtype=float)
    if d == 1:
        inside = np.where(gamma < 1, 0.5, 0.0)
        return inside, inside
    half = (d - 1) / 2
    log_beta = gammaln(0.5) + gammaln(half) - gammaln(0.5 + half)
    fall = np.log1p(-(np.minimum(gamma, 1 - 1e-15) ** 2))
    lever = np.exp(half * fall - np.log(2 * half) - log_beta)
    return betainc(half, half, (1 - gamma) / 2), lever


def longest_mean(x: Any, d: int) -> Array:
    r"""The longest posterior mean that likelihood ratios up to exp(x) allow: at least 1/B_d(x).

    .. math:: \frac1{B_d(x)} = \max_\gamma
              \frac{(e^x - 1)\, \mathbb E[U_1; U_1 > \gamma]}{1 + (e^x - 1) \Pr(U_1 > \gamma)}

    The maximiser is the value itself, the root of the increasing function
    :math:`\gamma (1 + (e^x - 1) \Pr(U_1 > \gamma)) - (e^x - 1) \mathbb E[U_1; U_1 > \gamma]`, and
    each point where that is positive lies above the root.
    """
    x = np.asarray(x, dtype=float)
    if d == 1:
        return np.tanh(x / 2)
    share = np.asarray(1 / np.expm1(np.clip(x, 1e-300, 700.0)))
    gamma, left = np.asarray(_start(share, d)), np.ones(share.shape, dtype=bool)
    # Newton's method: the function is concave, so that from below it rises to the root.
    for _ in range(100):
        q, lever = tail(gamma[left], d)
        new = lever / (share[left] + q)
        moved = abs(new - gamma[left]) > 1e-10 * new
        gamma[left] = new
        left[left] = moved
        if not left.any():
            break
    above = np.minimum(1 - 1e-15, gamma * (1 + 1e-9))
    q, lever = tail(above, d)
    certain = above * (share + q) >= lever
    return np.where(x <= 0, 0.0, np.where((x > 700) | ~certain, 1.0, above))


def _start(share: Array, d: int) -> Array:
    r"""A height about the root of :math:`\gamma s = \mathbb E (U_1 - \gamma)_+`, s = share.

    There :math:`\Pr(U_1 > \gamma) \approx s d \gamma^2 / (1 - \gamma^2)`, by Mills' ratio; the
    height of the cap of measure s stands for gamma. From 0 a step of Newton's is no longer than
    the mean excess of :math:`U_1` over gamma: hundreds do not reach the root of a small share.
    """
    half = (d - 1) / 2
    top = 1 - 2 * betaincinv(half, half, np.minimum(share, 0.5))
    odds = d * top**2 / np.maximum(1 - top**2, 1e-15)
    mass = np.minimum(share * np.maximum(odds, 1.0), 0.5)
    return np.nan_to_num(1 - 2 * betaincinv(half, half, mass), nan=0.0)


def cap_height(x: Any, d: int) -> Array:
    """The mean height of the cap of measure exp(-x) of the sphere: likelihoods from 0 to exp(x)."""
    x = np.asarray(x, dtype=float)
    if d == 1:
        return np.minimum(1.0, np.expm1(np.minimum(x, 1.0)))
    small = np.minimum(x, 600.0)
    half = (d - 1) / 2
    gamma = 1 - 2 * betaincinv(half, half, np.exp(-small))  # negative for more than a half
    _, lever = tail(abs(gamma), d)
    return np.where(x > 600, 1.0, np.minimum(1.0, lever * np.exp(small) * (1 + 1e-9)))


@lru_cache(maxsize=256)
def log_moment(d: int, reach: float, size: int = 64) -> tuple[Array, Array, Array]:
    r"""Tabulate c, :math:`\ln \mathbb E e^{c U_1}` and its derivative A, at c up to `reach`.

    Gauss's continued fraction for the ratios of Bessel functions, from far out.
    """
    c = reach * np.geomspace(1e-4, 1, size)
    steps = int(400 + 2 * reach)
    # Out there A is c/(b + sqrt(b^2 + c^2)) but for a relative 1/b^2; integrated:
    b = d / 2 + steps
    root = np.hypot(b, c)
    small = c**2 / (root + b)  # root - b
    ratio, log_z = np.ones(size), small - b * np.log1p(small / (2 * b))
    for j in range(steps - 1, -1, -1):
        order = d / 2 + j  # nu + 1 for nu = d/2 - 1 + j
        ratio = 1 / (1 + ratio * c**2 / (4 * order * (order + 1)))
        log_z -= np.log(ratio)
    return c, log_z, ratio * c / d


@lru_cache(maxsize=256)
def _tangents(d: int) -> tuple[Array, Array]:
    """Value at zero and slope of tangents to the distortion as a function of the nats."""
    c, log_z, a = log_moment(d, 8.0 * d + 8)
    nats, slope = c * a - log_z, 2 * a / c
    return 1 - a**2 + slope * nats, slope


def least_distortion(nats: Any, d: int) -> Array:
    r"""The least :math:`\mathbb E \|V - \hat V\|^2` for a uniform direction V and given nats.

    .. math:: D_d(I) \ge e^{-2I/(d-1)}

    The rate-distortion function is convex, so each tangent is a bound; for one dimension V is
    a sign.
    """
    nats = np.asarray(nats, dtype=float)
    closed = np.exp(-2 * nats / (d - 1)) if d > 1 else np.zeros_like(nats)
    if d > _TABULATED:
        return closed
    start, slope = _tangents(d)
    return np.maximum(closed, (start - slope * nats[..., None]).max(axis=-1))


def binomial_bins(n: float, p: Any, size: int = 48) -> tuple[Array, Array]:
    """Cut the range of Bin(n, p) into bins: the largest number in each, and its probability.

    The expectation of an increasing function is at most the sum over the bins, along the last
    axis. They are three times as fine in the middle as on average, and may be empty.
    """
    p = np.asarray(p, dtype=float)[..., None]
    steps = np.linspace(-1, 1, size)
    spread = (9 * np.sqrt(n * p * (1 - p)) + 20) * steps * (0.35 + 0.65 * steps**2)
    ends = np.minimum(np.maximum(np.round(n * p + spread), 0.0), float(n))
    # P(N <= b) = I_{1-p}(n - b, b + 1); the upper tail goes to the very last number.
    below = np.where(ends < n, betainc(np.maximum(n - ends, 1e-9), ends + 1, 1 - p), 1.0)
    last = np.ones_like(below[..., :1])
    ends, below = np.append(ends, n * last, axis=-1), np.append(below, last, axis=-1)
    mass: Array = np.diff(below, prepend=0.0)
    return ends, mass
