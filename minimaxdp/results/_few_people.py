r"""The end of a support from rounded values: for few people, and without a trusted curator."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from minimaxdp._types import Array
from minimaxdp.lower_bounds._bits import normal_law
from minimaxdp.lower_bounds._power import sign_law
from minimaxdp.risk import MonteCarlo, monte_carlo

__all__ = ["normal_rounded_end", "rounded_end", "two_stage_end", "two_stage_median"]


@lru_cache(maxsize=1024)
def rounded_end(n: int, epsilon: float, local: bool) -> float:
    r"""Worst absolute error of a posterior median from a noisy count of rounded values.

    A value x is rounded to 1 with probability x, which has the mean :math:`\theta/2`; the bits are
    told by randomized response, or their count with geometric noise.
    """
    return _median_error(lambda ends: sign_law(n, epsilon, local, ends - 1))


@lru_cache(maxsize=1024)
def normal_rounded_end(n: int, sigma: float) -> float:
    """The same for a count with normal noise."""
    return _median_error(lambda ends: normal_law(n, sigma, ends - 1))


def _median_error(law_of: Callable[[Array], Array]) -> float:
    """The prior is bettered step by step: ends where the median errs more get more weight. The
    error is exact, at 161 ends."""
    ends, fine = np.linspace(0, 1, 81), np.linspace(0, 1, 161)
    law, seen = law_of(ends), law_of(fine)
    prior, best = np.full(ends.size, 1 / ends.size), np.inf
    for step in range(60):
        below = (prior[:, None] * law).cumsum(axis=0)
        guess = ends[np.argmax(below >= below[-1] / 2, axis=0)]
        if step % 4 == 3:
            best = min(best, float((seen * abs(guess - fine[:, None])).sum(axis=1).max()))
        errors = (law * abs(guess - ends[:, None])).sum(axis=1)
        prior = prior * (errors / errors.max()) ** 2 + 1e-12
        prior /= prior.sum()
    return best


def two_stage_end(n: int, epsilon: float) -> MonteCarlo:
    r"""Worst absolute error of asking twice without a trusted curator, simulated at 16 ends.

    The first people tell their values rounded to bits. From their estimate :math:`\theta_1` and its
    standard error s the others are asked whether their value exceeds
    :math:`t = \theta_1 - c s`; where t is below zero, they round :math:`\min\{1, x/u\}` with
    :math:`u = \min\{1, \theta_1 + c s\}`. The share of the first and c are the best of some.
    """
    options = [(share, c) for share in (0.1, 0.25, 0.5) for c in (1.2, 2.2)]
    best = min(options, key=lambda option: float(_asked_twice(n, epsilon, option, 300, 1).mean))
    return _asked_twice(n, epsilon, best, 10_000, 0)


@lru_cache(maxsize=1024)
def two_stage_median(n: int, epsilon: float) -> float:
    """Worst absolute error of a posterior median from the same two counts, exact at 161 ends."""
    laws = (partial(two_stage_law, n, epsilon, c) for c in (0.6, 0.9))
    return min(map(_median_error, laws))


def two_stage_law(n: int, epsilon: float, c: float, ends: Array) -> Array:
    """The law of both counts, the first in half of the people; one row an end."""
    first = _first(n, 0.5)
    told = sign_law(first, epsilon, True, ends - 1)
    chance = _chance(ends[:, None], *_second_question(first, epsilon, c, np.arange(first + 1.0)))
    again = sign_law(n - first, epsilon, True, 2 * chance.ravel() - 1)
    found: Array = (told.reshape(-1, 1) * again).reshape(ends.size, -1)
    return found


def _first(n: int, share: float) -> int:
    """How many of two or more people are asked first."""
    return min(max(round(share * n), 1), n - 1)


def _response(epsilon: float) -> tuple[float, float]:
    """How much more often a one says yes than a zero, and how often a zero does."""
    return float(np.tanh(epsilon / 2)), float(1 / (1 + np.exp(epsilon)))


def _spread(first: int, epsilon: float) -> float:
    """The largest standard error of twice a mean of responses."""
    return float(1 / (_response(epsilon)[0] * np.sqrt(first)))


def _second_question(first: int, epsilon: float, c: float, yes: Array) -> tuple[Array, Array]:
    """What the others are asked, given how many of the first said yes: t and u."""
    contrast, no = _response(epsilon)
    start = np.clip(2 * (yes / first - no) / contrast, 0.0, 1.0)
    reach = c * _spread(first, epsilon)
    return start - reach, np.minimum(1.0, start + reach)


def _chance(theta: Array | float, cut: Array, top: Array) -> Array:
    """How likely the second bit is one before it is hidden, for x uniform on [0, theta]."""
    theta = np.maximum(theta, 1e-300)
    above = np.maximum(0.0, 1 - np.maximum(cut, 0.0) / theta)
    # The mean of min{1, x/u}.
    rounded = np.where(theta <= top, theta / (2 * top), 1 - top / np.maximum(2 * theta, top))
    found: Array = np.where(cut > 0, above, rounded)
    return found


def _asked_twice(
    n: int, epsilon: float, option: tuple[float, float], replications: int, seed: int
) -> MonteCarlo:
    share, c = option
    first, (contrast, no) = _first(n, share), _response(epsilon)
    near = _spread(first, epsilon) * np.array([0.3, 0.6, 1, 2, 4, 7])
    ends = np.unique(np.minimum(1.0, np.r_[0.1:1.01:0.1, near]))

    def loss(rng: np.random.Generator, size: int, theta: float) -> Array:
        yes = rng.binomial(first, no + contrast * theta / 2, size).astype(float)
        cut, top = _second_question(first, epsilon, c, yes)
        again = rng.binomial(n - first, no + contrast * _chance(theta, cut, top)) / (n - first)
        told = np.clip((again - no) / contrast, 0.0, 1 - 1e-9)
        far = cut / (1 - told)
        close = np.where(told <= 0.5, 2 * top * told, top / (2 * (1 - told)))
        error: Array = abs(np.clip(np.where(cut > 0, far, close), 0.0, 1.0) - theta)
        return error

    runs = (monte_carlo(partial(loss, theta=end), replications, rng=seed) for end in ends)
    return max(runs, key=lambda run: run.mean)
