"""Better encodings of one of d categories: subset selection, optimised unary, Hadamard."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate, channels
from minimaxdp._coins import coins
from minimaxdp._types import Array, Real, Rng
from minimaxdp.hypercube import walsh_hadamard
from minimaxdp.randomized_response._shared import (
    CHUNK,
    Encoding,
    best_subset_size,
    bit_vectors,
    bits_risk,
    narrow,
    risk_arguments,
    subset_chances,
)

__all__ = [
    "HadamardResponse",
    "OptimizedUnary",
    "SubsetSelection",
    "hadamard_risk",
    "optimized_unary_risk",
    "subset_selection_risk",
]

# Bits and rows of a report chosen at once, and columns of a full matrix.
_BITS, _ROWS, _LARGEST_MATRIX = 2**19, 256, 2**16


@dataclass(frozen=True)
class SubsetSelection(Encoding):
    r"""Subset selection: report w categories, the true one more often among them.

    .. math:: \Pr(Z = S) \propto \begin{cases} e^\varepsilon & x \in S \\ 1 & x \notin S
              \end{cases} \qquad (|S| = w)

    At w = 1 this is k-ary randomized response. With the best w its risk at the uniform law is
    the least that any locally private channel allows as n grows.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive; the guarantee is exact.
    d : int
        Number of categories, at least 2.
    w : int, optional
        Size of the subset, from 1 to d - 1; :func:`best_subset_size` by default.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Ye and Barg (2018); Wang et al. (2016).

    Examples
    --------
    >>> mechanism = SubsetSelection(1.0, d=8)
    >>> mechanism.w, mechanism.privatize([0, 3, 3], rng=0).sum(axis=1).tolist()
    (2, [2, 2, 2])
    """

    w: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.w is None:
            w = int(best_subset_size(self.d, self.epsilon))
        else:
            w = _validate.one_integer("w", self.w, minimum=1, maximum=self.d - 1)
        _validate.freeze(self, w=w)

    @property
    def _size(self) -> int:
        """The size w, which is known once the mechanism is made."""
        return cast(int, self.w)

    @property
    def member_probability(self) -> float:
        """Probability that the true category is in the report."""
        return float(subset_chances(self.epsilon, self.d, self._size)[0])

    @property
    def other_probability(self) -> float:
        """Probability that one given other category is in the report."""
        return float(subset_chances(self.epsilon, self.d, self._size)[1])

    @property
    def contrast(self) -> float:
        """By how much the true category is likelier to be in the report than another one is."""
        return float(subset_chances(self.epsilon, self.d, self._size)[2])

    @property
    def outputs(self) -> NDArray[np.integer]:
        """The reports, in the order of the columns of the channel."""
        return self._subsets()

    def channel(self) -> Array:
        """The mechanism as a matrix, one column a subset in the order of `combinations`."""
        # There are at least d subsets; to count them all takes long where d is large.
        if self.d > _LARGEST_MATRIX or comb(self.d, self._size) > _LARGEST_MATRIX:
            raise ValueError(f"d must leave at most {_LARGEST_MATRIX} subsets, got {self}")
        member = self._subsets().T == 1
        weights = np.where(member, 1.0, np.exp(-self.epsilon))
        return weights / weights.sum(axis=1, keepdims=True)

    def privatize(self, categories: ArrayLike, *, rng: Rng = None) -> NDArray[np.uint8]:
        """Perturb every record independently: shape (n,) to bits of shape (n, d)."""
        records = self._records(categories)
        rng = _validate.generator(rng)
        reports = self._reports(records)
        rows = max(_ROWS, _BITS // self.d)
        for start in range(0, records.size, rows):
            self._choose(records[start : start + rows], reports[start : start + rows], rng)
        return reports

    def _choose(
        self, truth: NDArray[np.integer], told: NDArray[np.uint8], rng: np.random.Generator
    ) -> None:
        """Write one report a row."""
        told[:] = 0
        bits, begin = told.reshape(-1), np.arange(0, told.size, self.d)
        inside, place = np.empty(truth.size, dtype=bool), np.empty(truth.size, dtype=np.int64)
        coins(self.member_probability, inside, rng)
        # The others stand at places 0, ..., d - 2. Floyd's algorithm makes every set of them
        # equally likely: draw a place up to `last`, and take `last` if it was drawn before. Who
        # reports the truth wants one place less, and sits out the first turn.
        wanted, kind = ~inside, narrow(self.d)
        for last in range(self.d - 1 - self._size, self.d - 1):
            np.add(begin, rng.integers(0, last + 1, truth.size, dtype=kind), out=place)
            told[:, last] = bits[place]
            bits[place] = wanted
            wanted = np.True_
        # Category j stands at place j, and the last one where the true one would have stood.
        place = begin + truth
        told[:, -1] = bits[place]
        bits[place] = inside

    def tally(self, reports: ArrayLike) -> NDArray[np.int64]:
        """How many reports contain each category: shape (n, d) to shape (d,).

        Examples
        --------
        >>> SubsetSelection(1.0, d=3, w=2).tally([[1, 1, 0], [0, 1, 1]]).tolist()
        [1, 2, 1]
        """
        return self._column_sums(reports)

    def privatize_counts(
        self, counts: ArrayLike, *, rng: Rng = None, size: int | None = None
    ) -> NDArray[np.int64]:
        """The tally, drawn from the number of records in each category (small worlds only).

        Examples
        --------
        >>> int(SubsetSelection(1.0, d=3, w=2).privatize_counts([50, 30, 20], rng=0).sum())
        200
        """
        matrix = self.channel()
        counts, size = self._counts(counts, size, matrix.shape[1])
        rng = _validate.generator(rng)
        return channels.sample_counts(matrix, counts, rng=rng, size=size) @ self._subsets()

    def estimate(self, tally: ArrayLike, n: int) -> Array:
        r"""Unbiased estimate of the category probabilities.

        .. math:: \hat\theta = \frac{\text{tally}/n - q}{p - q}

        Examples
        --------
        >>> SubsetSelection(np.log(2), d=2, w=1).estimate([2, 1], n=3).round(6).tolist()
        [1.0, 0.0]
        """
        n, tally = self._tally(tally, n)
        return (tally / n - self.other_probability) / self.contrast

    def risk(self, theta: ArrayLike, n: ArrayLike) -> Real:
        """Expected squared error in l2: see :func:`subset_selection_risk`.

        Examples
        --------
        >>> round(float(SubsetSelection(np.log(3), d=2, w=1).risk([0.5, 0.5], 1)), 12)
        2.0
        """
        return subset_selection_risk(self.epsilon, self._law(theta), n, w=self.w)

    def _subsets(self) -> NDArray[np.int64]:
        members = np.array(list(combinations(range(self.d), self._size)))
        bits = np.zeros((len(members), self.d), dtype=np.int64)
        np.put_along_axis(bits, members, 1, axis=1)
        return bits


@dataclass(frozen=True)
class OptimizedUnary(Encoding):
    r"""Optimised unary encoding: d bits, the true one a fair coin, the others rarely one.

    .. math:: \Pr(Z_x = 1) = \frac12, \qquad \Pr(Z_j = 1) = \frac1{e^\varepsilon + 1}
              \quad (j \ne x)

    The d - 1 zeros, of which there are many, are kept as true as the budget allows.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive; the guarantee is exact.
    d : int
        Number of categories, at least 2.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not a single positive finite number or d not an integer from 2 on.

    Notes
    -----
    Wang, Blocki, Li and Jha (2017).

    Examples
    --------
    >>> OptimizedUnary(1.0, d=8).privatize([0, 3, 3], rng=0).shape
    (3, 8)
    """

    @property
    def other_probability(self) -> float:
        """Probability that one given other bit is one."""
        return float(1 / (1 + np.exp(self.epsilon)))

    @property
    def outputs(self) -> NDArray[np.integer]:
        """The reports, in the order of the columns of the channel."""
        return bit_vectors(self.d)

    def channel(self) -> Array:
        """The mechanism as a matrix, shape (d, 2**d), columns as for :class:`SymmetricUnary`."""
        bits = bit_vectors(self.d)
        chance = np.where(np.eye(self.d, dtype=bool), 0.5, self.other_probability)
        return np.where(bits[None] == 1, chance[:, None], 1 - chance[:, None]).prod(axis=2)

    def privatize(self, categories: ArrayLike, *, rng: Rng = None) -> NDArray[np.uint8]:
        """Perturb every record independently: shape (n,) to bits of shape (n, d)."""
        records = self._records(categories)
        rng = _validate.generator(rng)
        reports = self._reports(records)
        rows = max(1, CHUNK // self.d)
        for start in range(0, records.size, rows):
            truth, chunk = records[start : start + rows], reports[start : start + rows]
            coins(self.other_probability, chunk.view(bool).reshape(-1), rng)
            chunk[np.arange(truth.size), truth] = rng.integers(0, 2, truth.size)
        return reports

    def tally(self, reports: ArrayLike) -> NDArray[np.int64]:
        """How many reports set each bit: shape (n, d) to shape (d,).

        Examples
        --------
        >>> OptimizedUnary(1.0, d=2).tally([[0, 1], [1, 1]]).tolist()
        [1, 2]
        """
        return self._column_sums(reports)

    def privatize_counts(
        self, counts: ArrayLike, *, rng: Rng = None, size: int | None = None
    ) -> NDArray[np.int64]:
        """The tally of reports, drawn from the number of records in each category.

        Examples
        --------
        >>> OptimizedUnary(1.0, d=3).privatize_counts([50, 30, 20], rng=0, size=5).shape
        (5, 3)
        """
        return self._binomial_sums(counts, 0.5, self.other_probability, rng, size)

    def estimate(self, tally: ArrayLike, n: int) -> Array:
        r"""Unbiased estimate of the category probabilities.

        .. math:: \hat\theta = \frac{\text{tally}/n - q}{1/2 - q}

        Examples
        --------
        >>> OptimizedUnary(np.log(3), d=2).estimate([50, 25], n=100).round(6).tolist()
        [1.0, 0.0]
        """
        n, tally = self._tally(tally, n)
        return (tally / n - self.other_probability) * 2 / np.tanh(self.epsilon / 2)

    def risk(self, theta: ArrayLike, n: ArrayLike) -> Real:
        """Expected squared error in l2: see :func:`optimized_unary_risk`.

        Examples
        --------
        >>> round(float(OptimizedUnary(np.log(3), d=2).risk([0.5, 0.5], 1)), 12)
        7.5
        """
        return optimized_unary_risk(self.epsilon, self._law(theta), n)


@dataclass(frozen=True)
class HadamardResponse(Encoding):
    r"""Hadamard response: a report of a few bits for any number of categories.

    .. math:: \Pr(Z = y) = \frac{2}{K (1 + e^\varepsilon)} \begin{cases} e^\varepsilon &
              H_{x + 1, y} = 1 \\ 1 & H_{x + 1, y} = -1 \end{cases}, \qquad
              K = 2^{\lceil \log_2 (d + 1) \rceil}

    with H the Hadamard matrix of Sylvester: each row but the first is +1 on half of the
    reports, and two rows agree on half of them.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive; the guarantee is exact.
    d : int
        Number of categories, at least 2.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not a single positive finite number or d not an integer from 2 on.

    Notes
    -----
    Acharya, Sun and Zhang (2019), in the form for small budgets.

    Examples
    --------
    >>> mechanism = HadamardResponse(1.0, d=1000)
    >>> mechanism.reports  # ten bits
    1024
    """

    @property
    def reports(self) -> int:
        """Number K of different reports, a power of two."""
        return 1 << self.d.bit_length()

    @property
    def outputs(self) -> NDArray[np.integer]:
        """The reports, in the order of the columns of the channel."""
        _validate.memory("d", self.reports)
        return np.arange(self.reports)

    def channel(self) -> Array:
        """The mechanism as a matrix, shape (d, K), for d below 4096."""
        d = _validate.one_integer("d", self.d, minimum=1, maximum=4095)
        shared = np.arange(1, d + 1)[:, None] & np.arange(self.reports)
        weights = np.where(np.bitwise_count(shared) % 2 == 0, 1.0, np.exp(-self.epsilon))
        return weights / weights.sum(axis=1, keepdims=True)

    def privatize(self, categories: ArrayLike, *, rng: Rng = None) -> NDArray[np.int64]:
        """Perturb every record independently: shape (n,) to reports of shape (n,).

        Examples
        --------
        >>> HadamardResponse(1.0, d=1000).privatize([0, 999, 3], rng=0).shape
        (3,)
        """
        records, rng = self._records(categories), _validate.generator(rng)
        false = 1 / (1 + np.exp(self.epsilon))
        reports, size = np.empty(records.size, dtype=np.int64), min(CHUNK, records.size)
        kind = np.uint8 if self.reports <= 2**8 else narrow(self.reports)
        rows, spare = np.empty((2, size), dtype=kind)
        flips, lies = np.empty(size, np.uint8), np.empty(size, bool)
        for start in range(0, records.size, CHUNK):
            told = reports[start : start + CHUNK]
            row, other = rows[: told.size], spare[: told.size]
            flip, lie = flips[: told.size], lies[: told.size]
            row[:] = records[start : start + CHUNK]
            row += 1
            # A few bits of a uniform word are uniform: faster than an integer below a bound.
            report = rng.integers(0, np.iinfo(kind).max, told.size, dtype=kind, endpoint=True)
            report &= self.reports - 1
            np.bitwise_count(np.bitwise_and(row, report, out=other), out=flip)
            coins(false, lie, rng)
            flip ^= lie  # odd where the sign is minus and should be plus, or the reverse
            flip &= 1
            # Flipping the lowest bit of the row changes the sign, and is its own inverse: a
            # uniform report becomes uniform among those of the sign that is wanted.
            row &= np.negative(row, out=other)
            row *= flip
            np.bitwise_xor(report, row, out=told, dtype=kind)
        return reports

    def tally(self, reports: ArrayLike) -> NDArray[np.int64]:
        """How many reports are of sign +1 in the row of each category: (n,) to (d,).

        Examples
        --------
        >>> HadamardResponse(1.0, d=2).tally([0, 1, 3]).tolist()
        [1, 2]
        """
        seen = self._records(reports, "reports", self.reports)
        _validate.memory("d", 2, self.reports)
        return self._signs(np.bincount(seen, minlength=self.reports))

    def privatize_counts(
        self, counts: ArrayLike, *, rng: Rng = None, size: int | None = None
    ) -> NDArray[np.int64]:
        """The tally, drawn from the number of records in each category.

        Examples
        --------
        >>> HadamardResponse(1.0, d=3).privatize_counts([50, 30, 20], rng=0, size=5).shape
        (5, 3)
        """
        counts, size = self._counts(counts, size, self.reports)
        rng = _validate.generator(rng)
        return self._signs(channels.sample_counts(self.channel(), counts, rng=rng, size=size))

    def estimate(self, tally: ArrayLike, n: int) -> Array:
        r"""Unbiased estimate of the category probabilities.

        .. math:: \hat\theta = \frac{2\, \text{tally}/n - 1}{\tanh(\varepsilon/2)}

        Examples
        --------
        >>> HadamardResponse(np.log(3), d=2).estimate([75, 50], n=100).round(6).tolist()
        [1.0, 0.0]
        """
        n, tally = self._tally(tally, n)
        return (2 * tally / n - 1) / np.tanh(self.epsilon / 2)

    def risk(self, theta: ArrayLike, n: ArrayLike) -> Real:
        """Expected squared error in l2: see :func:`hadamard_risk`.

        Examples
        --------
        >>> round(float(HadamardResponse(np.log(3), d=2).risk([0.5, 0.5], 1)), 12)
        7.5
        """
        return hadamard_risk(self.epsilon, self._law(theta), n)

    def _signs(self, seen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Counts of reports to counts of sign +1."""
        if seen.size == 0:  # no replications
            return seen[..., : self.d]
        total = seen.sum(axis=-1, keepdims=True)
        return (walsh_hadamard(seen)[..., 1 : self.d + 1] + total) // 2


@_validate.broadcasting
def subset_selection_risk(
    epsilon: ArrayLike, theta: ArrayLike, n: ArrayLike, *, w: int | None = None
) -> Real:
    r"""Exact risk of subset selection for independent draws from a law.

    .. math:: \mathbb E \|\hat\theta - \theta\|_2^2 = \sum_j \frac{\pi_j (1 - \pi_j)}{n (p - q)^2},
              \qquad \pi_j = q + (p - q) \theta_j

    with p and q the probabilities that the true and another given category are reported; at the
    uniform law :math:`\frac{(d-1)^2 (w e^\varepsilon + d - w)^2}
    {n\, d\, w (d - w) (e^\varepsilon - 1)^2}`.

    Parameters
    ----------
    epsilon : array_like
        Privacy budget in nats, positive.
    theta : array_like, shape (..., d)
        Probability vectors along the last axis, d at least 2.
    n : array_like of int
        Number of people, at least 1.
    w : int, optional
        Size of the subset; the best at each epsilon by default.

    Returns
    -------
    float or ndarray
        epsilon, n and the leading axes of theta broadcast; infinite where it lies beyond the
        doubles.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> from minimaxdp.randomized_response import kary_risk
    >>> law = [0.5, 0.3, 0.2]
    >>> bool(np.isclose(subset_selection_risk(1.0, law, 9, w=1), kary_risk(1.0, law, 9)))
    True
    """
    epsilon, theta, n = risk_arguments(epsilon, theta, n)
    d = theta.shape[-1]
    if w is None:
        w = best_subset_size(d, epsilon)
    else:
        w = _validate.one_integer("w", w, minimum=1, maximum=d - 1)
    _, q, gap = subset_chances(epsilon, d, w)
    return bits_risk(q, gap, theta) / n


@_validate.broadcasting
def optimized_unary_risk(epsilon: ArrayLike, theta: ArrayLike, n: ArrayLike) -> Real:
    r"""Exact risk of optimised unary encoding for independent draws from a law.

    .. math:: \mathbb E \|\hat\theta - \theta\|_2^2 = \frac1n \Big[
              \frac{4 d\, e^\varepsilon}{(e^\varepsilon - 1)^2} + 2 - \|\theta\|_2^2 \Big]

    Parameters
    ----------
    epsilon, theta, n
        As for :func:`subset_selection_risk`.

    Returns
    -------
    float or ndarray
        Infinite where it lies beyond the doubles.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> round(float(optimized_unary_risk(np.log(3), [0.5, 0.5], 1)), 12)
    7.5
    """
    epsilon, theta, n = risk_arguments(epsilon, theta, n)
    return bits_risk(1 / (1 + np.exp(epsilon)), np.tanh(epsilon / 2) / 2, theta) / n


@_validate.broadcasting
def hadamard_risk(epsilon: ArrayLike, theta: ArrayLike, n: ArrayLike) -> Real:
    r"""Exact risk of Hadamard response for independent draws from a law.

    .. math:: \mathbb E \|\hat\theta - \theta\|_2^2 = \frac1n \Big[ d \coth^2 \frac\varepsilon2
              - \|\theta\|_2^2 \Big]

    Parameters
    ----------
    epsilon, theta, n
        As for :func:`subset_selection_risk`.

    Returns
    -------
    float or ndarray
        Infinite where it lies beyond the doubles.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> round(float(hadamard_risk(np.log(3), [0.5, 0.5], 1)), 12)
    7.5
    """
    epsilon, theta, n = risk_arguments(epsilon, theta, n)
    with np.errstate(divide="ignore"):  # beyond the largest double: infinite
        return (theta.shape[-1] / np.tanh(epsilon / 2) ** 2 - (theta**2).sum(axis=-1)) / n
