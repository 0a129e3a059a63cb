"""Convex bodies through their support functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real
from minimaxdp.hypercube import corners as sign_vectors

__all__ = [
    "ConvexBody",
    "cross_polytope",
    "hypercube_body",
    "ellipsoid",
    "image",
    "minkowski_sum",
    "polytope",
    "simplex",
    "zonotope",
]

# Vertices listed at most, and the power of two that they are; beyond it a body is known by its
# support function alone.
_MOST_SIGNS = 16
_MOST = 2**_MOST_SIGNS


@dataclass(frozen=True)
class ConvexBody:
    r"""A compact convex body K, as the support function that determines it.

    .. math:: h_K(\theta) = \sup_{x \in K} \theta^T x, \qquad
              w_K(\theta) = h_K(\theta) + h_K(-\theta)

    Made by :func:`ellipsoid`, :func:`hypercube_body`, :func:`cross_polytope`, :func:`simplex`,
    :func:`polytope`, :func:`zonotope`, :func:`image` and :func:`minkowski_sum`.

    Attributes
    ----------
    d : int
        Dimension of the space.
    vertices : ndarray, shape (N, d), or None
        Points whose convex hull is the body, where they are few.

    Raises
    ------
    TypeError, ValueError
        If d is not a positive integer, the support function cannot be called, or the vertices
        have not d columns.

    Notes
    -----
    Tang's slides (claims ``Tang-support``, ``Tang-width``).

    Examples
    --------
    >>> segment = polytope([[5.0], [6.0]])
    >>> float(segment.support([1.0])), float(segment.width([1.0]))
    (6.0, 1.0)
    """

    d: int
    support_function: Callable[[Array], Array] = field(repr=False)
    vertices: Array | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        d = _validate.one_integer("d", self.d, minimum=1)
        _validate.function("support_function", self.support_function)
        corners = self.vertices
        if corners is not None:
            corners = _matrix("vertices", corners)
            if corners.shape[1] != d:
                raise ValueError(f"vertices must have d = {d} columns, got {corners.shape[1]}")
        _validate.freeze(self, d=d, vertices=corners)

    def support(self, theta: ArrayLike) -> Real:
        """Support function h: directions (..., d) to numbers (...); any length of theta."""
        return self.support_function(_validate.vectors("theta", theta, self.d))[()]

    def width(self, theta: ArrayLike) -> Real:
        """Width w: the extent of the body along theta, times the length of theta."""
        theta = _validate.vectors("theta", theta, self.d)
        return (self.support_function(theta) + self.support_function(-theta))[()]


def ellipsoid(matrix: ArrayLike, centre: ArrayLike | None = None) -> ConvexBody:
    r"""The image of the unit ball under a matrix, :math:`c + U B_2^k`.

    .. math:: h(\theta) = c^T \theta + \|U^T \theta\|_2

    Parameters
    ----------
    matrix : array_like, shape (d, k)
        Any matrix U; a singular one gives a flat body, the identity the unit ball.
    centre : array_like, shape (d,), optional
        By default the origin.

    Returns
    -------
    Body

    Raises
    ------
    TypeError, ValueError
        If an entry is not a finite number or the shapes do not match.

    Notes
    -----
    Tang's slides (claim ``Tang-mean``).

    Examples
    --------
    >>> round(float(ellipsoid([[3.0, 0.0], [0.0, 4.0]]).width([0.0, 1.0])), 12)
    8.0
    """
    u = _matrix("matrix", matrix)
    c = np.zeros(len(u)) if centre is None else _vector("centre", centre, len(u))
    return ConvexBody(len(u), lambda theta: theta @ c + np.linalg.norm(theta @ u, axis=-1))


def polytope(vertices: ArrayLike) -> ConvexBody:
    r"""The convex hull of points.

    .. math:: h(\theta) = \max_i \theta^T v_i

    Parameters
    ----------
    vertices : array_like, shape (N, d)
        Points; those inside the hull of the others do no harm.

    Returns
    -------
    Body

    Raises
    ------
    TypeError, ValueError
        If an entry is not a finite number or the array has not two axes.

    Examples
    --------
    >>> triangle = polytope([[0, 0], [2, 0], [0, 1]])
    >>> triangle.width([[1, 0], [0, 1]])
    array([2., 1.])
    """
    points = _matrix("vertices", vertices)
    return ConvexBody(points.shape[1], lambda theta: (theta @ points.T).max(axis=-1), points)


def hypercube_body(d: int, half_width: float = 1.0) -> ConvexBody:
    r"""The cube :math:`[-r, r]^d`.

    .. math:: h(\theta) = r \|\theta\|_1

    Parameters
    ----------
    d : int
        Dimension, at least 1; vertices are listed up to 16.
    half_width : float
        Half the length r of an edge, positive.

    Returns
    -------
    Body

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> float(hypercube_body(3).width([1, 1, 1])), len(hypercube_body(3).vertices)
    (6.0, 8)
    """
    d = _validate.one_integer("d", d, minimum=1)
    r = _validate.one_real("half_width", half_width, above=0)
    corners = r * sign_vectors(d) if d <= _MOST_SIGNS else None
    return ConvexBody(d, lambda theta: r * abs(theta).sum(axis=-1), corners)


def cross_polytope(d: int, radius: float = 1.0) -> ConvexBody:
    r"""The cross-polytope, the hull of :math:`\pm r e_1, \dots, \pm r e_d`.

    .. math:: h(\theta) = r \|\theta\|_\infty

    Parameters
    ----------
    d : int
        Dimension, at least 1.
    radius : float
        Distance r of the vertices from the origin, positive.

    Returns
    -------
    Body

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> float(cross_polytope(3).support([1, -5, 2]))
    5.0
    """
    d = _validate.one_integer("d", d, minimum=1)
    r = _validate.one_real("radius", radius, above=0)
    _validate.memory("d", 2 * d, d)
    tips = r * np.vstack([np.eye(d), -np.eye(d)])
    return ConvexBody(d, lambda theta: r * abs(theta).max(axis=-1), tips)


def simplex(d: int) -> ConvexBody:
    r"""The probability simplex, the hull of :math:`e_1, \dots, e_d`; flat, away from the origin.

    .. math:: h(\theta) = \max_i \theta_i

    Parameters
    ----------
    d : int
        Number of categories, at least 2.

    Returns
    -------
    Body

    Raises
    ------
    TypeError, ValueError
        If d is not an integer, at least 2.

    Examples
    --------
    >>> float(simplex(3).width([1, 1, 1])), float(simplex(3).width([1, -1, 0]))
    (0.0, 2.0)
    """
    d = _validate.one_integer("d", d, minimum=2)
    _validate.memory("d", d, d)
    return ConvexBody(d, lambda theta: theta.max(axis=-1), np.eye(d))


def zonotope(generators: ArrayLike) -> ConvexBody:
    r"""The sum of the segments from :math:`-z_j` to :math:`z_j`: a cube's shadow.

    .. math:: h(\theta) = \sum_j |\theta^T z_j|

    Parameters
    ----------
    generators : array_like, shape (m, d)
        The vectors z; points that contain all vertices are listed up to m = 16.

    Returns
    -------
    Body

    Raises
    ------
    TypeError, ValueError
        If an entry is not a finite number or the array has not two axes.

    Examples
    --------
    >>> float(zonotope([[1, 0], [0, 1], [1, 1]]).support([1, 2]))
    6.0
    """
    z = _matrix("generators", generators)
    corners = sign_vectors(len(z)) @ z if len(z) <= _MOST_SIGNS else None
    return ConvexBody(z.shape[1], lambda theta: abs(theta @ z.T).sum(axis=-1), corners)


def image(matrix: ArrayLike, body: ConvexBody) -> ConvexBody:
    r"""The image of a body under a linear map.

    .. math:: h_{AK}(\theta) = h_K(A^T \theta)

    Parameters
    ----------
    matrix : array_like, shape (e, d)
    body : Body
        In d dimensions.

    Returns
    -------
    Body
        In e dimensions.

    Raises
    ------
    TypeError, ValueError
        If the shapes do not match or the body is not one.

    Examples
    --------
    >>> float(image([[2.0, 0.0]], hypercube_body(2)).width([1.0]))
    4.0
    """
    a = _matrix("matrix", matrix)
    _check_bodies(body)
    if a.shape[1] != body.d:
        raise ValueError(f"matrix must have {body.d} columns, got {a.shape[1]}")
    corners = None if body.vertices is None else body.vertices @ a.T
    return ConvexBody(len(a), lambda theta: body.support_function(theta @ a), corners)


def minkowski_sum(*bodies: ConvexBody) -> ConvexBody:
    r"""All sums of one point from each body.

    .. math:: h_{K + L} = h_K + h_L

    Parameters
    ----------
    *bodies : Body
        At least one, all of one dimension.

    Returns
    -------
    Body

    Raises
    ------
    TypeError, ValueError
        If there is no body or their dimensions differ.

    Examples
    --------
    >>> float(minkowski_sum(hypercube_body(2), ellipsoid(np.eye(2))).support([3.0, 4.0]))
    12.0
    """
    _check_bodies(*bodies, name="bodies")
    dimensions = {body.d for body in bodies}
    if len(dimensions) != 1:
        raise ValueError(f"bodies must be at least one and of one dimension, got {dimensions}")
    corners: Array | None = np.zeros((1, bodies[0].d))
    for body in bodies:
        if corners is None or body.vertices is None or len(corners) * len(body.vertices) > _MOST:
            corners = None
        else:
            corners = (corners[:, None] + body.vertices).reshape(-1, bodies[0].d)
    first, rest = bodies[0], bodies[1:]

    def support(theta: Array) -> Array:
        return sum((one.support_function(theta) for one in rest), first.support_function(theta))

    return ConvexBody(first.d, support, corners)


def _matrix(name: str, value: ArrayLike) -> Array:
    array = np.asarray(_validate.real(name, value))
    if array.ndim != 2:
        raise ValueError(f"{name} must have two axes, got shape {array.shape}")
    return array


def _vector(name: str, value: ArrayLike, d: int) -> Array:
    array = np.asarray(_validate.real(name, value))
    if array.shape != (d,):
        raise ValueError(f"{name} must have shape ({d},), got {array.shape}")
    return array


def _check_bodies(*bodies: ConvexBody, name: str = "body") -> None:
    for body in bodies:
        _validate.instance(name, body, ConvexBody)
