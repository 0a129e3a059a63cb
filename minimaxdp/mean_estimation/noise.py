r"""Three laws of noise for a vector, with their exact energy and their exact divergences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf, gammaln

from minimaxdp import _validate, privacy

__all__ = ["CoordinateLaplace", "GaussianNoise", "NormLaplace"]

Rng = np.random.Generator | int | None


@dataclass(frozen=True)
class GaussianNoise:
    r"""Normal noise, alike in all directions.

    .. math:: W \sim N(0, \sigma^2 I_d), \qquad \mathbb E \|W\|_2^2 = d \sigma^2

    Never purely private. Between neighbours whose answers are s apart the divergences depend on
    :math:`\|s\|_2 / \sigma` alone.

    Parameters
    ----------
    sigma : float
        Standard deviation of a coordinate, positive.
    d : int
        Dimension, at least 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), Proposition 6, parts i and ii (claim ``BD-Prop6``).

    Examples
    --------
    >>> noise = GaussianNoise(2.0, 3)
    >>> noise.energy, noise.kl([0.0, 2.0, 0.0])
    (12.0, 0.5)
    """

    sigma: float
    d: int = 1

    def __post_init__(self) -> None:
        _set(self, "sigma")

    @property
    def energy(self) -> float:
        """Expected squared norm."""
        return self.d * self.sigma**2

    def log_density(self, w: ArrayLike) -> Any:
        """Log-density at vectors along the last axis."""
        w = _validate.vectors("w", w, self.d)
        squared = (w**2).sum(axis=-1) / self.sigma**2
        return -(squared + self.d * np.log(2 * np.pi * self.sigma**2)) / 2

    def sample(self, size: int, *, rng: Rng = None) -> NDArray[np.float64]:
        """Independent draws, shape (size, d)."""
        return np.random.default_rng(rng).normal(scale=self.sigma, size=(size, self.d))

    def kl(self, shift: ArrayLike) -> float:
        r"""Kullback-Leibler divergence :math:`\|s\|_2^2 / 2 \sigma^2` of shifted noise."""
        return float((_validate.vectors("shift", shift, self.d) ** 2).sum() / (2 * self.sigma**2))

    def total_variation(self, shift: ArrayLike) -> float:
        r"""Total variation :math:`2 \Phi(\|s\|_2 / 2 \sigma) - 1` of shifted noise."""
        size = np.linalg.norm(_validate.vectors("shift", shift, self.d))
        return float(erf(size / (2 * np.sqrt(2) * self.sigma)))

    def delta(self, epsilon: ArrayLike, shift: ArrayLike) -> Any:
        """Smallest delta that goes with an epsilon: see `privacy.gaussian_delta`."""
        size = float(np.linalg.norm(_validate.vectors("shift", shift, self.d)))
        return privacy.gaussian_delta(epsilon, self.sigma, size)

    def log_ratio(self, shift: ArrayLike) -> float:
        """Largest log-likelihood ratio of shifted noise: infinite, unless nothing moves."""
        return float("inf") if np.any(_validate.vectors("shift", shift, self.d)) else 0.0


@dataclass(frozen=True)
class CoordinateLaplace:
    r"""Independent Laplace noise in every coordinate.

    .. math:: f(w) = \prod_j \frac{1}{2 \lambda} e^{-|w_j| / \lambda}, \qquad
              \mathbb E \|W\|_2^2 = 2 d \lambda^2

    The largest log-likelihood ratio after a shift s is :math:`\|s\|_1 / \lambda`.

    Parameters
    ----------
    scale : float
        Scale lambda, positive.
    d : int
        Dimension, at least 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), Proposition 6, part iii (claim ``BD-Prop6``).

    Examples
    --------
    >>> CoordinateLaplace(0.5, 4).log_ratio([1.0, -1.0, 0.0, 0.5])
    5.0
    """

    scale: float
    d: int = 1

    def __post_init__(self) -> None:
        _set(self, "scale")

    @property
    def energy(self) -> float:
        """Expected squared norm."""
        return 2 * self.d * self.scale**2

    def log_density(self, w: ArrayLike) -> Any:
        """Log-density at vectors along the last axis."""
        w = _validate.vectors("w", w, self.d)
        return -abs(w).sum(axis=-1) / self.scale - self.d * np.log(2 * self.scale)

    def sample(self, size: int, *, rng: Rng = None) -> NDArray[np.float64]:
        """Independent draws, shape (size, d)."""
        return np.random.default_rng(rng).laplace(scale=self.scale, size=(size, self.d))

    def log_ratio(self, shift: ArrayLike) -> float:
        r"""Largest log-likelihood ratio of shifted noise: :math:`\|s\|_1 / \lambda`."""
        return float(abs(_validate.vectors("shift", shift, self.d)).sum() / self.scale)


@dataclass(frozen=True)
class NormLaplace:
    r"""Noise whose density falls with the Euclidean norm.

    .. math:: f(w) \propto e^{-\|w\|_2 / \lambda}, \qquad
              \mathbb E \|W\|_2^2 = d (d + 1) \lambda^2

    The largest log-likelihood ratio after a shift s is :math:`\|s\|_2 / \lambda`. The direction
    is uniform and the norm a Gamma variable of shape d.

    Parameters
    ----------
    scale : float
        Scale lambda, positive.
    d : int
        Dimension, at least 1; in one dimension it is Laplace noise.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The K-norm mechanism of Hardt and Talwar (2010) for a Euclidean ball. Calibrated to the same
    ball, it has (d + 1)/(2 d) of the energy of :class:`CoordinateLaplace`.

    Examples
    --------
    >>> NormLaplace(0.5, 4).energy
    5.0
    """

    scale: float
    d: int = 1

    def __post_init__(self) -> None:
        _set(self, "scale")

    @property
    def energy(self) -> float:
        """Expected squared norm."""
        return self.d * (self.d + 1) * self.scale**2

    def log_density(self, w: ArrayLike) -> Any:
        """Log-density at vectors along the last axis."""
        d, w = self.d, _validate.vectors("w", w, self.d)
        sphere = np.log(2) + d / 2 * np.log(np.pi) - gammaln(d / 2)  # its surface
        constant = sphere + gammaln(d) + d * np.log(self.scale)
        return -np.linalg.norm(w, axis=-1) / self.scale - constant

    def sample(self, size: int, *, rng: Rng = None) -> NDArray[np.float64]:
        """Independent draws, shape (size, d)."""
        rng = np.random.default_rng(rng)
        direction = rng.standard_normal((size, self.d))
        length = rng.gamma(self.d, self.scale, size=(size, 1))
        return direction * (length / np.linalg.norm(direction, axis=1, keepdims=True))

    def log_ratio(self, shift: ArrayLike) -> float:
        r"""Largest log-likelihood ratio of shifted noise: :math:`\|s\|_2 / \lambda`."""
        return float(np.linalg.norm(_validate.vectors("shift", shift, self.d)) / self.scale)


def _set(noise: Any, name: str) -> None:
    size = _validate.one_real(name, getattr(noise, name), above=0)
    d = _validate.one_integer("d", noise.d, minimum=1)
    object.__setattr__(noise, name, size)
    object.__setattr__(noise, "d", d)
