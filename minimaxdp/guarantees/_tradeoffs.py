r"""Trade-off curves in closed form: the least second error that a first error allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from minimaxdp import _validate
from minimaxdp._types import Real

__all__ = ["approximate_tradeoff", "gaussian_tradeoff", "laplace_tradeoff"]


@_validate.broadcasting
def approximate_tradeoff(epsilon: ArrayLike, alpha: ArrayLike, delta: ArrayLike = 0.0) -> Real:
    r"""The curve that (epsilon, delta)-differential privacy keeps every test above.

    .. math:: f_{\varepsilon, \delta}(\alpha) = \max\{0,\ 1 - \delta - e^\varepsilon \alpha,\
              e^{-\varepsilon} (1 - \delta - \alpha)\}

    Parameters
    ----------
    epsilon : array_like
        Nats, at least 0.
    alpha : array_like
        First error, between 0 and 1.
    delta : array_like
        Between 0 and 1.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Smith's Exercise 1 is its region at delta 0 (claim ``Smith-Ex1-region``); Barber and Duchi
    (2014), equation 2 (claim ``BD-Prop1``).

    Examples
    --------
    >>> round(float(approximate_tradeoff(np.log(3), 0.25)), 12)
    0.25
    """
    epsilon = _validate.real("epsilon", epsilon, minimum=0)
    alpha = _validate.real("alpha", alpha, minimum=0, maximum=1)
    delta = _validate.real("delta", delta, minimum=0, maximum=1)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        # Beyond 700 the factor may overflow where its product with a tiny alpha does not.
        spent = np.where(epsilon > 700, np.exp(epsilon + np.log(alpha)), np.exp(epsilon) * alpha)
        steep = np.where(alpha > 0, 1 - delta - spent, 1 - delta)
    flat = np.exp(-epsilon) * (1 - delta - alpha)
    return np.maximum(np.maximum(steep, flat), 0.0)[()]


@_validate.broadcasting
def gaussian_tradeoff(mu: ArrayLike, alpha: ArrayLike) -> Real:
    r"""Exact trade-off curve between N(0, 1) and N(mu, 1).

    .. math:: G_\mu(\alpha) = \Phi\big(\Phi^{-1}(1 - \alpha) - \mu\big)

    Parameters
    ----------
    mu : array_like
        Distance of the means in standard deviations, sensitivity over sigma; at least 0.
    alpha : array_like
        First error, between 0 and 1.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    The test behind Barber and Duchi (2014), Example 1 (claim ``BD-Ex1``); the name of the curve
    is that of Dong, Roth and Su (2022).

    Examples
    --------
    >>> round(float(gaussian_tradeoff(0.0, 0.3)), 12)
    0.7
    """
    mu = _validate.real("mu", mu, minimum=0)
    alpha = _validate.real("alpha", alpha, minimum=0, maximum=1)
    return ndtr(-ndtri(alpha) - mu)


@_validate.broadcasting
def laplace_tradeoff(epsilon: ArrayLike, alpha: ArrayLike) -> Real:
    r"""Exact trade-off curve between two Laplace laws whose means differ by epsilon scales.

    .. math:: T(\alpha) = 1 - e^\varepsilon \alpha,\quad \frac{e^{-\varepsilon}}{4 \alpha},\quad
              e^{-\varepsilon} (1 - \alpha) \qquad \text{for } \alpha \le
              \tfrac12 e^{-\varepsilon},\quad \le \tfrac12,\quad > \tfrac12

    Parameters
    ----------
    epsilon : array_like
        Sensitivity over scale, positive: the pure budget in nats.
    alpha : array_like
        First error, between 0 and 1.

    Returns
    -------
    float or ndarray
        Above :func:`approximate_tradeoff` of the same epsilon in between, and equal to it at
        both ends.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> float(laplace_tradeoff(np.log(4), 0.25))
    0.25
    """
    epsilon = _validate.epsilon(epsilon)
    alpha = _validate.real("alpha", alpha, minimum=0, maximum=1)
    shrink = np.exp(-epsilon)
    middle = shrink / (4 * np.maximum(alpha, shrink / 2))
    return np.where(
        alpha <= shrink / 2,
        1 - np.exp(epsilon) * np.minimum(alpha, shrink / 2),
        np.where(alpha <= 0.5, middle, shrink * (1 - alpha)),
    )[()]
