"""Which noise, and which floor, is the best for a cell."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.special import gammaln

from minimaxdp import mean_estimation as me
from minimaxdp._types import Array
from minimaxdp.guarantees import Guarantee, Local, Pure, TotalVariation
from minimaxdp.lower_bounds import mean_floors
from minimaxdp.lower_bounds._bits import SUMMED, least_favourable, normal_bayes_risk

__all__ = [
    "balanced_energy",
    "histogram_energy",
    "bayes_method",
    "best_mean_floor",
    "best_noise",
    "binding",
    "count_noise",
    "few_reports",
    "histogram_log_mgf",
    "histogram_noise",
    "or_subset",
    "reports_budget",
]


@lru_cache(maxsize=4096)  # the slowest floors; the table and its neighbours ask for the same ones
def best_mean_floor(n: int, d: int, privacy: Guarantee, k: float) -> tuple[float, str]:
    """The best floor of the package for a mean with r = 1, and the argument behind it."""
    name, value = next(iter(mean_floors(n, d, privacy, k).items()))
    return value, name


def binding(low: float, *others: tuple[float, str]) -> tuple[float, str]:
    """The largest of several floors, the first of which is the closed form."""
    return max((low, "closed form"), *others)


@lru_cache(maxsize=4096)  # definitions of one budget share the mechanism
def few_reports(n: int, d: int, epsilon: float) -> me.SubsetReports:
    """The mechanism that asks the best number of people for a report each."""
    return me.SubsetReports.optimal(n, d, min(epsilon, 600.0))


def bayes_method(n: int, privacy: Guarantee) -> tuple[float, str]:
    """Worst risk for a sign mean of a Bayes estimate from responses or a noisy count."""
    found = [(np.inf, "")]
    local = isinstance(privacy, Local)
    epsilon = float(privacy.implies(Pure).epsilon) if local else reports_budget(privacy)
    if n > SUMMED:
        return found[0]
    if epsilon and epsilon <= 500:
        seen = "randomized response" if local else "geometric noise"
        found.append((least_favourable(n, epsilon, local)[1], f"{seen}, Bayes"))
    if not local and 0 < (sigma := float(privacy.gaussian_sigma())) < n:
        found.append((normal_bayes_risk(n, float(f"{sigma:.12g}")), "normal noise, Bayes"))
    return min(found)


def reports_budget(privacy: Guarantee) -> float | None:
    """The pure budget that keeps a definition, rounded so that definitions share the mechanism."""
    if isinstance(privacy, Local):
        return None
    epsilon = float(f"{float(privacy.pure_epsilon()) * (1 - 1e-12):.12g}")
    return epsilon if epsilon >= 1e-100 else None


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


@lru_cache(maxsize=1024)  # a density asks for it at every number of bins
def histogram_noise(n: int, privacy: Guarantee) -> tuple[float, str]:
    """Variance of the noise on each proportion: l1-sensitivity 2/n, l2-sensitivity sqrt(2)/n."""
    with np.errstate(divide="ignore"):  # without an epsilon the noise is infinite
        geometric = float((1 / n / np.sinh(np.float64(privacy.pure_epsilon()) / 4)) ** 2 / 2)
    normal = float(2 * (privacy.gaussian_sigma() / n) ** 2)
    return min((geometric, "geometric noise"), (normal, "normal noise"))


@lru_cache(maxsize=4096)
def balanced_energy(d: int) -> float:
    r"""Second moment of noise on d counts with the density :math:`e^{-\|w\|_1/2}`, given sum 0.

    .. math:: d (d - 1) \sum_k \omega_k \Big(\frac2{k + 1} + \frac2{d - k + 1}\Big), \qquad
              \omega_k \propto \binom dk^2 k (d - k)

    Half of the sum of the absolute values is of Gamma(d - 1); given that k are positive, these and
    the others are uniform on simplices.
    """
    k = np.arange(1.0, d)
    log_weight = 2 * (gammaln(d + 1) - gammaln(k + 1) - gammaln(d - k + 1)) + np.log(k * (d - k))
    weight = np.exp(log_weight - log_weight.max())
    mean = weight @ (2 / (k + 1) + 2 / (d - k + 1)) / weight.sum()
    return float(d * (d - 1) * mean)


@lru_cache(maxsize=4096)  # of some definitions a root, and a density asks for it at every bin
def _pure_budget(privacy: Guarantee) -> float:
    """The largest pure budget that keeps a definition."""
    return float(privacy.pure_epsilon())


def histogram_energy(n: int, d: int, privacy: Guarantee) -> tuple[float, str]:
    """Least second moment of noise on d proportions that is orthogonal to their sum.

    Independent noise is projected; the other kind is compared up to 64 categories, where it wins
    a percent at least.
    """
    each, name = histogram_noise(n, privacy)
    found = ((d - 1) * each, name)
    epsilon = _pure_budget(privacy)
    if d <= 64 and epsilon > 0:
        found = min(found, (balanced_energy(d) / (n * epsilon) ** 2, "noise of sum zero"))
    return found


def histogram_log_mgf(privacy: Guarantee, noise: str) -> Callable[[Array], Array]:
    """Logarithm of the moment-generating function of that noise on one count."""
    if noise == "normal noise":
        variance = 2 * float(privacy.gaussian_sigma()) ** 2
        return lambda x: variance * x**2 / 2
    budget = float(privacy.pure_epsilon()) / 2
    b = np.exp(-budget)

    def geometric(x: Array) -> Array:
        gap = -np.expm1(x - budget)  # no moment from the budget on
        inside = np.where(gap > 0, gap, 1.0)
        value = 2 * np.log1p(-b) - np.log(inside) - np.log1p(-b * np.exp(-x))
        return np.where(gap > 0, value, np.inf)

    return geometric


def or_subset(
    exact: float, method: str, n: int, privacy: Guarantee, square: float
) -> tuple[float, str]:
    """Under total variation the shrunk mean of a random subset competes."""
    if not isinstance(privacy, TotalVariation):
        return exact, method
    m = int(me.subset_size(n, privacy))
    subset = square * float(me.shrunk_ceiling(0.0, m)) if m else np.inf
    return min((exact, method), (subset, "mean of a random subset"))
