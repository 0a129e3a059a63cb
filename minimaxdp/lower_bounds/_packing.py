r"""Packings: many points far apart, counted by volume and constructed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from minimaxdp import _validate
from minimaxdp._types import Real, Rng

__all__ = ["log_binary_packing_size", "separation", "sphere_packing", "sphere_packing_size"]


@_validate.broadcasting
def sphere_packing_size(d: ArrayLike, distance: ArrayLike) -> Real:
    r"""How many points of the unit sphere can certainly be kept apart.

    .. math:: |\mathcal V| \ge \frac1{\sigma(C)}
              = \frac{2}{I_{\sin^2\varphi}\big(\frac{d-1}2, \frac12\big)}, \qquad
              \sin\frac\varphi2 = \frac{s}2

    since the caps C of chord s around the points of a maximal s-packing cover the sphere. For
    s = 1/2 this is at least :math:`2^d`.

    Parameters
    ----------
    d : array_like of int
        Dimension of the space, at least 2.
    distance : array_like
        Euclidean separation s, in (0, sqrt 2].

    Returns
    -------
    float or ndarray
        At least 2; infinite beyond the doubles.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), the packing in the proof of Proposition 4 (claim ``BD-Prop4``).

    Examples
    --------
    >>> bool(sphere_packing_size(10, 0.5) > 2**10)
    True
    """
    d = _validate.integer("d", d, minimum=2)
    distance = _validate.real("distance", distance, above=0, maximum=np.sqrt(2))
    sine2 = np.minimum(distance**2 * (1 - distance**2 / 4), 1.0)
    with np.errstate(divide="ignore", over="ignore"):  # beyond the doubles the count is infinite
        return 2 / special.betainc((d - 1) / 2, 0.5, sine2)


def sphere_packing(
    d: int,
    distance: float,
    *,
    rng: Rng = None,
    candidates: int = 20_000,
) -> NDArray[np.float64]:
    """Points of the unit sphere, no two closer than a given distance.

    In the plane a regular polygon, which is best possible. Otherwise random candidates are
    taken one after the other, each kept if it is far enough from those kept before.

    Parameters
    ----------
    d : int
        Dimension of the space, at least 2.
    distance : float
        Euclidean separation, from 1e-5 to 2.
    rng : Generator, int or None
    candidates : int
        How many are tried, from 1 to a million.

    Returns
    -------
    ndarray, shape (points, d)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> points = sphere_packing(3, 0.5, rng=0)
    >>> len(points) >= 2**3, separation(points) >= 0.5
    (True, True)
    """
    d = _validate.one_integer("d", d, minimum=2)
    distance = _validate.one_real("distance", distance, minimum=1e-5, maximum=2)
    candidates = _validate.one_integer("candidates", candidates, minimum=1, maximum=10**6)
    _validate.memory("d", candidates, d, 2)
    if d == 2:
        corners = int(np.floor(np.pi / np.arcsin(distance / 2) * (1 + 1e-12)))
        angles = 2 * np.pi * np.arange(corners) / corners
        return np.column_stack([np.cos(angles), np.sin(angles)])
    rng = _validate.generator(rng)
    points = rng.standard_normal((candidates, d))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    # Each pass keeps the first candidate left and removes its cap: passes are few, as every
    # one of them adds a point of the packing.
    kept = []
    while len(points):
        kept.append(points[0])
        points = points[((points - points[0]) ** 2).sum(axis=1) >= distance**2]
    return np.array(kept)


def separation(points: ArrayLike) -> float:
    """Least distance between two of a set of points.

    Parameters
    ----------
    points : array_like, shape (points, d)
        At least two.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two points.

    Examples
    --------
    >>> separation([[0.0, 0.0], [3.0, 4.0], [10.0, 0.0]])
    5.0
    """
    from scipy.spatial.distance import pdist

    points = np.asarray(_validate.real("points", points))
    if points.ndim != 2 or len(points) < 2:
        raise ValueError(f"points must be a matrix of at least 2 rows, got shape {points.shape}")
    return float(pdist(points).min())


def log_binary_packing_size(bits: int, distance: ArrayLike) -> Real:
    r"""Logarithm of the number of sign vectors that can certainly be kept apart.

    .. math:: \ln |\mathcal V| \ge \ln \frac{2^b}{\sum_{i < h} \binom bi}

    by Gilbert and Varshamov: the balls around a maximal code cover the cube.

    Parameters
    ----------
    bits : int
        Length b, at least 1.
    distance : array_like of int
        Hamming separation h, from 1 to b.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> round(float(np.exp(log_binary_packing_size(4, 1))), 9)
    16.0
    """
    from scipy.stats import binom

    bits = _validate.one_integer("bits", bits, minimum=1)
    distance = _validate.integer("distance", distance, minimum=1, maximum=bits)
    share = binom.cdf(np.asarray(distance) - 1, bits, 0.5)
    # Where the share underflows, Chernoff's bound on it serves: it is close, and a bound.
    q = np.minimum((np.asarray(distance) - 1) / bits, 0.5)
    chernoff = bits * (np.log(2) - special.entr(q) - special.entr(1 - q))
    return np.where(share > 1e-200, -np.log(np.maximum(share, 1e-200)), chernoff)[()]
