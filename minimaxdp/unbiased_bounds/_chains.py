r"""A count along a chain of neighbours, where few nats tell two neighbours apart."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from minimaxdp._types import Array

__all__ = ["chain_error", "chain_floor"]


def chain_floor(n: int, axes: Array, kappa: float) -> float:
    r"""Floor under the error of any mean of n vectors: counts on m axes, under KL privacy.

    .. math:: \frac{4 m}{n^2} \Big(\sqrt{E(2 \kappa + 2 \lambda \tanh \tfrac\lambda2)} -
              \frac{e^{-\lambda K/2}}{\sqrt2 \sinh(\lambda/2)}\Big)_+^2, \qquad
              K = \Big\lfloor \frac{n}{2m} \Big\rfloor

    On an axis K + i of 2K signs are positive, with weights of the ratio :math:`e^{-\lambda}` on the
    whole numbers i, cut to [-K, K]. E is :func:`chain_error`; the rest is what the cut costs.
    """
    rate = np.geomspace(0.02, 3, 40) * min(1.0, np.sqrt(2 * kappa))
    error = chain_error(kappa, 2 * rate * np.tanh(rate / 2))
    cut = np.exp(-rate * np.floor(n / (2 * axes)) / 2) / (np.sqrt(2) * np.sinh(rate / 2))
    left = np.maximum(np.sqrt(error) - cut, 0.0)
    return float((4 * axes / n**2 * left**2).max())


def chain_error(kappa: float, spread: Any) -> Array:
    r"""Least :math:`\sum_i w_i \mathbb E_i (M - i)^2` if neighbours diverge by kappa both ways.

    .. math:: E \ge \frac{A - 2 \kappa - D}{B}, \qquad
              D = \sum_i (w_{i+1} - w_i) \ln \frac{w_{i+1}}{w_i}

    for any B and any bounded g with :math:`\varphi(x) = G(g(x + \frac12)) + G(-g(x - \frac12)) \ge
    A - B x^2` for all x, where :math:`G(y) = y + 1 - e^{-y}`. Here g is a cubic, nearly a line, cut
    where it would cease to rise or before.

    *Proof.* :math:`j(p, q) = (p - q) \ln \frac pq` is convex, and its tangent at the ratio
    :math:`p/q = e^g` is :math:`G(g)\, p + G(-g)\, q`. Take it at
    :math:`g(m - i - \frac12)` for :math:`p = w_{i+1} P_{i+1}(m)`, :math:`q = w_i P_i(m)`. The sum
    of j over i and m is at most :math:`2 \kappa + D`; the sum of the tangents is
    :math:`\sum_i w_i \mathbb E_i \varphi(M - i)`. A law of M on the whole numbers with
    :math:`\ln \frac{P_{i+1}(m)}{P_i(m)} = g` leaves nothing to be gained.

    Parameters
    ----------
    kappa : float
        Divergence in nats, positive.
    spread : array_like
        D, of which the error is a decreasing function.

    Returns
    -------
    ndarray
        Not below 0.

    Examples
    --------
    Normal noise has the variance 1/(2 kappa); the integers allow a little less.

    >>> [float((2 * k * chain_error(k, 0.0)).round(2)) for k in (0.1, 0.5, 1.5)]
    [0.98, 0.92, 0.67]
    """
    steep, parabolas = _envelopes(float(kappa))
    value = (parabolas - 2 * kappa - np.asarray(spread, dtype=float)[..., None]) / steep
    return np.maximum(value.max(axis=-1), 0.0)


@lru_cache(maxsize=256)
def _envelopes(kappa: float) -> tuple[Array, Array]:
    """Values of B, and for each the largest A found over slopes and cuts of g."""
    bend = min(0.18 * kappa**2, 0.1)  # fitted: phi is then nearly a parabola
    cuts = np.r_[np.linspace(0.4, 1.2, 17), np.linspace(0.3, 1, 12) * np.sqrt(1 / (3 * bend))]
    cuts = cuts[cuts <= np.sqrt(1 / (3 * bend))]  # up to there g rises
    slope, cut = (a.ravel() for a in np.meshgrid(2 * kappa * np.linspace(0.96, 1.36, 11), cuts))
    reach = cuts.max() + 1
    x = np.linspace(0, reach, 300)
    phi = _phi(slope[:, None], cut[:, None], bend, x, x)
    steep = 4 * kappa**2 * np.geomspace(0.8, 1.5, 14)
    best = [int((phi + b * x**2).min(axis=1).argmax()) for b in steep]
    # On each cell of a fine grid both parts of phi are at least what they are at an end of it.
    # Beyond the reach g is constant on both sides, and so is phi.
    fine = np.linspace(0, reach, 10_001)
    low, high = fine[:-1], fine[1:]
    found = [
        (_phi(slope[i], cut[i], bend, low, high) + b * low**2).min()
        for i, b in zip(best, steep, strict=True)
    ]
    return steep, np.array(found)


def _phi(slope: Any, cut: Any, bend: float, low: Array, high: Array) -> Any:
    """A lower bound of phi on cells: its first part rises in x and its second part falls."""

    def g(z: Array) -> Any:
        inner = np.clip(z, -cut, cut)
        return slope * (inner - bend * inner**3)

    up, down = g(low + 0.5), g(high - 0.5)
    return up + 1 - np.exp(-up) - down + 1 - np.exp(down)
