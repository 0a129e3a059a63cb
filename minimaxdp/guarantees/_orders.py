r"""Zero-concentrated privacy: a supremum over all orders, enclosed between two numbers.

Write :math:`b = a - 1` and :math:`\psi(a) = b D_a`, the logarithm of a moment, hence convex,
with :math:`\psi(1) = 0`. On an interval of orders [l, h] the chord of :math:`\psi` lies above it:

.. math:: \frac{D_a}{a} \le \frac{m - k / b}{1 + b}, \qquad
          m = \frac{b_h D_h - b_l D_l}{b_h - b_l}, \quad
          k = \frac{b_l b_h (D_h - D_l)}{b_h - b_l} \ge 0,

and the right side is greatest at :math:`b = (k + \sqrt{k^2 + m k}) / m` or at an end. Beyond
the order :math:`D_\infty / \rho` no order can reach :math:`\rho`, because :math:`D_a \le
D_\infty`. So values of D at finitely many orders bound the supremum from both sides; intervals
whose bound exceeds the best value found are halved until none is left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate, divergences
from minimaxdp._types import Array

__all__ = ["Enclosure", "supremum_over_orders", "zcdp_rho"]

_CHUNK = 2**21
# Squares of products of two orders, or of an order and a divergence, must be doubles.
_LAST_ORDER = 1e70
_FIRST_ORDERS = np.concatenate([[0.0], np.geomspace(1e-4, 1.0, 15)])


@dataclass(frozen=True)
class Enclosure:
    """A supremum over orders, between a value that is attained and a proved upper bound.

    Attributes
    ----------
    low : float
        The value at `order`.
    high : float
        An upper bound over all orders, up to the rounding of a double.
    order : float
        Where the low value is attained; 1 stands for the limit, Kullback and Leibler's.
    """

    low: float
    high: float
    order: float


def zcdp_rho(
    channel: ArrayLike, pairs: ArrayLike | None = None, *, rtol: float = 1e-9
) -> Enclosure:
    r"""Smallest rho for which a mechanism is rho-zero-concentrated private.

    .. math:: \rho = \max_{x \sim x'} \sup_{a > 1}
              \frac1a D_a\big(Q(\cdot \mid x) \,\|\, Q(\cdot \mid x')\big)

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.
    rtol : float
        Largest relative width of the enclosure, from 1e-12 to below 1.

    Returns
    -------
    Enclosure
        The supremum lies between its `low` and its `high`.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic, a pair does not name two of its rows, or the width
        lies outside its range.

    Notes
    -----
    Tang's slides (claim ``Tang-zCDP``). The proof of the enclosure stands at the head of the
    module: convexity of :math:`(a - 1) D_a` and monotonicity of :math:`D_a`.

    Examples
    --------
    >>> rho = zcdp_rho([[0.75, 0.25], [0.25, 0.75]])
    >>> abs(rho.low - np.log(3) / 2) < 1e-9 and rho.high <= rho.low * (1 + 1e-9)
    True
    """
    channel, both = _validate.neighbours(channel, pairs)
    rtol = _checked_width(rtol)
    # Pairs with the same two laws up to the order of the outputs need one look.
    rows = np.stack([channel[both[:, 0]], channel[both[:, 1]]], axis=1)
    order = np.lexsort((rows[:, 1], rows[:, 0]), axis=-1)
    rows = np.unique(np.take_along_axis(rows, order[:, None], axis=-1), axis=0)
    p, q = rows[:, 0], rows[:, 1]

    def curve(which: NDArray[np.intp], orders: Array) -> Array:
        step = max(1, _CHUNK // p.shape[1])
        return np.concatenate(
            [
                divergences.renyi(p[which[i : i + step]], q[which[i : i + step]], orders[i:][:step])
                for i in range(0, len(which), step)
            ]
        )

    top, at_one = np.asarray(divergences.max_divergence(p, q)), np.asarray(divergences.kl(p, q))
    return _supremum(curve, top, at_one, rtol)


def supremum_over_orders(
    renyi: Callable[[Array], ArrayLike], pure: float, *, rtol: float = 1e-9
) -> Enclosure:
    r"""The same for one pair of laws, given by the curve of its Renyi divergences.

    .. math:: \sup_{a > 1} D_a / a

    Parameters
    ----------
    renyi : callable
        Takes an array of orders from 1 on, returns as many divergences, finite and at least 0.
    pure : float
        The divergence of infinite order, from 0 to 1e70.
    rtol : float
        Largest relative width of the enclosure, from 1e-12 to below 1.

    Returns
    -------
    Enclosure

    Raises
    ------
    TypeError, ValueError
        If `renyi` is no function or returns something else, the divergence of infinite order or
        the width lies outside its range.

    Notes
    -----
    Zero-concentrated privacy of a mechanism with continuous outputs (claim ``Tang-zCDP``).

    Examples
    --------
    >>> rho = supremum_over_orders(lambda a: np.full_like(a, 0.5), 0.5)
    >>> rho.low, rho.order
    (0.5, 1.0)
    """
    renyi = _validate.function("renyi", renyi)
    pure = _validate.one_real("pure", pure, minimum=0, maximum=_LAST_ORDER)
    rtol = _checked_width(rtol)

    def curve(_: NDArray[np.intp], orders: Array) -> Array:
        values = _validate.losses("renyi", renyi(orders), len(orders))
        if values.ndim != 1 or values.min() < 0:
            raise ValueError(f"renyi must return {len(orders)} divergences of at least 0")
        return values

    at_one = curve(np.zeros(1, dtype=np.intp), np.ones(1))
    return _supremum(curve, np.array([pure]), at_one, rtol)


def _checked_width(rtol: float) -> float:
    return _validate.one_real("rtol", rtol, minimum=1e-12, below=1)


def _supremum(
    curve: Callable[[NDArray[np.intp], Array], Array],
    top: Array,
    at_one: Array,
    rtol: float,
) -> Enclosure:
    best, order = float(at_one.max()), 1.0
    if np.any(np.isinf(top)) or best == 0:
        value = float("inf") if np.any(np.isinf(top)) else 0.0
        return Enclosure(value, value, 1.0)
    which = np.flatnonzero(top > best)
    if not len(which):  # at large budgets both divergences may round to one double
        return Enclosure(best, best, order)
    with np.errstate(over="ignore"):
        last = np.minimum(top[which] / best, _LAST_ORDER)
    ends = 1 + _FIRST_ORDERS * (last - 1)[:, None]
    at = np.column_stack(
        [at_one[which]] + [curve(which, ends[:, i]) for i in range(1, ends.shape[1])]
    )
    # Beyond an order no value exceeds the divergence of infinite order over it.
    cut = top[which][last == _LAST_ORDER]
    proved = max(best, float(cut.max()) / _LAST_ORDER) if len(cut) else best
    which = np.repeat(which, ends.shape[1] - 1)
    low, high = ends[:, :-1].ravel(), ends[:, 1:].ravel()
    at_low, at_high = at[:, :-1].ravel(), at[:, 1:].ravel()
    while len(which):
        values = at_high / high
        if values.max() > best:
            best, order = float(values.max()), float(high[values.argmax()])
        bound = _chord_bound(low - 1, high - 1, at_low, at_high)
        open_ = bound > best * (1 + rtol)
        if not open_.all():
            proved = max(proved, float(bound[~open_].max()))
        which = which[open_]
        low, high, at_low, at_high = (part[open_] for part in (low, high, at_low, at_high))
        if not len(which):
            break
        middle = (low + high) / 2
        at_middle = curve(which, middle)
        which = np.concatenate([which, which])
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        at_low = np.concatenate([at_low, at_middle])
        at_high = np.concatenate([at_middle, at_high])
    return Enclosure(best, max(best, proved), order)


def _chord_bound(
    low: Array,
    high: Array,
    at_low: Array,
    at_high: Array,
) -> Array:
    """Upper bound on D_a/a for a - 1 in [low, high]: see the head of the module."""
    width = high - low
    rise = np.maximum(at_high - at_low, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(width > 0, rise / width, 0.0)  # ends may round to one double
        k = low * high * slope
        m = at_high + low * slope
        b = np.where(m > 0, (k + np.sqrt(k * k + m * k)) / m, low)
        b = np.clip(b, low, high)
        inside = np.where(b > 0, (m - np.where(b > 0, k / b, 0)) / (1 + b), m)
    ends = np.maximum(at_low / (1 + low), at_high / (1 + high))
    return np.minimum(np.maximum(inside, ends), at_high / (1 + low))
