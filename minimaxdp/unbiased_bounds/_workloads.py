"""Many linear queries of one table of counts: the matrix mechanism and what nothing beats."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Rng
from minimaxdp.guarantees import Guarantee
from minimaxdp.unbiased_bounds._ellipsoids import MinTraceEllipsoid, min_trace_ellipsoid
from minimaxdp.unbiased_bounds._floors import max_chi_divergence

__all__ = [
    "MatrixMechanism",
    "WorkloadFloor",
    "marginal_workload",
    "prefix_workload",
    "range_workload",
    "tree_strategy",
    "workload_floor",
]

# A query is answered by a strategy if what is left of its row is no more than rounding.
_ANSWERED = 1e-9


def prefix_workload(m: int) -> Array:
    r"""All prefix sums of m counts: row i adds the cells 0, ..., i.

    Parameters
    ----------
    m : int
        Number of cells, at least 1.

    Returns
    -------
    ndarray, shape (m, m)

    Raises
    ------
    TypeError, ValueError
        If m is out of its range.

    Examples
    --------
    >>> prefix_workload(3) @ [5, 0, 2]
    array([5., 5., 7.])
    """
    m = _cells(m)
    return np.tril(np.ones((m, m)))


def range_workload(m: int) -> Array:
    r"""All sums over ranges of m ordered cells, :math:`\frac{m (m + 1)}{2}` of them.

    Parameters
    ----------
    m : int
        Number of cells, at least 1.

    Returns
    -------
    ndarray, shape (m (m + 1) / 2, m)
        By the first cell of the range, then by its last.

    Raises
    ------
    TypeError, ValueError
        If m is out of its range.

    Examples
    --------
    >>> range_workload(3) @ [5, 0, 2]
    array([5., 5., 7., 0., 2., 2.])
    """
    m = _cells(m)
    _validate.memory("m", m * (m + 1) // 2, m)
    first, last = np.triu_indices(m)
    cells = np.arange(m)
    return ((first[:, None] <= cells) & (cells <= last[:, None])).astype(float)


def marginal_workload(sizes: ArrayLike, order: int) -> Array:
    r"""All marginal tables of some number of attributes, of the full table of counts.

    Parameters
    ----------
    sizes : array_like of int, shape (k,)
        How many values each attribute has, at least 1.
    order : int
        How many attributes a marginal keeps, from 0 (the total) to k.

    Returns
    -------
    ndarray, shape (queries, product of sizes)
        One row for each cell of each marginal; the cells of the full table in C order.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> marginal_workload([2, 2], 1) @ [1, 2, 3, 4]  # rows of the table, then columns
    array([3., 7., 4., 6.])
    """
    shape = np.asarray(_validate.integer("sizes", sizes, minimum=1, maximum=10**6))
    if shape.ndim != 1 or not shape.size:
        raise ValueError(f"sizes must be one number for each attribute, got {sizes!r}")
    order = _validate.one_integer("order", order, minimum=0, maximum=len(shape))
    chosen = [set(kept) for kept in combinations(range(len(shape)), order)]
    queries = sum(float(np.prod([shape[i] * 1.0 for i in kept])) for kept in chosen)
    _validate.memory("sizes", queries, float(np.prod(shape * 1.0)))
    parts = [
        [np.eye(size) if i in kept else np.ones((1, size)) for i, size in enumerate(shape)]
        for kept in chosen
    ]
    return np.vstack([reduce(np.kron, part) for part in parts])


def tree_strategy(m: int, branching: int = 2) -> Array:
    r"""Sums over the nodes of a tree whose leaves are the cells.

    The root adds all cells; each node is divided into as many parts as the branching says, of
    sizes that differ by one at most, until single cells are left.

    Parameters
    ----------
    m : int
        Number of cells, at least 1.
    branching : int
        At least 2.

    Returns
    -------
    ndarray, shape (nodes, m)
        From the root down.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The strategy of Hay, Rastogi, Miklau and Suciu (2010).

    Examples
    --------
    >>> tree_strategy(4).sum(axis=1)
    array([4., 2., 2., 1., 1., 1., 1.])
    """
    m = _cells(m)
    branching = _validate.one_integer("branching", branching, minimum=2, maximum=10**6)
    rows, level = [], [np.arange(m)]
    while level:
        rows += level
        split = [np.array_split(node, min(branching, len(node))) for node in level if len(node) > 1]
        level = [part for parts in split for part in parts]
    _validate.memory("m", len(rows), m)
    strategy = np.zeros((len(rows), m))
    for row, node in zip(strategy, rows, strict=True):
        row[node] = 1
    return strategy


@dataclass(frozen=True)
class MatrixMechanism:
    r"""Answers to a workload of linear queries from one noisy measurement of a strategy.

    For counts x the answers are :math:`W A^+ (A x + \sigma Z)` with standard normal Z: unbiased
    and consistent with each other, since all are computed from one noisy vector.

    Parameters
    ----------
    workload : array_like, shape (q, m)
        The matrix W, one row for each query of m counts.
    strategy : array_like, shape (p, m)
        The matrix A; every query must be a combination of its rows.
    privacy : Guarantee
        What the answers keep, exactly, under the relation "add-remove": neighbours differ by one
        record more or less.

    Raises
    ------
    TypeError, ValueError
        If an entry is not a finite number, a query is zero in all cells, the strategy does not
        determine a query, the relation is another, or no normal noise keeps the guarantee.

    Notes
    -----
    Li, Hay, Rastogi, Miklau and McGregor (2010). The error of the best strategy is the trace of
    :func:`workload_floor`'s ellipsoid times the variance of the noise.

    Examples
    --------
    >>> from minimaxdp.guarantees import ZCDP
    >>> promise = ZCDP(0.5, relation="add-remove")
    >>> direct = MatrixMechanism(prefix_workload(8), prefix_workload(8), promise)
    >>> best = MatrixMechanism.least(prefix_workload(8), promise)
    >>> round(direct.total_variance, 6), round(best.total_variance, 3)
    (64.0, 17.866)
    >>> best.privatize([3, 1, 4, 1, 5, 9, 2, 6], rng=0).shape
    (8,)
    """

    workload: ArrayLike = field(repr=False)
    strategy: ArrayLike = field(repr=False)
    privacy: Guarantee

    def __post_init__(self) -> None:
        w = _workload(self.workload)
        a = _matrix("strategy", self.strategy)
        if a.shape[1] != w.shape[1]:
            raise ValueError(
                f"strategy must have one column for each of {w.shape[1]} cells, got {a.shape[1]}"
            )
        _add_remove(self.privacy)
        _validate.memory("workload", len(w), len(a))
        rebuild = w @ np.linalg.pinv(a)
        left = abs(w - rebuild @ a).max(axis=1)
        if np.any(left > _ANSWERED * abs(w).max(axis=1)):
            raise ValueError("strategy must determine every query of the workload")
        _validate.freeze(self, workload=w, strategy=a)
        object.__setattr__(self, "_rebuild", rebuild)
        sigma = _validate.scalar("privacy", np.asarray(self.privacy.gaussian_sigma()))
        _validate.one_real("privacy's scale of gaussian noise", sigma, above=1e-100, below=1e100)

    @classmethod
    def least(cls, workload: ArrayLike, privacy: Guarantee) -> MatrixMechanism:
        """The mechanism of least total variance, up to the gap of :func:`workload_floor`."""
        return workload_floor(workload, privacy).mechanism

    @cached_property
    def sensitivity(self) -> float:
        """The largest l2-length by which one record moves the measurement."""
        return float(np.linalg.norm(np.asarray(self.strategy), axis=0).max())

    @cached_property
    def sigma(self) -> float:
        """Standard deviation of the noise in each entry of the measurement."""
        return float(self.privacy.gaussian_sigma(self.sensitivity))

    @property
    def variances(self) -> Array:
        """Of the answers, shape (q,)."""
        return self.sigma**2 * (self._weights**2).sum(axis=1)

    @property
    def total_variance(self) -> float:
        """Their sum, the expected squared length of the error."""
        return float(self.variances.sum())

    def privatize(self, counts: ArrayLike, *, rng: Rng = None) -> Array:
        """Private answers to every query: counts (..., m) to answers (..., q).

        Parameters
        ----------
        counts : array_like of int, shape (..., m)
            How many records are in each cell, at least 0.
        rng : Generator, int or None

        Returns
        -------
        ndarray, shape (..., q)

        Raises
        ------
        TypeError, ValueError
            If a count is no integer, negative, or the last axis has not m entries.
        """
        a = np.asarray(self.strategy)
        found = np.asarray(_validate.integer("counts", counts, minimum=0))
        found = _validate.entries("counts", found, a.shape[1])
        measured = found @ a.T
        noise = _validate.generator(rng).normal(scale=self.sigma, size=measured.shape)
        return (measured + noise) @ self._weights.T

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Two tables of counts that the measurement tells apart most."""
        lengths = np.linalg.norm(np.asarray(self.strategy), axis=0)
        one, other = np.zeros((2, len(lengths)), dtype=int)
        other[lengths.argmax()] = 1
        return one, other

    @property
    def _weights(self) -> Array:
        """The matrix that rebuilds the answers from the measurement."""
        return np.asarray(self.__dict__["_rebuild"])


@dataclass(frozen=True)
class WorkloadFloor:
    r"""What no unbiased private answers to a workload can beat, and what comes closest.

    .. math:: \mathrm{tr}\, \Sigma(x) \ge \frac{T}{c^2}, \qquad
              T = \min_{W = L A} \|L\|_F^2 \max_i \|a_i\|_2^2

    over all factorizations of the workload, with the columns :math:`a_i` of A. It is the least
    trace of an ellipsoid about the origin that contains the columns of W.

    Attributes
    ----------
    workload : ndarray, shape (q, m)
    ellipsoid : MinTraceEllipsoid
        Around the columns of W, in the coordinates of its left singular vectors.
    strategy : ndarray, shape (rank, m)
        The optimal A; no column is longer than 1, up to rounding.
    privacy : Guarantee

    Examples
    --------
    >>> from minimaxdp.guarantees import ZCDP
    >>> floor = workload_floor(np.eye(4), ZCDP(0.01, relation="add-remove"))
    >>> round(floor.trace, 6), round(floor.mechanism.total_variance, 6), floor.gap < 1e-8
    (198.006667, 200.0, True)
    """

    workload: Array = field(repr=False)
    ellipsoid: MinTraceEllipsoid = field(repr=False)
    strategy: Array = field(repr=False)
    privacy: Guarantee

    @property
    def trace(self) -> float:
        """Floor under the sum of the variances, at every table of counts."""
        c = float(max_chi_divergence(self.privacy))
        return float(self.ellipsoid.dual / c / c)

    @property
    def gap(self) -> float:
        """The certificate: trace of the ellipsoid over the bound from below, minus one."""
        return self.ellipsoid.gap

    @property
    def mechanism(self) -> MatrixMechanism:
        """Normal noise shaped by the ellipsoid."""
        return MatrixMechanism(self.workload, self.strategy, self.privacy)


def workload_floor(
    workload: ArrayLike, privacy: Guarantee, *, tolerance: float = 1e-9
) -> WorkloadFloor:
    r"""Floor under the total variance of all unbiased private answers to linear queries.

    Parameters
    ----------
    workload : array_like, shape (q, m)
        One row for each query of m counts; only :math:`W^T W` matters.
    privacy : Guarantee
        As for :func:`max_chi_divergence`, under the relation "add-remove". The Gaussian
        mechanism meets the floor in the limit of small budgets, at every table of counts.
    tolerance : float
        Relative gap asked of the ellipsoid.

    Returns
    -------
    WorkloadFloor

    Raises
    ------
    TypeError, ValueError
        If an entry is not a finite number, a query is zero in all cells, or the relation is
        another.

    Notes
    -----
    The factorization norm of Edmonds, Nikolov and Ullman (2020); for unbiased answers Nikolov
    and Tang (2024).

    Examples
    --------
    >>> from minimaxdp.guarantees import Pure
    >>> promise = Pure(np.log(4), relation="add-remove")
    >>> round(workload_floor(prefix_workload(1), promise).trace, 6)
    0.444444
    """
    w = _workload(workload)
    _add_remove(privacy)
    _validate.scalar("privacy", np.asarray(max_chi_divergence(privacy)))
    # An orthonormal change of the answers changes no length, and leaves as many coordinates as
    # there are independent queries.
    short = np.linalg.qr(w, mode="r") if len(w) > w.shape[1] else w
    _, singular, rows = np.linalg.svd(short, full_matrices=False)
    kept = singular > 8 * max(w.shape) * np.finfo(float).eps * singular[0]
    points = (singular[kept, None] * rows[kept]).T
    found = min_trace_ellipsoid(points, fit="fixed", tolerance=tolerance)
    strategy = found.axes.T @ points.T / found.lengths[:, None]
    return WorkloadFloor(w, found, strategy, privacy)


def _add_remove(privacy: Guarantee) -> None:
    _validate.instance("privacy", privacy, Guarantee)
    if privacy.relation != "add-remove":
        raise ValueError(
            "privacy must have the relation 'add-remove', under which records come and go, "
            f"got {privacy!r}"
        )


def _cells(m: int) -> int:
    m = _validate.one_integer("m", m, minimum=1)
    _validate.memory("m", m, m)
    return m


def _matrix(name: str, value: ArrayLike) -> Array:
    array = np.asarray(_validate.real(name, value))
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} must have two axes (queries, cells), got shape {array.shape}")
    return array


def _workload(value: ArrayLike) -> Array:
    w = _matrix("workload", value)
    if not np.all(w.any(axis=1)):
        raise ValueError("workload must not have a row of zeros: that query asks nothing")
    return w
