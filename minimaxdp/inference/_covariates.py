"""A covariate that carries noise: attenuation of a slope, its correction, and an interval."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real

__all__ = ["attenuation", "corrected_slope", "slope_interval"]

_LARGE = 1e150


def attenuation(variance: ArrayLike, noise_variance: ArrayLike) -> Real:
    r"""Factor by which independent noise on a covariate shrinks a regression slope.

    .. math:: \lambda = \frac{\mathrm{Var}(X)}{\mathrm{Var}(X) + \mathrm{Var}(L)}

    Parameters
    ----------
    variance : array_like
        Of the covariate, positive, at most 1e150.
    noise_variance : array_like
        Of the noise, from 0 to 1e150: :math:`2 (b - a)^2 / \varepsilon^2` where each person
        adds Laplace noise to a value in [a, b].

    Returns
    -------
    float or ndarray
        In (0, 1].

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> float(attenuation(1.0, 3.0))
    0.25
    """
    variance = _validate.real("variance", variance, above=0, maximum=_LARGE)
    noise = _validate.real("noise_variance", noise_variance, minimum=0, maximum=_LARGE)
    _validate.broadcast(variance=variance, noise_variance=noise)
    return variance / (variance + noise)


def corrected_slope(reports: ArrayLike, y: ArrayLike, noise_variance: float) -> float:
    r"""Slope of y on a covariate that is known through noisy reports.

    .. math:: \hat\beta = \frac{S_{Wy}}{S_{WW} - s}, \qquad
              \mathbb E\, S_{Wy} = \mathrm{Cov}(X, y), \quad
              \mathbb E\, S_{WW} = \mathrm{Var}(X) + s

    with the sample covariance and variance (divisor m - 1) of the reports W = X + L and the known
    variance s of the noise.

    Parameters
    ----------
    reports, y : array_like, shape (m,)
        At least two numbers each, of size at most 1e75.
    noise_variance : float
        From 0 to 1e150.

    Returns
    -------
    float
        Infinite or of the wrong sign if the reports vary no more than noise alone would.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> corrected_slope([0.0, 1.0, 2.0, 5.0], [0.0, 2.0, 4.0, 10.0], 0.0)
    2.0
    """
    w, v, noise = _centred(reports, y, noise_variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(
            np.nan_to_num((w @ v) / (w @ w - (w.size - 1) * noise), nan=0.0, posinf=np.inf)
        )


def slope_interval(
    reports: ArrayLike, y: ArrayLike, noise_variance: float, *, level: float = 0.95
) -> tuple[float, float]:
    r"""Interval for a slope from noisy reports of the covariate, after Fieller.

    It holds the beta for which the mean of

    .. math:: \psi_i(\beta) = w_i v_i - \beta (w_i^2 - s), \qquad
              w_i = W_i - \bar W, \quad v_i = y_i - \bar y,

    lies within normal quantiles times its standard error of 0. No quotient is formed, so that a
    covariate drowned in noise is answered by the whole line.

    Parameters
    ----------
    reports, y : array_like, shape (m,)
        At least two numbers each, of size at most 1e75.
    noise_variance : float
        From 0 to 1e150.
    level : float
        Coverage in the limit of many people, strictly between 0 and 1.

    Returns
    -------
    (low, high)
        (-inf, inf) where the set is unbounded.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=2_000)
    >>> y = 3 * x + rng.normal(size=2_000)
    >>> low, high = slope_interval(x + rng.laplace(size=2_000), y, noise_variance=2.0)
    >>> f"{low:.2f} {high:.2f}"
    '2.44 3.77'
    """
    level = _validate.one_real("level", level, above=0, below=1)
    w, v, noise = _centred(reports, y, noise_variance)
    # The centring costs one degree of freedom in each of the two products.
    first, second = w * v, w**2 - noise * (w.size - 1) / w.size
    a, b = first.mean(), second.mean()
    (aa, ab), (_, bb) = np.cov(first, second) * scipy.stats.norm.isf((1 - level) / 2) ** 2 / w.size
    # (a - beta b)^2 <= aa - 2 beta ab + beta^2 bb
    leading, half, last = b**2 - bb, a * b - ab, a**2 - aa
    inside = half**2 - leading * last
    if leading <= 0 or inside < 0:
        return -np.inf, np.inf
    root = np.sqrt(inside)
    return float((half - root) / leading), float((half + root) / leading)


def _centred(reports: ArrayLike, y: ArrayLike, noise: float) -> tuple[Array, Array, float]:
    """Two checked columns about their means, and the variance of the noise."""
    both = []
    for name, values in (("reports", reports), ("y", y)):
        values = np.asarray(_validate.real(name, values, minimum=-1e75, maximum=1e75), dtype=float)
        if values.ndim != 1 or values.size < 2:
            raise ValueError(f"{name} must be a vector of at least two numbers, got {values.shape}")
        both.append(values)
    if both[0].size != both[1].size:
        raise ValueError(f"y must have as many entries as reports, got {both[1].size}")
    w, v = (values - values.mean() for values in both)
    return w, v, _validate.one_real("noise_variance", noise, minimum=0, maximum=_LARGE)
