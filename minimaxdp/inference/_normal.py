"""The normal approximation to a released count: moments, tests, and how far off it is."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Real
from minimaxdp.inference._binomial import LEAST_EPSILON
from minimaxdp.inference._release_laws import LaplaceRelease

__all__ = ["normal_distance", "normal_p_value", "release_variance"]


@_validate.broadcasting
def release_variance(theta: ArrayLike, n: ArrayLike, epsilon: ArrayLike) -> Real:
    r"""Variance of a proportion released with Laplace noise.

    .. math:: \mathrm{Var}(\hat\pi) = \frac{\theta (1 - \theta)}{n} + \frac{2}{\varepsilon^2 n^2}
              = \frac{\sigma_n^2(\theta)}{n}, \qquad
              \sigma_n^2(\theta) = \theta (1 - \theta) + \frac{2}{n \varepsilon^2}

    Parameters
    ----------
    theta : array_like
        Proportion of the population, in [0, 1].
    n : array_like of int
        Number of people, at least 1.
    epsilon : array_like
        Privacy budget in nats, from 1e-150 to 700.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claims ``Boul-normal``, ``Boul-sigma``).

    Examples
    --------
    >>> round(float(release_variance(0.5, 10, 1.0)), 12)
    0.045
    """
    theta = _validate.real("theta", theta, minimum=0, maximum=1)
    n = _validate.integer("n", n, minimum=1)
    epsilon = _validate.epsilon(epsilon, minimum=LEAST_EPSILON)
    return theta * (1 - theta) / n + 2 / (epsilon * n) ** 2


def normal_p_value(released: ArrayLike, n: int, theta0: float, epsilon: float) -> Real:
    r"""Approximate p-value against larger proportions.

    .. math:: 1 - \Phi\Big(\frac{z / n - \theta_0}{\sqrt{\mathrm{Var}(\hat\pi)}}\Big)

    Parameters
    ----------
    released : array_like
        Counts plus Laplace noise.
    n : int
        Number of people, at least 1.
    theta0 : float
        Proportion under the hypothesis, in [0, 1].
    epsilon : float
        Privacy budget in nats, from 1e-150 to 700.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-normal``), after Vu and Slavkovic (2009).

    Examples
    --------
    >>> round(float(normal_p_value(40.0, 100, 0.3, 1.0)), 4)
    0.0185
    """
    released = _validate.real("released", released)
    n = _validate.one_integer("n", n, minimum=1)
    theta0 = _validate.one_real("theta0", theta0, minimum=0, maximum=1)
    epsilon = _validate.one_epsilon(epsilon)
    deviation = np.sqrt(release_variance(theta0, n, epsilon))
    with np.errstate(over="ignore"):  # too far out for a double: the tail is 0 or 1 there
        return scipy.stats.norm.sf((released / n - theta0) / deviation)


def normal_distance(n: int, theta: float, epsilon: float) -> float:
    r"""Kolmogorov distance between the standardised release and the standard normal law.

    .. math:: \sup_y \Big| \Pr\Big(\frac{\hat\pi - \theta}{\sqrt{\mathrm{Var}(\hat\pi)}} \le y\Big)
              - \Phi(y) \Big|

    The supremum is taken over 4001 points from -8 to 8, and over two points beside each count
    k at which the waves that the lattice of counts leaves are highest,

    .. math:: k \pm \Big( \frac12 - \frac1\varepsilon\,
              \mathrm{arcosh} \frac{\sinh(\varepsilon/2)}{\varepsilon/2} \Big)

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    theta : float
        Proportion of the population, in [0, 1].
    epsilon : float
        Privacy budget in nats, from 1e-150 to 700.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-BE``).

    Examples
    --------
    >>> round(normal_distance(20_000, 1 / 20_000, 1.0), 3)
    0.033
    """
    law = LaplaceRelease(n, theta, epsilon)
    deviation = law.n * np.sqrt(release_variance(law.theta, law.n, law.epsilon))
    counts = np.arange(law.n + 1.0)
    near = counts[abs(counts - law.n * law.theta) <= 8 * deviation]
    crest = _crest(law.epsilon)
    grid = law.n * law.theta + deviation * np.linspace(-8, 8, 4001)
    z = np.concatenate([grid, near - crest, near + crest])
    return float(abs(law.cdf(z) - scipy.stats.norm.cdf((z - law.n * law.theta) / deviation)).max())


def _crest(epsilon: float) -> float:
    """Where, beside a count, Laplace noise around equally likely counts has its mean density."""
    half = epsilon / 2
    if half > 300:  # the hyperbolic functions overflow, and are exponential functions
        return float(np.log(half) / epsilon)
    if half < 1e-3:  # the limit, to 1e-8; the formula would be 0 / 0
        return float(0.5 - 1 / np.sqrt(12))
    return float(0.5 - np.arccosh(np.sinh(half) / half) / epsilon)
