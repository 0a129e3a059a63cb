"""Bounds on probabilities that several chapters share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainccinv, betaincinv

from minimaxdp._types import Array

__all__ = ["binomial_bounds", "log_moment_factor"]


def binomial_bounds(
    least: ArrayLike, most: ArrayLike, n: int, tail: ArrayLike
) -> tuple[Array, Array]:
    """Clopper and Pearson's bounds on chances whose counts among n lie from `least` to `most`.

    Each of the two fails with probability at most `tail`.

    Examples
    --------
    >>> low, high = binomial_bounds(3, 3, 10, 0.025)
    >>> float(low), float(high)
    (0.06674, 0.65245)
    """
    least, most = np.asarray(least), np.asarray(most)
    # Where no trial (or every one) succeeded the bound is the end of the scale.
    low = np.where(least > 0, betaincinv(np.maximum(least, 1), n - least + 1, tail), 0.0)
    high = np.where(most < n, betainccinv(most + 1, np.maximum(n - most, 1), tail), 1.0)
    return low, high


def log_moment_factor(log_b: Array) -> Array:
    r"""Logarithm of the factor by which a moment of the privacy loss bounds delta.

    The largest :math:`(1 - e^{-u}) e^{-b u}` over positive u is
    :math:`\frac1b (1 - \frac1{1 + b})^{1 + b}`.

    Examples
    --------
    >>> bool(np.exp(log_moment_factor(np.log(1.0))) == 0.25)
    True
    """
    b = np.exp(log_b)
    return -(1 + b) * np.log1p(np.exp(-log_b)) - log_b
