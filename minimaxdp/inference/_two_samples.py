"""Two proportions, each known through a count with Laplace noise: is the first one larger?"""

from __future__ import annotations

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
_POINTS = 129


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
        counts = x1[:, None] / self.n1 - x2 / self.n2
        reached = np.zeros(counts.shape)
        if self.alternative == "two-sided":
            for sign in (1, -1):
                reached += self._tail(abs(self.difference) - sign * counts)
        else:
            sign = 1 if self.alternative == "greater" else -1
            reached += self._tail(sign * (self.difference - counts))
        return float(np.minimum(p1 @ reached @ p2, 1.0))

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
        """Largest p-value over a common proportion in an interval, and where it is attained.

        The maximum over 129 points, equally spaced in the angle whose squared sine is the
        proportion, is refined between the neighbours of the best one.

        Parameters
        ----------
        low, high : float
            From 0 to 1.

        Returns
        -------
        (p, theta)

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
        angles = np.linspace(np.arcsin(low**0.5), np.arcsin(high**0.5), _POINTS)
        value = lambda angle: self.p_value(min(float(np.sin(angle) ** 2), 1.0))  # noqa: E731
        found = np.array([value(angle) for angle in angles])
        best = int(found.argmax())
        around = angles[max(best - 1, 0)], angles[min(best + 1, _POINTS - 1)]
        if around[0] == around[1]:
            return float(found[best]), low
        refined = float(
            scipy.optimize.minimize_scalar(
                lambda angle: -value(angle), bounds=around, method="bounded"
            ).x
        )
        if value(refined) > found[best]:
            return value(refined), float(np.sin(refined) ** 2)
        return float(found[best]), float(np.sin(angles[best]) ** 2)


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
        The chance beta with which the confidence set may miss it, strictly between 0 and 1.

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
    The search of :meth:`TwoSampleTest.supremum`, not a bound over every theta.

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
    share = _validate.one_real("share", share, above=0, below=1)
    n1, n2 = int(n[0]), int(n[1])
    test = TwoSampleTest(float(released[0] / n1 - released[1] / n2), n1, n2, epsilon, alternative)
    if nuisance == "supremum":
        return test.supremum()[0]
    low, high = interval(released, n, epsilon, level=1 - share / 2, method="laplace")
    first, last = float(np.max(low)), float(np.min(high))
    if first > last:  # no common proportion explains both counts
        return share
    return min(1.0, test.supremum(first, last)[0] + share)


def _likely(n: int, theta: float) -> tuple[Array, Array]:
    """The counts that matter, with their probabilities."""
    probabilities = scaled_probabilities(n, theta) / SCALE
    x = np.flatnonzero(probabilities > _LEAST)
    return x.astype(float), probabilities[x]
