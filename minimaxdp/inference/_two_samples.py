"""Two proportions, each known through a count with Laplace noise: is the first one larger?"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array
from minimaxdp.inference._binomial import LEAST_EPSILON, SCALE, scaled_probabilities
from minimaxdp.inference._intervals import interval

__all__ = ["TwoSampleTest", "two_sample_p_value"]

_LEAST = 1e-22  # counts of a smaller probability are left out
_CLOSE = 1e-12  # a bound that exceeds an attained p-value by this factor of it is kept


@dataclass(frozen=True)
class TwoSampleTest:
    r"""The difference of two noisy shares, and its exact law under equal proportions.

    .. math:: D = \frac{X_1 + L_1}{n_1} - \frac{X_2 + L_2}{n_2}, \qquad
              p_\theta = \Pr_{\theta, \theta}(D \ge d)

    with independent :math:`X_i \sim \mathrm{Bin}(n_i, \theta)` and
    :math:`L_i \sim \mathrm{Lap}(1/\varepsilon)`.

    Parameters
    ----------
    difference : float
        The observed difference d of the two noisy shares.
    n1, n2 : int
        Numbers of people, at least 1.
    epsilon : float
        Privacy budget of each person in nats, from 1e-150 to 700.
    alternative : {"greater", "less", "two-sided"}
        The first proportion is larger, or smaller, or different; "two-sided" is the probability
        that :math:`|D| \ge |d|`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or the tables would not fit into memory.

    Examples
    --------
    >>> test = TwoSampleTest(0.2, n1=50, n2=60, epsilon=1.0)
    >>> f"{test.p_value(0.5):.5f}"
    '0.02563'
    """

    difference: float
    n1: int
    n2: int
    epsilon: float
    alternative: str = "greater"

    def __post_init__(self) -> None:
        difference = _validate.one_real("difference", self.difference)
        n1 = _validate.one_integer("n1", self.n1, minimum=1)
        n2 = _validate.one_integer("n2", self.n2, minimum=1)
        epsilon = _validate.one_epsilon(self.epsilon, minimum=LEAST_EPSILON)
        _validate.choice("alternative", self.alternative, ("greater", "less", "two-sided"))
        _validate.memory("n1 and n2", 4, n1 + 1, n2 + 1)
        _validate.freeze(self, difference=difference, n1=n1, n2=n2, epsilon=epsilon)

    def p_value(self, theta1: float, theta2: float | None = None) -> float:
        """Probability of a difference at least as extreme, under two proportions.

        Parameters
        ----------
        theta1, theta2 : float
            Proportions in [0, 1]; the second is the first if it is left out.

        Returns
        -------
        float

        Examples
        --------
        >>> test = TwoSampleTest(0.2, n1=50, n2=60, epsilon=1.0)
        >>> test.p_value(0.5, 0.5) < test.p_value(0.6, 0.5)
        True
        """
        theta1 = _validate.one_real("theta1", theta1, minimum=0, maximum=1)
        theta2 = theta1 if theta2 is None else theta2
        theta2 = _validate.one_real("theta2", theta2, minimum=0, maximum=1)
        x1, p1 = _likely(self.n1, theta1)
        x2, p2 = _likely(self.n2, theta2)
        reached = self._reached(x1[:, None] / self.n1 - x2 / self.n2)
        return float(np.minimum(p1 @ reached @ p2, 1.0))

    def _reached(self, shares: Array) -> Array:
        """Chance of a difference at least as extreme, given that of the shares without noise."""
        if self.alternative == "two-sided":
            size = abs(self.difference)
            return self._tail(size - shares) + self._tail(size + shares)
        sign = 1 if self.alternative == "greater" else -1
        return self._tail(sign * (self.difference - shares))

    def _conditional(self) -> Array:
        """Chance of a difference at least as extreme, given that s people of both groups say yes.

        Given s = 0, ..., n1 + n2, the first count is hypergeometric under every common proportion.
        """
        first, second, both = map(_log_choose, (self.n1, self.n2, self.n1 + self.n2))
        share = np.arange(self.n2 + 1) / self.n2
        total, reached = np.zeros((2, both.size))
        for x in range(self.n1 + 1):
            sums = slice(x, x + self.n2 + 1)
            weight = np.exp(first[x] + second - both[sums])
            total[sums] += weight
            reached[sums] += weight * self._reached(x / self.n1 - share)
        return np.minimum(reached / total, 1.0)

    def _tail(self, t: Array) -> Array:
        """Chance that the difference of the two noises, as shares, is at least t."""
        few, many = min(self.n1, self.n2), max(self.n1, self.n2)
        a, b = 1 / (self.epsilon * few), 1 / (self.epsilon * many)
        below = t < 0
        t = abs(t)
        gap = (a - b) / (a * b)
        # (1 - exp(-gap t)) / gap, whose limit is t
        more = t if gap == 0 else -np.expm1(-gap * t) / gap
        upper = 0.5 * np.exp(-t / a) * (1 + b / (a * (a + b)) * more)
        return np.where(below, 1 - upper, upper)

    def supremum(self, low: float = 0.0, high: float = 1.0) -> tuple[float, float]:
        r"""Largest p-value over a common proportion in an interval, and where it is attained.

        Under a common proportion the total S of the two counts is binomial, so that

        .. math:: p_\theta = \sum_s \binom{n_1 + n_2}{s} \theta^s (1 - \theta)^{n_1 + n_2 - s} g_s,
                  \qquad g_s = \Pr(D \ge d \mid S = s),

        is a polynomial with the Bernstein coefficients g, and nowhere above the largest of them.
        An interval is halved as long as the largest coefficient in it exceeds every p-value found.

        Parameters
        ----------
        low, high : float
            From 0 to 1.

        Returns
        -------
        (p, theta)
            No proportion in the interval has a p-value above p, up to rounding, and that of theta
            is within a factor of 1e-12 of it.

        Raises
        ------
        TypeError, ValueError
            If `high` is below `low`, or one of them is no proportion.

        Examples
        --------
        >>> p, theta = TwoSampleTest(0.2, n1=60, n2=60, epsilon=1.0).supremum()
        >>> f"{p:.5f} at {theta:.3f}"
        '0.01982 at 0.500'
        """
        low = _validate.one_real("low", low, minimum=0, maximum=1)
        high = _validate.one_real("high", high, minimum=low, maximum=1)
        whole = self._conditional()
        if high < 1:
            whole = _halves(whole, high)[0]
        if low > 0:
            whole = _halves(whole, low / high)[1]
        cells = [(-whole.max(), low, high, whole)]
        attained = max((whole[0], low), (whole[-1], high))
        while True:
            bound, a, b, cell = heapq.heappop(cells)
            middle = (a + b) / 2
            if -bound <= attained[0] * (1 + _CLOSE) or not a < middle < b:
                return float(-bound), float(attained[1])
            left, right = _halves(cell, 0.5)
            attained = max(attained, (right[0], middle))
            heapq.heappush(cells, (-left.max(), a, middle, left))
            heapq.heappush(cells, (-right.max(), middle, b, right))


def two_sample_p_value(
    released: ArrayLike,
    n: ArrayLike,
    epsilon: float,
    *,
    alternative: str = "greater",
    nuisance: str = "supremum",
    share: float = 1e-3,
) -> float:
    r"""Exact p-value of two noisy counts against different proportions.

    Under the hypothesis both proportions are one unknown :math:`\theta`. The p-value is the largest
    over all of them ("supremum"), or over a confidence set for it, to whose chance of
    missing it is added ("confidence", Berger and Boos 1994),

    .. math:: p = \sup_{\theta \in C} p_\theta + \beta, \qquad
              \Pr_\theta(\theta \notin C) \le \beta .

    Parameters
    ----------
    released : array_like, shape (2,)
        Two counts, each plus Laplace noise of scale 1/epsilon.
    n : array_like of int, shape (2,)
        Numbers of people, at least 1.
    epsilon : float
        Privacy budget of each person in nats, from 1e-150 to 700.
    alternative : {"greater", "less", "two-sided"}
        As in :class:`TwoSampleTest`.
    nuisance : {"supremum", "confidence"}
        What is done about the common proportion.
    share : float
        The chance beta with which the confidence set may miss it, from 1e-12 to below 1.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    TypeError, ValueError
        If a value is not finite, or a parameter is out of its range.

    Notes
    -----
    The supremum is bounded over every theta, by :meth:`TwoSampleTest.supremum`.

    Examples
    --------
    >>> p = two_sample_p_value([42.3, 27.9], [100, 100], epsilon=1.0)
    >>> f"{p:.4f}"
    '0.0250'
    >>> p = two_sample_p_value([42.3, 27.9], [100, 100], epsilon=1.0, nuisance="confidence")
    >>> f"{p:.4f}"
    '0.0256'
    """
    released = np.asarray(_validate.real("released", released))
    n = np.asarray(_validate.integer("n", n, minimum=1))
    for name, pair in (("released", released), ("n", n)):
        if pair.shape != (2,):
            raise ValueError(f"{name} must hold two numbers, got shape {pair.shape}")
    _validate.choice("nuisance", nuisance, ("supremum", "confidence"))
    share = _validate.one_real("share", share, minimum=1e-12, below=1)
    n1, n2 = int(n[0]), int(n[1])
    test = TwoSampleTest(float(released[0] / n1 - released[1] / n2), n1, n2, epsilon, alternative)
    if nuisance == "supremum":
        return test.supremum()[0]
    low, high = interval(released, n, epsilon, level=1 - share / 2, method="laplace")
    first, last = float(np.max(low)), float(np.min(high))
    if first > last:  # no common proportion explains both counts
        return share
    return min(1.0, test.supremum(first, last)[0] + share)


def _log_choose(n: int) -> Array:
    """Logarithms of the binomial coefficients of n."""
    k = np.arange(n + 1.0)
    ends = scipy.special.gammaln(k + 1)
    return ends[-1] - ends - ends[::-1]


def _halves(coefficients: Array, share: float) -> tuple[Array, Array]:
    """Bernstein coefficients left and right of a share of the interval, after de Casteljau."""
    left, right = np.empty((2, coefficients.size))
    for k in range(coefficients.size):
        left[k], right[-1 - k] = coefficients[0], coefficients[-1]
        coefficients = (1 - share) * coefficients[:-1] + share * coefficients[1:]
    return left, right


def _likely(n: int, theta: float) -> tuple[Array, Array]:
    """The counts that matter, with their probabilities."""
    probabilities = scaled_probabilities(n, theta) / SCALE
    x = np.flatnonzero(probabilities > _LEAST)
    return x.astype(float), probabilities[x]
