r"""The end of a support with a curator in rounds: a rough end, then counts just below it."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache, partial
from itertools import product
from typing import NamedTuple

import numpy as np

from minimaxdp._types import Array
from minimaxdp.results._endpoint import usual_target
from minimaxdp.risk import MonteCarlo, monte_carlo

__all__ = ["WORST_ENDS", "bounded_range_budget", "end_in_rounds"]

# A capped estimate errs most some standard errors below the largest end.
WORST_ENDS = (0.1, 0.5, 0.8, 0.9, 0.97, 0.99, 0.999, 1.0)


class Count(NamedTuple):
    """A share of the budget, and how far below the estimate before it the values are counted."""

    share: float
    back: float


class Rounds(NamedTuple):
    """The share of the first round, and the counts, whose shares make it up to one."""

    share: float
    counts: tuple[Count, ...]


def _options(small: bool) -> list[Rounds]:
    # With a small budget the counts need most of it, and many values are drawn.
    shares = (0.2, 0.35) if small else (0.1, 0.2, 0.35, 0.5, 0.65)
    backs = (0.3, 0.6) if small else (0.05, 0.15, 0.3, 0.6)
    once = [Rounds(share, (Count(1 - share, back),)) for share, back in product(shares, backs)]
    twice = Rounds(0.28, (Count(0.27, 0.31), Count(0.45, 0.17)))
    return once if small else [*once, twice]


def bounded_range_budget(rho: float) -> float:
    r"""The budget :math:`\sqrt{8 \rho}` of an exponential mechanism that is rho-zCDP.

    The log-ratio of two of its densities has a range of at most the budget. With K the logarithm of
    its moment-generating function, :math:`K(0) = K(1) = 0` and :math:`K'' \le \varepsilon^2/4`
    (Hoeffding), so that :math:`K(a) \le \frac{\varepsilon^2}8 a (a - 1)` for :math:`a > 1` (Cesar
    and Rogers 2021).
    """
    return float(np.sqrt(8 * rho))


@lru_cache(maxsize=1024)  # definitions of one budget share it
def end_in_rounds(n: int, epsilon: float, rho: float | None = None) -> tuple[MonteCarlo, str]:
    r"""Worst absolute error of two or three rounds, simulated at some ends, and what they are.

    The exponential mechanism names an end :math:`\theta_1` with a share of the budget. Then the N
    values above a point t below :math:`\theta_1` are counted, and the estimate is
    :math:`t/(1 - N/n)`; a second count may start from it. Under pure privacy budgets add up and
    counts have geometric noise; with a level rho, of zCDP or Kullback-Leibler privacy, these add up
    and the noise is normal. The best of some options.
    """

    def worst(option: Rounds, ends: tuple[float, ...], size: int, seed: int) -> MonteCarlo:
        loss = partial(_losses, n=n, epsilon=epsilon, rho=rho, option=option, ends=ends)
        runs = monte_carlo(loss, size, rng=seed, block=100)
        mean, error = np.asarray(runs.mean), np.asarray(runs.standard_error)
        i = int(np.argmax(mean))
        return MonteCarlo(mean[i], error[i], size)

    small = (epsilon if rho is None else bounded_range_budget(rho)) < 0.3
    tried, drawn = (30, 150) if small else (100, 1_000)
    best = min(_options(small), key=lambda option: float(worst(option, (0.9, 0.99), tried, 1).mean))
    found = worst(best, (min(1.0, 5 / n), *WORST_ENDS), drawn, 0)
    return found, "exponential mechanism, then " + ("a count", "two counts")[len(best.counts) - 1]


def _losses(
    rng: np.random.Generator,
    size: int,
    *,
    n: int,
    epsilon: float,
    rho: float | None,
    option: Rounds,
    ends: tuple[float, ...],
) -> Array:
    """One column for each end, from the same draws."""
    first = option.share * epsilon if rho is None else bounded_range_budget(option.share * rho)
    m = usual_target(n, first)
    top = min(n, m + int(np.ceil(50 / first)) + 1)
    # Logarithms of the largest values over the end, from the top. In place, for they are many.
    values = rng.exponential(size=(size, top))
    values /= np.arange(top) - float(n)
    np.cumsum(values, axis=1, out=values)
    score = np.exp(-first / 2 * abs(np.arange(top) - m))  # further down it is below exp(-25)
    reach = 4 * (2 / first + np.sqrt(m)) / n

    @lru_cache  # most ends are so far from 1 and from 0 that they share them
    def intervals(lowest: float, far: float) -> tuple[Array, Array]:
        """The edges of the intervals between values, and the sums of their weights."""
        edges = np.full((size, top + 1), far)
        np.maximum(values, lowest, out=edges[:, 1:])
        weight = edges[:, :-1] - edges[:, 1:]
        weight *= score
        return edges, np.cumsum(weight, axis=1, out=weight)

    def loss(theta: float, rng: np.random.Generator) -> Array:
        lowest, highest = -np.log(n) - np.log(theta), -np.log(theta)
        far = min(highest, reach)  # beyond, the first round has failed
        whole = bool(np.all(values[:, -1] > lowest))
        edges, weight = intervals(-np.inf if whole else lowest, far)
        last = np.maximum(edges[:, -1] - lowest, 0.0)
        beyond = rng.binomial(n - top, -np.expm1(-last))
        number = (top if whole else (values > lowest).sum(axis=1)) + beyond
        zero = np.log(n) * np.exp(-first / 2 * np.maximum(number - m, 0))
        failed = (highest - far) * score[0]
        if top == n:  # the lowest of all intervals
            zero = zero + last * np.exp(-first / 2 * abs(n - m))
        named = weight[:, -1]
        place = (weight < rng.random((size, 1)) * named[:, None]).sum(axis=1)
        place, row = np.minimum(place, top - 1), np.arange(size)
        above, below = edges[row, place], edges[row, place + 1]
        start = below + rng.random(size) * (above - below)
        # How far the estimate is from the name: of the data, and where no value is above any point.
        moved = unseen = -np.log1p(-m / (n + 1)) * np.ones(size)
        width = reach
        for count in option.counts:
            moved, unseen = moved - count.back * width, unseen - count.back * width
            point = start + moved
            seen = (values > point[:, None]).sum(axis=1)
            noise = _noise(rng, size, count.share, epsilon, rho)
            moved, unseen = moved + _up(seen + noise, n), unseen + _up(noise, n)
            width = 4 * (np.sqrt(count.back * width * n) + _spread(count.share, epsilon, rho)) / n
        error = abs(np.minimum(theta * np.exp(start + moved), 1.0) - theta)
        # Failures are rare but weigh: given the noise, their mean is exact: no value is above them.
        missed = _missed(theta, far, highest, unseen) * score[0]
        found: Array = (zero * theta + missed + error * named) / (zero + failed + named)
        return found

    return np.stack([loss(theta, deepcopy(rng)) for theta in ends], axis=1)


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


def _spread(share: float, epsilon: float, rho: float | None) -> float:
    """The standard deviation of that noise."""
    if rho is not None:
        return float(1 / np.sqrt(2 * share * rho))
    return float(1 / (np.sqrt(2) * np.sinh(share * epsilon / 2)))


def _missed(theta: float, far: float, highest: float, shift: Array) -> Array:
    """The integral of |min{1, theta exp(v + shift)} - theta| over v from far to the highest."""
    capped = np.clip(highest - shift, far, highest)
    grown = theta * (np.exp(capped + shift) - np.exp(far + shift))
    found: Array = grown - theta * (capped - far) + (1 - theta) * (highest - capped)
    return np.maximum(found, 0.0)
