"""Integer noise drawn exactly, from a cryptographic generator: the law is the one that is stated.

The samplers are those of Canonne, Kamath and Steinke (2020), run on whole arrays. They compare
random integers with integers and never compute a probability, so that nothing is rounded.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Integer, Real, Rng
from minimaxdp.guarantees import ZCDP, Guarantee, Pure
from minimaxdp.laplace._additive import AdditiveMechanism
from minimaxdp.laplace._discrete_and_staircase import DiscreteLaplace
from minimaxdp.laplace._private_data import whole

__all__ = ["ExactDiscreteGaussian", "ExactDiscreteLaplace"]

Words = Callable[[int], NDArray[np.uint64]]
Whole = NDArray[np.int64]

_DECIMALS = 10**9
# The products below stay within 64 bits.
_MOST_RATE, _MOST_SQUARE = 2**40, 2**29


@dataclass(frozen=True)
class ExactDiscreteLaplace(AdditiveMechanism):
    r"""Two-sided geometric noise for integer queries, drawn exactly.

    .. math:: \Pr(Z = z) = \frac{1 - b}{1 + b}\, b^{|z|}, \qquad b = e^{-\varepsilon/\Delta}

    The guarantee is that of the numbers that are returned, and not only of real ones: budget and
    randomness are integers, no probability is rounded, and without a seed the random bits are the
    operating system's cryptographic ones. What is not covered is the clock, since the time of a
    draw depends on what is drawn, nor a seed, which serves tests and takes the protection away.

    Parameters
    ----------
    epsilon : float or Fraction
        Privacy budget in nats, from 1e-9 to 700. A Fraction is taken as it is, a float is rounded
        down to nine decimals: 0.1 is one tenth.
    sensitivity : int
        Global l1-sensitivity Delta of the query, positive.

    Attributes
    ----------
    exact_rate : Fraction
        The rate epsilon / Delta that is used.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or numerator or denominator of the rate exceed 2**40.

    Notes
    -----
    C. Canonne, G. Kamath, T. Steinke, "The discrete Gaussian for differential privacy", NeurIPS
    2020.

    Examples
    --------
    >>> mechanism = ExactDiscreteLaplace(0.1, sensitivity=2)
    >>> mechanism.exact_rate
    Fraction(1, 20)
    >>> isinstance(mechanism.privatize(41), int)
    True
    """

    epsilon: float | Fraction
    sensitivity: int = 1
    exact_rate: Fraction = field(init=False)

    def __post_init__(self) -> None:
        step = _validate.one_integer("sensitivity", self.sensitivity, minimum=1)
        if isinstance(self.epsilon, Fraction):
            exact = self.epsilon
            _validate.one_epsilon(float(exact))
        else:
            _validate.one_real("epsilon", self.epsilon, minimum=1 / _DECIMALS, maximum=700)
            exact = Fraction(floor(Fraction(str(float(self.epsilon))) * _DECIMALS), _DECIMALS)
        rate = exact / step
        if max(rate.numerator, rate.denominator) > _MOST_RATE:
            raise ValueError(
                f"epsilon / sensitivity must be a fraction of numbers up to 2**40, got {rate}"
            )
        _validate.freeze(self, epsilon=float(exact), sensitivity=step, exact_rate=rate)

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon, attained."""
        return Pure(float(self.epsilon))

    @property
    def law(self) -> DiscreteLaplace:
        """The same law with a sampler in doubles: probabilities, variance."""
        return DiscreteLaplace(float(self.epsilon), self.sensitivity)

    @property
    def variance(self) -> float:
        """Of the noise."""
        return self.law.variance

    def log_probability(self, noise: ArrayLike) -> Real:
        """Log-probability of an integer noise value.

        Examples
        --------
        >>> from math import log
        >>> mechanism = ExactDiscreteLaplace(1)
        >>> round(float(mechanism.log_probability(2) - mechanism.log_probability(3)), 12)
        1.0
        """
        return self.law.log_probability(noise)

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Integer:
        """Add independent integer noise to every coordinate: any shape to the same.

        Parameters
        ----------
        answer : array_like of int
        rng : Generator, int or None
            None, for the cryptographic generator; anything else is for tests.

        Returns
        -------
        int or ndarray of int64, same shape

        Raises
        ------
        TypeError, ValueError
            If an entry is not an integer within 2**62; the message does not show it.
        """
        return _added(
            answer,
            rng,
            lambda size, words: _laplace(
                self.exact_rate.numerator, self.exact_rate.denominator, size, words
            ),
        )


@dataclass(frozen=True)
class ExactDiscreteGaussian(AdditiveMechanism):
    r"""Discrete Gaussian noise for integer queries, drawn exactly.

    .. math:: \Pr(Z = z) = \frac{e^{-z^2 / 2 \sigma^2}}
              {\sum_{k \in \mathbb Z} e^{-k^2 / 2 \sigma^2}}

    It keeps what the normal law of variance :math:`\sigma^2` would promise,
    :math:`\rho = \Delta_2^2 / (2 \sigma^2)`, for the integers that are returned; see
    :class:`ExactDiscreteLaplace` for what exact means and what it leaves out.

    Parameters
    ----------
    sigma : float
        From 0.001 to 20000, in the units of the query. Its square is rounded up to a fraction.
    sensitivity : int
        Global l2-sensitivity of the query, positive, rounded up to an integer.

    Attributes
    ----------
    sigma_squared : Fraction
        The square that is used, at least sigma**2.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Canonne, Kamath and Steinke (2020), Theorem 4 and Algorithm 3.

    Examples
    --------
    >>> mechanism = ExactDiscreteGaussian(2.0)
    >>> mechanism.sigma_squared, mechanism.rho
    (Fraction(4, 1), 0.125)
    >>> round(mechanism.variance, 6)
    4.0
    """

    sigma: float
    sensitivity: int = 1
    sigma_squared: Fraction = field(init=False)

    def __post_init__(self) -> None:
        sigma = _validate.one_real("sigma", self.sigma, minimum=1e-3, maximum=20_000)
        step = _validate.one_integer("sensitivity", self.sensitivity, minimum=1, maximum=2**31)
        square = Fraction(str(sigma)) ** 2
        parts = 2**29
        while square * parts > _MOST_SQUARE:
            parts //= 2
        if max(square.numerator, square.denominator) > _MOST_SQUARE:
            square = Fraction(ceil(square * parts), parts)
        _validate.freeze(self, sigma=sigma, sensitivity=step, sigma_squared=square)

    @property
    def rho(self) -> float:
        r"""The zero-concentrated guarantee :math:`\Delta_2^2 / (2 \sigma^2)`."""
        return float(self.sensitivity**2 / (2 * self.sigma_squared))

    @property
    def privacy(self) -> Guarantee:
        """Zero-concentrated privacy at rho."""
        return ZCDP(self.rho)

    @property
    def variance(self) -> float:
        """Of the noise, at most sigma squared."""
        return self._moment(2) / self._moment(0)

    def log_probability(self, noise: ArrayLike) -> Real:
        """Log-probability of an integer noise value.

        Examples
        --------
        >>> law = ExactDiscreteGaussian(1.0)
        >>> round(float(law.log_probability(0) - law.log_probability(2)), 12)
        2.0
        """
        noise = np.asarray(_validate.integer("noise", noise, minimum=-(2**62)))
        square = noise.astype(float) ** 2 / (2 * float(self.sigma_squared))
        return (-square - np.log(self._moment(0)))[()]

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Integer:
        """Add independent integer noise to every coordinate: any shape to the same.

        Parameters
        ----------
        answer : array_like of int
        rng : Generator, int or None
            None, for the cryptographic generator; anything else is for tests.

        Returns
        -------
        int or ndarray of int64, same shape

        Raises
        ------
        TypeError, ValueError
            If an entry is not an integer within 2**62; the message does not show it.

        Examples
        --------
        >>> ExactDiscreteGaussian(2.0).privatize([41, 17]).shape
        (2,)
        """
        return _added(
            answer,
            rng,
            lambda size, words: _gaussian(
                self.sigma_squared.numerator, self.sigma_squared.denominator, size, words
            ),
        )

    def _moment(self, power: int) -> float:
        """Sum of z^power exp(-z^2 / 2 sigma^2) over the integers."""
        square = float(self.sigma_squared)
        z = np.arange(1, ceil(40 * np.sqrt(square)) + 2, dtype=float)
        return float((power == 0) + 2 * (z**power * np.exp(-(z**2) / (2 * square))).sum())


def _added(answer: ArrayLike, rng: Rng, draw: Callable[[int, Words], Whole]) -> Any:
    words = _words(rng)
    checked = whole("answer", answer)
    noisy = checked + draw(checked.size, words).reshape(checked.shape)
    return noisy if noisy.ndim else int(noisy)


def _words(rng: Rng) -> Words:
    """A source of uniform 64-bit words: the operating system's, or of a generator for tests."""
    if rng is None:
        return lambda size: np.frombuffer(os.urandom(8 * size), dtype=np.uint64)
    generator = _validate.generator(rng)
    return lambda size: np.frombuffer(generator.bytes(8 * size), dtype=np.uint64)


def _below(bound: int, size: int, words: Words) -> Whole:
    """Uniform on 0, ..., bound - 1, with bound at most 2**63: words that are too large go."""
    if bound == 1:
        return np.zeros(size, dtype=np.int64)
    shift = np.uint64(64 - (bound - 1).bit_length())
    found = (words(size) >> shift).astype(np.int64)
    while (again := np.flatnonzero(found >= bound)).size:
        found[again] = (words(again.size) >> shift).astype(np.int64)
    return found


def _happens(a: Whole, b: int, words: Words) -> NDArray[np.bool_]:
    r"""True with probability exp(-a/b), for integers 0 <= a <= b.

    The k-th trial succeeds with probability a / (b k), so that the first k do with probability
    :math:`(a/b)^k / k!`; an even number of successes has probability :math:`\sum_k (-a/b)^k / k!`.
    """
    found = np.empty(a.shape, dtype=bool)
    alive, k = np.arange(a.size), 1
    while alive.size:
        success = _below(b, alive.size, words) < a[alive]
        if k > 1:
            success &= _below(k, alive.size, words) == 0
        found[alive[~success]] = k % 2 == 1
        alive, k = alive[success], k + 1
    return found


def _run(size: int, words: Words) -> Whole:
    """Geometric: how often in a row something of probability exp(-1) happens."""
    found = np.zeros(size, dtype=np.int64)
    alive = np.arange(size)
    while (alive := alive[_happens(np.ones(alive.size, np.int64), 1, words)]).size:
        found[alive] += 1
    return found


def _laplace(s: int, t: int, size: int, words: Words) -> Whole:
    """Integers z with probability proportional to exp(-|z| s / t)."""
    found = np.empty(size, dtype=np.int64)
    left = np.arange(size)
    while left.size:
        place = _below(t, left.size, words)
        kept = _happens(place, t, words)
        # The size in units of 1/t is geometric with rate 1/t: a place and a number of rounds.
        length = (place[kept] + t * _run(int(kept.sum()), words)) // s
        minus = _below(2, length.size, words).astype(bool)
        good = ~(minus & (length == 0))  # zero has one sign
        found[left[kept][good]] = np.where(minus, -length, length)[good]
        left = np.concatenate([left[~kept], left[kept][~good]])
    return found


def _gaussian(p: int, q: int, size: int, words: Words) -> Whole:
    """Integers z with probability proportional to exp(-z^2 q / 2 p), by rejection."""
    t = isqrt(p // q) + 1
    unit = 2 * p * q * t**2
    found = np.empty(size, dtype=np.int64)
    left = np.arange(size)
    while left.size:
        tried = _laplace(1, t, left.size, words)
        # Python's integers, which do not overflow: (|z| - sigma^2 / t)^2 / (2 sigma^2).
        gap = abs(tried).astype(object) * (q * t) - p
        rounds, rest = gap**2 // unit, gap**2 % unit
        kept = _happens(rest.astype(np.int64), unit, words)
        kept &= (_run(left.size, words) >= rounds).astype(bool)
        found[left[kept]] = tried[kept]
        left = left[~kept]
    return found
