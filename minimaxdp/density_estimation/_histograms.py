"""Histograms on a declared range: without privacy, with a curator, and without one."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from operator import add
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._search import least_integer
from minimaxdp._types import Array, Real, Rng
from minimaxdp.density_estimation import _sizes
from minimaxdp.guarantees import Guarantee, NonPrivate
from minimaxdp.laplace import laplace_sum
from minimaxdp.randomized_response import (
    SubsetSelection,
    SymmetricUnary,
    subset_selection_risk,
    unary_risk,
)

__all__ = [
    "HISTOGRAM_METHODS",
    "Grid",
    "Histogram",
    "histogram_ceiling",
    "histogram_risk",
    "optimal_bins",
]

Method = Literal["none", "central", "laplace", "unary", "subset"]
HISTOGRAM_METHODS = ("none", "central", "laplace", "unary", "subset")
# The local methods that encode the bin of a record as a report about categories.
ENCODINGS = {"unary": SymmetricUnary, "subset": SubsetSelection}
_CHUNK = 2**19
_MOST_CELLS = 1e50


@dataclass(frozen=True)
class Grid:
    r"""Equal half-open bins of a cube :math:`[\text{low}, \text{high}]^d`, declared in advance.

    Parameters
    ----------
    low, high : float
        Range of every coordinate, low < high; the last bin is closed. Doubles must tell the edges
        of the bins apart, and hold the volume of a cell.
    bins : int
        Number of bins along each coordinate, at least 1.
    d : int
        Dimension, at least 1; there are ``bins**d`` cells, at most ten million.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    Klein's article, bins put right for a range that is not [0, 1] (claim ``Klein-hist``).

    Examples
    --------
    >>> Grid(0.0, 2.0, 4).counts([0.0, 0.5, 2.0]).tolist()
    [1, 1, 0, 1]
    """

    low: float
    high: float
    bins: int
    d: int = 1

    def __post_init__(self) -> None:
        low, high = _validate.interval(self.low, self.high)
        bins = _validate.one_integer("bins", self.bins, minimum=1)
        d = _validate.one_integer("d", self.d, minimum=1)
        if too_many(bins, d):
            raise ValueError(f"bins must make at most ten million cells in d axes, got {bins}**{d}")
        width = high / bins - low / bins
        if d * abs(np.log10(width)) > 100:
            raise ValueError(
                f"high - low must leave a volume of a cell from 1e-100 to 1e100, got {width:g}**{d}"
            )
        if width < 8 * np.spacing(max(abs(low), abs(high))):
            raise ValueError(f"bins must be wide enough for doubles to tell apart, got {width:g}")
        _validate.freeze(self, low=low, high=high, bins=bins, d=d)

    @property
    def cells(self) -> int:
        """Number of cells in all."""
        return self.bins**self.d

    @property
    def volume(self) -> float:
        """Volume of one cell."""
        return ((self.high - self.low) / self.bins) ** self.d

    @property
    def edges(self) -> Array:
        """Ends of the bins along one coordinate, shape (bins + 1,).

        Where `low` and `high` are short decimals, the ends are the doubles nearest to the exact
        ones, so that a record written as 0.29 is at the end 0.29 and not below it.
        """
        low, high = Decimal(repr(self.low)), Decimal(repr(self.high))
        digits = max(0, *(-int(end.as_tuple().exponent) for end in (low, high)))
        whole = [int(end.scaleb(digits)) for end in (low, high)] if digits < 16 else []
        if digits < 16 and max(10**digits, *map(abs, whole)) * 2 * self.bins < 2**53:
            # Integers up to here are exact, and a quotient of two is rounded once.
            steps = np.arange(self.bins + 1, dtype=float)
            return (whole[0] * self.bins + steps * (whole[1] - whole[0])) / (
                10.0**digits * self.bins
            )
        return np.linspace(self.low, self.high, self.bins + 1)

    def index(self, data: ArrayLike) -> NDArray[np.int64]:
        """Number of the cell of each record, shape (n,); a record outside is an error.

        Along each coordinate it is the k with ``edges[k] <= x < edges[k + 1]``, the edges
        being those doubles; a record at `high` is in the last bin.
        """
        x = _sizes.points("data", data, self.d, minimum=self.low, maximum=self.high)
        place = (x - self.low) * (self.bins / (self.high - self.low))
        place = np.minimum(place.astype(np.int64), self.bins - 1)
        # By rounding the quotient may be one off; the edges themselves decide.
        edges = self.edges
        place -= x < edges[place]
        place += (x >= edges[place + 1]) & (place < self.bins - 1)
        cell = place[:, 0]
        for further in place.T[1:]:
            cell = cell * self.bins + further
        return cell

    def counts(self, data: ArrayLike) -> NDArray[np.int64]:
        """Records in each cell, shape (cells,)."""
        return np.bincount(self.index(data), minlength=self.cells)


@dataclass(frozen=True)
class Histogram:
    r"""A histogram by one of five methods.

    ==========  ==============================================================================
    method      what is released
    ==========  ==============================================================================
    none        the counts
    central     by a curator: counts plus Lap(2/epsilon), neighbours differ by replacement
    laplace     each person: the indicators of the bins plus Lap(2/epsilon) in every bin
    unary       each person: the indicators, each flipped at random with budget epsilon/2
    subset      each person: a random set of bins that leans towards the true one
    ==========  ==============================================================================

    All four private ones are exactly epsilon-private, the last three of them locally.

    Parameters
    ----------
    grid : Grid
    epsilon : float or None
        Privacy budget in nats, positive; None if and only if the method is "none".
    method : str

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    Klein's article (claims ``Klein-hist-mech``, ``Klein-hist-DP``, ``Klein-hist-est``) and, for
    the curator, Barber and Duchi (claim ``BD-eq19``).

    Examples
    --------
    >>> local = Histogram(Grid(0.0, 1.0, 4), 1.0, "laplace")
    >>> totals = local.privatize_counts([250, 250, 250, 250], rng=0)
    >>> local.heights(totals, n=1000).shape
    (4,)
    """

    grid: Grid
    epsilon: float | None
    method: Method = "laplace"

    def __post_init__(self) -> None:
        _validate.instance("grid", self.grid, Grid)
        check_method(self.method, self.epsilon)
        if self.epsilon is not None:
            _validate.freeze(self, epsilon=_sizes.one_epsilon(self.epsilon))

    @property
    def budget(self) -> float:
        """The privacy budget of a private method."""
        if self.epsilon is None:
            raise ValueError("method must be a private one for a budget, got 'none'")
        return self.epsilon

    @property
    def privacy(self) -> Guarantee:
        """A curator's pure privacy by the method "central", everybody's own by the local ones."""
        if self.epsilon is None:
            return NonPrivate()
        return _sizes.pure(self.method, self.epsilon)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Two records of which one moves from the first cell to the last."""
        low, high = (
            np.full((2, self.grid.d), self.grid.low),
            np.full((2, self.grid.d), self.grid.low),
        )
        high[0] = self.grid.high
        return low, high

    def reports(self, data: ArrayLike, *, rng: Rng = None) -> Array:
        """What every person sends, shape (n, cells), by the method "laplace".

        Examples
        --------
        >>> Histogram(Grid(0.0, 1.0, 4), 1.0, "laplace").reports([0.1, 0.6], rng=0).shape
        (2, 4)
        """
        if self.method != "laplace":
            raise ValueError(f"method must be 'laplace' for reports, got {self.method!r}")
        rng, index = _validate.generator(rng), self.grid.index(data)
        _validate.memory("data", index.size, self.grid.cells)
        return self._laplace_reports(index, rng)

    def privatize(self, data: ArrayLike, *, rng: Rng = None) -> NDArray[Any]:
        """Totals over all records, each perturbed as the method says, in bounded memory.

        Parameters
        ----------
        data : array_like, shape (n,) or (n, d)
            Records inside the declared range.
        rng : Generator, int or None

        Returns
        -------
        ndarray, shape (cells,)
            To be handed to :meth:`estimate` or :meth:`heights`.
        """
        rng, index = _validate.generator(rng), self.grid.index(data)
        if self.method in ("none", "central"):
            counts = np.bincount(index, minlength=self.grid.cells)
            return self.privatize_counts(counts, rng=rng)
        rows = max(1, _CHUNK // self.grid.cells)
        parts = (index[start : start + rows] for start in range(0, index.size, rows))
        if self.method in ENCODINGS:
            encoding = self.encoding
            return reduce(
                add, (encoding.tally(encoding.privatize(part, rng=rng)) for part in parts)
            )
        return reduce(add, (self._laplace_reports(part, rng).sum(axis=0) for part in parts))

    def privatize_counts(
        self,
        counts: ArrayLike,
        *,
        rng: Rng = None,
        size: int | tuple[int, ...] | None = None,
    ) -> NDArray[Any]:
        """The same totals drawn from the counts alone, at a cost that does not depend on n.

        Parameters
        ----------
        counts : array_like of int, shape (..., cells)
            Records in each cell, of one data set or of several with equally many records.
        rng : Generator, int or None
        size : int or tuple of int, optional
            Independent replications of each, along new first axes.

        Returns
        -------
        ndarray, shape (..., cells) or (*size, ..., cells)
            Equal in law to the output of :meth:`privatize`; not for the method "subset".
        """
        counts = _counts(counts, self.grid.cells)
        if self.method == "subset":
            raise ValueError("method 'subset' has no shortcut through counts: use privatize")
        rng, size = _validate.generator(rng), _validate.size(size)
        each = () if size is None else size if isinstance(size, tuple) else (size,)
        shape = (*each, *counts.shape)
        _validate.memory("size", *shape)
        encoding = self.encoding if self.method == "unary" else None
        if isinstance(encoding, SymmetricUnary):
            drawn = np.broadcast_to(counts, shape) if len(each) > 1 else counts
            return encoding.privatize_counts(
                drawn, rng=rng, size=each[0] if len(each) == 1 else None
            )
        if self.method == "none":
            return np.broadcast_to(counts, shape).copy()
        if self.method == "central":
            return counts + rng.laplace(scale=2 / self.budget, size=shape)
        n = int(counts.reshape(-1, self.grid.cells).sum(axis=1)[0])
        return counts + laplace_sum(n, 2 / self.budget, rng=rng, size=shape)

    def estimate(self, totals: ArrayLike, n: int) -> Array:
        """Unbiased probabilities of the cells; entries may be negative."""
        n = _validate.one_integer("n", n, minimum=1)
        totals = _validate.vectors("totals", totals, self.grid.cells)
        if self.method in ENCODINGS:
            return self.encoding.estimate(totals.astype(np.int64), n)
        return totals / n

    def heights(self, totals: ArrayLike, n: int) -> Array:
        """The estimated density in each cell: probabilities over the volume of a cell."""
        return self.estimate(totals, n) / self.grid.volume

    @_validate.broadcasting
    def risk(self, probabilities: ArrayLike, n: ArrayLike, *, bias: ArrayLike = 0.0) -> Real:
        """Exact mean integrated squared error: see :func:`histogram_risk`.

        Examples
        --------
        >>> Histogram(Grid(0.0, 1.0, 4), 2.0, "laplace").risk([0.25] * 4, 100)
        0.35
        """
        volume = self.grid.volume
        return histogram_risk(probabilities, n, self.epsilon, self.method, bias=bias, volume=volume)

    @property
    def encoding(self) -> SymmetricUnary | SubsetSelection:
        """The mechanism behind the methods "unary" and "subset"."""
        _validate.choice("method", self.method, ENCODINGS)
        return ENCODINGS[self.method](self.budget, self.grid.cells)

    def _laplace_reports(self, index: NDArray[np.int64], rng: np.random.Generator) -> Array:
        noise = rng.laplace(scale=2 / self.budget, size=(index.size, self.grid.cells))
        noise[np.arange(index.size), index] += 1
        return noise


@_validate.broadcasting
def histogram_risk(
    probabilities: ArrayLike,
    n: ArrayLike,
    epsilon: ArrayLike | None,
    method: Method = "laplace",
    *,
    bias: ArrayLike = 0.0,
    volume: ArrayLike | None = None,
) -> Real:
    r"""Exact mean integrated squared error of a histogram, by any method.

    .. math:: \int \text{bias}^2 + \frac1{vn}\Big(1 - \sum_j p_j^2\Big)
              + \frac1v \begin{cases} 0 & \text{none} \\
              8 C / (n \varepsilon)^2 & \text{central} \\
              8 C / (n \varepsilon^2) & \text{laplace} \end{cases}

    for C cells of volume v; for "unary" and "subset" the risk of the probabilities over v.

    Parameters
    ----------
    probabilities : array_like, shape (..., C)
        Of the cells under the true density.
    n : array_like of int
        Number of people, at least 1.
    epsilon : array_like or None
        Privacy budget in nats; None for the method "none".
    method : str
        "none", "central", "laplace", "unary" or "subset".
    bias : array_like
        Integrated squared bias, such as :meth:`Density.bias`, at least 0.
    volume : array_like, optional
        Of one cell, from 1e-100 to 1e100; by default 1/C.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    Klein's article (claim ``Klein-hist-MISE-exact``).

    Examples
    --------
    >>> histogram_risk([0.25] * 4, 100, 2.0, "laplace")
    0.35
    """
    check_method(method, epsilon)
    p = _validate.distribution("probabilities", probabilities)
    n = _validate.integer("n", n, minimum=1)
    bias = _validate.real("bias", bias, minimum=0)
    cells = p.shape[-1]
    v = 1 / cells if volume is None else _sizes.positive("volume", volume)
    if method == "unary":
        return bias + unary_risk(_sizes.epsilon(epsilon), p, n) / v
    if method == "subset":
        return bias + subset_selection_risk(_sizes.epsilon(epsilon), p, n) / v
    return bias + ((p * (1 - p)).sum(axis=-1) / n + cells * _noise(n, epsilon, method)) / v


@_validate.broadcasting
def histogram_ceiling(
    cells: ArrayLike,
    n: ArrayLike,
    epsilon: ArrayLike | None,
    method: Method = "central",
    *,
    beta: float = 1.0,
    constant: ArrayLike = 1.0,
    d: int = 1,
) -> Real:
    r"""Bound on the risk over all Hoelder densities on the unit cube, with its constants.

    .. math:: \frac{L^2 d^\beta}{(2\beta+1)(2\beta+2)} K^{-2\beta/d} + \frac{K - 1}n + K^2 v_n,
              \qquad v_n = 0,\ \frac8{n^2\varepsilon^2},\ \frac8{n\varepsilon^2}

    for the methods "none", "central" and "laplace", with K cells in all.

    Parameters
    ----------
    cells : array_like
        Number K of cells, from 1 to 1e50; need not be whole, for plots.
    n : array_like of int
        Number of people, at least 1.
    epsilon : array_like or None
        Privacy budget in nats; None for the method "none".
    method : str
        "none", "central" or "laplace".
    beta : float
        Order, positive and at most 1: a histogram cannot use more.
    constant : float
        Hoelder constant L in the Euclidean norm, from 1e-100 to 1e100.
    d : int
        Dimension, at least 1.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    Barber and Duchi, equation (19), at beta = 1 (claim ``BD-eq19``); Klein's article (claim
    ``Klein-hist-bias``). The variance of f in a cell is half the mean squared difference of two
    uniform points, coordinate by coordinate a Beta integral.

    Examples
    --------
    >>> float(histogram_ceiling(10, 1000, None, "none") - 9 / 1000)
    0.0008333333333333335
    """
    check_method(method, epsilon)
    if method in ("unary", "subset"):
        raise ValueError(f"method must be 'none', 'central' or 'laplace', got {method!r}")
    cells = np.asarray(_validate.real("cells", cells, minimum=1, maximum=_MOST_CELLS))
    n = _validate.integer("n", n, minimum=1)
    beta = _validate.one_real("beta", beta, above=0, maximum=1)
    constant = _sizes.positive("constant", constant)
    d = _validate.one_integer("d", d, minimum=1)
    # (sum of squares)**beta has mean at most (d h**2 / 6)**beta, by Jensen; one dimension is exact.
    shape = 1 / ((2 * beta + 1) * (2 * beta + 2)) if d == 1 else (d / 6) ** beta / 2
    return (
        constant**2 * shape * cells ** (-2 * beta / d)
        + (cells - 1) / n
        + cells**2 * _noise(n, epsilon, method)
    )


def optimal_bins(
    n: int,
    epsilon: float | None,
    method: Method = "laplace",
    *,
    beta: float = 1.0,
    constant: float = 1.0,
    d: int = 1,
) -> int:
    r"""Bins along each coordinate with the least :func:`histogram_ceiling`.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    epsilon : float or None
        Privacy budget in nats; None for the method "none".
    method : str
        "none", "central" or "laplace".
    beta, constant, d
        As for the ceiling.

    Returns
    -------
    int
        Depends on no record, only on their number, so that it costs no privacy.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    The integer version of claim ``Klein-hist-K``, with the sampling term kept.

    Examples
    --------
    >>> optimal_bins(10**6, None, "none"), optimal_bins(10**6, 1.0, "laplace")
    (55, 10)
    """
    n = _validate.one_integer("n", n, minimum=1)
    d = _validate.one_integer("d", d, minimum=1)
    constant = _sizes.one_positive("constant", constant)
    check_method(method, epsilon)
    epsilon = None if epsilon is None else _sizes.one_epsilon(epsilon)

    def risk(bins: int) -> float:
        if d * np.log10(bins) > 49:  # far more cells than a grid can have
            return np.inf
        cells = np.asarray(bins, dtype=float) ** d
        return float(
            histogram_ceiling(cells, n, epsilon, method, beta=beta, constant=constant, d=d)
        )

    # The ceiling is convex in the logarithm of the bins: it falls, then rises.
    high = 2
    while risk(high) < risk(high // 2) and high < 10**9:
        high *= 2
    return least_integer(lambda bins: risk(bins) <= risk(bins + 1), 0, high)


def too_many(bins: int, d: int) -> bool:
    """Whether a grid of so many bins along each coordinate has more than ten million cells."""
    return bins > 1 and (d > 23 or bins**d > 10**7)


def _noise(n: Any, epsilon: ArrayLike | None, method: Method) -> Any:
    """Variance of the noise in one estimated probability."""
    if method == "none":
        return 0.0
    epsilon, n = np.asarray(_sizes.epsilon(epsilon)), np.asarray(n, dtype=float)
    return 8 / (n * epsilon) ** 2 if method == "central" else 8 / (n * epsilon**2)


def check_method(method: str, epsilon: ArrayLike | None) -> None:
    """A method by name, with a budget exactly if it is private."""
    _validate.choice("method", method, HISTOGRAM_METHODS)
    if (method == "none") != (epsilon is None):
        raise ValueError(f"epsilon must be None exactly if method is 'none', got {epsilon!r}")
    if epsilon is not None:
        _sizes.epsilon(epsilon)


def _counts(values: ArrayLike, cells: int) -> NDArray[np.integer]:
    counts = _validate.entries("counts", _validate.counts("counts", values), cells)
    totals = counts.sum(axis=-1)
    if np.any(totals != totals.flat[0]):
        raise ValueError("counts must hold equally many records in every data set")
    return counts
