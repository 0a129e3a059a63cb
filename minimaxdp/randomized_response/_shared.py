"""What the encodings of a category share: their checks, and reports made of bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate

Rng = np.random.Generator | int | None
# Uniform draws held at once: half a megabyte, still in the cache when they are used.
CHUNK = 2**16


@dataclass(frozen=True)
class Encoding:
    """A private report of one of d categories, with the checks that all of them make."""

    epsilon: float
    d: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _validate.one_epsilon(self.epsilon))
        object.__setattr__(self, "d", _validate.one_integer("d", self.d, minimum=2))

    def _records(
        self, values: ArrayLike, name: str = "categories", below: int | None = None
    ) -> NDArray[np.integer]:
        records = _validate.categories(name, values, below or self.d)
        if records.ndim != 1:
            raise ValueError(f"{name} must be a vector of records, got shape {records.shape}")
        return records

    def _counts(self, counts: ArrayLike) -> NDArray[np.integer]:
        return _validate.entries("counts", _validate.counts("counts", counts), self.d)

    def _tally(self, tally: ArrayLike, n: int) -> tuple[int, NDArray[np.integer]]:
        n = _validate.one_integer("n", n, minimum=1)
        tally = np.asarray(_validate.integer("tally", tally, minimum=0, maximum=n))
        return n, _validate.entries("tally", tally, self.d)

    def _law(self, theta: ArrayLike) -> NDArray[np.float64]:
        law = _validate.distribution("theta", theta)
        if law.shape[-1] != self.d:
            raise ValueError(f"theta must have {self.d} probabilities, got {law.shape[-1]}")
        return law

    def _column_sums(self, reports: ArrayLike) -> NDArray[np.int64]:
        """How many reports set each of d bits: 255 rows add up in bytes, at memory speed."""
        reports = _validate.rows("reports", _validate.bits("reports", reports), self.d)
        whole = len(reports) - len(reports) % 255
        sums = reports[:whole].reshape(-1, 255, self.d).sum(axis=1, dtype=np.uint8)
        return sums.sum(axis=0, dtype=np.int64) + reports[whole:].sum(axis=0, dtype=np.int64)

    def _binomial_sums(
        self, counts: ArrayLike, own: float, other: float, rng: Rng, size: int | None
    ) -> NDArray[np.int64]:
        """The same sums from counts, if the bits are independent: two binomials for each."""
        counts, rng = self._counts(counts), np.random.default_rng(rng)
        shape = counts.shape if size is None else (size, *counts.shape)
        others = counts.sum(axis=-1, keepdims=True) - counts
        return rng.binomial(counts, own, shape) + rng.binomial(others, other, shape)


def risk_arguments(
    epsilon: ArrayLike, theta: ArrayLike, n: ArrayLike
) -> tuple[Any, NDArray[np.float64], Any]:
    """Budget, law and number of people, to be broadcast."""
    epsilon, n = _validate.epsilon(epsilon), _validate.integer("n", n, minimum=1)
    theta = _validate.distribution("theta", theta)
    if theta.shape[-1] < 2:
        raise ValueError(f"theta must have at least 2 categories, got {theta.shape[-1]}")
    return epsilon, theta, n


def bits_risk(q: Any, gap: Any, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of pi (1 - pi) / gap^2 over categories: only the law of each bit alone matters."""
    q, gap = np.asarray(q), np.asarray(gap)
    reported = q[..., None] + gap[..., None] * theta
    return (reported * (1 - reported)).sum(axis=-1) / gap**2
