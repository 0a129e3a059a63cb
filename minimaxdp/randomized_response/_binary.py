"""Randomized response for one bit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from minimaxdp import _validate
from minimaxdp._coins import coins
from minimaxdp._tails import binomial_bounds
from minimaxdp._types import Array, Integer, Real, Rng
from minimaxdp.guarantees import Guarantee, Local, Pure
from minimaxdp.randomized_response._shared import CHUNK

__all__ = ["BinaryRR", "binary_variance"]


@_validate.broadcasting
def binary_variance(epsilon: ArrayLike, n: ArrayLike) -> Real:
    r"""Variance of the unbiased estimate of a proportion, given the data.

    .. math:: \mathrm{Var}(\hat\theta \mid x) = \frac{e^\varepsilon}{n (e^\varepsilon - 1)^2}
              = \frac{1}{4 n \sinh^2(\varepsilon/2)}

    The same for every data set: the noise does not know what it hides.

    Parameters
    ----------
    epsilon : array_like
        Privacy budget in nats, positive.
    n : array_like of int
        Number of people, at least 1.

    Returns
    -------
    float or ndarray
        By broadcasting; 0 or infinite where it lies beyond the doubles.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not positive and finite or n is not a positive integer.

    Notes
    -----
    Smith's slides, proposition on randomized response, an equality (claim ``Smith-RR-prop``).

    Examples
    --------
    >>> round(float(binary_variance(np.log(2), 100)), 12)
    0.02
    """
    epsilon, n = _validate.epsilon(epsilon), _validate.integer("n", n, minimum=1)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        return 1 / (4.0 * n * np.sinh(epsilon / 2) ** 2)  # 4 * n could be too large an integer


@dataclass(frozen=True)
class BinaryRR:
    r"""Warner's randomized response for one bit.

    .. math:: R(z) = z \text{ with probability } \frac{e^\varepsilon}{1 + e^\varepsilon},
              \quad 1 - z \text{ otherwise}

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive; the guarantee is exact.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not a single positive finite number.

    Notes
    -----
    Smith's slides, randomized response for general epsilon (claim ``Smith-RR-general``).

    Examples
    --------
    >>> die = BinaryRR.from_truth_probability(2 / 3)
    >>> round(die.epsilon, 6)
    0.693147
    >>> reports = die.privatize([0, 1, 1, 0], rng=1)
    >>> round(die.estimate(60, 100), 12)  # 60 of 100 reports say yes
    0.8
    """

    epsilon: float

    def __post_init__(self) -> None:
        _validate.freeze(self, epsilon=_validate.one_epsilon(self.epsilon))

    @classmethod
    def from_truth_probability(cls, truth: float) -> BinaryRR:
        r"""The mechanism that tells the truth with a given probability.

        .. math:: \varepsilon = \ln \frac{\text{truth}}{1 - \text{truth}}

        A fair coin (1/2) carries nothing and certainty (1) hides nothing; both are refused.
        """
        truth = _validate.one_real("truth", truth, above=0.5, below=1)
        return cls(np.log(truth) - np.log1p(-truth))

    @classmethod
    def from_delta(cls, delta: float) -> BinaryRR:
        r"""The mechanism that tells the truth with probability 1/2 + delta (claim ``Boul-RR``).

        .. math:: \varepsilon = \ln \frac{1/2 + \delta}{1/2 - \delta}
                  = 2\,\mathrm{artanh}(2 \delta), \qquad 0 < \delta < \tfrac12

        Examples
        --------
        >>> round(BinaryRR.from_delta(0.25).truth_probability, 12)
        0.75
        """
        delta = _validate.one_real("delta", delta, above=0, below=0.5)
        return cls(2 * np.arctanh(2 * delta))

    @property
    def privacy(self) -> Guarantee:
        """Local pure privacy at epsilon, exactly."""
        return Local(Pure(self.epsilon))

    @property
    def inputs(self) -> NDArray[np.int64]:
        """The two values of a bit, in the order of the rows of the channel."""
        return np.arange(2)

    @property
    def outputs(self) -> NDArray[np.int64]:
        """The two reports, in the order of the columns of the channel."""
        return np.arange(2)

    @property
    def truth_probability(self) -> float:
        """Probability of a true report."""
        return float(expit(self.epsilon))

    @property
    def flip_probability(self) -> float:
        """Probability of a false report, without cancellation at large epsilon."""
        return float(expit(-self.epsilon))

    def channel(self) -> Array:
        """The mechanism as a matrix, shape (2, 2): row the true bit, column the report."""
        p, q = self.truth_probability, self.flip_probability
        return np.array([[p, q], [q, p]])

    def privatize(self, bits: ArrayLike, *, rng: Rng = None) -> NDArray[np.uint8]:
        """Perturb every bit independently.

        Parameters
        ----------
        bits : array_like of 0 and 1 (integers or booleans), any shape
        rng : Generator, int or None

        Returns
        -------
        ndarray of uint8, same shape

        Raises
        ------
        TypeError, ValueError
            If an entry is not 0 or 1 or there is none.
        """
        bits = _validate.bits("bits", bits)
        rng, flip = _validate.generator(rng), self.flip_probability
        reports = np.empty(bits.shape, dtype=np.uint8)
        truth, told = bits.reshape(-1), reports.reshape(-1)
        for start in range(0, truth.size, CHUNK):
            chunk = told[start : start + CHUNK]
            coins(flip, chunk.view(bool), rng)
            chunk ^= truth[start : start + CHUNK]
        return reports

    def privatize_counts(
        self,
        ones: ArrayLike,
        n: int,
        *,
        rng: Rng = None,
        size: int | tuple[int, ...] | None = None,
    ) -> Integer:
        """How many of n people report one, drawn from their number of ones alone.

        The sum of two binomials: true ones that stay and zeros that flip.

        Parameters
        ----------
        ones : array_like of int
            How many of the n people hold a one, from 0 to n.
        n : int
            Number of people, at least 1.
        rng : Generator, int or None
        size : int or tuple of int, optional
            Shape of the result, as in numpy; by default that of `ones`.

        Returns
        -------
        int or ndarray of int

        Raises
        ------
        TypeError, ValueError
            If a count is out of range, or size is no shape for the counts.

        Examples
        --------
        >>> BinaryRR(1.0).privatize_counts([0, 60], 100, rng=0).shape
        (2,)
        """
        n = _validate.one_integer("n", n, minimum=1)
        ones = _validate.integer("ones", ones, minimum=0, maximum=n)
        size = _validate.draws(size, np.shape(ones))
        rng = _validate.generator(rng)
        return rng.binomial(ones, self.truth_probability, size) + rng.binomial(
            n - ones, self.flip_probability, size
        )

    def estimate(self, reported_ones: ArrayLike, n: int) -> Real:
        r"""Unbiased estimate of the proportion of ones.

        .. math:: \hat\theta = \frac1n \sum_i (a Y_i - c), \qquad
                  a = \frac{e^\varepsilon + 1}{e^\varepsilon - 1}, \quad
                  c = \frac{1}{e^\varepsilon - 1}

        It may leave [0, 1]; clipping it would make it biased.

        Parameters
        ----------
        reported_ones : array_like of int
            How many of the n reports are one.
        n : int
            Number of reports, at least 1.

        Returns
        -------
        float or ndarray

        Notes
        -----
        Smith's slides (claim ``Smith-RR-est``); Boulaguiem's (claim ``Boul-RR-debiased``).
        """
        n = _validate.one_integer("n", n, minimum=1)
        ones = _validate.integer("reported_ones", reported_ones, minimum=0, maximum=n)
        estimate = (ones / n - self.flip_probability) / np.tanh(self.epsilon / 2)
        return float(estimate) if np.ndim(estimate) == 0 else estimate

    @_validate.broadcasting
    def interval(self, reported_ones: ArrayLike, n: int, level: float = 0.95) -> tuple[Real, Real]:
        r"""Confidence interval for the proportion in the population, with exact coverage.

        For independent draws the reports are Bernoulli with probability
        :math:`q + (p - q) \theta`, so that Clopper and Pearson's interval for it,
        carried over to theta and cut to [0, 1], covers at least at the stated level.

        Parameters
        ----------
        reported_ones : array_like of int
            How many of the n reports are one.
        n : int
            Number of reports, at least 1.
        level : float
            Coverage, strictly between 0 and 1.

        Returns
        -------
        (low, high)

        Raises
        ------
        TypeError, ValueError
            If a count is out of range or the level lies outside (0, 1).

        Examples
        --------
        >>> low, high = BinaryRR(1.0).interval(600, 1000)
        >>> round(float(low), 3), round(float(high), 3)
        (0.649, 0.782)
        """
        n = _validate.one_integer("n", n, minimum=1)
        ones = _validate.integer("reported_ones", reported_ones, minimum=0, maximum=n)
        level = _validate.real("level", level, above=0, below=1)
        gap = np.tanh(self.epsilon / 2)
        ends = [
            np.clip((end - self.flip_probability) / gap, 0, 1)[()]
            for end in binomial_bounds(ones, ones, n, (1 - level) / 2)
        ]
        return ends[0], ends[1]

    def variance(self, n: ArrayLike) -> Real:
        """Variance of the estimate given the data: see :func:`binary_variance`."""
        return binary_variance(self.epsilon, n)

    @_validate.broadcasting
    def risk(self, theta: ArrayLike, n: ArrayLike) -> Real:
        r"""Mean squared error for n independent draws with P(one) = theta.

        .. math:: \frac{\theta (1 - \theta)}{n} + \frac{1}{4 n \sinh^2(\varepsilon/2)}
        """
        theta = _validate.real("theta", theta, minimum=0, maximum=1)
        n = _validate.integer("n", n, minimum=1)
        return theta * (1 - theta) / n + self.variance(n)
