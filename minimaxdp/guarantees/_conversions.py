r"""From Rényi divergences to (epsilon, delta), by the best order.

For every loss L and order a, :math:`(1 - e^{\varepsilon - L})_+ \le \frac1{a - 1}
(1 - \frac1a)^a e^{(a - 1)(L - \varepsilon)}`, and the mean of the right side is a moment. Any
order gives a true bound; the search only makes it small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._tails import log_moment_factor
from minimaxdp._types import Array

__all__ = ["Conversion", "renyi_to_approximate", "zcdp_to_approximate"]

_GOLDEN = (np.sqrt(5) - 1) / 2


class Conversion(NamedTuple):
    """An (epsilon, delta)-guarantee and the order by which it came.

    Attributes
    ----------
    epsilon, delta, order : float or ndarray
    """

    epsilon: Any
    delta: Any
    order: Any


def zcdp_to_approximate(
    rho: ArrayLike, *, epsilon: ArrayLike | None = None, delta: ArrayLike | None = None
) -> Conversion:
    r"""The (epsilon, delta)-privacy that zero-concentrated privacy guarantees, by the best order.

    .. math:: \delta = \min_{a > 1} \frac1{a - 1} \Big(1 - \frac1a\Big)^a
              e^{(a - 1)(a \rho - \varepsilon)}

    Parameters
    ----------
    rho : array_like
        Nats, from 1e-150 to 1e150.
    epsilon : array_like
        Nats, from 0 to 1e150; or
    delta : array_like
        Strictly between 0 and 1. One of the two.

    Returns
    -------
    Conversion
        `epsilon`, `delta` and the `order` that was found, as arrays if an argument is one.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range, or not exactly one of the two is given.

    Notes
    -----
    Canonne, Kamath and Steinke (2020), Proposition 12. What the divergence of one order
    guarantees at best, in both directions, is :func:`renyi_to_delta`; it is hardly smaller.

    Examples
    --------
    >>> found = zcdp_to_approximate(0.5, delta=1e-6)
    >>> round(found.epsilon, 6), round(found.order, 2)
    (5.221534, 5.91)
    >>> zcdp_to_approximate([0.1, 0.5], epsilon=2.0).delta.round(6).tolist()
    [4e-06, 0.054293]
    """
    rho = np.asarray(_validate.real("rho", rho, minimum=1e-150, maximum=1e150))
    _one_of(epsilon, delta)
    if epsilon is not None:
        at = np.asarray(_validate.real("epsilon", epsilon, minimum=0, maximum=1e150))
        _validate.broadcast(rho=rho, epsilon=at)
        start = np.log(np.maximum((at - rho) / (2 * rho), 1e-3))
        place = _least(lambda t: _log_delta(t, (1 + np.exp(t)) * rho, at), start)
        order = 1 + np.exp(place)
        found = np.minimum(np.exp(np.minimum(_log_delta(place, order * rho, at), 0.0)), 1.0)
        return Conversion(*_alike(at, found, order))
    assert delta is not None
    at = np.asarray(_validate.real("delta", delta, above=0, below=1))
    _validate.broadcast(rho=rho, delta=at)
    start = np.log(np.sqrt(-np.log(at) / rho))
    place = _least(lambda t: _epsilon(t, (1 + np.exp(t)) * rho, at), start)
    order = 1 + np.exp(place)
    return Conversion(*_alike(np.maximum(_epsilon(place, order * rho, at), 0.0), at, order))


def renyi_to_approximate(
    orders: ArrayLike,
    levels: ArrayLike,
    *,
    epsilon: ArrayLike | None = None,
    delta: ArrayLike | None = None,
) -> Conversion:
    r"""The best (epsilon, delta) that Rényi divergences of several orders guarantee.

    Parameters
    ----------
    orders : array_like, shape (m,)
        Orders above 1.
    levels : array_like, shape (..., m)
        Bounds on the divergence of each order, in nats, at least 0; infinite where there is none.
    epsilon, delta : array_like, shape (...)
        One of the two that is held, within the bounds of :func:`zcdp_to_approximate`.

    Returns
    -------
    Conversion
        `epsilon`, `delta` and the best of the `orders`.

    Raises
    ------
    TypeError, ValueError
        If the shapes do not fit or an argument lies outside its range.

    Notes
    -----
    Mironov (2017); the constant is that of Canonne, Kamath and Steinke (2020).

    Examples
    --------
    >>> orders = np.array([1.5, 2, 4, 8, 16, 32])
    >>> found = renyi_to_approximate(orders, 0.5 * orders, delta=1e-6)
    >>> round(found.epsilon, 4), found.order
    (5.543, 8.0)
    """
    orders = np.asarray(_validate.real("orders", orders, above=1))
    if orders.ndim != 1 or not len(orders):
        raise ValueError("orders must be a vector of at least one order")
    levels = np.asarray(_validate.real("levels", levels, minimum=0, infinite=True))
    _validate.entries("levels", levels, len(orders))
    place = np.log(orders - 1)
    _one_of(epsilon, delta)
    if epsilon is not None:
        at = np.asarray(_validate.real("epsilon", epsilon, minimum=0))
        _validate.broadcast(levels=levels[..., 0], epsilon=at)
        values = _log_delta(place, levels, at[..., None])
    else:
        assert delta is not None
        at = np.asarray(_validate.real("delta", delta, above=0, below=1))
        _validate.broadcast(levels=levels[..., 0], delta=at)
        values = _epsilon(place, levels, at[..., None])
    best = values.argmin(axis=-1)
    least = values.min(axis=-1)
    if epsilon is not None:
        return Conversion(*_alike(at, np.exp(np.minimum(least, 0.0)), orders[best]))
    return Conversion(*_alike(np.maximum(least, 0.0), at, orders[best]))


def _one_of(epsilon: Any, delta: Any) -> None:
    if (epsilon is None) == (delta is None):
        raise ValueError("epsilon or delta must be given, and not both")


def _alike(*values: Any) -> tuple[Any, ...]:
    """Of one shape; numbers where all of them are numbers."""
    shaped = np.broadcast_arrays(*values)
    return tuple(float(v) if v.ndim == 0 else v.copy() for v in shaped)


def _log_delta(log_b: Array, level: Array, epsilon: Array) -> Array:
    return np.exp(log_b) * (level - epsilon) + log_moment_factor(log_b)


def _epsilon(log_b: Array, level: Array, delta: Array) -> Array:
    return level + (log_moment_factor(log_b) - np.log(delta)) / np.exp(log_b)


def _least(value: Callable[[Array], Array], start: Array) -> Array:
    """Where functions of the logarithm of the order are least, by golden sections."""
    low, high = start - 12.0, start + 12.0
    for _ in range(70):
        first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        left = value(first) < value(second)
        low, high = np.where(left, low, first), np.where(left, second, high)
    return np.asarray((low + high) / 2)
