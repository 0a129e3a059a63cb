"""What the encodings of a category share: their checks, and reports made of bits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Array, Integer, Real, Rng
from minimaxdp.guarantees import Guarantee, Local, Pure
from minimaxdp.hypercube import corners

# Draws held at once, still in the cache when they are used.
CHUNK = 2**15


@dataclass(frozen=True)
class Encoding(ABC):
    """A private report of one of d categories, with the checks that all of them make."""

    epsilon: float
    d: int

    def __post_init__(self) -> None:
        epsilon = _validate.one_epsilon(self.epsilon)
        _validate.freeze(self, epsilon=epsilon, d=_validate.one_integer("d", self.d, minimum=2))

    @property
    def privacy(self) -> Guarantee:
        """Local pure privacy at epsilon, exactly."""
        return Local(Pure(self.epsilon))

    @property
    def inputs(self) -> NDArray[np.int64]:
        """The categories, in the order of the rows of the channel."""
        _validate.memory("d", self.d)
        return np.arange(self.d)

    @property
    @abstractmethod
    def outputs(self) -> NDArray[np.integer]:
        """The reports, in the order of the columns of the channel."""

    @abstractmethod
    def channel(self) -> Array:
        """The mechanism as a matrix: row the category, column the report."""

    @abstractmethod
    def privatize(self, categories: ArrayLike, *, rng: Rng = None) -> NDArray[np.integer]:
        """Perturb every record independently: one report a record, along the first axis."""

    @abstractmethod
    def tally(self, reports: ArrayLike) -> NDArray[np.int64]:
        """How many reports speak for each category: shape (d,)."""

    @abstractmethod
    def privatize_counts(
        self, counts: ArrayLike, *, rng: Rng = None, size: int | None = None
    ) -> NDArray[np.int64]:
        """The tally of reports, drawn from the number of records in each category."""

    @abstractmethod
    def estimate(self, tally: ArrayLike, n: int) -> Array:
        """Unbiased estimate of the category probabilities."""

    @abstractmethod
    def risk(self, theta: ArrayLike, n: ArrayLike) -> Real:
        """Expected squared error in l2."""

    def _records(
        self, values: ArrayLike, name: str = "categories", below: int | None = None
    ) -> NDArray[np.integer]:
        records = _validate.categories(name, values, below or self.d)
        if records.ndim != 1:
            raise ValueError(f"{name} must be a vector of records, got shape {records.shape}")
        return records

    def _counts(
        self, counts: ArrayLike, size: int | None, columns: int | None = None
    ) -> tuple[NDArray[np.integer], int | None]:
        """Counts, and how many replications of their tally (of so many columns) are wanted."""
        counts = _validate.entries("counts", _validate.counts("counts", counts), self.d)
        if size is not None:
            size = _validate.one_integer("size", size, minimum=0)
            _validate.memory("size", size, *counts.shape[:-1], columns or self.d)
        return counts, size

    def _reports(self, records: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Room for a report of d bits a record."""
        _validate.memory("d", records.size, self.d, itemsize=1)
        _validate.memory("d", self.d)
        return np.empty((records.size, self.d), dtype=np.uint8)

    def _tally(self, tally: ArrayLike, n: int) -> tuple[int, NDArray[np.integer]]:
        n = _validate.one_integer("n", n, minimum=1)
        tally = np.asarray(_validate.integer("tally", tally, minimum=0, maximum=n))
        return n, _validate.entries("tally", tally, self.d)

    def _law(self, theta: ArrayLike) -> Array:
        law = _validate.distribution("theta", theta)
        if law.shape[-1] != self.d:
            raise ValueError(f"theta must have {self.d} probabilities, got {law.shape[-1]}")
        return law

    def _column_sums(self, reports: ArrayLike) -> NDArray[np.int64]:
        """How many reports set each of d bits: 255 rows add up in bytes, at memory speed."""
        reports = _validate.rows("reports", _validate.bits("reports", reports), self.d)
        whole = len(reports) - len(reports) % 255
        # Rows that are added lie far apart, so that each addition runs over many of them.
        sums = reports[:whole].reshape(255, -1).sum(axis=0, dtype=np.uint8).reshape(-1, self.d)
        return sums.sum(axis=0, dtype=np.int64) + reports[whole:].sum(axis=0, dtype=np.int64)

    def _binomial_sums(
        self, counts: ArrayLike, own: float, other: float, rng: Rng, size: int | None
    ) -> NDArray[np.int64]:
        """The same sums from counts, if the bits are independent: two binomials for each."""
        counts, size = self._counts(counts, size)
        rng = _validate.generator(rng)
        shape = counts.shape if size is None else (size, *counts.shape)
        others = counts.sum(axis=-1, keepdims=True) - counts
        return rng.binomial(counts, own, shape) + rng.binomial(others, other, shape)


def narrow(below: int) -> type[np.integer]:
    """The type in which integers below a bound are drawn and added fastest: 16 bits if they fit.

    The generator makes two such integers from the bits that one of 32 or 64 takes.
    """
    return np.uint16 if below <= 2**16 else np.int64


def bit_vectors(d: int) -> NDArray[np.int64]:
    """All vectors of d bits, in lexicographic order, for d up to 16."""
    return (corners(_validate.one_integer("d", d, minimum=1, maximum=16)) > 0).astype(np.int64)


def risk_arguments(
    epsilon: ArrayLike, theta: ArrayLike, n: ArrayLike
) -> tuple[Real, Array, Integer]:
    """Budget, law and number of people, to be broadcast."""
    epsilon, n = _validate.epsilon(epsilon), _validate.integer("n", n, minimum=1)
    theta = _validate.distribution("theta", theta)
    if theta.shape[-1] < 2:
        raise ValueError(f"theta must have at least 2 categories, got {theta.shape[-1]}")
    return epsilon, theta, n


def bits_risk(q: Real, gap: Real, theta: Array) -> Array:
    """Sum of pi (1 - pi) / gap^2 over categories: only the law of each bit alone matters."""
    q, gap = np.asarray(q), np.asarray(gap)
    reported = q[..., None] + gap[..., None] * theta
    with np.errstate(over="ignore", divide="ignore"):  # beyond the largest double: infinite
        return (reported * (1 - reported)).sum(axis=-1) / gap**2


@_validate.broadcasting
def best_subset_size(d: ArrayLike, epsilon: ArrayLike) -> Integer:
    r"""The subset size with the least risk at the uniform law.

    .. math:: w \in \Big\{\Big\lfloor \frac{d}{e^\varepsilon + 1} \Big\rfloor,
              \Big\lceil \frac{d}{e^\varepsilon + 1} \Big\rceil\Big\}, \qquad 1 \le w \le d - 1

    Parameters
    ----------
    d : array_like of int
        Number of categories, at least 2.
    epsilon : array_like
        Privacy budget in nats, positive.

    Returns
    -------
    int or ndarray of int

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> int(best_subset_size(10, 1e-6)), int(best_subset_size(10, 5.0))
    (5, 1)
    """
    epsilon, d = _validate.epsilon(epsilon), _validate.integer("d", d, minimum=2)
    low = np.clip(np.floor(d / (np.exp(epsilon) + 1)), 1, d - 1)
    high = np.minimum(low + 1, d - 1)
    # In proportion to their risks at the uniform law.
    first, second = ((w + (d - w) * np.exp(-epsilon)) ** 2 / (w * (d - w)) for w in (low, high))
    return np.where(first <= second, low, high).astype(np.int64)[()]


def subset_chances(epsilon: Real, d: int, w: Integer) -> tuple[Real, Real, Real]:
    """Chances p of the true and q of another category to be among the w reported, and p - q."""
    p = w / (w + (d - w) * np.exp(-epsilon))
    # The difference without cancellation at small budgets.
    return p, (w - p) / (d - 1), p * (d - w) * -np.expm1(-epsilon) / (d - 1)
