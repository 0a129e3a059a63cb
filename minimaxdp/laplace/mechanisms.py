"""Laplace and Gaussian noise added once, by a curator who holds all records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate, privacy
from minimaxdp.laplace.accuracy import simultaneous_radius

__all__ = ["Gaussian", "Laplace"]

Rng = np.random.Generator | int | None


@dataclass(frozen=True)
class Laplace:
    r"""The Laplace mechanism: the answer plus independent noise in every coordinate.

    .. math:: A(x) = f(x) + (Z_1, \dots, Z_k), \qquad
              Z_i \sim \mathrm{Lap}(\Delta/\varepsilon), \qquad
              h(z) = \frac{1}{2 \lambda} e^{-|z|/\lambda}

    Exactly epsilon-differentially private for a query of l1-sensitivity Delta that is attained.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive.
    sensitivity : float
        Global l1-sensitivity Delta of the query, positive, in its units.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not a single positive finite number.

    Notes
    -----
    Smith's slides (claim ``Smith-Lap-thm``); Boulaguiem's (``Boul-LapMech``).

    Examples
    --------
    >>> mechanism = Laplace(epsilon=0.5, sensitivity=1 / 100)  # a proportion of 100 people
    >>> mechanism.scale, round(mechanism.standard_deviation, 4)
    (0.02, 0.0283)
    >>> released = mechanism.privatize(0.3, rng=0)
    >>> low, high = mechanism.interval(released, 0.95)
    """

    epsilon: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        _set_positive(self, "epsilon", "sensitivity")

    @property
    def scale(self) -> float:
        """Scale lambda of the noise, in the units of the query."""
        return self.sensitivity / self.epsilon

    @property
    def standard_deviation(self) -> float:
        r"""Of the noise in one coordinate: :math:`\sqrt 2 \lambda`."""
        return float(np.sqrt(2)) * self.scale

    def log_density(self, noise: ArrayLike) -> Any:
        """Log-density of the noise in one coordinate."""
        noise = _validate.real("noise", noise)
        return -abs(noise) / self.scale - np.log(2 * self.scale)

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Any:
        """Add independent noise to every coordinate of the answer.

        Parameters
        ----------
        answer : array_like of finite numbers, any shape
        rng : Generator, int or None

        Returns
        -------
        float or ndarray, same shape

        Raises
        ------
        TypeError, ValueError
            If an entry is not a finite number.
        """
        return _plus_noise(
            answer, lambda shape: np.random.default_rng(rng).laplace(scale=self.scale, size=shape)
        )

    def interval(self, released: ArrayLike, level: float = 0.95) -> tuple[Any, Any]:
        r"""Interval that holds every coordinate of the true answer together.

        .. math:: \text{released} \mp \lambda \cdot \text{radius}, \qquad
                  \text{radius} = -\ln\big(1 - \text{level}^{1/k}\big)

        The coverage is exact, over the noise; k is the number of coordinates.

        Parameters
        ----------
        released : array_like
            Output of :meth:`privatize`.
        level : float
            Coverage, strictly between 0 and 1.

        Returns
        -------
        (low, high), each of the shape of `released`
        """
        released = _validate.real("released", released)
        level = _validate.one_real("level", level, above=0, below=1)
        radius = simultaneous_radius(np.size(released), 1 - level, self.scale)
        return released - radius, released + radius


@dataclass(frozen=True)
class Gaussian:
    r"""The Gaussian mechanism: the answer plus normal noise in every coordinate.

    .. math:: A(x) = f(x) + (Z_1, \dots, Z_k), \qquad Z_i \sim N(0, \sigma^2)

    Never purely private, at any sigma: its guarantees are :attr:`rho` and :meth:`delta`.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, positive, in the units of the query.
    sensitivity : float
        Global l2-sensitivity of the query, positive, in its units.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not a single positive finite number.

    Notes
    -----
    Tang's slides (claim ``Tang-Gauss``).

    Examples
    --------
    >>> Gaussian.from_zcdp(rho=0.5).sigma
    1.0
    >>> exact = Gaussian.from_approximate(epsilon=1.0, delta=1e-6)
    >>> textbook = float(np.sqrt(2 * np.log(1.25 / 1e-6)))
    >>> round(exact.sigma / textbook, 3)
    0.797
    """

    sigma: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        _set_positive(self, "sigma", "sensitivity")

    @classmethod
    def from_zcdp(cls, rho: float, sensitivity: float = 1.0) -> Gaussian:
        r"""Noise for rho-zero-concentrated privacy.

        .. math:: \sigma^2 = \frac{\Delta_2^2}{2 \rho}
        """
        rho = _validate.one_real("rho", rho, above=0)
        size = _validate.one_real("sensitivity", sensitivity, above=0)
        return cls(size / np.sqrt(2 * rho), size)

    @classmethod
    def from_approximate(cls, epsilon: float, delta: float, sensitivity: float = 1.0) -> Gaussian:
        """Least noise for (epsilon, delta)-privacy, by the exact formula at any epsilon."""
        size = _validate.one_real("sensitivity", sensitivity, above=0)
        epsilon = _validate.one_real("epsilon", epsilon, minimum=0)
        delta = _validate.one_real("delta", delta, above=0, below=1)
        return cls(float(privacy.gaussian_sigma(epsilon, delta, size)), size)

    @property
    def rho(self) -> float:
        r"""The zero-concentrated guarantee :math:`\rho = \Delta_2^2 / (2 \sigma^2)`, exact."""
        return self.sensitivity**2 / (2 * self.sigma**2)

    @property
    def standard_deviation(self) -> float:
        """Of the noise in one coordinate."""
        return self.sigma

    def delta(self, epsilon: ArrayLike) -> Any:
        """Smallest delta that goes with an epsilon, exact: see `privacy.gaussian_delta`."""
        return privacy.gaussian_delta(epsilon, self.sigma, self.sensitivity)

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Any:
        """Add independent noise to every coordinate of the answer: any shape to the same."""
        return _plus_noise(
            answer, lambda shape: np.random.default_rng(rng).normal(scale=self.sigma, size=shape)
        )

    def interval(self, released: ArrayLike, level: float = 0.95) -> tuple[Any, Any]:
        """Interval that holds every coordinate of the true answer together, exactly."""
        released = _validate.real("released", released)
        level = _validate.one_real("level", level, above=0, below=1)
        tail = -np.expm1(np.log(level) / np.size(released)) / 2
        radius = self.sigma * scipy.stats.norm.isf(tail)
        return released - radius, released + radius


def _plus_noise(answer: ArrayLike, draw: Any) -> Any:
    answer = _validate.real("answer", answer)
    noise = draw(np.shape(answer))
    noise += answer
    return noise[()]


def _set_positive(mechanism: Any, *names: str) -> None:
    for name in names:
        most = 700 if name == "epsilon" else None
        value = _validate.one_real(name, getattr(mechanism, name), above=0, maximum=most)
        object.__setattr__(mechanism, name, value)
