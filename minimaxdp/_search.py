"""Where a condition that is kept once it holds begins to hold."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

__all__ = ["least_budget", "least_integer"]


def least_integer(enough: Callable[[int], bool], low: int, high: int) -> int:
    """The least integer above `low` that is enough, where `high` is known to be.

    Examples
    --------
    >>> least_integer(lambda n: n**2 >= 50, 0, 100)
    8
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def least_budget(
    enough: Callable[[float], bool], low: float, high: float, rtol: float
) -> float | None:
    """The least positive number between two that is enough, from above and to a relative error.

    None if even `high` is not enough.

    Examples
    --------
    >>> round(least_budget(lambda epsilon: epsilon**2 >= 2, 1e-3, 30.0, rtol=1e-9), 6)
    1.414214
    >>> least_budget(lambda epsilon: False, 1e-3, 30.0, rtol=1e-9)
    """
    if not enough(high):
        return None
    if enough(low):
        return low
    while high > low * (1 + rtol):
        middle = sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
