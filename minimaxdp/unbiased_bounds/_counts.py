"""The exact optimum for one count: closed form, mechanism, linear programme, certificate."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, vstack

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee, Pure
from minimaxdp.laplace import DiscreteLaplace

__all__ = ["UnbiasedCount", "count_certificate", "count_variance", "least_variance"]

_MOST_CERTIFIED = 12


@_validate.broadcasting
def count_variance(n: ArrayLike, count: ArrayLike, epsilon: ArrayLike) -> Real:
    r"""Least variance of an unbiased epsilon-DP count, at each data set.

    .. math:: \frac{b}{(1 - b)^2} \Big[2 - \frac{b^s + b^{n - s}}{1 + b}\Big],
              \qquad b = e^{-\varepsilon}

    One mechanism, :class:`UnbiasedCount`, attains it at all data sets together. For n = 1 it is
    the floor of Hammersley, Chapman and Robbins, far from both ends twice that floor.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    count : array_like of int
        How many of them count, s in 0, ..., n.
    epsilon : array_like
        Budget in nats, positive.

    Returns
    -------
    float or ndarray
        By broadcasting.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Measures how tight the one-dimensional bound is (claim ``Tang-1d``). That nothing is better
    is proved in the chapter; :func:`count_certificate` runs the proof in rational numbers.

    Examples
    --------
    >>> round(float(count_variance(1, 0, np.log(4))), 6)
    0.444444
    >>> round(float(count_variance(1000, 500, np.log(4))), 6)
    0.888889
    """
    n = _validate.integer("n", n, minimum=1)
    s = _validate.integer("count", count, minimum=0)
    if np.any(s > n):
        raise ValueError(f"count must be at most n, got {np.max(s - n)} more")
    epsilon = _validate.real("epsilon", epsilon, minimum=1e-100, maximum=700)
    ends = (np.exp(-epsilon * s) + np.exp(-epsilon * (n - s))) / (1 + np.exp(-epsilon))
    return (2 - ends) / (4 * np.sinh(epsilon / 2) ** 2)


@dataclass(frozen=True)
class UnbiasedCount:
    r"""The best unbiased private count: geometric noise, cut off and relabelled at the ends.

    Add two-sided geometric noise, move what falls outside to 0 or n, and report an outcome y as

    .. math:: -\frac{b}{1 - b} \ (y = 0), \qquad y \ (0 < y < n), \qquad
              n + \frac{b}{1 - b} \ (y = n), \qquad b = e^{-\varepsilon}

    Each end reports the mean of the geometric outcomes that it gathers, so that the answer stays
    unbiased and its variance can only fall.

    Parameters
    ----------
    epsilon : float
        Budget in nats, positive; the guarantee is exact.
    n : int
        Number of people, at least 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> best = UnbiasedCount(np.log(2), 3)
    >>> best.outputs.round(6)
    array([-1.,  1.,  2.,  4.])
    >>> (best.channel() @ best.outputs).round(12)
    array([0., 1., 2., 3.])
    >>> best.privatize([0, 3], rng=0).tolist()
    [1.0, 4.0]
    """

    epsilon: float
    n: int

    def __post_init__(self) -> None:
        noise = DiscreteLaplace(self.epsilon)
        n = _validate.one_integer("n", self.n, minimum=1)
        _validate.freeze(self, epsilon=noise.epsilon, n=n)

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon, attained."""
        return Pure(self.epsilon)

    @property
    def inputs(self) -> NDArray[np.int64]:
        """The true counts 0, ..., n, each a neighbour of the next."""
        _validate.memory("n", self.n + 1.0)
        return np.arange(self.n + 1)

    @property
    def outputs(self) -> Array:
        """The numbers that may be reported, shape (n + 1,)."""
        _validate.memory("n", self.n + 1.0)
        values = np.arange(self.n + 1.0)
        values[0] -= 1 / np.expm1(self.epsilon)
        values[-1] += 1 / np.expm1(self.epsilon)
        return values

    def channel(self) -> Array:
        """Law of the report: row the true count, column the output; shape (n + 1, n + 1).

        Where n epsilon exceeds about 700 the least probabilities, such as that of 0 at the count n,
        are below the least double and come out as 0. The ratio of the law itself never exceeds
        exp(epsilon); what is computed from these zeros, such as
        :func:`~minimaxdp.privacy.dp_epsilon`, may be infinite.
        """
        _validate.memory("n", self.n + 1, self.n + 1)
        steps = abs(np.subtract.outer(np.arange(self.n + 1), np.arange(self.n + 1)))
        law = np.exp(-self.epsilon * steps) / (1 + np.exp(-self.epsilon))
        law[:, 1:-1] *= -np.expm1(-self.epsilon)
        return law

    def variance(self, count: ArrayLike) -> Real:
        """Exact variance at a true count: see :func:`count_variance`."""
        return count_variance(self.n, count, self.epsilon)

    def privatize(self, count: ArrayLike, *, rng: Rng = None) -> Real:
        """An unbiased private report for each true count, any shape to the same."""
        count = _validate.integer("count", count, minimum=0, maximum=self.n)
        rng = _validate.generator(rng)
        noisy = np.clip(DiscreteLaplace(self.epsilon).privatize(count, rng=rng), 0, self.n)
        extra = 1 / np.expm1(self.epsilon)
        return (noisy + extra * ((noisy == self.n) * 1.0 - (noisy == 0)))[()]


def least_variance(
    values: ArrayLike, epsilon: float, outputs: ArrayLike, at: int, *, delta: float = 0.0
) -> float:
    r"""Least variance at one data set of an unbiased private answer, by linear programme.

    .. math:: \min \sum_y p_s(y) (y - f(s))^2 \quad\text{subject to}\quad
              \sum_y p_t(y)\, y = f(t), \quad
              \sum_y \big(p_t(y) - e^\varepsilon p_u(y)\big)_+ \le \delta

    for all data sets t and neighbours u of t on a path.

    Parameters
    ----------
    values : array_like, shape (n + 1,)
        The query f at data sets 0, ..., n, each a neighbour of the next.
    epsilon : float
        Budget in nats, positive.
    outputs : array_like, shape (k,)
        The numbers that may be reported.
    at : int
        The data set s.
    delta : float
        In [0, 1); 0 for pure privacy.

    Returns
    -------
    float
        Infinite if no such mechanism is unbiased.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.
    RuntimeError
        If the solver fails.

    Notes
    -----
    Tests the tightness of the one-dimensional bound (claim ``Tang-1d``).

    Examples
    --------
    >>> best = UnbiasedCount(np.log(2), 3)
    >>> found = least_variance([0, 1, 2, 3], np.log(2), best.outputs, at=1)
    >>> abs(found - float(best.variance(1))) < 1e-9
    True
    """
    f = np.asarray(_validate.real("values", values))
    y = np.asarray(_validate.real("outputs", outputs))
    if f.ndim != 1 or len(f) < 2 or y.ndim != 1:
        raise ValueError(
            f"values (at least two) and outputs must be vectors, got {f.shape}, {y.shape}"
        )
    rate = _validate.one_epsilon(epsilon)
    loose = _validate.one_real("delta", delta, minimum=0, below=1)
    s = _validate.one_integer("at", at, minimum=0, maximum=len(f) - 1)
    m, k = len(f), len(y)
    _validate.memory("outputs", 20, m, k)  # entries of the constraints, rows and columns
    cost = np.zeros((m, k))
    cost[s] = (y - f[s]) ** 2
    cells = np.arange(m * k).reshape(m, k)
    sides = [(cells[:-1].ravel(), cells[1:].ravel()), (cells[1:].ravel(), cells[:-1].ravel())]
    left = np.concatenate([one for one, _ in sides])
    right = np.concatenate([other for _, other in sides])
    rows = np.arange(len(left))
    # b p_t - p_u <= b * slack: scaled down, no entry is large.
    b = np.exp(-rate)
    entries = [(rows, left, np.full(len(rows), b)), (rows, right, np.full(len(rows), -1.0))]
    width, limits = m * k, np.zeros(len(rows))
    total = None
    if loose > 0:
        entries.append((rows, m * k + rows, np.full(len(rows), -b)))
        width += len(rows)
        total = coo_array(
            (np.ones(len(rows)), (rows // k, m * k + rows)), shape=(len(rows) // k, width)
        )
    i, j, v = (np.concatenate(part) for part in zip(*entries, strict=True))
    ratios = coo_array((v, (i, j)), shape=(len(rows), width))
    if total is not None:
        ratios, limits = vstack([ratios, total]), np.append(limits, np.full(total.shape[0], loose))
    each = np.repeat(np.arange(m), k)
    sums = coo_array((np.ones(m * k), (each, cells.ravel())), shape=(m, width))
    means = coo_array((np.tile(y, m), (each, cells.ravel())), shape=(m, width))
    solved = linprog(
        np.append(cost.ravel(), np.zeros(width - m * k)),
        A_ub=ratios.tocsr(),
        b_ub=limits,
        A_eq=vstack([sums, means]).tocsr(),
        b_eq=np.append(np.ones(m), f),
        method="highs",
    )
    if solved.status == 2:
        return float("inf")
    if solved.status != 0:
        raise RuntimeError(f"the linear programme was not solved: {solved.message}")
    return float(solved.fun)


def count_certificate(n: int, count: int, b: Fraction) -> tuple[Fraction, Fraction]:
    r"""A proof in rational numbers that the closed form of a count cannot be beaten.

    Let :math:`r_t = p_t(Y) / p_s(Y)` for the laws of any mechanism with ratio at most 1/b
    between neighbours. With coefficients c and a of the linear forms

    .. math:: g(r) = \sum_t c_t r_t, \qquad A(r) = \sum_t a_t r_t, \qquad g(r)^2 \le A(r),

    Cauchy and Schwarz give :math:`(\sum_t c_t (t - s))^2 \le \mathrm{Var}_s(Y) \sum_t a_t`, which
    bounds the variance. Since :math:`A - g^2` is concave, the inequality needs a check only
    at the :math:`2^n` vertices of the set of ratios, where each step multiplies by b or 1/b.

    Parameters
    ----------
    n : int
        Number of people, from 1 to 12.
    count : int
        The data set s, from 0 to n.
    b : Fraction
        exp(-epsilon), strictly between 0 and 1.

    Returns
    -------
    (variance, slack)
        The variance that is proved to be least, and the least of :math:`A - g^2` over
        the vertices; the proof needs it not to be negative, and it is zero.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    For the one-dimensional bound (claim ``Tang-1d``) a multi-point refinement, with every data
    set on a path in place of one neighbour.

    Examples
    --------
    >>> count_certificate(1, 0, Fraction(1, 4))
    (Fraction(4, 9), Fraction(0, 1))
    """
    n = _validate.one_integer("n", n, minimum=1, maximum=_MOST_CERTIFIED)
    s = _validate.one_integer("count", count, minimum=0, maximum=n)
    _validate.fraction("b", b, above=0, below=1)
    y = [Fraction(t) for t in range(n + 1)]
    y[0] -= b / (1 - b)
    y[n] += b / (1 - b)
    # The optimal laws are p_t(y) = weight(y) b^|t-y|: g and A must equal y - s and its square
    # there, which is a linear system whose inverse has three diagonals.
    c = _solve([(y[t] - s) * b ** abs(s - t) for t in range(n + 1)], b)
    a = _solve([(y[t] - s) ** 2 * b ** abs(s - t) for t in range(n + 1)], b)
    slack = None
    for signs in product((1, -1), repeat=n):
        r = [Fraction(1)]
        for sign in signs:
            r.append(r[-1] * b**sign)
        # A - g^2 at r / r_s, times r_s.
        form = sum(u * v for u, v in zip(a, r, strict=True)) / r[s]
        linear = sum(u * v for u, v in zip(c, r, strict=True)) / r[s]
        value = form - linear**2
        slack = value if slack is None else min(slack, value)
    assert slack is not None and sum(c) == 0
    return sum(c[t] * (t - s) for t in range(n + 1)) ** 2 / sum(a, Fraction(0)), slack


def _solve(right: list[Fraction], b: Fraction) -> list[Fraction]:
    """The solution x of sum_t b^|t-y| x_t = right_y."""
    n = len(right) - 1
    found = []
    for t in range(n + 1):
        middle = 1 + b**2 if 0 < t < n else 1
        beside = (right[t - 1] if t > 0 else 0) + (right[t + 1] if t < n else 0)
        found.append((middle * right[t] - b * beside) / (1 - b**2))
    return found
