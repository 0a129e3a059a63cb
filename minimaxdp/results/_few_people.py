r"""The end of a support from rounded values: for few people, and without a trusted curator."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from minimaxdp._types import Array
from minimaxdp.lower_bounds._bits import normal_law, sign_law
from minimaxdp.risk import MonteCarlo, monte_carlo

__all__ = ["normal_rounded_end", "rounded_end", "two_stage_end"]


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


def _asked_twice(
    n: int, epsilon: float, option: tuple[float, float], replications: int, seed: int
) -> MonteCarlo:
    share, c = option
    first = min(max(int(round(share * n)), 1), n - 1)
    others, contrast, no = n - first, np.tanh(epsilon / 2), 1 / (1 + np.exp(epsilon))
    spread = 1 / (contrast * np.sqrt(first))  # of twice a mean of responses
    ends = np.unique(
        np.minimum(1.0, np.r_[0.1:1.01:0.1, spread * np.array([0.3, 0.6, 1, 2, 4, 7])])
    )

    def loss(rng: np.random.Generator, size: int, theta: float) -> Array:
        def told(people: int, chance: Array | float) -> Array:
            yes = rng.binomial(people, no + contrast * chance, size)
            return (yes / people - no) / contrast

        start = np.clip(2 * told(first, theta / 2), 0.0, 1.0)
        cut, top = start - c * spread, np.minimum(1.0, start + c * spread)
        inside = np.maximum(cut, 0.0)
        above = told(others, np.maximum(0.0, 1 - inside / theta))
        far = inside / (1 - np.clip(above, 0.0, 1 - 1e-9))
        # The mean of min{1, x/u} for x uniform on [0, theta].
        rounded = np.where(theta <= top, theta / (2 * top), 1 - top / (2 * theta))
        told_again = np.clip(told(others, rounded), 0.0, 1 - 1e-9)
        near = np.where(told_again <= 0.5, 2 * top * told_again, top / (2 * (1 - told_again)))
        guess = np.clip(np.where(cut > 0, far, near), 0.0, 1.0)
        error: Array = abs(guess - theta)
        return error

    runs = (monte_carlo(partial(loss, theta=end), replications, rng=seed) for end in ends)
    return max(runs, key=lambda run: run.mean)
