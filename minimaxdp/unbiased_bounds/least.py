"""The ellipsoid of least trace around a cloud of points, with its certificate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp.unbiased_bounds._ascent import ascend, spectrum

__all__ = ["LeastEllipsoid", "least_ellipsoid"]

Array = NDArray[np.float64]
Fit = Literal["fixed", "free", "difference"]

# Relative thickness below which a cloud is flat.
_FLAT = 1e-10
# Pairs of points that are listed at once; beyond it they are searched for.
_PAIRS = 20_000
_SEARCHES = 60
_NEW = 1_000  # of the pairs that a search finds outside, the worst
_CHUNK = 2_000


@dataclass(frozen=True)
class LeastEllipsoid:
    r"""An ellipsoid :math:`c + V^{1/2} B_2^d` around a body, and the proof that it is least.

    The trace of V is the sum of the squared half-axes. Any body inside has

    .. math:: \mathrm{dual} = \Big(\mathrm{tr} \sqrt{\textstyle\sum_i w_i z_i z_i^T}\Big)^2
              \le \min \mathrm{tr}\, V \le \mathrm{primal} = \mathrm{tr}\, V,
              \qquad z_i = \text{contact}_i - c,

    for the contacts and weights below (the centre of a free fit is their weighted mean).

    Attributes
    ----------
    lengths : ndarray, shape (r,)
        Half-axes that are not zero; r is the dimension that the body spans.
    axes : ndarray, shape (d, r)
        Their directions, orthonormal columns.
    centre : ndarray, shape (d,)
    contacts : ndarray, shape (k, d)
        Points of the body that carry the weight.
    weights : ndarray, shape (k,)
        Positive, of sum one.
    primal, dual : float
        Upper and lower bound on the least trace.

    Examples
    --------
    >>> square = least_ellipsoid([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> round(square.primal, 9), square.rank, square.gap < 1e-8
    (4.0, 2, True)
    """

    lengths: Array = field(repr=False)
    axes: Array = field(repr=False)
    centre: Array = field(repr=False)
    contacts: Array = field(repr=False)
    weights: Array = field(repr=False)
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """Primal over dual value, minus one: the certificate."""
        return self.primal / self.dual - 1

    @property
    def rank(self) -> int:
        """Dimension of the space that the body spans."""
        return len(self.lengths)

    @property
    def matrix(self) -> Array:
        """V, shape (d, d), positive semidefinite."""
        return (self.axes * self.lengths**2) @ self.axes.T

    @property
    def root(self) -> Array:
        r"""The factor :math:`V^{1/2}` without its zero columns, shape (d, rank)."""
        return self.axes * self.lengths

    def gauge(self, points: ArrayLike) -> Any:
        """Distance from the centre in units of the ellipsoid: at most 1 inside.

        Infinite for a point off the space that a flat ellipsoid spans.
        """
        points = _validate.vectors("points", points, len(self.centre))
        shifted = points - self.centre
        inside = shifted @ self.axes
        off = np.linalg.norm(shifted - inside @ self.axes.T, axis=-1)
        gauge = np.linalg.norm(inside / self.lengths, axis=-1)
        reach = np.abs(points).max() + self.lengths.max()
        return np.where(off > 1e-8 * reach, np.inf, gauge)[()]


def least_ellipsoid(
    points: ArrayLike, *, fit: Fit = "free", tolerance: float = 1e-9
) -> LeastEllipsoid:
    r"""The ellipsoid of least trace that contains a cloud of points.

    .. math:: \min\{\mathrm{tr}\, V : K \subseteq c + V^{1/2} B_2^d\}
              = \max_w \Big(\mathrm{tr} \sqrt{\textstyle\sum_i w_i (v_i - c_w)(v_i - c_w)^T}\Big)^2

    A convex problem; the maximum is over probability vectors, with :math:`c_w` zero for a
    fixed centre and the mean :math:`\sum_i w_i v_i` for a free one.

    Parameters
    ----------
    points : array_like, shape (N, d)
        Points whose convex hull is K; a flat cloud is fitted within the space it spans.
    fit : {"free", "fixed", "difference"}
        Any centre; the origin; or the origin for the difference body
        :math:`\tfrac12 (K - K)`, whose support function is half the width of K.
    tolerance : float
        Relative gap at which to stop, at least 1e-12.

    Returns
    -------
    LeastEllipsoid
        Its gap is what was reached, whatever was asked for.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range, or the points coincide (with the origin if fixed).

    Notes
    -----
    The minimum of Tang's slides (claim ``Tang-minV-ellipsoid``); duality as in
    Nikolov and Tang (2024).

    Examples
    --------
    >>> tips = np.vstack([np.eye(3), -np.eye(3)])
    >>> round(least_ellipsoid(tips, fit="fixed").primal, 8)  # the cross-polytope: d
    3.0
    """
    cloud = np.asarray(_validate.real("points", points))
    if cloud.ndim != 2:
        raise ValueError(f"points must have two axes (points, d), got shape {cloud.shape}")
    if fit not in ("free", "fixed", "difference"):
        raise ValueError(f"fit must be 'free', 'fixed' or 'difference', got {fit!r}")
    tolerance = _validate.one_real("tolerance", tolerance, minimum=1e-12, below=1)
    origin = np.zeros(cloud.shape[1]) if fit == "fixed" else cloud.mean(axis=0)
    size = float(abs(cloud - origin).max())
    if size == 0:
        raise ValueError("points must not coincide with the centre: every trace will do")
    flat, basis = _span((cloud - origin) / size)
    if fit == "difference":
        inner, weights, excess = _difference(flat, tolerance)
    else:
        weights = ascend(flat, fit == "free", tolerance)
        kept = weights > 0
        inner, weights, excess = flat[kept], weights[kept], None

    centre = weights @ inner if fit == "free" else np.zeros(flat.shape[1])
    roots, axes = spectrum(inner - centre, weights)
    if excess is None:
        gradient = (((flat - centre) @ axes) ** 2 / roots).sum(axis=1)
        excess = max(1.0, float(gradient.max() / roots.sum()))
    dual = float((size * roots.sum()) ** 2)
    home = np.zeros_like(origin) if fit == "difference" else origin
    return LeastEllipsoid(
        lengths=size * np.sqrt(excess * roots.sum() * roots),
        axes=basis @ axes,
        centre=home + size * centre @ basis.T,
        contacts=home + size * inner @ basis.T,
        weights=weights,
        primal=excess * dual,
        dual=dual,
    )


def _span(cloud: Array) -> tuple[Array, Array]:
    """Coordinates in the space that the points span, and its orthonormal basis as columns."""
    values, axes = np.linalg.eigh(cloud.T @ cloud)
    # Directions that look flat to the squares are looked at again without squaring.
    flat = values < values[-1] * 1e-6
    if flat.any():
        _, singular, rows = np.linalg.svd(cloud, full_matrices=False)
        basis = rows[singular > singular[0] * _FLAT].T
        return cloud @ basis, basis
    return cloud @ axes, axes


def _difference(cloud: Array, tolerance: float) -> tuple[Array, Array, float]:
    """Half-differences that carry the weight, their weights, and the excess over all pairs."""
    first, second = _starting_pairs(cloud)
    aim = 1e-4  # while pairs are still missing, more digits are wasted
    for _ in range(_SEARCHES):
        halves = (cloud[first] - cloud[second]) / 2
        weights = ascend(halves, False, max(aim, tolerance / 2))
        kept = weights > 0
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
    return halves[kept], weights[kept], max(excess, known, 1.0)


def _starting_pairs(cloud: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs if they are few, else the ends of the cloud in many directions."""
    n, d = cloud.shape
    if n * (n - 1) // 2 <= _PAIRS:
        return np.triu_indices(n, 1)
    # Any spanning set of directions will do; a fixed seed makes the result reproducible.
    theta = np.random.default_rng(0).normal(size=(d, 20 * d + 200))
    along = cloud @ theta
    pairs = np.stack([along.argmax(axis=0), along.argmin(axis=0)], 1)
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    return pairs[:, 0], pairs[:, 1]


def _farthest(whitened: Array, known: float) -> tuple[float, NDArray[np.intp], NDArray[np.intp]]:
    """Largest squared half-distance, and the pairs (a few for each point) beyond the known one."""
    n = len(whitened)
    norms = (whitened**2).sum(axis=1)
    worst, ones, others, reaches = known, [], [], []
    for start in range(0, n, _CHUNK):
        block = whitened[start : start + _CHUNK]
        squares = norms[start : start + _CHUNK, None] + norms - 2 * block @ whitened.T
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
