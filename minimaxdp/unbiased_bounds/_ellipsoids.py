"""The ellipsoid of least trace around a cloud of points, with its certificate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Array, Real
from minimaxdp.unbiased_bounds._min_trace_dual import ascend, spectrum

__all__ = ["MinTraceEllipsoid", "min_trace_ellipsoid"]

Fit = Literal["fixed", "free", "difference"]

_EPS = float(np.finfo(float).eps)
# Relative thickness below which an axis is not solved for: it adds less than that to the trace.
_THIN = 1e-10
# A gap that will do, and a share of an axis that rounding may take from the certificate.
_GOOD = 1e-8
# Where the space of a flat cloud misses a coordinate by more of its range, an axis is missing.
_MISSED = 1e-9
# The largest and least sizes whose squares and fractions are doubles, and their largest ratio.
_LARGEST, _LEAST, _MOST_ASPECT = 1e153, 1e-300, 1e300
# Pairs of points that are listed at once; beyond it they are searched for.
_PAIRS = 20_000
_SEARCHES = 60
_NEW = 1_000  # of the pairs that a search finds outside, the worst
_CHUNK = 2_000
_TABLE = 2**27  # distances held at once


@dataclass(frozen=True)
class MinTraceEllipsoid:
    r"""An ellipsoid :math:`c + V^{1/2} B_2^d` around a body, and the proof that it is least.

    The trace of V is the sum of the squared half-axes. Any body inside has

    .. math:: \mathrm{dual} = \Big(\mathrm{tr} \sqrt{\textstyle\sum_i w_i z_i z_i^T}\Big)^2
              \le \min \mathrm{tr}\, V \le \mathrm{primal} = \mathrm{tr}\, V,
              \qquad z_i = \text{contact}_i - c,

    for the contacts and weights below (the centre of a free fit is their weighted mean).

    Attributes
    ----------
    lengths : ndarray, shape (r,)
        Half-axes that are not zero.
    axes : ndarray, shape (d, r)
        Their directions, orthonormal columns.
    centre : ndarray, shape (d,)
    contacts : ndarray, shape (k, d)
        Points of the body that carry the weight.
    weights : ndarray, shape (k,)
        Positive, of sum one.
    primal, dual : float
        Upper and lower bound on the least trace.
    base : ndarray, shape (d,), optional
        A point of the space in which the body lies; by default the centre. Of a difference body,
        whose centre is the origin, a point of the body before the differences.

    Examples
    --------
    >>> square = min_trace_ellipsoid([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> round(square.primal, 9), square.rank, square.gap < 1e-8
    (4.0, 2, True)
    >>> square.gauge([[1, 1], [0, 0]])
    array([1., 0.])
    """

    lengths: Array = field(repr=False)
    axes: Array = field(repr=False)
    centre: Array = field(repr=False)
    contacts: Array = field(repr=False)
    weights: Array = field(repr=False)
    primal: float
    dual: float
    base: Array | None = field(default=None, repr=False)

    @property
    def gap(self) -> float:
        """Primal over dual value, minus one: the certificate."""
        if np.finfo(float).tiny <= self.dual and self.primal < np.inf:
            return self.primal / self.dual - 1
        # The squares have left the range of doubles, the lengths have not.
        unit = self.lengths.max()
        z = (self.contacts - self.centre) / unit * np.sqrt(self.weights)[:, None]
        trace = float(((self.lengths / unit) ** 2).sum())
        return max(0.0, trace / float(np.linalg.norm(z, ord="nuc")) ** 2 - 1)

    @property
    def rank(self) -> int:
        """Number of axes: the dimension that the body spans.

        More only where doubles cannot tell a thin body from a flat one; then it counts as thin.
        """
        return len(self.lengths)

    @property
    def matrix(self) -> Array:
        """V, shape (d, d), positive semidefinite; entries below 1e-308 are lost, not in `root`."""
        return (self.axes * self.lengths**2) @ self.axes.T

    @property
    def root(self) -> Array:
        r"""The factor :math:`V^{1/2}` without its zero columns, shape (d, rank)."""
        return self.axes * self.lengths

    def gauge(self, points: ArrayLike) -> Real:
        """Distance from the centre in units of the ellipsoid: at most 1 inside.

        Infinite for a point off the space that a flat ellipsoid spans, if it is off by more than
        rounding along some coordinate.
        """
        points = _validate.vectors("points", points, len(self.centre))
        inside, off = self._split(points, self.centre)
        gauge = np.linalg.norm(inside / self.lengths, axis=-1)
        return np.where(off, np.inf, gauge)[()]

    def _split(self, points: Array, base: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Coordinates along the axes from a base point, and who is off the space they span."""
        shifted = points - base
        inside = shifted @ self.axes
        if self.rank == len(base):
            return inside, np.zeros(inside.shape[:-1], dtype=bool)
        rest = abs(shifted - inside @ self.axes.T)
        # Rounding of the coordinate itself, and of the axes: never more than a trifle of the
        # extent along that coordinate, which may be far less than that along others.
        unit = 64 * len(base) * _EPS
        extent = np.linalg.norm(self.root, axis=1)
        axes = np.minimum(unit * self.lengths.max(), _MISSED * extent)
        size = abs(points) + abs(base) + abs(inside) @ abs(self.axes.T)
        return inside, (rest > unit * size + axes).any(axis=-1)


def min_trace_ellipsoid(
    points: ArrayLike, *, fit: Fit = "free", tolerance: float = 1e-9
) -> MinTraceEllipsoid:
    r"""The ellipsoid of least trace that contains a cloud of points.

    .. math:: \min\{\mathrm{tr}\, V : K \subseteq c + V^{1/2} B_2^d\}
              = \max_w \Big(\mathrm{tr} \sqrt{\textstyle\sum_i w_i (v_i - c_w)(v_i - c_w)^T}\Big)^2

    A convex problem; the maximum is over probability vectors, with :math:`c_w` zero for a
    fixed centre and the mean :math:`\sum_i w_i v_i` for a free one.

    Parameters
    ----------
    points : array_like, shape (N, d)
        Points whose convex hull is K; a flat cloud is fitted within the space it spans. Up to
        1e153 / d in size, and columns up to a factor 1e300 apart.
    fit : {"free", "fixed", "difference"}
        Any centre; the origin; or the origin for the difference body
        :math:`\tfrac12 (K - K)`, whose support function is half the width of K.
    tolerance : float
        Relative gap at which to stop, at least 1e-12.

    Returns
    -------
    MinTraceEllipsoid
        Its gap is what was reached, whatever was asked for.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range, or the points coincide (with the origin if fixed).

    Notes
    -----
    The trace adds the squares of all coordinates, in whatever units they come: columns of one
    unit are meant. A thin direction is kept, however thin. Below 1e-10 of the longest it is not
    solved for but added: the ellipsoid around the sum of a body and segments of half-lengths h
    has the trace :math:`(\sqrt{\mathrm{tr}\, V} + \sum h)^2`, which for a box is the least, and
    always shows in the gap. A direction counts as flat if all points agree along it up to
    rounding, after every column is divided by its range.

    The minimum of Tang's slides (claim ``Tang-minV-ellipsoid``); duality as in
    Nikolov and Tang (2024).

    Examples
    --------
    >>> tips = np.vstack([np.eye(3), -np.eye(3)])
    >>> round(min_trace_ellipsoid(tips, fit="fixed").primal, 8)  # the cross-polytope: d
    3.0
    """
    cloud = np.asarray(_validate.real("points", points))
    if cloud.ndim != 2:
        raise ValueError(f"points must have two axes (points, d), got shape {cloud.shape}")
    _validate.choice("fit", fit, ("free", "fixed", "difference"))
    tolerance = _validate.one_real("tolerance", tolerance, minimum=1e-12, below=1)
    d = cloud.shape[1]
    _validate.memory("points", d, d)
    if fit == "difference":
        _validate.memory("points", len(cloud), _directions(d))
    ranges = _ranges(cloud, fit)
    # Differences from a point of the cloud are free of the rounding of a mean, which is the
    # better start for all but thin clouds.
    origin = np.zeros(d) if fit == "fixed" else cloud.mean(axis=0)
    plain = _span(_scaled(cloud, origin)[0], ranges, fit)
    if plain is not None:
        found = _fitted(cloud, origin, ranges, plain, plain[:, :0], fit, tolerance)
        if found.gap <= max(tolerance, _GOOD):
            return found
    tried = [] if plain is None else [found]
    origin = origin if fit == "fixed" else cloud[0]
    for thin in (_THIN, 1e-8, 1e-6, 1e-5, 1e-4):
        spans = _graded_span(_scaled(cloud, origin)[0], ranges, thin)
        if tried and not spans[1].size:
            continue
        tried.append(_fitted(cloud, origin, ranges, *spans, fit, tolerance))
        if tried[-1].gap <= max(tolerance, _GOOD):
            break
    return min(tried, key=lambda one: one.gap)


def _scaled(cloud: Array, origin: Array) -> tuple[Array, float]:
    """The cloud about an origin, in units of its size."""
    size = float(abs(cloud - origin).max())
    return (cloud - origin) / size, size


def _fitted(
    cloud: Array,
    origin: Array,
    ranges: Array,
    basis: Array,
    thin: Array,
    fit: Fit,
    tolerance: float,
) -> MinTraceEllipsoid:
    """The least ellipsoid within a basis, and the thin axes added to it."""
    d = cloud.shape[1]
    scaled, size = _scaled(cloud, origin)
    flat = scaled @ basis
    if fit == "difference":
        first, second, weights, excess = _difference(flat, tolerance)
        inner = (flat[first] - flat[second]) / 2
        contacts = (scaled[first] - scaled[second]) / 2
    else:
        weights = ascend(flat, fit == "free", tolerance)
        kept = weights > 0
        inner, contacts, weights, excess = flat[kept], scaled[kept], weights[kept], 0.0

    centre = weights @ inner if fit == "free" else np.zeros(flat.shape[1])
    roots, axes = spectrum(inner - centre, weights)
    if fit != "difference":
        gradient = (((flat - centre) @ axes) ** 2 / roots).sum(axis=1)
        excess = max(1.0, float(gradient.max() / roots.sum()))
    dual = float((size * roots.sum()) ** 2)
    lengths = np.sqrt(excess * roots.sum() * roots)
    home = np.zeros_like(origin) if fit == "difference" else origin
    # What rounding can hide: of the coordinates and, of a free centre, of its own place.
    place = _EPS * abs(cloud).max(axis=0) / size * (fit == "free")
    slack = 4 * d * _EPS + float(place.max())
    if thin.shape[1] == 0 and slack <= _GOOD * lengths.min():
        middle = home + size * centre @ basis.T
        return MinTraceEllipsoid(
            lengths=size * lengths,
            axes=basis @ axes,
            centre=middle,
            contacts=home + size * inner @ basis.T,
            weights=weights,
            primal=excess * dual,
            dual=dual,
            base=origin if fit == "difference" else middle,
        )
    # With what the points themselves have along the thin axes.
    centre = weights @ contacts if fit == "free" else np.zeros(d)
    along = scaled @ thin
    half = np.ptp(along, axis=0) / 2 if fit == "difference" else abs(along - centre @ thin).max(0)
    # Lone columns are read off without rounding, what comes out of a rotation is not.
    lone = (thin != 0).sum(axis=0) == 1
    half = half + np.where(lone, (4 * d * _EPS * ranges / size + place) @ abs(thin), slack)
    # Around a sum of ellipsoids with roots r of their traces: the sum of V / r, times that of r.
    main = np.sqrt(excess) * roots.sum()
    total = main + slack * len(lengths) + half.sum()
    middle = home + size * centre
    return MinTraceEllipsoid(
        lengths=size * np.sqrt(total * np.append(half, lengths**2 / main + slack)),
        axes=np.hstack([thin, basis @ axes]),
        centre=middle,
        contacts=home + size * contacts,
        weights=weights,
        primal=float((size * total) ** 2),
        dual=dual,
        base=origin if fit == "difference" else middle,
    )


def _ranges(cloud: Array, fit: Fit) -> Array:
    """How far the cloud extends along each coordinate, exactly zero where it does not."""
    largest = float(abs(cloud).max())
    if largest > _LARGEST / cloud.shape[1]:
        raise ValueError(
            f"points must be at most {_LARGEST:g} / d for their squares to be doubles, "
            f"got {largest:g}"
        )
    ranges = abs(cloud).max(axis=0) if fit == "fixed" else np.ptp(cloud, axis=0)
    if not ranges.any():
        raise ValueError("points must not coincide with the centre: every trace will do")
    if ranges.max() < _LEAST:
        raise ValueError(f"points must extend over at least {_LEAST:g}, got {ranges.max():g}")
    least = ranges[ranges > 0].min()
    if least < ranges.max() / _MOST_ASPECT:
        raise ValueError(
            f"points must extend along their columns by lengths that are a factor of at most "
            f"{_MOST_ASPECT:g} apart, got {least:g} and {ranges.max():g}"
        )
    return ranges


def _span(cloud: Array, ranges: Array, fit: Fit) -> Array | None:
    """Orthonormal basis, as columns, of the space that the points span; None if it has thin axes.

    The cloud has size one; its ranges may be in any unit.
    """
    values, axes = np.linalg.eigh(cloud.T @ cloud)
    # Directions that look flat to the squares are looked at again without squaring.
    if not (values < values[-1] * 1e-6).any():
        return axes
    _, singular, rows = np.linalg.svd(cloud, full_matrices=False)
    basis = rows[singular > singular[0] * _THIN].T
    moves = cloud if fit == "fixed" else cloud - cloud[0]
    held = basis.shape[1] == cloud.shape[1] or _holds(basis, moves, ranges)
    return basis if held and basis.shape[1] == _rank(moves, ranges) else None


def _graded_span(cloud: Array, ranges: Array, least: float) -> tuple[Array, Array]:
    """Axes to solve for and axes that are too thin for it, as columns, all orthonormal.

    Columns that are short beside the others are axes of their own: no rotation by doubles would
    leave them their digits.
    """
    d = len(ranges)
    long = ranges > least * ranges.max()
    short = (ranges > 0) & ~long
    within = cloud[:, long]
    rows = np.linalg.svd(within, full_matrices=False)[2]
    # An axis too many costs a little noise, one too few the privacy of what lies along it.
    most = _rank(within, ranges[long])
    while most < len(rows) and not _holds(rows[:most].T, within, ranges[long]):
        most += 1
    thick = abs(within @ rows.T).max(axis=0) > least
    axes = np.zeros((d, len(rows)))
    axes[long] = rows.T
    thin = ~thick & (np.arange(len(rows)) < most)
    return axes[:, thick], np.hstack([np.eye(d)[:, short], axes[:, thin]])


def _rank(moves: Array, ranges: Array) -> int:
    """Directions along which the points differ by more than rounding, in columns of one range."""
    even = moves[:, ranges > 0]
    even = even / abs(even).max(axis=0)
    rows = np.linalg.svd(even, full_matrices=False)[2]
    return int((abs(even @ rows.T).max(axis=0) > 16 * len(ranges) * _EPS).sum())


def _holds(basis: Array, moves: Array, ranges: Array) -> bool:
    """Whether every coordinate of the points is in the span, next to its own range."""
    rest, whole = (abs(part).max(axis=0) for part in (moves - moves @ basis @ basis.T, moves))
    return bool((rest <= _MISSED * whole)[ranges > 0].all())


def _difference(
    cloud: Array, tolerance: float
) -> tuple[NDArray[np.intp], NDArray[np.intp], Array, float]:
    """Pairs whose half-differences carry the weight, their weights, the excess over all pairs."""
    first, second = _starting_pairs(cloud)
    aim = 1e-4  # while pairs are still missing, more digits are wasted
    for _ in range(_SEARCHES):
        halves = (cloud[first] - cloud[second]) / 2
        weights = ascend(halves, False, max(aim, tolerance / 2))
        kept = weights > 0
        found = first[kept], second[kept], weights[kept]
        roots, axes = spectrum(halves[kept], weights[kept])
        gauge = ((halves @ axes) ** 2 / roots).sum(axis=1) / roots.sum()
        known = float(gauge.max())
        excess, one, other = _farthest(cloud @ axes / np.sqrt(roots * roots.sum()), max(known, 1.0))
        if excess - 1 <= tolerance or (not len(one) and aim <= tolerance / 2):
            break
        aim = min(aim, (excess - 1) / 30) if len(one) else tolerance / 2
        # Pairs far inside stay out; what is inside by mistake is found by the next search.
        stay = gauge > 0.9
        stay[np.flatnonzero(kept)] = True
        pairs = np.unique(
            np.concatenate([np.stack([first[stay], second[stay]], 1), np.stack([one, other], 1)]),
            axis=0,
        )
        first, second = pairs.T
    return *found, max(excess, known, 1.0)


def _starting_pairs(cloud: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs if they are few, else the ends of the cloud in many directions."""
    n, d = cloud.shape
    if n * (n - 1) // 2 <= _PAIRS:
        return np.triu_indices(n, 1)
    # Any spanning set of directions will do; a fixed seed makes the result reproducible.
    theta = np.random.default_rng(0).normal(size=(d, _directions(d)))
    along = cloud @ theta
    pairs = np.stack([along.argmax(axis=0), along.argmin(axis=0)], 1)
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    return pairs[:, 0], pairs[:, 1]


def _directions(d: int) -> int:
    """How many directions find the ends of a cloud."""
    return 20 * d + 200


def _farthest(whitened: Array, known: float) -> tuple[float, NDArray[np.intp], NDArray[np.intp]]:
    """Largest squared half-distance, and the pairs (a few for each point) beyond the known one."""
    n = len(whitened)
    norms = (whitened**2).sum(axis=1)
    worst, ones, others, reaches = known, [], [], []
    step = max(1, min(_CHUNK, _TABLE // n))
    for start in range(0, n, step):
        block = whitened[start : start + step]
        squares = norms[start : start + step, None] + norms - 2 * block @ whitened.T
        squares /= 4
        far = squares.argmax(axis=1)
        reach = squares[np.arange(len(block)), far]
        worst = max(worst, float(reach.max()))
        found = np.flatnonzero(reach > known * (1 + 1e-13))
        reaches.append(reach[found])
        ones.append(found + start)
        others.append(far[found])
    worse = np.argsort(-np.concatenate(reaches), kind="stable")[:_NEW]
    one, other = np.concatenate(ones)[worse], np.concatenate(others)[worse]
    return worst, np.minimum(one, other), np.maximum(one, other)
