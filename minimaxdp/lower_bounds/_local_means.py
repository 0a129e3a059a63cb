r"""Sharper floors of a mean under local privacy, each for single numbers and r = 1.

As for a curator (:mod:`minimaxdp.lower_bounds._curator_means`) the laws have mass q away from 0,
at distance :math:`q^{-1/k}`. For one report z and a law P of the record let
:math:`r_z(x) = q(z \mid x) / m(z)`, m the law of the report. All of it lies in
:math:`[c_z, c_z e^\varepsilon]` and has mean one over x under P, for each z; and for each x it has
mean one over z under m, which enters with a multiplier: any :math:`\lambda \ge 0` is allowed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import jv

from minimaxdp._operations import NUMPY
from minimaxdp._types import Array
from minimaxdp.lower_bounds._forms import chi_square_form
from minimaxdp.lower_bounds._sphere import least_distortion, log_moment, tail

__all__ = ["LOCAL_METHODS", "capacity", "information_rate", "local_floors", "two_law_information"]

LOCAL_METHODS = ("information", "sphere", "ball")


def local_floors(
    n: float, d: int, epsilon: float, power: float, wanted: tuple[str, ...] = LOCAL_METHODS
) -> dict[str, float]:
    """The floors by the name of the argument; a floor in fewer dimensions is one in d."""
    found: dict[str, float] = {}
    if "information" in wanted:
        found["information"] = information_floor(n, d, epsilon, power)
    if "sphere" in wanted and d > 1 and epsilon < 600:
        found["sphere"] = sphere_floor(n, d, epsilon, power)
    if "ball" in wanted and epsilon < 600:
        found["ball"] = max(ball_floor(n, m, epsilon, power) for m in {1, min(d, 2), min(d, 30)})
    return {name: value for name, value in found.items() if value > 0}


# --- what a report tells, in nats -----------------------------------------------------------------


def capacity(epsilon: Any) -> Any:
    r"""Most nats of one report: :math:`g(\varepsilon) = \ln\frac{1 - e^{-\varepsilon}}\varepsilon
    + \frac\varepsilon{1 - e^{-\varepsilon}} - 1`."""
    share = -np.expm1(-epsilon) / np.maximum(epsilon, 1e-300)  # from 1 down
    rest = np.where(epsilon < 1e-2, epsilon / 2 - epsilon**2 / 6 + epsilon**3 / 24, 1 - share)
    exact = np.log1p(-rest) + rest / (1 - rest)
    return np.where(epsilon < 1e-3, epsilon**2 / 8, exact)


def chord(epsilon: Any) -> Any:
    r"""h(s) at :math:`s = e^{-\varepsilon}`: :math:`t \ln t - t + 1 \le h(s) (t - 1)^2` for
    :math:`t \ge s`."""
    s, u = np.exp(-epsilon), -np.expm1(-epsilon)
    series = 0.5 + u / 6 + u**2 / 12 + u**3 / 20 + u**4 / 30
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = (u - s * epsilon) / u**2
    return np.where(epsilon < 1e-2, series * (1 + 1e-9), exact)


def worst_report(gain: Array, mean: Array, odds: float, q: float) -> Array:
    r"""Most of :math:`\sum_z m(z)\, (\text{gain}/D)^2` over all reports, by a multiplier.

    `gain` and `mean` are for all sets (on a grid, along the last axis) on which a report may be
    likelier by exp(epsilon); `odds` is :math:`e^\varepsilon - 1`. The set holds all of the atom at
    0 or nothing of it, since the objective is convex in 1/D.
    """
    top = 1 + odds * mean
    both = np.stack([1 + odds * q * mean, 1 + odds * (q * mean + 1 - q)])
    return least_multiplier((odds * gain / both) ** 2, top / both - 1)


def least_multiplier(value: Array, slack: Array) -> Array:
    r"""Bound on the mean of `value` over reports for which `slack` has mean zero.

    Both are of shape (2, ..., sets); any :math:`\lambda \ge 0` gives the bound
    :math:`\max (\text{value} - \lambda\, \text{slack})`.
    """
    peak = value.max(axis=(0, -1))
    step = np.maximum(abs(slack).max(axis=(0, -1)), 1e-12)
    grid = np.r_[0.0, np.geomspace(1e-3, 1e3, 60)]

    def bound(i: Array) -> Array:
        multiplier = (peak / step * grid[i])[..., None]
        found: Array = (value - multiplier * slack).max(axis=(0, -1))
        return found

    # Convex in the multiplier, so that halving finds the least of the grid.
    low, high = np.zeros(peak.shape, dtype=int), np.full(peak.shape, grid.size - 1)
    while np.any(low < high):
        middle = (low + high) // 2
        falls = (bound(np.minimum(middle + 1, high)) < bound(middle)) & (low < high)
        low, high = np.where(falls, middle + 1, low), np.where(falls, high, middle)
    return bound(low)


def information_rate(epsilon: float, q: float) -> float:
    """Most nats of one report about a secret that shows in the record with probability q."""
    mixed = float(np.log1p(q * np.expm1(epsilon))) if epsilon < 600 else epsilon
    plain = float(capacity(mixed))
    if q == 1 or epsilon > 30:
        return plain
    mean = np.linspace(0, 1, 401)
    gain = np.sqrt(mean * (1 - mean))
    variance = worst_report(gain[None], mean[None], float(np.expm1(epsilon)), q)[0]
    # Between the points of the grid the objective is at most a few 1e-5 larger.
    return min(plain, float(1.0005 * q**2 * variance * chord(mixed)))


def two_law_information(epsilon: float, distance: Any) -> Any:
    """The same about which of two laws, at a total-variation distance, the record has."""
    distance = np.asarray(distance, dtype=float)
    mixed = np.log1p(distance * np.expm1(min(epsilon, 600.0)))
    fisher = distance**2 / 4 * chi_square_form(NUMPY, epsilon) * chord(mixed)
    return np.minimum(capacity(mixed), fisher)


def information_floor(n: float, d: int, epsilon: float, power: float) -> float:
    """A uniform direction, seen with probability q: the rate-distortion function of the sphere."""
    scale = np.sqrt(d / n) / max(np.expm1(min(epsilon, 600.0) / 2), 1e-150)
    q = np.unique(np.minimum(1.0, scale * np.geomspace(0.1, 10, 24)))
    nats = n * np.array([information_rate(epsilon, float(x)) for x in q])
    options = {1, 2, d} & set(range(1, d + 1))
    return float(max((q**power * least_distortion(nats, m)).max() for m in options))


# --- Fisher's information on the sphere -----------------------------------------------------------


@lru_cache(maxsize=64)
def _tangent_laws(d: int) -> tuple[Array, Array, Array, Array]:
    """Concentrations kappa with the mean length A, and the tails of a tangential coordinate.

    The coordinate y of a von Mises-Fisher vector has a density proportional to
    :math:`(1 - y^2)^{(d-3)/2} Z_{d-1}(\\kappa \\sqrt{1 - y^2})`.
    """
    kappa = d * np.geomspace(2e-4, 8, 20)
    c, _, a = log_moment(d, 8.0 * d + 8, 200)
    length = np.interp(kappa, np.r_[0.0, c], np.r_[0.0, a])  # below, as A is concave
    table_c, table_z, _ = log_moment(d - 1, 8.0 * d + 8, 2000)
    angle = np.linspace(0, min(np.pi / 2, 7 / np.sqrt(d)), 1201)
    cosine = np.cos(angle)
    log_z = np.interp(np.outer(kappa, cosine), np.r_[0.0, table_c], np.r_[0.0, table_z])
    log_density = log_z + (d - 2) * np.log(np.maximum(cosine, 1e-300))
    density = np.exp(log_density - log_density[:, :1])
    total = 2 * np.trapezoid(density, angle, axis=-1)

    def tails(weight: Array) -> Array:
        pieces = (weight[:, 1:] + weight[:, :-1]) / 2 * np.diff(angle)
        above = np.cumsum(pieces[:, ::-1], axis=1)[:, ::-1] / total[:, None]
        return np.concatenate([above, np.zeros((len(kappa), 1))], axis=1)

    keep = slice(0, None, 6)
    probability, lever = tails(density), tails(density * np.sin(angle))
    return kappa, length, probability[:, keep], lever[:, keep]


def sphere_floor(n: float, d: int, epsilon: float, power: float) -> float:
    r"""A von Mises-Fisher law around a uniform direction: :math:`1/(1 + I/(d-1)^2)`."""
    d = min(d, 400)
    kappa, length, probability, lever = _tangent_laws(d)
    odds, best = float(np.expm1(epsilon)), 0.0
    scale = np.sqrt(d / n) / max(np.expm1(epsilon / 2), 1e-150)
    for q in np.unique(np.minimum(1.0, np.r_[scale * np.geomspace(0.2, 20, 14), 0.3, 1.0])):
        one = worst_report(kappa[:, None] * lever, probability, odds, float(q))
        # The thresholds are a grid; between them the maximum is less than 0.3 % larger.
        told = 1.003 * n * q**2 * one / (d - 1) ** 2
        best = max(best, float((q**power * length**2 / (1 + told)).max()))
    return best


# --- van Trees' inequality over a ball of means ---------------------------------------------------


@lru_cache(maxsize=256)
def first_zero(order: float) -> float:
    """The first positive zero of a Bessel function: of the first Dirichlet mode of a ball."""
    if order == -0.5:
        return float(np.pi / 2)
    ends = order + 0.2 if order >= 1 else 0.5, order + 1.86 * max(order, 0.5) ** (1 / 3) + 3
    return float(brentq(lambda x: jv(order, x), *ends, xtol=1e-12))


def ball_floor(n: float, d: int, epsilon: float, power: float) -> float:
    r"""Densities :math:`1 + d \langle \mu, x \rangle` on the sphere, with mu in a small ball."""
    gamma = np.linspace(0, 1, 401)[:-1] * min(1.0, 6 / np.sqrt(d))
    probability, lever = tail(gamma if d > 1 else np.zeros(1), d)
    sigma = np.array([0.004, 0.015, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 1.0])[:, None]
    odds, best = float(np.expm1(epsilon)), 0.0
    zero = 4 * first_zero(d / 2 - 1) ** 2 * d**2 / sigma[:, 0] ** 2
    scale = np.sqrt(d / n) / max(np.expm1(epsilon / 2), 1e-150)
    for q in np.unique(np.minimum(1.0, np.r_[scale * np.geomspace(0.2, 100, 14), 0.3, 1.0])):
        one = worst_report(d * lever + 0 * sigma, (1 - sigma) * probability, odds, float(q))
        best = max(best, float((q**power * d**2 / (1.003 * n * q**2 * one + zero)).max()))
    return best
