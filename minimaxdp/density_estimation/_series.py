"""Orthogonal series, and the private sampler of Duchi, Jordan and Wainwright."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.density_estimation import _sizes
from minimaxdp.density_estimation._densities import Density
from minimaxdp.guarantees import Guarantee, Local, Pure
from minimaxdp.hypercube import HypercubeMechanism, alignment, corners, walsh_hadamard

__all__ = [
    "PrivateSeries",
    "best_truncation",
    "coefficients",
    "ellipsoid_norm",
    "series_risk",
    "trigonometric",
]

_CHUNK = 2**19
# No coefficient of a density is larger, since no basis function is; a trifle for rounding.
_MOST = np.sqrt(2) * (1 + 1e-9)
_LEVELS = 10**6


def trigonometric(x: ArrayLike, k: int) -> Array:
    r"""The first k functions of the trigonometric basis after the constant.

    .. math:: \varphi_{2m-1}(x) = \sqrt2 \cos 2\pi m x, \qquad
              \varphi_{2m}(x) = \sqrt2 \sin 2\pi m x

    Parameters
    ----------
    x : array_like, shape (...)
        Numbers in [0, 1].
    k : int
        Number of functions, at least 1.

    Returns
    -------
    ndarray, shape (..., k)
        Between -sqrt(2) and sqrt(2).

    Raises
    ------
    TypeError, ValueError
        If x leaves [0, 1] or k is not a positive integer.

    Examples
    --------
    >>> trigonometric(0.0, 3).round(3).tolist()
    [1.414, 0.0, 1.414]
    """
    x = np.asarray(_validate.real("x", x, minimum=0, maximum=1))
    k = _validate.one_integer("k", k, minimum=1)
    _validate.memory("k", x.size, k)
    j = np.arange(1, k + 1)
    angle = 2 * np.pi * x[..., None] * ((j + 1) // 2)
    return np.sqrt(2) * np.where(j % 2 == 1, np.cos(angle), np.sin(angle))


def coefficients(density: Density, k: int) -> Array:
    r"""Coefficients of a density in the trigonometric basis, by Gauss-Legendre quadrature.

    .. math:: \theta_j = \int_0^1 f \varphi_j, \qquad 1 \le j \le k

    Parameters
    ----------
    density : Density
        Smooth between multiples of 1/256; a rougher one loses digits.
    k : int
        Number of coefficients, at least 1.

    Returns
    -------
    ndarray, shape (k,)

    Raises
    ------
    TypeError, ValueError
        If k is not a positive integer, or the density is not one.

    Examples
    --------
    >>> from minimaxdp.density_estimation import ripple
    >>> abs(coefficients(ripple(0.5), 2)).round(6).tolist()
    [0.353553, 0.0]
    """
    density = _sizes.density(density)
    x, w = _quadrature()
    return (w * density.pdf(x)) @ trigonometric(x, k)


def ellipsoid_norm(theta: ArrayLike, beta: float) -> Real:
    r"""Sobolev norm of a coefficient vector: :math:`(\sum_j j^{2\beta} \theta_j^2)^{1/2}`.

    Parameters
    ----------
    theta : array_like, shape (..., k)
        Coefficients of the functions 1, ..., k.
    beta : float
        Order, positive; the largest weight, k^(2 beta), is at most 1e100.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Notes
    -----
    Klein's article, Sobolev class, with coefficients where it prints basis functions (claim
    ``Klein-Sobolev``).

    Examples
    --------
    >>> float(ellipsoid_norm([0.0, 0.5], beta=1.0))
    1.0
    """
    theta = _sizes.coefficients("theta", theta)
    _validate.real("theta", theta, minimum=-_sizes.LARGE, maximum=_sizes.LARGE)
    beta = _validate.one_real("beta", beta, above=0)
    k = theta.shape[-1]
    if 2 * beta * np.log10(k) > 100:
        raise ValueError(f"beta must leave weights j^(2 beta) of at most 1e100, got {beta:g}")
    j = np.arange(1, k + 1)
    return np.sqrt((j ** (2 * beta) * theta**2).sum(axis=-1))


@dataclass(frozen=True)
class PrivateSeries:
    r"""Locally private density estimate by k trigonometric coefficients.

    .. math:: \hat f = 1 + \sum_{j \le k} \hat\theta_j \varphi_j, \qquad
              \hat\theta = \frac1n \sum_i Z_i

    with the report of :math:`(\varphi_j(X_i))_{j \le k}` by
    :class:`~minimaxdp.hypercube.HypercubeMechanism`.
    Exactly epsilon-locally private, and it integrates to one.

    Parameters
    ----------
    epsilon : float
        Privacy budget of each person in nats, positive.
    k : int
        Truncation level, at least 1. From an even level to the next odd one the size of a report
        does not grow.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    Attains the rate of Klein's theorem at every smoothness (claim ``Klein-private-rate``).

    Examples
    --------
    >>> series = PrivateSeries(1.0, 3)
    >>> theta = series.release(np.linspace(0, 1, 1000), rng=0)
    >>> theta.shape, series.density(theta, [0.5]).shape
    ((3,), (1,))
    """

    epsilon: float
    k: int

    def __post_init__(self) -> None:
        k = _validate.one_integer("k", self.k, minimum=1)
        _validate.memory("k", k)
        _validate.freeze(self, epsilon=_sizes.one_epsilon(self.epsilon), k=k)

    @property
    def privacy(self) -> Guarantee:
        """Local pure privacy at epsilon, exactly."""
        return Local(Pure(self.epsilon))

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """One record at either end of a wave."""
        return np.zeros(1), np.full(1, 0.5)

    @property
    def cube(self) -> HypercubeMechanism:
        """The mechanism that every person runs."""
        return HypercubeMechanism(self.epsilon, self.k, float(np.sqrt(2)))

    def release(self, data: ArrayLike, *, rng: Rng = None) -> Array:
        """Unbiased coefficients from records in [0, 1], in bounded memory: shape (k,)."""
        data = np.asarray(_validate.real("data", data, minimum=0, maximum=1))
        if data.ndim != 1:
            raise ValueError(f"data must be a vector of records, got shape {data.shape}")
        rng, cube = _validate.generator(rng), self.cube
        total = np.zeros(self.k, dtype=np.int64)
        rows = max(1, _CHUNK // self.k)
        for start in range(0, data.size, rows):
            features = trigonometric(data[start : start + rows], self.k)
            total += cube._signs(features, rng).sum(axis=0, dtype=np.int64)
        return cube.magnitude * total / data.size

    def density(self, theta: ArrayLike, x: ArrayLike) -> Array:
        """The estimated curve of k coefficients at points of [0, 1]; it may dip below zero."""
        theta = np.asarray(_validate.real("theta", theta))
        if theta.ndim == 0 or theta.shape[0] != self.k:
            raise ValueError(f"theta must hold {self.k} coefficients, got shape {theta.shape}")
        return 1 + trigonometric(x, self.k) @ theta

    @_validate.broadcasting
    def risk(self, theta: ArrayLike, n: ArrayLike, *, tail: ArrayLike = 0.0) -> Real:
        """Exact risk: see :func:`series_risk`.

        Examples
        --------
        >>> float(PrivateSeries(1.0, 1).risk([0.5], 1000).round(5))
        0.00911
        """
        return series_risk(n, theta, self.epsilon, tail=tail)

    def report_law(self, density: Density) -> Array:
        r"""Probability of each of the 2**k reports of one person, for k at most 20.

        .. math:: P(z) = \sum_v r(v)\, Q(z \mid v), \qquad
                  r(v) = \int_0^1 f \prod_{j \le k} \frac{1 + v_j \varphi_j / \sqrt2}2

        The coordinates are rounded independently given the record; r comes by Gauss-Legendre
        quadrature, to 12 digits for a density that is smooth between multiples of 1/256.
        The channel Q depends on the product of z and v alone, so that the sum is a convolution
        over sign vectors, done by the transform of Walsh and Hadamard.

        Parameters
        ----------
        density : Density

        Returns
        -------
        ndarray, shape (2**k,)
            In the order of ``itertools.product([-1, 1], repeat=k)``.

        Raises
        ------
        TypeError, ValueError
            If the density is not one, or k exceeds 20.

        Examples
        --------
        >>> from minimaxdp.density_estimation import linear
        >>> PrivateSeries(1.0, 1).report_law(linear(0.0)).round(6).tolist()
        [0.5, 0.5]
        """
        density = _sizes.density(density)
        _validate.one_integer("k", self.k, minimum=1, maximum=20)  # the reports are enumerated
        x, w = _quadrature()
        up = 0.5 + trigonometric(x, self.k) / np.sqrt(8)
        half = self.k // 2
        first, second = _products(up[:, :half]), _products(up[:, half:])
        # Without BLAS, whose kernels round in as many ways as there are processors: half of the
        # draws of `simulate` have a chance of one half, and turn around at the least change.
        weighted = (w * density.pdf(x))[:, None] * second
        rounded = np.einsum("xi,xj->ij", first, weighted).ravel()
        rounded /= rounded.sum()
        # The channel as a function of the number of coordinates in which z and v differ.
        differ = np.zeros(1, dtype=np.int64)
        for _ in range(self.k):
            differ = np.concatenate([differ, differ + 1])
        told = 1 + np.tanh(self.epsilon / 2) * np.sign(self.k - 2 * differ)
        law = walsh_hadamard(walsh_hadamard(rounded) * walsh_hadamard(told)) / 4.0**self.k
        return law / law.sum()

    def simulate(self, density: Density, n: int, *, rng: Rng = None, size: int = 1) -> Array:
        """Draw :meth:`release` on fresh samples, at a cost that does not depend on n.

        The reports of n people are multinomial over the 2**k corners of :meth:`report_law`,
        so that the draws are exact in law.

        Parameters
        ----------
        density : Density
            From which the records are drawn.
        n : int
            Number of people, at least 1.
        rng : Generator, int or None
        size : int
            Independent replications, at least 1.

        Returns
        -------
        ndarray, shape (size, k)

        Raises
        ------
        TypeError, ValueError
            If a number is not a positive integer, or k exceeds 20.

        Examples
        --------
        >>> from minimaxdp.density_estimation import ripple
        >>> PrivateSeries(1.0, 3).simulate(ripple(0.5), 10**9, rng=0, size=2).round(2).tolist()
        [[0.35, -0.0, -0.0], [0.35, -0.0, 0.0]]
        """
        n = _validate.one_integer("n", n, minimum=1)
        size = _validate.one_integer("size", size, minimum=1)
        _validate.memory("size", size, self.k)
        rng = _validate.generator(rng)
        law = self.report_law(density)
        signs = corners(self.k)
        found = np.empty((size, self.k))
        rows = max(1, _CHUNK // law.size)
        for start in range(0, size, rows):
            counts = rng.multinomial(n, law, size=min(rows, size - start))
            found[start : start + rows] = counts @ signs
        return self.cube.magnitude * found / n


@_validate.broadcasting
def series_risk(
    n: ArrayLike, theta: ArrayLike, epsilon: ArrayLike | None, *, tail: ArrayLike = 0.0
) -> Real:
    r"""Exact mean integrated squared error of a truncated series.

    .. math:: \sum_{j > k} \theta_j^2 + \frac1n \sum_{j \le k} (B^2 - \theta_j^2)

    A report has :math:`Z_j^2 = B^2` whatever happens, so its variance is known exactly. This
    is the private risk; without privacy :math:`B^2` is replaced by the mean of
    :math:`\varphi_j^2`, whose sum over pairs of cosine and sine is k, for k even.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    theta : array_like, shape (..., k)
        True coefficients of the functions 1, ..., k that are kept: those of a density are at most
        sqrt(2) in absolute value, and each pair of cosine and sine lies in a disc of that radius.
    epsilon : array_like or None
        Privacy budget of each person in nats; None for no privacy, then k must be even.
    tail : array_like
        Sum of the squared coefficients that are left out, at least 0.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> round(float(series_risk(1000, [0.5, 0.0, 0.0], 1.0)), 5)
    0.11213
    """
    theta = _sizes.coefficients("theta", theta)
    _validate.real("theta", theta, minimum=-_MOST, maximum=_MOST)
    n = _validate.integer("n", n, minimum=1)
    tail = _validate.real("tail", tail, minimum=0)
    k = theta.shape[-1]
    pairs = (theta[..., : k // 2 * 2] ** 2).reshape(*theta.shape[:-1], -1, 2).sum(axis=-1)
    if np.any(pairs > _MOST**2):
        raise ValueError(
            "theta must have squares of at most 2 in each pair of cosine and sine, "
            f"got {pairs.max():g}"
        )
    if epsilon is None:
        if k % 2:
            raise ValueError(f"theta must have an even k where epsilon is None, got k = {k}")
        energy: Any = float(k)  # cosine and sine squared sum to one
    else:
        epsilon = _sizes.epsilon(epsilon)
        energy = 2 * k / (np.tanh(epsilon / 2) * alignment(k)) ** 2
    return tail + (energy - (theta**2).sum(axis=-1)) / n


def best_truncation(
    n: int, epsilon: float | None, *, beta: float = 2.0, norm: float = 1.0
) -> tuple[int, float]:
    r"""The level with the least bound on the risk over a Sobolev ellipsoid, and the bound.

    .. math:: \min_k \; \frac{C^2}{(k+1)^{2\beta}} + \frac{k B_k^2}{n}

    With privacy the minimum is over all :math:`k \ge 1`, and :math:`B_k` is the absolute value
    of a reported coordinate. Without it :math:`B_k = 1`, and the minimum is over even k, for
    which this is the mean of :math:`\varphi_j^2` over the coefficients kept. The bound is
    attained by a density in which only coefficient k + 1 is not zero, provided that
    :math:`C \le (k+1)^\beta / \sqrt2`.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    epsilon : float or None
        Privacy budget of each person in nats; None for no privacy.
    beta : float
        Smoothness, positive.
    norm : float
        Radius C of the ellipsoid, from 1e-100 to 1e100.

    Returns
    -------
    (k, bound)
        With privacy a large k is odd, since from an even k to the next odd one the size of a
        report does not grow; a small one may be even. Without privacy k is even.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range, or the best level lies beyond two million.

    Examples
    --------
    >>> [best_truncation(n, 1.0)[0] for n in (2500, 10**6)]
    [2, 7]
    """
    n = _validate.one_integer("n", n, minimum=1)
    beta = _validate.one_real("beta", beta, above=0)
    norm = _sizes.one_positive("norm", norm)
    if epsilon is None:
        highest = 4 * (n * norm**2 * 2 * beta) ** (1 / (2 * beta + 1))
        k = 2 * np.arange(1, 2 + min(_LEVELS, int(highest)))
        noise = k / n
    else:
        epsilon = _sizes.one_epsilon(epsilon)
        effective = n * norm**2 * 2 * beta * np.tanh(epsilon / 2) ** 2
        # A k-th coefficient removes at most 2 beta C^2 / k^(2 beta + 1) of bias and costs at least
        # B_k^2 / n >= 2 k coth(epsilon/2)^2 / n, which is more beyond this level.
        highest = (effective / 2) ** (1 / (2 * beta + 2))
        k = np.arange(1, 2 + min(2 * _LEVELS, int(highest)))
        noise = 2 * k / (np.tanh(epsilon / 2) * alignment(k)) ** 2 / n
    bound = norm**2 * (k + 1.0) ** (-2 * beta) + noise
    best = int(np.argmin(bound))
    if best == len(k) - 1 and k[best] > 2 * _LEVELS:
        raise ValueError(
            f"n and norm must leave a best level below {2 * _LEVELS}, "
            f"got n = {n} and norm = {norm:g}"
        )
    return int(k[best]), float(bound[best])


def _quadrature() -> tuple[Array, Array]:
    """Nodes and weights on [0, 1]: 16 points in each of 256 panels."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    panels = 256
    x = ((np.arange(panels)[:, None] + (nodes + 1) / 2) / panels).ravel()
    return x, np.tile(weights / 2 / panels, panels)


def _products(up: Array) -> Array:
    """Probability of every corner, given that of +1 in each coordinate, row by row."""
    law = np.ones((len(up), 1))
    for p in up.T[:, :, None, None]:
        law = (law[:, :, None] * np.concatenate([1 - p, p], axis=2)).reshape(len(up), -1)
    return law
