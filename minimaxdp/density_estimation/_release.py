"""From data, a declared range and a budget to a private density with its error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr

from minimaxdp import _validate
from minimaxdp._tails import binomial_bounds
from minimaxdp._types import Array, Rng
from minimaxdp.density_estimation import _sizes
from minimaxdp.density_estimation._histograms import (
    ENCODINGS,
    Grid,
    Histogram,
    Method,
    check_method,
    histogram_risk,
    optimal_bins,
    too_many,
)
from minimaxdp.laplace import simultaneous_radius
from minimaxdp.randomized_response import SymmetricUnary, project_to_simplex

__all__ = ["Release", "private_density"]


@dataclass(frozen=True)
class Release:
    """A released density and what is known of its error; everything is public.

    Attributes
    ----------
    histogram : Histogram
        The method, with its grid and its budget.
    n : int
        Number of records.
    raw : ndarray, shape (cells,)
        Unbiased heights; may be negative, need not integrate to one.
    heights : ndarray, shape (cells,)
        The nearest true density: no height negative, total mass one.
    error : float
        Estimated root of the expected integrated squared error of `raw` about the binned truth.
    bias_bound : float
        Bound on the root of the integrated squared bias, for the declared constant.
    """

    histogram: Histogram
    n: int
    raw: Array
    heights: Array
    error: float
    bias_bound: float

    def pdf(self, x: ArrayLike) -> Array:
        """The density at points inside the range.

        Examples
        --------
        >>> release = private_density([0.1, 0.6], 0, 1, None, method="none", bins=2)
        >>> release.pdf([0.2]).tolist()
        [1.0]
        """
        grid = self.histogram.grid
        return self.heights[
            grid.index(_sizes.points("x", x, grid.d, minimum=grid.low, maximum=grid.high))
        ]

    def band(self, level: float = 0.95) -> tuple[Array, Array]:
        """Pointwise interval for the binned truth, about the raw heights.

        Sampling and, without a curator, noise are sums over all people and taken as normal; the
        curator's noise enters with its exact Laplace law.

        Parameters
        ----------
        level : float
            Coverage for each cell by itself, strictly between 0 and 1.

        Returns
        -------
        (low, high)

        Examples
        --------
        >>> release = private_density([0.1, 0.6], 0, 1, 1.0, bins=2, rng=0)
        >>> low, high = release.band(0.9)
        >>> bool(np.all(low < high))
        True
        """
        level = _validate.one_real("level", level, above=0, below=1)
        h, v = self.histogram, self.histogram.grid.volume
        p = np.clip(self.raw * v, 0, 1)
        variance = _cell_variance(h, p, self.n)
        if h.method == "central":
            scale = 2 / (h.budget * self.n)
            # Nobody in a cell leaves no sampling variance; one person's worth is kept.
            deviation = np.sqrt(np.maximum(p * (1 - p), 1 / self.n) / self.n)
            reach = _normal_plus_laplace(deviation, scale, (1 - level) / 2)
        else:
            reach = scipy.stats.norm.isf((1 - level) / 2) * np.sqrt(variance)
        return self.raw - reach / v, self.raw + reach / v

    def simultaneous_band(self, level: float = 0.95) -> tuple[Array, Array]:
        r"""Interval for every cell that hold together, for every law and every number of people.

        Half of the error goes to the noise, by the exact law of its maximum with a curator and by
        Chernoff's bound for sums of Laplace variables; the other half goes to sampling, by the
        intervals of Clopper and Pearson for each cell. Without noise of its own (methods "none",
        "unary", "subset") all of it goes to the exact binomial intervals.

        Parameters
        ----------
        level : float
            Probability with which all cells are covered at once, strictly between 0 and 1.

        Returns
        -------
        (low, high)
            Bounds on the heights of the binned truth, from 0 to one over the volume of a cell.

        Notes
        -----
        Proposition ``prop-den-band`` of the book.

        Examples
        --------
        >>> release = private_density([0.1, 0.6], 0, 1, 1.0, bins=2, rng=0)
        >>> low, high = release.simultaneous_band(0.9)
        >>> bool(np.all(low <= high))
        True
        """
        level = _validate.one_real("level", level, above=0, below=1)
        h, n = self.histogram, self.n
        cells, volume, wrong = h.grid.cells, h.grid.volume, 1 - level
        p, reach, gap, shift = self.raw * volume, 0.0, 1.0, 0.0
        if h.method in ENCODINGS:
            shift, gap = _shown(h)
            counts = np.round(n * (shift + gap * p))
        else:
            counts = n * p
            if h.method != "none":
                wrong /= 2
                reach = _noise_radius(h, n, wrong)
        # Whole counts that the noise leaves possible; without noise the count itself.
        least = np.clip(np.ceil(np.round(counts - reach, 9)), 0, n)
        most = np.clip(np.floor(np.round(counts + reach, 9)), 0, n)
        low, high = binomial_bounds(least, most, n, wrong / (2 * cells))
        low, high = np.clip((np.array([low, high]) - shift) / gap, 0, 1)
        return low / volume, high / volume


def private_density(
    data: ArrayLike,
    low: float,
    high: float,
    epsilon: float | None,
    *,
    method: Method = "central",
    bins: int | None = None,
    constant: float = 1.0,
    rng: Rng = None,
) -> Release:
    r"""Release the density of records in a declared range under a privacy budget.

    Parameters
    ----------
    data : array_like, shape (n,) or (n, d)
        Records inside [low, high], in every coordinate.
    low, high : float
        The range, declared without looking at the data.
    epsilon : float or None
        Privacy budget in nats, of the data set ("central") or of each person; None for "none".
    method : str
        "none", "central", "laplace", "unary" or "subset".
    bins : int, optional
        Along each coordinate; by default the best for the declared constant, which depends on
        the number of records alone and so costs no privacy.
    constant : float
        Lipschitz constant of the density after the range is rescaled to [0, 1], from 1e-100 to
        1e100.
    rng : Generator, int or None

    Returns
    -------
    Release

    Raises
    ------
    TypeError, ValueError
        If a record lies outside the range, or a parameter outside its own.

    Notes
    -----
    The number of records is taken as public: neighbours differ by replacement.

    Examples
    --------
    >>> ages = np.random.default_rng(0).triangular(20, 30, 70, 10_000)
    >>> release = private_density(ages, 18, 90, 0.5, rng=1)
    >>> float((release.heights * release.histogram.grid.volume).sum().round(12))
    1.0
    """
    array = np.asarray(_validate.real("data", data))
    if array.ndim not in (1, 2):
        raise ValueError(f"data must have shape (n,) or (n, d), got {array.shape}")
    d = 1 if array.ndim == 1 else array.shape[1]
    n = array.shape[0]
    low, high = _validate.interval(low, high)
    if array.min() < low or array.max() > high:
        raise ValueError(
            f"data must lie between low = {low:g} and high = {high:g}, "
            f"got {array.min():g} to {array.max():g}"
        )
    check_method(method, epsilon)
    constant = _sizes.one_positive("constant", constant)
    rng = _validate.generator(rng)
    if bins is None:
        like: Method = method if method in ("none", "central") else "laplace"
        bins = optimal_bins(n, epsilon, like, constant=constant, d=d)
        bins = max(bins, 2) if method in ("unary", "subset") else bins
        if too_many(bins, d):
            raise ValueError(
                "constant must leave a best grid of at most ten million cells, got "
                f"{constant:g} and so {bins}**{d}: lower it or give bins"
            )
    histogram = Histogram(Grid(low, high, bins, d), epsilon, method)
    grid = histogram.grid
    p = histogram.estimate(histogram.privatize(array, rng=rng), n)
    true_law = project_to_simplex(p)
    error = np.sqrt(histogram_risk(true_law, n, epsilon, method, volume=grid.volume))
    whole = (grid.high - grid.low) ** d
    bias = constant * np.sqrt(d / 12 / whole) / bins
    return Release(histogram, n, p / grid.volume, true_law / grid.volume, float(error), float(bias))


def _cell_variance(h: Histogram, p: Array, n: int) -> Array:
    """Variance of each estimated probability."""
    if h.method not in ENCODINGS:
        extra = 0.0 if h.method != "laplace" else 8 / (n * h.budget**2)
        return p * (1 - p) / n + extra
    q, gap = _shown(h)
    shown = q + gap * p
    return shown * (1 - shown) / (n * gap**2)


def _shown(h: Histogram) -> tuple[float, float]:
    """A person shows a cell of probability p with probability q + gap p: q and the gap."""
    encoding = h.encoding
    if isinstance(encoding, SymmetricUnary):
        return float(encoding.bit.flip_probability), float(np.tanh(h.budget / 4))
    return encoding.other_probability, encoding.contrast


def _noise_radius(h: Histogram, n: int, wrong: float) -> float:
    """A radius for the noise of all counts at once, exceeded with probability `wrong` at most."""
    scale, cells = 2 / h.budget, h.grid.cells
    if h.method == "central":
        return float(simultaneous_radius(cells, wrong, scale))
    log = np.log(2 * cells / wrong)
    # Chernoff: the sum exceeds t with probability at most exp(-s t) / (1 - s^2)^n, in scales. Any
    # s gives a bound, and this one is the best where the tail is that of a normal law.
    s = np.geomspace(1e-6, 1, 4_001)[:-1] * min(1.0, 4 * np.sqrt(log / n))
    return float(scale * ((log - n * np.log1p(-(s**2))) / s).min())


def _normal_plus_laplace(sd: Array, scale: float, tail: float) -> Array:
    """The point that N(0, sd^2) + Lap(scale) exceeds with a given probability."""

    def above(t: Array) -> Array:
        a, b = t / scale, sd / scale
        falling = np.exp(b**2 / 2 - a + log_ndtr(t / sd - b))
        rising = np.exp(b**2 / 2 + a + log_ndtr(-t / sd - b))
        return ndtr(-t / sd) + (falling - rising) / 2

    low, high = np.zeros_like(sd), 40 * (sd + scale) + scale * -np.log(tail)
    for _ in range(100):
        middle = (low + high) / 2
        more = above(middle) > tail
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return high
