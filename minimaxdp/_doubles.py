"""Arithmetic of doubles that keeps what rounding drops."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp._types import Array

__all__ = ["exact_product"]


def exact_product(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """x y as the sum of two doubles (Dekker); neither may be near overflow.

    Examples
    --------
    >>> from fractions import Fraction
    >>> product, rest = (Fraction(float(part)) for part in exact_product(0.1, 3.0))
    >>> product + rest == 3 * Fraction(0.1), product == 3 * Fraction(0.1)
    (True, False)
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    product = x * y
    (a, b), (c, d) = _split(x), _split(y)
    return product, b * d - (((product - a * c) - b * c) - a * d)


def _split(v: Array) -> tuple[Array, Array]:
    """The upper half of the digits, and the lower half (Veltkamp)."""
    high = 134217729.0 * v  # 2^27 + 1
    high = high - (high - v)
    return high, v - high
