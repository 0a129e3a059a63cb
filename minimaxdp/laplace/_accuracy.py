"""How far Laplace noise strays: one answer, many answers at once, the worst of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma, exprel

from minimaxdp import _validate
from minimaxdp._types import Array, Integer, Real

__all__ = ["expected_maximum", "log_maximum_tail", "simultaneous_radius", "union_radius"]


@_validate.broadcasting
def log_maximum_tail(t: ArrayLike, k: ArrayLike, scale: ArrayLike = 1.0) -> Real:
    r"""Logarithm of the probability that one of k Laplace variables strays beyond t.

    .. math:: \Pr\Big(\max_{i \le k} |Z_i| > t\Big) = 1 - (1 - e^{-t/\lambda})^k

    As a logarithm it keeps its digits where the probability itself underflows.

    Parameters
    ----------
    t : array_like
        Radius, at least 0.
    k : array_like of int
        Number of independent variables, at least 1.
    scale : array_like
        Scale lambda of each, from 1e-150 to 1e150.

    Returns
    -------
    float or ndarray
        At most 0.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Smith's slides (claims ``Smith-Lap-tail`` at k = 1, ``Smith-Lap-max-tail``).

    Examples
    --------
    >>> float(log_maximum_tail(1000.0, 1))
    -1000.0
    """
    t, scale = _validate.real("t", t, minimum=0), _validate.scale("scale", scale)
    k = _validate.integer("k", k, minimum=1)
    with np.errstate(over="ignore"):  # too far out for a double: -inf
        u = t / scale
    inside = k * _log_complement(u)  # log of the probability that all stay within t
    # Before exp(-u) underflows the probability is k exp(-u), whose logarithm is wanted.
    value = np.where(u > 700, np.log(k) - u, _log_complement(-inside))
    return np.where(k == 1, -u, value)[()]


@_validate.broadcasting
def simultaneous_radius(k: ArrayLike, beta: ArrayLike, scale: ArrayLike = 1.0) -> Real:
    r"""Radius that all of k Laplace variables respect together, with probability 1 - beta.

    .. math:: t = -\lambda \ln\big(1 - (1 - \beta)^{1/k}\big)

    Exact: the probability of an excess is beta, no less.

    Parameters
    ----------
    k : array_like of int
        Number of independent variables, at least 1.
    beta : array_like
        Probability of an excess, strictly between 0 and 1.
    scale : array_like
        Scale lambda of each, from 1e-150 to 1e150.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides print the union bound :func:`union_radius` with an equality sign
    (claim ``Boul-acc-thm``).

    Examples
    --------
    >>> float(simultaneous_radius(1, 0.05)) == float(union_radius(1, 0.05))
    True
    """
    k, beta, scale = _accuracy(k, beta, scale)
    union, hazard = np.log(k) - np.log(beta), -np.log1p(-beta)
    # As a difference from the union bound the radius cannot be rounded beyond it.
    waste = np.log(hazard / beta) + np.log(exprel(-hazard / k))
    near, far = union - waste, -_log_complement(hazard / k)
    return scale * np.where(k == 1, union, np.where(hazard < k, near, far))[()]


@_validate.broadcasting
def union_radius(k: ArrayLike, beta: ArrayLike, scale: ArrayLike = 1.0) -> Real:
    r"""The same radius by the union bound: simpler, and never smaller.

    .. math:: t = \lambda \ln \frac{k}{\beta}

    Parameters
    ----------
    k : array_like of int
        Number of variables, at least 1; they need not be independent.
    beta : array_like
        Bound on the probability of an excess, strictly between 0 and 1.
    scale : array_like
        Scale lambda of each, from 1e-150 to 1e150.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides, accuracy of the Laplace mechanism (claim ``Boul-acc-thm``).

    Examples
    --------
    >>> bool(union_radius(10, 0.5) > simultaneous_radius(10, 0.5))
    True
    """
    k, beta, scale = _accuracy(k, beta, scale)
    return scale * (np.log(k) - np.log(beta))


@_validate.broadcasting
def expected_maximum(k: ArrayLike, scale: ArrayLike = 1.0) -> Real:
    r"""Expected size of the largest of k Laplace variables.

    .. math:: \mathbb E \max_{i \le k} |Z_i| = \lambda H_k, \qquad
              H_k = \sum_{j=1}^k \frac1j \le \ln k + 1

    Parameters
    ----------
    k : array_like of int
        Number of independent variables, at least 1.
    scale : array_like
        Scale lambda of each, from 1e-150 to 1e150.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Smith's slides (claim ``Smith-Lap-max-mean``).

    Examples
    --------
    >>> round(float(expected_maximum(4)), 12) == round(1 + 1 / 2 + 1 / 3 + 1 / 4, 12)
    True
    """
    k = _validate.integer("k", k, minimum=1)
    scale = _validate.scale("scale", scale)
    return scale * (digamma(np.asarray(k) + 1.0) + np.euler_gamma)


def _log_complement(x: Real) -> Array:
    """log(1 - exp(-x)) for x >= 0, from the side that does not cancel."""
    with np.errstate(divide="ignore"):
        return np.where(x < 0.5, np.log(-np.expm1(-x)), np.log1p(-np.exp(-x)))


def _accuracy(k: ArrayLike, beta: ArrayLike, scale: ArrayLike) -> tuple[Integer, Real, Real]:
    return (
        _validate.integer("k", k, minimum=1),
        _validate.real("beta", beta, above=0, below=1),
        _validate.scale("scale", scale),
    )
