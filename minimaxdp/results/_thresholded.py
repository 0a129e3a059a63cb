r"""Noisy frequencies, cut at a threshold and shrunk one by one: for many categories, most empty."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy
from scipy.special import ndtr

from minimaxdp import randomized_response as rr
from minimaxdp._types import Array
from minimaxdp.guarantees import Guarantee
from minimaxdp.results._projected import concave_envelope, shares

__all__ = ["thresholded_frequencies", "thresholded_reports"]


def thresholded_frequencies(n: int, d: int, privacy: Guarantee, noise: str) -> float:
    r"""Bound on the risk of noisy frequencies that are cut one by one.

    .. math:: \hat\theta_j = b + a (y_j - \lambda)_+, \qquad
              \sum_j r(\theta_j) \le d\, \hat r\big(\tfrac1d\big), \qquad
              r(\theta_j) = \mathbb E (\hat\theta_j - \theta_j)^2

    with noisy counts y and the concave envelope of r over [0, 1], on a grid; the least over a, b
    and lambda.
    """
    theta = shares(d)
    if noise == "normal noise":
        scale = np.sqrt(2) * float(privacy.gaussian_sigma())
    else:
        half = float(privacy.pure_epsilon()) / 2
        scale = 1 / (np.sqrt(2) * np.sinh(min(half, 600.0) / 2))
    if not scale < n:
        return np.inf
    (counts, law), best = _true_tally(n, d), np.inf
    for cut in np.round(np.linspace(0, 5, 16) * np.sqrt(scale**2 + n / d)):
        if noise == "normal noise":
            first, second = _normal(counts - cut, scale)
        else:
            first, second = _geometric(counts - cut, half)
        best = min(best, _least(d, theta, (law * first).sum(1) / n, (law * second).sum(1) / n**2))
    return best


def thresholded_reports(n: int, d: int, epsilon: float) -> float:
    """The same for the tally of subset selection without a trusted curator."""
    w, theta = int(rr.best_subset_size(d, epsilon)), shares(d)
    true = w / (w + (d - w) * np.exp(-epsilon))
    other = (w - true) / (d - 1)
    (counts, law), best = tally(n, other + (true - other) * theta), np.inf
    for cut in np.linspace(0, 5, 16) * np.sqrt(n * other):
        above = np.maximum(counts - n * other - cut, 0.0) / (n * (true - other))
        best = min(best, _least(d, theta, (law * above).sum(1), (law * above**2).sum(1)))
    return best


@lru_cache(maxsize=8)  # the definitions share it
def _true_tally(n: int, d: int) -> tuple[Array, Array]:
    return tally(n, shares(d))


def tally(n: int, chances: Array) -> tuple[Array, Array]:
    """Numbers and their probabilities under Bin(n, p), one row for each p.

    Where there are more than some hundreds, neighbours are put together: a relative error of at
    most some 1e-4 in a second moment.
    """
    mean = n * chances[:, None]
    reach = 9 * np.sqrt(mean * (1 - chances[:, None])) + 12
    ends = np.clip(np.floor(mean + reach * np.linspace(-1, 1, 400)), -1.0, n)
    ends[:, 0], ends[:, -1] = -1.0, n
    mass: Array = np.diff(scipy.stats.binom.cdf(ends, n, chances[:, None]), axis=1)
    return np.ceil((ends[:, 1:] + ends[:, :-1]) / 2), mass


def _geometric(u: Array, half: float) -> tuple[Array, Array]:
    """First and second moment of (u + G)_+ for whole u and two-sided geometric noise."""
    ratio = np.exp(-half)
    tail = np.exp(-half * (abs(u) + 1)) / (1 - ratio)
    first, second = tail / (1 + ratio), tail / (1 - ratio)
    whole = u**2 + 2 * ratio / (1 - ratio) ** 2
    return np.where(u > 0, u + first, first), np.where(u > 0, whole - second, second)


def _normal(u: Array, scale: float) -> tuple[Array, Array]:
    """The same for normal noise."""
    z = u / scale
    below, density = ndtr(z), np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return scale * (density + z * below), scale**2 * ((1 + z**2) * below + z * density)


def _least(d: int, theta: Array, first: Array, second: Array) -> float:
    """The least over the slope a and the height b."""
    a = np.linspace(0.05, 1.2, 24)[:, None, None]
    b = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])[:, None] / d
    risks = b**2 + a**2 * second + 2 * a * b * first - 2 * theta * (b + a * first) + theta**2
    bound = concave_envelope(risks.reshape(-1, theta.size), theta, 1 / d)
    return float(bound.min()) * d * (1 + 1e-3)
