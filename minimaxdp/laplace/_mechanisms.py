"""Laplace and Gaussian noise added once, by a curator who holds all records.

For study: see :mod:`minimaxdp.laplace` for what doubles do to the guarantees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Real
from minimaxdp.guarantees import (
    GaussianDP,
    GaussianPair,
    Guarantee,
    LaplacePair,
    Pure,
    gaussian_delta,
    gaussian_sigma,
)
from minimaxdp.laplace._accuracy import simultaneous_radius
from minimaxdp.laplace._additive import ContinuousMechanism
from minimaxdp.laplace._vector_noise import GaussianNoise, LaplaceNoise

__all__ = ["Gaussian", "Laplace"]


@dataclass(frozen=True)
class Laplace(ContinuousMechanism):
    r"""The Laplace mechanism: the answer plus independent noise in every coordinate.

    .. math:: A(x) = f(x) + (Z_1, \dots, Z_k), \qquad
              Z_i \sim \mathrm{Lap}(\Delta/\varepsilon), \qquad
              h(z) = \frac{1}{2 \lambda} e^{-|z|/\lambda}

    Over the real numbers exactly epsilon-differentially private for a query of l1-sensitivity
    Delta that is attained. This implementation is for study: answer, noise and sum are doubles,
    whose low bits tell neighbouring answers apart (Mironov 2012), and an answer beyond
    :math:`2^{53} \lambda` is released as it is. For data of people use a library that rounds
    its noise safely.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive, at most 700.
    sensitivity : float
        Global l1-sensitivity Delta of the query, positive, in its units.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not a single positive finite number, epsilon exceeds 700, or
        sensitivity / epsilon lies outside [1e-150, 1e150], where the noise or its variance
        would be no double.

    Notes
    -----
    Smith's slides (claim ``Smith-Lap-thm``); Boulaguiem's (``Boul-LapMech``). I. Mironov, "On
    significance of the least significant bits for differential privacy", CCS 2012.

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
        epsilon = _validate.one_epsilon(self.epsilon)
        sensitivity = _validate.one_real("sensitivity", self.sensitivity, above=0)
        _validate.scale("sensitivity / epsilon", sensitivity / epsilon)
        _validate.freeze(self, epsilon=epsilon, sensitivity=sensitivity)

    @property
    def scale(self) -> float:
        """Scale lambda of the noise, in the units of the query."""
        return self.sensitivity / self.epsilon

    @property
    def noise(self) -> LaplaceNoise:
        """The law of the noise in one coordinate."""
        return LaplaceNoise(self.scale)

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon; of one number it is attained."""
        return Pure(self.epsilon)

    @property
    def pair(self) -> LaplacePair:
        """What neighbouring answers look like at worst, with its privacy loss.

        Vectors too: spread over several coordinates, the sensitivity tells less than in one
        (claim ``acc-vector``).
        """
        return LaplacePair(self.epsilon)

    def interval(self, released: ArrayLike, level: float = 0.95) -> tuple[Real, Real]:
        r"""Interval that holds every coordinate of the true answer together.

        .. math:: \text{released} \mp \lambda \cdot \text{radius}, \qquad
                  \text{radius} = -\ln\big(1 - \text{level}^{1/k}\big)

        The coverage is exact, over the noise; k is the number of coordinates.

        Parameters
        ----------
        released : array_like
            What ``privatize`` returned.
        level : float
            Coverage, from 1e-15 to 1 (1 excluded).

        Returns
        -------
        (low, high), each of the shape of `released`
        """
        released = _validate.real("released", released)
        # 1 - level must differ from 1.
        level = _validate.one_real("level", level, above=0, below=1, minimum=1e-15)
        radius = simultaneous_radius(np.size(released), 1 - level, self.scale)
        return released - radius, released + radius


@dataclass(frozen=True)
class Gaussian(ContinuousMechanism):
    r"""The Gaussian mechanism: the answer plus normal noise in every coordinate.

    .. math:: A(x) = f(x) + (Z_1, \dots, Z_k), \qquad Z_i \sim N(0, \sigma^2)

    Never purely private, at any sigma: its guarantees are :attr:`rho` and :meth:`delta`. They
    hold for noise of real numbers; this implementation is for study, because the low bits of a
    sum of doubles tell neighbouring answers apart (Mironov 2012).

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, positive, in the units of the query.
    sensitivity : float
        Global l2-sensitivity of the query, positive, in its units.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not a single number from 1e-150 to 1e150, or their ratio lies outside
        that range.

    Notes
    -----
    Tang's slides (claim ``Tang-Gauss``). I. Mironov, "On significance of the least significant
    bits for differential privacy", CCS 2012.

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
        sigma = _validate.one_scale("sigma", self.sigma)
        sensitivity = _validate.one_scale("sensitivity", self.sensitivity)
        _validate.scale("sensitivity / sigma", sensitivity / sigma)
        _validate.freeze(self, sigma=sigma, sensitivity=sensitivity)

    @classmethod
    def from_zcdp(cls, rho: float, sensitivity: float = 1.0) -> Gaussian:
        r"""Noise for rho-zero-concentrated privacy.

        .. math:: \sigma^2 = \frac{\Delta_2^2}{2 \rho}
        """
        rho = _validate.one_real("rho", rho, above=0)
        size = _validate.one_real("sensitivity", sensitivity, above=0)
        sigma = size / float(np.sqrt(2 * rho))
        _validate.scale("sensitivity / sqrt(2 rho)", sigma)
        return cls(sigma, size)

    @classmethod
    def from_approximate(cls, epsilon: float, delta: float, sensitivity: float = 1.0) -> Gaussian:
        """Least noise for (epsilon, delta)-privacy, by the exact formula at any epsilon."""
        size = _validate.one_real("sensitivity", sensitivity, above=0)
        epsilon = _validate.one_real("epsilon", epsilon, minimum=0)
        delta = _validate.one_real("delta", delta, above=0, below=1)
        sigma = _validate.scale(
            "sigma for this epsilon, delta and sensitivity", gaussian_sigma(epsilon, delta, size)
        )
        return cls(float(sigma), size)

    @property
    def rho(self) -> float:
        r"""The zero-concentrated guarantee :math:`\rho = \Delta_2^2 / (2 \sigma^2)`, exact."""
        return self.sensitivity**2 / (2 * self.sigma**2)

    @property
    def noise(self) -> GaussianNoise:
        """The law of the noise in one coordinate."""
        return GaussianNoise(self.sigma)

    @property
    def privacy(self) -> Guarantee:
        """Gaussian privacy at the sensitivity over sigma, exact."""
        return GaussianDP(self.sensitivity / self.sigma)

    @property
    def pair(self) -> GaussianPair:
        """What neighbouring answers look like at worst, with its privacy loss."""
        return GaussianPair(self.sensitivity / self.sigma)

    def delta(self, epsilon: ArrayLike) -> Real:
        """Smallest delta that goes with an epsilon, exact: see `guarantees.gaussian_delta`.

        Examples
        --------
        >>> round(float(Gaussian(1.0).delta(1.0)), 4)
        0.1269
        """
        return gaussian_delta(epsilon, self.sigma, self.sensitivity)

    def interval(self, released: ArrayLike, level: float = 0.95) -> tuple[Real, Real]:
        """Interval that holds every coordinate of the true answer together, exactly.

        Examples
        --------
        >>> low, high = Gaussian(1.0).interval(3.0, 0.95)
        >>> round(float(low), 2), round(float(high), 2)
        (1.04, 4.96)
        """
        released = _validate.real("released", released)
        level = _validate.one_real("level", level, above=0, below=1)
        tail = -np.expm1(np.log(level) / np.size(released)) / 2
        radius = self.sigma * scipy.stats.norm.isf(tail)
        return released - radius, released + radius
