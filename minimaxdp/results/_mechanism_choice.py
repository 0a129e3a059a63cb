"""Which noise, and which floor, is the best for a cell."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from minimaxdp import mean_estimation as me
from minimaxdp.guarantees import Guarantee, TotalVariation
from minimaxdp.lower_bounds import mean_floor

__all__ = ["best_mean_floor", "best_noise", "count_noise", "histogram_noise", "or_subset"]


@lru_cache(maxsize=4096)  # the slowest floor; the table and its neighbours ask for the same ones
def best_mean_floor(n: int, d: int, privacy: Guarantee, k: float) -> float:
    """The best floor of the package for a mean with r = 1."""
    return float(mean_floor(n, d, privacy, k))


def best_noise(n: int, d: int, privacy: Guarantee) -> tuple[float, str]:
    """Least second moment among the noises that the definition allows, and its name."""
    laplace = float(me.noise_second_moment(n, d, privacy, noise="l2_laplace"))
    normal = float(me.noise_second_moment(n, d, privacy, noise="gaussian"))
    options = [
        (laplace, "norm-Laplace noise" if d > 1 else "Laplace noise"),
        (normal, "normal noise"),
    ]
    if isinstance(privacy, TotalVariation) and d == 1:
        # Uniform on an interval of length 2/(n alpha): a move of 2/n leaves all but alpha of it.
        options.append((1 / (3 * (n * privacy.alpha) ** 2), "uniform noise"))
    return min(options)


def count_noise(n: int, privacy: Guarantee) -> tuple[float, str]:
    """Variance of the noise on a proportion, where a record moves it by 1/n."""
    with np.errstate(divide="ignore"):  # without an epsilon the noise is infinite
        geometric = float((1 / n / np.sinh(np.float64(privacy.pure_epsilon()) / 2)) ** 2 / 2)
    moment, name = best_noise(n, 1, privacy)  # of a mean, which moves by 2/n
    return min((geometric, "geometric noise"), (moment / 4, name))


def histogram_noise(n: int, privacy: Guarantee) -> tuple[float, str]:
    """Variance of the noise on each proportion: l1-sensitivity 2/n, l2-sensitivity sqrt(2)/n."""
    with np.errstate(divide="ignore"):  # without an epsilon the noise is infinite
        geometric = float((1 / n / np.sinh(np.float64(privacy.pure_epsilon()) / 4)) ** 2 / 2)
    normal = float(2 * (privacy.gaussian_sigma() / n) ** 2)
    return min((geometric, "geometric noise"), (normal, "normal noise"))


def or_subset(
    exact: float, method: str, n: int, privacy: Guarantee, square: float
) -> tuple[float, str]:
    """Under total variation the shrunk mean of a random subset competes."""
    if not isinstance(privacy, TotalVariation):
        return exact, method
    m = int(me.subset_size(n, privacy))
    subset = square * float(me.shrunk_ceiling(0.0, m)) if m else np.inf
    return min((exact, method), (subset, "mean of a random subset"))
