r"""The end of a support with a curator in two rounds: a rough end, then a count just below it."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import product

import numpy as np

from minimaxdp._types import Array
from minimaxdp.results._endpoint import usual_target
from minimaxdp.risk import MonteCarlo, monte_carlo

__all__ = ["WORST_ENDS", "bounded_range_budget", "two_round_end"]

# A capped estimate errs most some standard errors below the largest end.
WORST_ENDS = (0.1, 0.5, 0.8, 0.9, 0.97, 0.99, 0.999, 1.0)
Option = tuple[float, float]


def bounded_range_budget(rho: float) -> float:
    r"""The budget :math:`\sqrt{8 \rho}` of an exponential mechanism that is rho-zCDP.

    The log-ratio of two of its densities has a range of at most the budget. With K the logarithm of
    its moment-generating function, :math:`K(0) = K(1) = 0` and :math:`K'' \le \varepsilon^2/4`
    (Hoeffding), so that :math:`K(a) \le \frac{\varepsilon^2}8 a (a - 1)` for :math:`a > 1` (Cesar
    and Rogers 2021).
    """
    return float(np.sqrt(8 * rho))


@lru_cache(maxsize=1024)  # definitions of one budget share it
def two_round_end(n: int, epsilon: float, rho: float | None = None) -> MonteCarlo:
    r"""Worst absolute error of two rounds, simulated at some ends.

    The exponential mechanism names an end :math:`\theta_1` with a share of the budget. With the
    rest the N values above a point t below :math:`\theta_1` are counted, and the estimate is
    :math:`t/(1 - N/n)`. Under pure privacy budgets add up and the count has geometric noise; with a
    level rho, of zCDP or Kullback-Leibler privacy, these add up and the noise is normal. The best
    of some options.
    """

    def worst(option: Option, ends: tuple[float, ...], size: int, seed: int) -> MonteCarlo:
        loss = partial(_loss, n=n, epsilon=epsilon, rho=rho, option=option)
        runs = (
            monte_carlo(partial(loss, theta=theta), size, rng=seed, block=100) for theta in ends
        )
        return max(runs, key=lambda run: float(run.mean))

    budget = epsilon if rho is None else bounded_range_budget(rho)
    # With a small budget the second round needs most of it, and many values are drawn.
    shares = (0.2, 0.35) if budget < 0.3 else (0.1, 0.2, 0.35, 0.5, 0.65)
    options = product(shares, (0.05, 0.15, 0.3, 0.6))
    best = min(
        options,
        key=lambda option: float(worst(option, (0.9, 0.99), 30 if budget < 0.3 else 60, 1).mean),
    )
    return worst(best, (min(1.0, 5 / n), *WORST_ENDS), 150 if budget < 0.3 else 1_000, 0)


def _loss(
    rng: np.random.Generator,
    size: int,
    *,
    n: int,
    epsilon: float,
    rho: float | None,
    option: Option,
    theta: float,
) -> Array:
    share, back = option
    first = share * epsilon if rho is None else bounded_range_budget(share * rho)
    m = usual_target(n, first)
    top = min(n, m + int(np.ceil(50 / first)) + 1)
    # Logarithms of the largest values over the end, from the top.
    values = -np.cumsum(rng.exponential(size=(size, top)) / (n - np.arange(top)), axis=1)
    lowest, highest = -np.log(n) - np.log(theta), -np.log(theta)
    reach = 4 * (2 / first + np.sqrt(m)) / n
    far = min(highest, reach)  # beyond, the first round has failed
    edges = np.column_stack([np.full(size, far), np.maximum(values, lowest)])
    score = np.exp(-first / 2 * abs(np.arange(top) - m))  # further down it is below exp(-25)
    weight = -np.diff(edges, axis=1) * score
    last = np.maximum(edges[:, -1] - lowest, 0.0)
    beyond = rng.binomial(n - top, -np.expm1(-last))
    number = (values > lowest).sum(axis=1) + beyond
    zero = np.log(n) * np.exp(-first / 2 * np.maximum(number - m, 0))
    failed = (highest - far) * score[0]
    named = weight.sum(axis=1)
    if top == n:  # the lowest of all intervals
        zero = zero + last * np.exp(-first / 2 * abs(n - m))
    place = (weight.cumsum(axis=1) < rng.random((size, 1)) * named[:, None]).sum(axis=1)
    place, row = np.minimum(place, top - 1), np.arange(size)
    start = edges[row, place + 1] + rng.random(size) * (edges[row, place] - edges[row, place + 1])
    down = -np.log1p(-m / (n + 1)) - back * reach  # from the name to the point of the second round
    above = np.array([np.searchsorted(-v, -p) for v, p in zip(values, start + down, strict=True)])
    noise = _noise(rng, size, 1 - share, epsilon, rho)
    error = abs(np.minimum(theta * np.exp(start + down + _up(above + noise, n)), 1.0) - theta)
    # Failures are rare but weigh: given the noise, their mean is exact, as no value is above them.
    missed = _missed(theta, far, highest, down + _up(noise, n)) * score[0]
    found: Array = (zero * theta + missed + error * named) / (zero + failed + named)
    return found


def _up(number: Array, n: int) -> Array:
    """How far the end is above a point, as a logarithm, by the number of values above it."""
    found: Array = -np.log1p(-np.clip(number, 0, n - 1) / n)
    return found


def _noise(
    rng: np.random.Generator, size: int, share: float, epsilon: float, rho: float | None
) -> Array:
    """What is added to a count with a share of the budget."""
    if rho is not None:
        return rng.standard_normal(size) / np.sqrt(2 * share * rho)
    heads = -np.expm1(-share * epsilon)
    found: Array = rng.geometric(heads, size) - 1.0 * rng.geometric(heads, size)
    return found


def _missed(theta: float, far: float, highest: float, shift: Array) -> Array:
    """The integral of |min{1, theta exp(v + shift)} - theta| over v from far to the highest."""
    capped = np.clip(highest - shift, far, highest)
    grown = theta * (np.exp(capped + shift) - np.exp(far + shift))
    found: Array = grown - theta * (capped - far) + (1 - theta) * (highest - capped)
    return np.maximum(found, 0.0)
