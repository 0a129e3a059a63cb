"""A private kernel estimate: Gaussian noise that is itself a smooth random function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Rng
from minimaxdp.density_estimation import _sizes
from minimaxdp.density_estimation._kernels import GaussianMixture, kernel_density
from minimaxdp.guarantees import ZCDP, Guarantee

__all__ = ["GaussianProcessDensity"]

_MOST_POINTS = 4_000


@dataclass(frozen=True)
class GaussianProcessDensity:
    r"""The kernel estimate of a curator plus a Gaussian process, released as a function.

    .. math:: \hat f(x) + \frac{1}{n h \sqrt{2 \pi \rho}}\, G(x), \qquad
              \mathbb E\, G(x) G(y) = e^{-(x - y)^2 / 2 h^2}

    with the Gaussian kernel of bandwidth h. The whole function is rho-zCDP, at however many
    points it is read.

    Parameters
    ----------
    rho : float
        Level of zero-concentrated privacy, from 1e-100 to 1e100.
    h : float
        Bandwidth, from 1e-50 to 1e50.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    Hall, Rinaldo and Wasserman (2013) for approximate privacy; theorem ``thm-den-process`` of the
    book. Two kernels centred at x and y are at most :math:`\sqrt 2` apart in the norm of the
    reproducing kernel Hilbert space of the covariance.

    Examples
    --------
    >>> process = GaussianProcessDensity(0.5, 0.1)
    >>> process.values([0.2, 0.4, 0.5], [0.0, 0.5, 1.0], rng=0).shape
    (3,)
    """

    rho: float
    h: float

    def __post_init__(self) -> None:
        h = _validate.one_real("h", self.h, minimum=1e-50, maximum=1e50)
        _validate.freeze(self, rho=_sizes.one_positive("rho", self.rho), h=h)

    @property
    def privacy(self) -> Guarantee:
        """A curator's zero-concentrated privacy at rho."""
        return ZCDP(self.rho)

    def noise_sd(self, n: int) -> float:
        """Standard deviation of the noise at every point."""
        n = _validate.one_integer("n", n, minimum=1)
        return float(1 / (n * self.h * np.sqrt(2 * np.pi * self.rho)))

    def values(self, data: ArrayLike, x: ArrayLike, *, rng: Rng = None) -> Array:
        """The released function at points.

        Parameters
        ----------
        data : array_like, shape (n,)
            Records, from -1e100 to 1e100.
        x : array_like, shape (m,)
            At most 4000 points.
        rng : Generator, int or None

        Returns
        -------
        ndarray, shape (m,)
        """
        bounds: Any = {"minimum": -_sizes.LARGE, "maximum": _sizes.LARGE}
        data = np.asarray(_validate.real("data", data, **bounds))
        points = np.asarray(_validate.real("x", x, **bounds))
        for name, array in (("data", data), ("x", points)):
            if array.ndim != 1 or array.size == 0:
                raise ValueError(f"{name} must be a vector, got shape {array.shape}")
        if points.size > _MOST_POINTS:
            raise ValueError(f"x must have at most {_MOST_POINTS} points, got {points.size}")
        rng = _validate.generator(rng)
        # Further apart than 40 bandwidths the noise is independent in doubles.
        far = np.clip(np.subtract.outer(points, points) / self.h, -40, 40)
        values, vectors = np.linalg.eigh(np.exp(-(far**2) / 2))
        drawn = vectors @ (np.sqrt(np.maximum(values, 0)) * rng.normal(size=points.size))
        return kernel_density(points, data, self.h) + self.noise_sd(data.size) * drawn

    def risk(self, mixture: GaussianMixture, n: int, low: float, high: float) -> float:
        r"""Exact mean squared error, integrated over an interval, of a mixture of normal laws.

        .. math:: \int_l^u (K_h * f - f)^2 + \frac1n \int_l^u \big(K_h^2 * f - (K_h * f)^2\big)
                  + \frac{u - l}{2 \pi \rho\, n^2 h^2}

        Both convolutions are mixtures of normal densities; the integrals are by quadrature.

        Parameters
        ----------
        mixture : GaussianMixture
            In one dimension, with deviations from 1e-50 to 1e50.
        n : int
            Number of people, at least 1.
        low, high : float
            The interval, low < high.

        Returns
        -------
        float

        Examples
        --------
        >>> normal = GaussianMixture([1.0], [0.5], [0.15])
        >>> round(GaussianProcessDensity(0.5, 0.05).risk(normal, 10**4, 0, 1), 4)
        0.0042
        """
        mixture = _validate.instance("mixture", mixture, GaussianMixture)
        _validate.one_integer("mixture's d", mixture.d, minimum=1, maximum=1)
        _validate.real("mixture's sigmas", mixture.sigmas, minimum=1e-50, maximum=1e50)
        n = _validate.one_integer("n", n, minimum=1)
        low, high = _validate.interval(low, high, minimum=-1e50, maximum=1e50)
        nodes, weights = legendre.leggauss(32)
        panels = 512
        width = (high - low) / panels
        x = (low + width * (np.arange(panels)[:, None] + (nodes + 1) / 2)).ravel()
        w = np.tile(weights / 2 * width, panels)
        truth, smooth, narrow = (
            _smoothed(mixture, x, sd) for sd in (0.0, self.h, self.h / np.sqrt(2))
        )
        square = narrow / (2 * np.sqrt(np.pi) * self.h)
        noise = (high - low) * self.noise_sd(n) ** 2
        return float(w @ ((smooth - truth) ** 2 + (square - smooth**2) / n) + noise)


def _smoothed(mixture: GaussianMixture, x: Array, sd: float) -> Array:
    """The density of the mixture convolved with a normal law."""
    wide = np.hypot(mixture.sigmas[:, 0], sd)
    u = np.clip((x[:, None] - mixture.means[:, 0]) / wide, -40, 40)
    found: Array = (np.exp(-(u**2) / 2) / (np.sqrt(2 * np.pi) * wide)) @ mixture.weights
    return found
