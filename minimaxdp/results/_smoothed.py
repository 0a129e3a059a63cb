r"""A Lipschitz density by cosines: weights that fall, with noise on them or on a histogram."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from minimaxdp import mean_estimation as me
from minimaxdp import randomized_response as rr
from minimaxdp._types import Array
from minimaxdp.guarantees import Guarantee, TotalVariation

__all__ = ["report_costs", "smoothed_histogram", "smoothed_series"]


def smoothed_series(n: int, privacy: Guarantee) -> float:
    r"""Bound on the risk of weighted cosine coefficients of a 1-Lipschitz density on [0, 1].

    .. math:: \mu^2 + \frac1n \Big(\sum_j \lambda_j^2 + \frac1\pi \Big(\sum_j
              \frac{\lambda_j^4}{8 j^2}\Big)^{1/2}\Big) + 2\, C_J \sum_j \lambda_j^2, \qquad
              \lambda_j = (1 - \pi j \mu)_+

    with :math:`C_J` the second moment of the noise that hides a mean in the unit ball of the J
    dimensions with a weight: the weighted coefficients of a record have a length of at most
    :math:`(2 \sum \lambda_j^2)^{1/2}`. Under total variation a random subset competes.
    """
    best = np.inf
    people = [(float(n), True)]
    if isinstance(privacy, TotalVariation) and (m := int(me.subset_size(n, privacy))):
        people.append((float(m), False))
    # The second moments are proportional to d, or to d (d + 1).
    normal = float(me.noise_second_moment(n, 1, privacy, noise="gaussian"))
    laplace = float(me.noise_second_moment(n, 1, privacy, noise="l2_laplace")) / 2
    for size, noisy in people:
        for mu in np.geomspace(0.3, 0.02 * size ** (-1 / 3), 40):
            j = np.arange(1, int(1 / (np.pi * mu)) + 1)
            weight = 1 - np.pi * j * mu
            energy = (weight**2).sum()
            sampling = (energy + np.sqrt((weight**4 / (8 * j**2)).sum()) / np.pi) / size
            noise = 0.0
            if noisy and j.size:
                noise = 2 * energy * j.size * min(normal, laplace * (j.size + 1))
            best = min(best, float(mu**2 + sampling + noise))
    return best


def smoothed_histogram(
    people: float, costs: Callable[[float], tuple[float, float]], least: float
) -> float:
    r"""Bound on the risk of weighted cosine coefficients of a noisy histogram of K bins.

    .. math:: \mu^2 + \frac sn \Big(\sum_j \lambda_j^2 + \Big(c \sum_j \lambda_j^4
              D_j\Big)^{1/2} \Big) + v \sum_j \lambda_j^2, \qquad
              D_j = \sum_{i = 2Km \pm 2j} \frac{g_i^2}{(\pi i)^2}

    for a density with :math:`\int f'^2 \le 1` on [0, 1], frequencies :math:`j < K`, c a half if
    all are at most K/2 and one otherwise,
    :math:`g_i = \operatorname{sinc}(i/2K)`, and :math:`\lambda_j` the least weight for which the
    squared bias is at most :math:`\mu^2`.

    Parameters
    ----------
    people : float
        n.
    costs : callable
        From the number of bins to s, at least 0, and v: a coefficient whose cosine has a mean
        square of m at the centres of the true bins has the variance s m/n + v before it is
        weighted.
    least : float
        The least :math:`\mu` that is tried.
    """
    best = np.inf
    for mu in np.geomspace(0.3, least, 30):
        if mu**2 >= best:
            continue
        top = int(np.ceil(1 / (np.pi * mu))) - 1  # beyond, 1/(pi j) is at most mu: weight 0
        for bins in np.unique(np.ceil(top * np.geomspace(1.01, 8, 12))):
            energy, spread = _sums(float(mu), top, float(bins))
            sampling, noise = costs(float(bins))
            best = min(best, float(mu**2 + sampling / people * spread + noise * energy))
    return best


@lru_cache(maxsize=4096)  # the definitions share them
def _sums(mu: float, top: int, bins: float) -> tuple[float, float]:
    """Sum of squared weights, and what sampling makes of it; infinite where bins are too few."""
    j = np.arange(1.0, top + 1)
    weight = least_weights(j, bins, mu)
    if np.isnan(weight).any():  # too much confusion of frequencies for so small a bias
        return np.inf, np.inf
    energy = float((weight**2).sum())
    shared = 1.0 if bins < 2 * top else 0.5  # then 2j and 2(K - j) are confused as well
    told = shared * (weight**4 * _aliases(2 * j, bins)[0]).sum()
    return energy, energy + float(np.sqrt(told))


def report_costs(bins: float, n: int, epsilon: float) -> tuple[float, float]:
    r"""The costs of :func:`smoothed_histogram` for subset selection without a curator.

    Of K bins w are reported, the true one with probability p, and each of the others with q. Given
    the true bin b, a sum of :math:`a_j (1_j - q)/(p - q)` with :math:`\sum a_j = 0` and
    :math:`\sum a_j^2 = K` has the mean :math:`a_b` and a variance of the form
    :math:`v + (s - 1) a_b^2`.
    """
    K, w = bins, float(rr.best_subset_size(int(bins), epsilon))
    p = w / (w + (K - w) * np.exp(-epsilon))
    q = (w - p) / (K - 1)
    # Of the other bins w - 1, or w, are drawn without replacement.
    drawn = (p * (w - 1) * (K - w) + (1 - p) * w * (K - 1 - w)) / max(K - 2, 1.0)
    alone = (p * (1 - p) * K - drawn) * K / (K - 1) ** 2
    contrast = (p - q) ** 2
    extra = alone / contrast
    noise = drawn * K / (K - 1) / contrast
    return max(0.0, 1 + extra), noise / n


def _aliases(j: Array, bins: float, mu: float = np.inf) -> tuple[Array, Array]:
    """Sum of g^2 d^2/(1 - d^2/mu^2) over the frequencies that bins confuse with j, and without j.

    Far out g^2 d^2 falls like the fourth power: what is left out, below 3e-4 of the sum, is added.
    """
    m = np.arange(1, 13)[:, None]
    others = np.concatenate([2 * bins * m - j, 2 * bins * m + j])

    def terms(i: Array) -> Array:
        square = (np.sinc(i / (2 * bins)) / (np.pi * i)) ** 2
        found: Array = square / (1 - 1 / (np.pi * i * mu) ** 2)
        return found

    rest = terms(others).sum(axis=0) * (1 + 4e-4)
    return (terms(j) if np.isinf(mu) else 0.0) + rest, rest


def least_weights(j: Array, bins: float, mu: float) -> Array:
    r"""The least weights with :math:`(\lambda g_j - 1)^2/(\pi j \mu)^2 + \lambda^2 A_j \le 1`,
    with :math:`A_j = \sum_i g_i^2/((\pi i \mu)^2 - 1)` over the frequencies confused with j.
    """
    height, seen = np.pi * j * mu, np.sinc(j / (2 * bins))
    confused = _aliases(j, bins, mu)[1] / mu**2
    square = seen**2 + height**2 * confused
    with np.errstate(invalid="ignore"):
        weight: Array = (seen - np.sqrt(seen**2 - square * (1 - height**2))) / square
    return weight
