"""Polynomials in bins: estimates that use more than one derivative, with a curator or without."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.density_estimation import _sizes
from minimaxdp.density_estimation._densities import Density
from minimaxdp.guarantees import Guarantee
from minimaxdp.laplace import laplace_sum

__all__ = ["BinnedPolynomial", "binned_polynomial_ceiling"]

_MOST_BINS, _MOST_DEGREE = 10**6, 10
_CHUNK = 2**16


@dataclass(frozen=True)
class BinnedPolynomial:
    r"""A private density that is a polynomial in each of K equal bins of [0, 1].

    .. math:: \varphi_{bi}(x) = \sqrt{K (2i+1)}\, P_i(2 u - 1), \qquad x = \tfrac{b + u}K,\;
              i \le \ell

    with Legendre's polynomials. These functions are orthonormal; the mean of each over the
    records is released with Laplace noise of scale :math:`2 \sqrt K S / \varepsilon`,
    :math:`S = \sum_i \sqrt{2i+1}`, over n: one draw with a curator, one from each person without.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, of the data set ("central") or of each person ("local").
    bins : int
        Number K of bins, from 1 to a million.
    degree : int
        Degree, from 0 (a histogram) to 10.
    model : {"central", "local"}

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    Proposition ``prop-den-polynomial`` of the book.

    Examples
    --------
    >>> lines = BinnedPolynomial(1.0, 4, 1)
    >>> theta = lines.release(np.linspace(0, 1, 10**6), rng=0)
    >>> lines.density(theta, [0.3, 0.7]).round(2).tolist()
    [1.0, 1.0]
    """

    epsilon: float
    bins: int
    degree: int = 1
    model: _sizes.Model = "central"

    def __post_init__(self) -> None:
        _validate.choice("model", self.model, _sizes.MODELS)
        _validate.freeze(
            self,
            epsilon=_sizes.one_epsilon(self.epsilon),
            bins=_validate.one_integer("bins", self.bins, minimum=1, maximum=_MOST_BINS),
            degree=_validate.one_integer("degree", self.degree, minimum=0, maximum=_MOST_DEGREE),
        )

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon, of a curator or of everybody's own report."""
        return _sizes.pure(self.model, self.epsilon)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """One record at either end."""
        return np.zeros(1), np.ones(1)

    @property
    def scale(self) -> float:
        """Scale of the noise in the sum of a function over all records, or in one report."""
        return float(2 * np.sqrt(self.bins) * _heights(self.degree).sum() / self.epsilon)

    def release(self, data: ArrayLike, *, rng: Rng = None) -> Array:
        """Unbiased coefficients from records in [0, 1], shape (bins, degree + 1)."""
        x = np.asarray(_validate.real("data", data, minimum=0, maximum=1))
        if x.ndim != 1 or x.size == 0:
            raise ValueError(f"data must be a vector of records, got shape {x.shape}")
        rng = _validate.generator(rng)
        total = np.zeros((self.bins, self.degree + 1))
        for start in range(0, x.size, _CHUNK):
            part = x[start : start + _CHUNK]
            np.add.at(total, self._place(part), self._features(part))
        draws = 1 if self.model == "central" else x.size
        return (total + laplace_sum(draws, self.scale, rng=rng, size=total.shape)) / x.size

    def density(self, theta: ArrayLike, x: ArrayLike) -> Array:
        """The estimated curve at points of [0, 1]; it may dip below zero."""
        theta = np.asarray(_validate.real("theta", theta))
        if theta.shape != (self.bins, self.degree + 1):
            raise ValueError(
                f"theta must have the shape ({self.bins}, {self.degree + 1}), got {theta.shape}"
            )
        x = np.asarray(_validate.real("x", x, minimum=0, maximum=1))
        _validate.memory("x", x.size, self.degree + 1)
        return (theta[self._place(x)] * self._features(x)).sum(axis=-1)

    def coefficients(self, density: Density) -> Array:
        """True coefficients of a density by Gauss-Legendre quadrature in every bin.

        Exact to many digits for a density that is smooth within the bins.

        Examples
        --------
        >>> from minimaxdp.density_estimation import linear
        >>> BinnedPolynomial(1.0, 1, 1).coefficients(linear(1.0)).round(4).tolist()
        [[1.0, 0.2887]]
        """
        nodes, weights, values = self._at_nodes(density)
        return (values * weights / self.bins) @ self._features(nodes[0])

    def risk(self, density: Density, n: int) -> float:
        r"""Exact mean integrated squared error, up to the quadrature.

        .. math:: \int f^2 - |\theta|^2
                  + \frac1n \Big(\sum_{b, i} \int f \varphi_{bi}^2 - |\theta|^2\Big)
                  + 2 \lambda^2 \frac{K (\ell + 1)}{n^2} m, \qquad m = 1 \text{ or } n

        Parameters
        ----------
        density : Density
        n : int
            Number of people, at least 1.

        Returns
        -------
        float

        Examples
        --------
        >>> from minimaxdp.density_estimation import linear
        >>> BinnedPolynomial(1.0, 1, 1).risk(linear(1.0), 10**9) < 1e-8
        True
        """
        density = _sizes.density(density)
        n = _validate.one_integer("n", n, minimum=1)
        nodes, weights, values = self._at_nodes(density)
        features = self._features(nodes[0])
        energy = float((((values * weights / self.bins) @ features) ** 2).sum())
        second = float(((values * weights / self.bins) @ features**2).sum())
        bias = max(0.0, density.squared_integral - energy)
        return float(bias + (second - energy) / n + self._noise(n))

    def _noise(self, n: float) -> float:
        each = 2 * self.scale**2 / n / (n if self.model == "central" else 1)
        return self.bins * (self.degree + 1) * each

    def _place(self, x: Array) -> NDArray[np.int64]:
        return np.minimum((x * self.bins).astype(np.int64), self.bins - 1)

    def _features(self, x: Array) -> Array:
        """The functions of the bin of each point, shape (..., degree + 1)."""
        u = 2 * (x * self.bins - self._place(x)) - 1
        scaled: Array = np.sqrt(self.bins) * _heights(self.degree)
        return legendre.legvander(np.clip(u, -1, 1), self.degree) * scaled

    def _at_nodes(self, density: Density) -> tuple[Array, Array, Array]:
        """Nodes in each bin (K, 16), their weights, and the density there."""
        density = _sizes.density(density)
        _validate.memory("bins", self.bins, 16)
        nodes, weights = legendre.leggauss(16)
        x = (np.arange(self.bins)[:, None] + (nodes + 1) / 2) / self.bins
        return x, weights / 2, density.pdf(x)


@_validate.broadcasting
def binned_polynomial_ceiling(
    bins: ArrayLike,
    n: ArrayLike,
    epsilon: ArrayLike,
    model: _sizes.Model = "central",
    *,
    degree: int = 1,
    beta: float = 2.0,
    constant: ArrayLike = 1.0,
) -> Real:
    r"""Bound on the risk of :class:`BinnedPolynomial` over all Hoelder densities on [0, 1].

    .. math:: \frac{L^2 (2K)^{-2\beta}}{(2\beta+1)\, c^2} + \frac{K (\ell+1)^2}n
              + \frac{8 (\ell+1) S^2 K^2}{n^2 \varepsilon^2} m, \qquad
              c = \beta (\beta - 1) \cdots (\beta - \ell_\beta + 1)

    with :math:`\ell_\beta = \lceil \beta \rceil - 1 \le \ell`, and m = 1 with a curator, n
    without one.

    Parameters
    ----------
    bins : array_like
        Number K of bins, from 1 to 1e50; need not be whole, for plots.
    n : array_like of int
        Number of people, at least 1.
    epsilon : array_like
        Privacy budget in nats.
    model : {"central", "local"}
    degree : int
        From 0 to 10.
    beta : float
        Smoothness, positive and at most degree + 1.
    constant : array_like
        Hoelder constant L of the derivative of order ceil(beta) - 1, from 1e-100 to 1e100.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> lines = binned_polynomial_ceiling(10, 10**6, 1.0)
    >>> round(float(lines * 10**6), 2)
    40.32
    """
    _validate.choice("model", model, _sizes.MODELS)
    bins = np.asarray(_validate.real("bins", bins, minimum=1, maximum=1e50))
    n = np.asarray(_validate.integer("n", n, minimum=1), dtype=float)
    epsilon = np.asarray(_sizes.epsilon(epsilon))
    degree = _validate.one_integer("degree", degree, minimum=0, maximum=_MOST_DEGREE)
    beta = _validate.one_real("beta", beta, above=0)
    if beta > degree + 1:
        raise ValueError(f"beta must be at most degree + 1 = {degree + 1}, got {beta:g}")
    constant = np.asarray(_sizes.positive("constant", constant))
    falling = prod(beta - i for i in range(int(np.ceil(beta)) - 1))
    bias = (constant * (2 * bins) ** -beta / falling) ** 2 / (2 * beta + 1)
    noise: Any = 8 * (degree + 1) * (_heights(degree).sum() * bins / (n * epsilon)) ** 2
    noise = noise if model == "central" else noise * n
    return bias + bins * (degree + 1) ** 2 / n + noise


def _heights(degree: int) -> Array:
    """Largest values of the orthonormal polynomials in one bin of width 1."""
    return np.sqrt(2 * np.arange(degree + 1) + 1.0)
