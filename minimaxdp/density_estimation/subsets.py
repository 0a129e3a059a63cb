"""Subset selection: the report is a set of bins that leans towards the true one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate

__all__ = ["Subset", "subset_risk"]

Rng = np.random.Generator | int | None
_CHUNK = 2**19


@dataclass(frozen=True)
class Subset:
    r"""Subset selection for one of d categories, by sets of w categories.

    .. math:: Q(S \mid x) \propto e^{\varepsilon 1\{x \in S\}}, \qquad |S| = w

    Exactly epsilon-locally private. The default :math:`w \approx d / (e^\varepsilon + 1)` has
    the least risk at the uniform law; for large epsilon it is 1, k-ary randomized response.

    Parameters
    ----------
    epsilon : float
        Privacy budget of each person in nats, positive.
    d : int
        Number of categories, at least 2.
    w : int, optional
        Size of the sets, 1 to d - 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    The randomized-response route to a private histogram, which Klein's article only mentions;
    the mechanism is that of Ye and Barg (2018).

    Examples
    --------
    >>> Subset(1.0, 50).w
    13
    """

    epsilon: float
    d: int
    w: int | None = None

    def __post_init__(self) -> None:
        epsilon = float(_validate.scalar("epsilon", _validate.epsilon(self.epsilon)))
        d = _validate.scalar("d", _validate.integer("d", self.d, minimum=2))
        w = _size(epsilon, d) if self.w is None else self.w
        w = _validate.scalar("w", _validate.integer("w", w, minimum=1, maximum=d - 1))
        for name, value in (("epsilon", epsilon), ("d", d), ("w", w)):
            object.__setattr__(self, name, value)

    @property
    def inclusion(self) -> tuple[float, float]:
        """Probability that a category is in the set, if it is the true one and if it is not."""
        return _inclusion(self.epsilon, self.d, self.w)

    def channel(self) -> NDArray[np.float64]:
        """The mechanism as a matrix, one column for each set in lexicographic order."""
        if comb(self.d, self.w) > 10**5:
            raise ValueError(f"there must be at most 100000 sets, got {comb(self.d, self.w)}")
        sets = list(combinations(range(self.d), self.w))
        member = np.array([[x in s for s in sets] for x in range(self.d)])
        weight = np.where(member, 1.0, np.exp(-self.epsilon))
        return weight / weight.sum(axis=1, keepdims=True)

    def tally(self, categories: ArrayLike, *, rng: Rng = None) -> NDArray[np.int64]:
        """Perturb every record and count, for each category, the sets that hold it.

        A set is drawn as a uniform one of the other categories, with the true one put in with
        its probability; a few megabytes of memory are used whatever the number of records.
        """
        records = _validate.categories("categories", categories, self.d)
        rng, keep = np.random.default_rng(rng), self.inclusion[0]
        total = np.zeros(self.d, dtype=np.int64)
        rows = max(1, _CHUNK // self.d)
        for start in range(0, records.size, rows):
            part = records[start : start + rows]
            here = np.arange(part.size)
            # The w smallest of uniform keys are a uniform set; the true key is forced.
            keys = rng.random((part.size, self.d))
            keys[here, part] = np.where(rng.random(part.size) < keep, -1.0, 2.0)
            chosen = np.argpartition(keys, self.w - 1, axis=1)[:, : self.w]
            total += np.bincount(chosen.ravel(), minlength=self.d)
        return total

    def estimate(self, tally: ArrayLike, n: int) -> NDArray[np.float64]:
        """Unbiased estimate of the category probabilities; it sums to one."""
        p, q = self.inclusion
        return (np.asarray(tally) / n - q) / (p - q)


def subset_risk(epsilon: ArrayLike, theta: ArrayLike, n: ArrayLike, w: int | None = None) -> Any:
    r"""Exact risk of subset selection for independent draws from a law.

    .. math:: \mathbb E\|\hat\theta - \theta\|_2^2
              = \frac{\sum_j \pi_j (1 - \pi_j)}{n (p - q)^2}, \qquad \pi_j = q + (p - q)\theta_j

    Parameters
    ----------
    epsilon : array_like
        Privacy budget in nats, positive.
    theta : array_like, shape (..., d)
        Probability vectors along the last axis, d at least 2.
    n : array_like of int
        Number of people, at least 1.
    w : int, optional
        Size of the sets; by default the best at the uniform law.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> from minimaxdp.randomized_response import unary_risk
    >>> uniform = [0.02] * 50
    >>> round(float(subset_risk(1.0, uniform, 1) / unary_risk(1.0, uniform, 1)), 2)
    0.9
    """
    epsilon, n = _validate.epsilon(epsilon), _validate.integer("n", n, minimum=1)
    theta = _validate.distribution("theta", theta)
    d = theta.shape[-1]
    if d < 2:
        raise ValueError(f"theta must have at least 2 categories, got {d}")
    size = _size(epsilon, d) if w is None else w
    size = _validate.integer("w", size, minimum=1, maximum=d - 1)
    p, q = (np.asarray(value)[..., None] for value in _inclusion(epsilon, d, size))
    shown = q + (p - q) * theta
    return (shown * (1 - shown)).sum(axis=-1) / (n * (p - q)[..., 0] ** 2)


def _size(epsilon: ArrayLike, d: int) -> Any:
    return np.clip(np.rint(d / (np.exp(epsilon) + 1)), 1, d - 1).astype(int)


def _inclusion(epsilon: ArrayLike, d: int, w: ArrayLike) -> tuple[Any, Any]:
    w = np.asarray(w)
    p = w / (w + (d - w) * np.exp(-np.asarray(epsilon)))
    return p[()], ((w - p) / (d - 1))[()]
