r"""Three laws of noise for a vector, with their exact second moment and their exact divergences."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erf, gammaln

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import GaussianDP, Guarantee, Pure, gaussian_delta

__all__ = ["GaussianNoise", "L2LaplaceNoise", "LaplaceNoise", "Noise"]


class Noise(ABC):
    """A law of noise for vectors of d coordinates, centred at zero and symmetric."""

    d: int

    @property
    @abstractmethod
    def second_moment(self) -> float:
        """Expected squared norm."""

    @property
    def variance(self) -> float:
        """Of one coordinate."""
        return self.second_moment / self.d

    @abstractmethod
    def log_density(self, w: ArrayLike) -> Real:
        """Log-density at vectors along the last axis."""

    @abstractmethod
    def sample(self, size: int, *, rng: Rng = None) -> Array:
        """Independent draws, shape (size, d)."""

    @abstractmethod
    def log_ratio(self, shift: ArrayLike) -> float:
        """Largest log-likelihood ratio of shifted noise."""

    @abstractmethod
    def privacy(self, sensitivity: float) -> Guarantee:
        """The guarantee, exact, if neighbours' answers are at most that l2-distance apart."""


@dataclass(frozen=True)
class GaussianNoise(Noise):
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
    >>> noise.second_moment, noise.kl([0.0, 2.0, 0.0])
    (12.0, 0.5)
    """

    sigma: float
    d: int = 1

    def __post_init__(self) -> None:
        _set(self, "sigma")

    @property
    def second_moment(self) -> float:
        """Expected squared norm."""
        return self.d * self.sigma**2

    def log_density(self, w: ArrayLike) -> Real:
        """Log-density at vectors along the last axis.

        Examples
        --------
        >>> noise = GaussianNoise(1.0, 2)
        >>> float(noise.log_density([0.0, 0.0]) - noise.log_density([0.0, 2.0]))
        2.0
        """
        w = _validate.vectors("w", w, self.d)
        squared = (w**2).sum(axis=-1) / self.sigma**2
        return -(squared + self.d * np.log(2 * np.pi * self.sigma**2)) / 2

    def privacy(self, sensitivity: float) -> Guarantee:
        """Gaussian privacy at the sensitivity over sigma.

        Examples
        --------
        >>> GaussianNoise(2.0, 3).privacy(1.0)
        GaussianDP(0.5)
        """
        sensitivity = _validate.one_real("sensitivity", sensitivity, above=0)
        return GaussianDP(
            _validate.real("sensitivity / sigma", sensitivity / self.sigma, above=0, maximum=37)
        )

    def sample(self, size: int, *, rng: Rng = None) -> Array:
        """Independent draws, shape (size, d).

        Examples
        --------
        >>> GaussianNoise(2.0, 3).sample(5, rng=0).shape
        (5, 3)
        """
        size = _rows(size, self.d)
        return _validate.generator(rng).normal(scale=self.sigma, size=(size, self.d))

    def kl(self, shift: ArrayLike) -> float:
        r"""Kullback-Leibler divergence :math:`\|s\|_2^2 / 2 \sigma^2` of shifted noise."""
        return float((_validate.vectors("shift", shift, self.d) ** 2).sum() / (2 * self.sigma**2))

    def total_variation(self, shift: ArrayLike) -> float:
        r"""Total variation :math:`2 \Phi(\|s\|_2 / 2 \sigma) - 1` of shifted noise.

        Examples
        --------
        >>> round(GaussianNoise(1.0).total_variation([1.0]), 4)
        0.3829
        """
        size = np.linalg.norm(_validate.vectors("shift", shift, self.d))
        return float(erf(size / (2 * np.sqrt(2) * self.sigma)))

    def delta(self, epsilon: ArrayLike, shift: ArrayLike) -> Real:
        """Smallest delta that goes with an epsilon: see `guarantees.gaussian_delta`.

        Examples
        --------
        >>> round(float(GaussianNoise(1.0).delta(1.0, [1.0])), 4)
        0.1269
        """
        size = float(np.linalg.norm(_validate.vectors("shift", shift, self.d)))
        return gaussian_delta(epsilon, self.sigma, size)

    def log_ratio(self, shift: ArrayLike) -> float:
        """Largest log-likelihood ratio of shifted noise: infinite, unless nothing moves.

        Examples
        --------
        >>> GaussianNoise(1.0).log_ratio([1.0])
        inf
        """
        return float("inf") if np.any(_validate.vectors("shift", shift, self.d)) else 0.0


@dataclass(frozen=True)
class LaplaceNoise(Noise):
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
    >>> LaplaceNoise(0.5, 4).log_ratio([1.0, -1.0, 0.0, 0.5])
    5.0
    """

    scale: float
    d: int = 1

    def __post_init__(self) -> None:
        _set(self, "scale")

    @property
    def second_moment(self) -> float:
        """Expected squared norm."""
        return 2 * self.d * self.scale**2

    def log_density(self, w: ArrayLike) -> Real:
        """Log-density at vectors along the last axis.

        Examples
        --------
        >>> noise = LaplaceNoise(1.0, 2)
        >>> float(noise.log_density([0.0, 0.0]) - noise.log_density([1.0, 2.0]))
        3.0
        """
        w = _validate.vectors("w", w, self.d)
        return -abs(w).sum(axis=-1) / self.scale - self.d * np.log(2 * self.scale)

    def privacy(self, sensitivity: float) -> Guarantee:
        """Pure privacy: a shift of that l2-norm has an l1-norm of up to sqrt(d) times it.

        Examples
        --------
        >>> LaplaceNoise(2.0, 4).privacy(1.0)
        Pure(1.0)
        """
        most = math.sqrt(self.d) * _validate.one_real("sensitivity", sensitivity, above=0)
        return Pure(_validate.epsilon(most / self.scale, "sqrt(d) sensitivity / scale"))

    def sample(self, size: int, *, rng: Rng = None) -> Array:
        """Independent draws, shape (size, d)."""
        size = _rows(size, self.d)
        return _validate.generator(rng).laplace(scale=self.scale, size=(size, self.d))

    def log_ratio(self, shift: ArrayLike) -> float:
        r"""Largest log-likelihood ratio of shifted noise: :math:`\|s\|_1 / \lambda`."""
        return float(abs(_validate.vectors("shift", shift, self.d)).sum() / self.scale)


@dataclass(frozen=True)
class L2LaplaceNoise(Noise):
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
    ball, it has (d + 1)/(2 d) of the second moment of :class:`LaplaceNoise`.

    Examples
    --------
    >>> L2LaplaceNoise(0.5, 4).second_moment
    5.0
    """

    scale: float
    d: int = 1

    def __post_init__(self) -> None:
        _set(self, "scale")

    @property
    def second_moment(self) -> float:
        """Expected squared norm."""
        return self.d * (self.d + 1) * self.scale**2

    def log_density(self, w: ArrayLike) -> Real:
        """Log-density at vectors along the last axis.

        Examples
        --------
        >>> noise = L2LaplaceNoise(1.0, 2)
        >>> float(noise.log_density([0.0, 0.0]) - noise.log_density([3.0, 4.0]))
        5.0
        """
        d, w = self.d, _validate.vectors("w", w, self.d)
        sphere = np.log(2) + d / 2 * np.log(np.pi) - gammaln(d / 2)  # its surface
        constant = sphere + gammaln(d) + d * np.log(self.scale)
        return -np.linalg.norm(w, axis=-1) / self.scale - constant

    def privacy(self, sensitivity: float) -> Guarantee:
        """Pure privacy at the sensitivity over the scale.

        Examples
        --------
        >>> L2LaplaceNoise(2.0, 4).privacy(1.0)
        Pure(0.5)
        """
        sensitivity = _validate.one_real("sensitivity", sensitivity, above=0)
        return Pure(_validate.epsilon(sensitivity / self.scale, "sensitivity / scale"))

    def sample(self, size: int, *, rng: Rng = None) -> Array:
        """Independent draws, shape (size, d).

        Examples
        --------
        >>> L2LaplaceNoise(2.0, 3).sample(5, rng=0).shape
        (5, 3)
        """
        size = _rows(size, self.d)
        rng = _validate.generator(rng)
        direction = rng.standard_normal((size, self.d))
        length = rng.gamma(self.d, self.scale, size=(size, 1))
        return direction * (length / np.linalg.norm(direction, axis=1, keepdims=True))

    def log_ratio(self, shift: ArrayLike) -> float:
        r"""Largest log-likelihood ratio of shifted noise: :math:`\|s\|_2 / \lambda`.

        Examples
        --------
        >>> L2LaplaceNoise(0.5, 2).log_ratio([3.0, -4.0])
        10.0
        """
        return float(np.linalg.norm(_validate.vectors("shift", shift, self.d)) / self.scale)


def _set(noise: Any, name: str) -> None:
    size = _validate.one_real(name, getattr(noise, name), above=0)
    d = _validate.one_integer("d", noise.d, minimum=1)
    _validate.freeze(noise, **{name: size, "d": d})


def _rows(size: Any, d: int) -> int:
    """A checked number of draws of d coordinates."""
    size = _validate.one_integer("size", size, minimum=0)
    _validate.memory("size", size, d)
    return size
