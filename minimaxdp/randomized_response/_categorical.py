"""Randomized response for one of d categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate, channels
from minimaxdp._coins import coins
from minimaxdp._types import Array, Real, Rng
from minimaxdp.randomized_response._binary import BinaryRR
from minimaxdp.randomized_response._shared import (
    CHUNK,
    Encoding,
    bit_vectors,
    bits_risk,
    narrow,
    risk_arguments,
)

__all__ = [
    "KaryRR",
    "SymmetricUnary",
    "effective_sample_size",
    "kary_risk",
    "project_to_simplex",
    "unary_risk",
]


@dataclass(frozen=True)
class SymmetricUnary(Encoding):
    r"""Unary randomized response: d categories as d bits, each perturbed with epsilon/2.

    .. math:: Z_j = 1\{x = j\} \text{ with probability }
              \frac{e^{\varepsilon/2}}{1 + e^{\varepsilon/2}}, \text{ else } 1 - 1\{x = j\}

    Two categories differ in two bits, which is why each bit may spend only half the budget.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats of the whole report, positive; the guarantee is exact.
    d : int
        Number of categories, at least 2.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not a single positive finite number or d not an integer from 2 on.

    Notes
    -----
    Klein's article after Duchi, Jordan and Wainwright (2013) (claim ``Klein-RR``).

    Examples
    --------
    >>> unary = SymmetricUnary(2.0, d=3)
    >>> unary.privatize([0, 2, 1, 1], rng=0).shape
    (4, 3)
    >>> tally = unary.privatize_counts([10**9, 0, 10**9], rng=0)
    >>> unary.estimate(tally, n=2 * 10**9).round(3).tolist()
    [0.5, -0.0, 0.5]
    """

    @property
    def bit(self) -> BinaryRR:
        """The mechanism run on each of the d bits."""
        return BinaryRR(self.epsilon / 2)

    @property
    def outputs(self) -> NDArray[np.integer]:
        """The reports, in the order of the columns of the channel."""
        return bit_vectors(self.d)

    def channel(self) -> Array:
        """The mechanism as a matrix, shape (d, 2**d), for d up to 16.

        Column y is the report whose bits are the binary digits of y, the bit of category 0
        first, as in ``itertools.product([0, 1], repeat=d)``.
        """
        wrong = (bit_vectors(self.d)[None] != np.eye(self.d, dtype=int)[:, None]).sum(axis=2)
        p, q = self.bit.truth_probability, self.bit.flip_probability
        return p ** (self.d - wrong) * q**wrong

    def privatize(self, categories: ArrayLike, *, rng: Rng = None) -> NDArray[np.uint8]:
        """Perturb every record independently.

        Parameters
        ----------
        categories : array_like of int, shape (n,)
            Category numbers 0, ..., d - 1.
        rng : Generator, int or None

        Returns
        -------
        ndarray of uint8, shape (n, d)
            Beside it, only a few megabytes of scratch memory are used.

        Raises
        ------
        TypeError, ValueError
            If an entry is not a category number, there is none, or the reports would not fit
            into memory.
        """
        records = self._records(categories)
        rng, flip = _validate.generator(rng), self.bit.flip_probability
        reports = self._reports(records)
        rows = max(1, CHUNK // self.d)
        for start in range(0, records.size, rows):
            chunk = reports[start : start + rows]
            coins(flip, chunk.view(bool).reshape(-1), rng)
            chunk[np.arange(len(chunk)), records[start : start + rows]] ^= 1
        return reports

    def tally(self, reports: ArrayLike) -> NDArray[np.int64]:
        """How many reports set each bit: shape (n, d) to shape (d,).

        Examples
        --------
        >>> SymmetricUnary(1.0, d=2).tally([[0, 1], [1, 1]]).tolist()
        [1, 2]
        """
        return self._column_sums(reports)

    def privatize_counts(
        self, counts: ArrayLike, *, rng: Rng = None, size: int | None = None
    ) -> NDArray[np.int64]:
        """The tally of reports, drawn from the number of records in each category.

        Given the data the d sums are independent, each the sum of two binomials.

        Parameters
        ----------
        counts : array_like of int, shape (..., d)
            Records in each category, of one data set or of several.
        rng : Generator, int or None
        size : int, optional
            Number of independent replications of each, along a new first axis.

        Returns
        -------
        ndarray of int, shape (..., d) or (size, ..., d)
        """
        own, other = self.bit.truth_probability, self.bit.flip_probability
        return self._binomial_sums(counts, own, other, rng, size)

    def estimate(self, tally: ArrayLike, n: int) -> Array:
        r"""Unbiased estimate of the category probabilities.

        .. math:: \hat\theta = \Big(\frac{\text{tally}}n - \frac{1}{1 + e^{\varepsilon/2}} 1_d
                  \Big) \frac{e^{\varepsilon/2} + 1}{e^{\varepsilon/2} - 1}

        Its entries may be negative and need not sum to one; see :func:`project_to_simplex`.

        Parameters
        ----------
        tally : array_like of int, shape (..., d)
        n : int
            Number of reports, at least 1.

        Returns
        -------
        ndarray, shape (..., d)

        Notes
        -----
        Klein's article, with its parenthesis put right (claim ``Klein-RR-est``).
        """
        n, tally = self._tally(tally, n)
        return (tally / n - self.bit.flip_probability) / np.tanh(self.epsilon / 4)

    def risk(self, theta: ArrayLike, n: ArrayLike) -> Real:
        """Expected squared error in l2: see :func:`unary_risk`.

        Examples
        --------
        >>> round(float(SymmetricUnary(2 * np.log(2), d=2).risk([0.5, 0.5], 10)), 12)
        0.45
        """
        return unary_risk(self.epsilon, self._law(theta), n)


@dataclass(frozen=True)
class KaryRR(Encoding):
    r"""k-ary randomized response: the true category, or any other, all others alike.

    .. math:: \Pr(Z = x) = \frac{e^\varepsilon}{e^\varepsilon + d - 1}, \qquad
              \Pr(Z = z) = \frac{1}{e^\varepsilon + d - 1} \quad (z \ne x)

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive; the guarantee is exact.
    d : int
        Number of categories, at least 2; at 2 this is :class:`BinaryRR`.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not a single positive finite number or d not an integer from 2 on.

    Examples
    --------
    >>> kary = KaryRR(1.0, d=4)
    >>> kary.privatize([0, 3, 3], rng=0).shape
    (3,)
    >>> kary.privacy
    Local(Pure(1.0))
    """

    @property
    def truth_probability(self) -> float:
        """Probability that the true category is reported."""
        return float(1 / (1 + (self.d - 1) * np.exp(-self.epsilon)))

    @property
    def other_probability(self) -> float:
        """Probability that one given other category is reported."""
        return float(1 / (np.exp(self.epsilon) + self.d - 1))

    @property
    def outputs(self) -> NDArray[np.integer]:
        """The reports, in the order of the columns of the channel."""
        return self.inputs

    def channel(self) -> Array:
        """The mechanism as a matrix, shape (d, d): row the truth, column the report."""
        _validate.memory("d", self.d, self.d)
        matrix = np.full((self.d, self.d), self.other_probability)
        np.fill_diagonal(matrix, self.truth_probability)
        return matrix

    def privatize(self, categories: ArrayLike, *, rng: Rng = None) -> NDArray[np.int64]:
        """Perturb every record independently: shape (n,) to shape (n,).

        A record is kept, or replaced by one of all d categories, its own too, with the same
        probability of each.
        """
        records = self._records(categories)
        rng, replaced = _validate.generator(rng), self.d * self.other_probability
        reports = np.empty(records.size, dtype=np.int64)
        size, kind = min(CHUNK, records.size), narrow(self.d)
        lies, truth = np.empty(size, bool), np.empty(size, kind)
        for start in range(0, records.size, CHUNK):
            told = reports[start : start + CHUNK]
            true, lie = truth[: told.size], lies[: told.size]
            true[:] = records[start : start + CHUNK]
            coins(replaced, lie, rng)
            # Arithmetic on masks, since picking entries out by a mask costs more than the draws;
            # what wraps around in the difference wraps back in the sum.
            other = rng.integers(0, self.d, told.size, dtype=kind)
            other -= true
            other *= lie
            np.add(other, true, out=told, dtype=kind)
        return reports

    def tally(self, reports: ArrayLike) -> NDArray[np.int64]:
        """How many reports name each category: shape (n,) to shape (d,).

        Examples
        --------
        >>> KaryRR(1.0, d=3).tally([0, 2, 2]).tolist()
        [1, 0, 2]
        """
        records = self._records(reports, "reports")
        _validate.memory("d", self.d)
        return np.bincount(records, minlength=self.d)

    def privatize_counts(
        self, counts: ArrayLike, *, rng: Rng = None, size: int | None = None
    ) -> NDArray[np.int64]:
        """The tally of reports, drawn from the number of records in each category.

        Parameters
        ----------
        counts : array_like of int, shape (..., d)
            Records in each category, of one data set or of several.
        rng : Generator, int or None
        size : int, optional
            Number of independent replications of each, along a new first axis.

        Returns
        -------
        ndarray of int, shape (..., d) or (size, ..., d)

        Examples
        --------
        >>> int(KaryRR(1.0, d=3).privatize_counts([50, 30, 20], rng=0).sum())
        100
        """
        counts, size = self._counts(counts, size)
        rng = _validate.generator(rng)
        return channels.sample_counts(self.channel(), counts, rng=rng, size=size)

    def estimate(self, tally: ArrayLike, n: int) -> Array:
        r"""Unbiased estimate of the category probabilities.

        .. math:: \hat\theta = \frac{\text{tally} / n - q}{p - q}

        It sums to one, but entries may be negative; see :func:`project_to_simplex`.

        Examples
        --------
        >>> KaryRR(np.log(2), d=2).estimate([2, 1], n=3).round(6).tolist()
        [1.0, 0.0]
        """
        n, tally = self._tally(tally, n)
        if np.any(tally.sum(axis=-1) != n):
            raise ValueError(f"tally must sum to n = {n} along its last axis")
        gap = np.expm1(self.epsilon) * self.other_probability
        return (tally / n - self.other_probability) / gap

    def risk(self, theta: ArrayLike, n: ArrayLike) -> Real:
        """Expected squared error in l2: see :func:`kary_risk`.

        Examples
        --------
        >>> float(KaryRR(1.0, d=2).risk([0.5, 0.5], 10)) == float(kary_risk(1.0, [0.5, 0.5], 10))
        True
        """
        return kary_risk(self.epsilon, self._law(theta), n)


@_validate.broadcasting
def unary_risk(epsilon: ArrayLike, theta: ArrayLike, n: ArrayLike) -> Real:
    r"""Exact risk of unary randomized response for independent draws from a law.

    .. math:: \mathbb E \|\hat\theta - \theta\|_2^2 = \frac1n \Big[
              \frac{d\, e^{\varepsilon/2}}{(e^{\varepsilon/2} - 1)^2} + 1 - \|\theta\|_2^2 \Big]

    Parameters
    ----------
    epsilon : array_like
        Privacy budget in nats, positive.
    theta : array_like, shape (..., d)
        Probability vectors along the last axis.
    n : array_like of int
        Number of people, at least 1.

    Returns
    -------
    float or ndarray
        epsilon, n and the leading axes of theta broadcast; infinite where it lies beyond the
        doubles.

    Raises
    ------
    TypeError, ValueError
        If a budget, a law or a sample size is not one.

    Notes
    -----
    Klein's article, risk of the moment estimator, squared as it must be (claim
    ``Klein-RR-risk``).

    Examples
    --------
    >>> round(float(unary_risk(2 * np.log(2), [0.5, 0.5], 10)), 12)
    0.45
    """
    epsilon, theta, n = risk_arguments(epsilon, theta, n)
    with np.errstate(divide="ignore"):  # beyond the largest double: infinite
        noise = theta.shape[-1] / (4 * np.sinh(epsilon / 4) ** 2)
    return (noise + (theta * (1 - theta)).sum(axis=-1)) / n


@_validate.broadcasting
def kary_risk(epsilon: ArrayLike, theta: ArrayLike, n: ArrayLike) -> Real:
    r"""Exact risk of k-ary randomized response for independent draws from a law.

    .. math:: \mathbb E \|\hat\theta - \theta\|_2^2 = \frac{1 - \sum_j \pi_j^2}{n (p - q)^2},
              \qquad \pi_j = q + (p - q) \theta_j,\quad
              p = e^\varepsilon q = \frac{e^\varepsilon}{e^\varepsilon + d - 1}

    Parameters
    ----------
    epsilon : array_like
        Privacy budget in nats, positive.
    theta : array_like, shape (..., d)
        Probability vectors along the last axis, d at least 2.
    n : array_like of int
        Number of people, at least 1.

    Returns
    -------
    float or ndarray
        epsilon, n and the leading axes of theta broadcast; infinite where it lies beyond the
        doubles.

    Raises
    ------
    TypeError, ValueError
        If a budget, a law or a sample size is not one.

    Examples
    --------
    >>> two = kary_risk(1.0, [0.5, 0.5], 10)  # each of the two shares has the binary risk
    >>> bool(np.isclose(two, 2 * BinaryRR(1.0).risk(0.5, 10)))
    True
    """
    epsilon, theta, n = risk_arguments(epsilon, theta, n)
    total = np.exp(epsilon) + theta.shape[-1] - 1
    return bits_risk(1 / total, np.expm1(epsilon) / total, theta) / n


@_validate.broadcasting
def effective_sample_size(epsilon: ArrayLike, theta: ArrayLike, n: ArrayLike) -> Real:
    r"""How many unperturbed records are worth n records through unary randomized response.

    .. math:: n_{\mathrm{eff}} = \frac{1 - \|\theta\|_2^2}
              {\mathbb E \|\hat\theta - \theta\|_2^2}

    At the uniform law it is close to :math:`(1 - 1/d)\, n \varepsilon^2 / (4 d)` when epsilon is
    small.

    Parameters
    ----------
    epsilon : array_like
        Privacy budget in nats, positive.
    theta : array_like, shape (..., d)
        Probability vectors along the last axis.
    n : array_like of int
        Number of people, at least 1.

    Returns
    -------
    float or ndarray
        Between 0 and n.

    Raises
    ------
    TypeError, ValueError
        If a budget, a law or a sample size is not one.

    Notes
    -----
    Klein's article, effective sample size (claim ``Klein-effn``).

    Examples
    --------
    >>> round(float(effective_sample_size(0.01, np.full(10, 0.1), 10**6)), 3)
    2.25
    """
    theta = _validate.distribution("theta", theta)
    return (theta * (1 - theta)).sum(axis=-1) / unary_risk(epsilon, theta, n)


def project_to_simplex(vectors: ArrayLike) -> Array:
    r"""Nearest probability vector in Euclidean distance.

    .. math:: \Pi(v)_j = \max(v_j - \tau, 0), \qquad \sum_j \max(v_j - \tau, 0) = 1

    Projection never moves an estimate further from the truth, but it makes it biased.

    Parameters
    ----------
    vectors : array_like, shape (..., d)
        Finite real numbers.

    Returns
    -------
    ndarray, shape (..., d)

    Raises
    ------
    TypeError, ValueError
        If an entry is not a finite real number.

    Notes
    -----
    Klein's article, the simplex (claim ``Klein-simplex``); the threshold tau by sorting.

    Examples
    --------
    >>> project_to_simplex([0.8, 0.6, -0.1]).round(3).tolist()
    [0.6, 0.4, 0.0]
    """
    v = np.asarray(_validate.real("vectors", vectors))
    if v.ndim == 0:
        raise ValueError("vectors must have at least one axis, got a single number")
    # The projection ignores a common shift, and entries 1 below the greatest become 0 anyway:
    # without their excess nothing is lost to rounding, however large the numbers.
    v = np.maximum(v - v.max(axis=-1, keepdims=True), -1.0)
    falling = -np.sort(-v, axis=-1)
    # Largest m for which the m greatest entries stay positive after the common shift.
    shift = (falling.cumsum(axis=-1) - 1) / np.arange(1, v.shape[-1] + 1)
    last = (falling > shift).sum(axis=-1, keepdims=True) - 1
    return np.maximum(v - np.take_along_axis(shift, last, axis=-1), 0)
