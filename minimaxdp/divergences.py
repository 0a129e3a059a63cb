r"""Distances between two probability laws on a finite set.

Both laws run along the last axis and broadcast over the axes before it. Every function
keeps full relative accuracy when the two laws are close, where the textbook sums cancel:
with :math:`t = p/q - 1` each divergence is a sum of :math:`q` times a function of order
:math:`t^2`, which is what is summed here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from minimaxdp import _validate
from minimaxdp._types import Array, Real

__all__ = [
    "chi_square",
    "f_divergence",
    "hockey_stick",
    "kl",
    "max_divergence",
    "renyi",
    "squared_hellinger",
    "total_variation",
]

# Below this |t| a power series replaces a difference that cancels; its 18 terms leave 1e-18.
_SERIES_BELOW = 0.1
_SERIES_TERMS = 18

# From this order on the divergence is that of infinite order to the last digit of a double.
_HIGHEST_ORDER = 1e300


def total_variation(p: ArrayLike, q: ArrayLike) -> Real:
    r"""Total-variation distance.

    .. math:: \|P - Q\|_{TV} = \sup_A |P(A) - Q(A)| = \tfrac12 \sum_y |p(y) - q(y)|

    Between 0 (equal laws) and 1 (disjoint supports).

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Probability vectors along the last axis.

    Returns
    -------
    float or ndarray, shape (...)

    Raises
    ------
    ValueError
        If an entry is negative or not finite, or a vector does not sum to one.

    Notes
    -----
    Barber and Duchi (2014), equation 4 (claim ``BD-eq4``).

    Examples
    --------
    >>> float(total_variation([0.75, 0.25], [0.25, 0.75]))
    0.5
    """
    p, q = _pair(p, q)
    return 0.5 * abs(p - q).sum(axis=-1)


def squared_hellinger(p: ArrayLike, q: ArrayLike) -> Real:
    r"""Squared Hellinger distance.

    .. math:: H^2(P, Q) = \tfrac12 \sum_y \big(\sqrt{p(y)} - \sqrt{q(y)}\big)^2
              = 1 - \sum_y \sqrt{p(y) q(y)}

    Between 0 and 1; :math:`1 - H^2` multiplies over independent coordinates.

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Probability vectors along the last axis.

    Returns
    -------
    float or ndarray, shape (...)

    Raises
    ------
    ValueError
        If an entry is negative or not finite, or a vector does not sum to one.

    Examples
    --------
    >>> float(squared_hellinger([1.0, 0.0], [0.0, 1.0]))
    1.0
    """
    p, q = _pair(p, q)
    root = np.sqrt(p) + np.sqrt(q)
    gap = np.divide(p - q, root, out=np.zeros_like(root), where=root > 0)
    return 0.5 * (gap**2).sum(axis=-1)


def chi_square(p: ArrayLike, q: ArrayLike) -> Real:
    r"""Chi-square divergence.

    .. math:: \chi^2(P \| Q) = \sum_y \frac{(p(y) - q(y))^2}{q(y)}

    At least 0; infinite where P puts mass and Q does not.

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Probability vectors along the last axis.

    Returns
    -------
    float or ndarray, shape (...)

    Raises
    ------
    ValueError
        If an entry is negative or not finite, or a vector does not sum to one.

    Notes
    -----
    Tang's slides, Hammersley-Chapman-Robbins step (claim ``Tang-HCR``).

    Examples
    --------
    >>> round(float(chi_square([2 / 3, 1 / 3], [1 / 3, 2 / 3])), 12)
    0.5
    """
    p, q = _pair(p, q)
    return _sum_over_support(p, q, _square)


def kl(p: ArrayLike, q: ArrayLike) -> Real:
    r"""Kullback-Leibler divergence in nats.

    .. math:: D(P \| Q) = \sum_y p(y) \ln \frac{p(y)}{q(y)}

    At least 0; infinite where P puts mass and Q does not.

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Probability vectors along the last axis.

    Returns
    -------
    float or ndarray, shape (...)

    Raises
    ------
    ValueError
        If an entry is negative or not finite, or a vector does not sum to one.

    Notes
    -----
    Barber and Duchi (2014), Definition 5 with f(t) = t ln t (claim ``BD-Def5``).

    Examples
    --------
    >>> float(kl([0.5, 0.5], [0.5, 0.5]))
    0.0
    >>> float(kl([0.5, 0.5], [1.0, 0.0]))
    inf
    """
    p, q = _pair(p, q)
    return _sum_over_support(p, q, _kl_term)


def renyi(p: ArrayLike, q: ArrayLike, order: ArrayLike) -> Real:
    r"""Renyi divergence of a positive order, in nats.

    .. math:: D_a(P \| Q) = \frac1{a-1} \ln \sum_y q(y) \Big(\frac{p(y)}{q(y)}\Big)^a

    with its limits at order 1 (Kullback-Leibler) and infinity (:func:`max_divergence`).
    Non-decreasing in the order.

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Probability vectors along the last axis.
    order : array_like, broadcasting with the leading axes
        The order a > 0; ``numpy.inf`` is allowed.

    Returns
    -------
    float or ndarray

    Raises
    ------
    ValueError
        If the order is not positive, an entry is negative, or a vector does not sum to one.

    Notes
    -----
    The divergence of zero-concentrated privacy, Tang's slides (claim ``Tang-zCDP``).

    Examples
    --------
    >>> p, q = [2 / 3, 1 / 3], [1 / 3, 2 / 3]
    >>> [round(float(renyi(p, q, a)), 6) for a in (1, 2, float("inf"))]
    [0.231049, 0.405465, 0.693147]
    """
    p, q = _pair(p, q)
    order = np.asarray(_validate.real("order", order, above=0, infinite=True))
    highest = order > _HIGHEST_ORDER
    special = highest | (order == 1)
    a = np.where(special, 2.0, order)[..., None]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t, log_ratio = _ratio(p, q)
        # 0^a q^(1-a) = 0 for every a > 0; p^a 0^(1-a) is 0 below order 1 and infinite above.
        logs = np.where(p > 0, np.log(p) + (a - 1) * log_ratio, -np.inf)
        log_moment = logsumexp(logs, axis=-1)
        # Near equal laws, and near order 0 or 1, the moment is 1 + small: add up the small
        # part by itself, from p^a q^(1-a) - q - a (p - q) written in either of two ways.
        near = np.maximum(abs(t), abs(a * t)) < _SERIES_BELOW
        from_q = np.where(q > 0, q * np.expm1(a * log_ratio), 0) - a * (p - q)
        from_p = np.where(p > 0, p * np.expm1((a - 1) * log_ratio), 0) - (a - 1) * (p - q)
        terms = np.where(a < 0.5, from_q, from_p)
        terms = np.where(near, q * _binomial_tail(np.where(near, t, 0), a), terms)
        small = terms.sum(axis=-1)
        log_moment = np.where(abs(log_moment) < 0.5, np.log1p(small), log_moment)
        value = log_moment / (a[..., 0] - 1)
    # A sum that should be zero may round to -0 or below it.
    value = np.maximum(value, 0.0)
    if np.any(special):
        value = np.where(order == 1, kl(p, q), value)
        value = np.where(highest, max_divergence(p, q), value)
    return value[()]


def max_divergence(p: ArrayLike, q: ArrayLike) -> Real:
    r"""Largest log-ratio, the Renyi divergence of infinite order, in nats.

    .. math:: D_\infty(P \| Q) = \max_{y : p(y) > 0} \ln \frac{p(y)}{q(y)}
              = \sup_E \ln \frac{P(E)}{Q(E)}

    At least 0; infinite where P puts mass and Q does not.

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Probability vectors along the last axis.

    Returns
    -------
    float or ndarray, shape (...)

    Raises
    ------
    ValueError
        If an entry is negative or not finite, or a vector does not sum to one.

    Notes
    -----
    Smith's slides, equivalence of the two definitions (claim ``Smith-DP-equiv``).

    Examples
    --------
    >>> abs(float(max_divergence([2 / 3, 1 / 3], [1 / 3, 2 / 3])) - float(np.log(2))) < 1e-15
    True
    """
    p, q = _pair(p, q)
    _, log_ratio = _ratio(p, q)
    return np.maximum(np.where(p > 0, log_ratio, -np.inf).max(axis=-1), 0.0)


def hockey_stick(p: ArrayLike, q: ArrayLike, epsilon: ArrayLike) -> Real:
    r"""Hockey-stick divergence: the delta that goes with an epsilon.

    .. math:: E_\varepsilon(P \| Q) = \sup_A \big(P(A) - e^\varepsilon Q(A)\big)
              = \sum_y \max\{p(y) - e^\varepsilon q(y), 0\}

    Between 0 and 1; at epsilon 0 it is the total-variation distance.

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Probability vectors along the last axis.
    epsilon : array_like, broadcasting with the leading axes
        Nats, at least 0.

    Returns
    -------
    float or ndarray

    Raises
    ------
    ValueError
        If epsilon is negative or not finite, an entry is negative, or a vector does not
        sum to one.

    Notes
    -----
    The smallest delta of Barber and Duchi (2014), Definition 3 (claim ``BD-Def3``).

    Examples
    --------
    >>> float(hockey_stick([0.75, 0.25], [0.25, 0.75], 0.0))
    0.5
    """
    p, q = _pair(p, q)
    epsilon = np.asarray(_validate.real("epsilon", epsilon, minimum=0))[..., None]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        # Beyond 700 the factor may overflow where its product with a tiny q does not.
        more = np.where(epsilon > 700, np.exp(epsilon + np.log(q)), np.expm1(epsilon) * q)
        excess = (p - q) - np.where(q > 0, more, 0.0)
    return np.maximum(excess, 0.0).sum(axis=-1)


def f_divergence(
    p: ArrayLike,
    q: ArrayLike,
    f: Callable[[Array], Array],
    slope_at_infinity: float | None = None,
) -> Real:
    r"""Csiszar's f-divergence for any convex f with f(1) = 0.

    .. math:: D_f(P \| Q) = \sum_{q(y) > 0} q(y) f\Big(\frac{p(y)}{q(y)}\Big)
              + P(q = 0) \lim_{t \to \infty} \frac{f(t)}{t}

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Probability vectors along the last axis.
    f : callable
        Vectorised and convex on [0, infinity), with f(1) = 0; f(0) may be infinite.
    slope_at_infinity : float, optional
        The limit of f(t)/t; needed only where P puts mass and Q does not.

    Returns
    -------
    float or ndarray, shape (...)

    Raises
    ------
    ValueError
        If f(1) is not 0 or f returns NaN, if P is not dominated by Q and no slope is given, if
        some p(y)/q(y) is beyond the range of a double, an entry is negative, or a vector does
        not sum to one.
    TypeError
        If f is no function or the slope no number.

    Notes
    -----
    Barber and Duchi (2014), equation 6 (claim ``BD-Def5``).

    Examples
    --------
    >>> p, q = [0.75, 0.25], [0.25, 0.75]
    >>> float(f_divergence(p, q, lambda t: abs(t - 1) / 2)) == float(total_variation(p, q))
    True
    """
    p, q = _pair(p, q)
    f = _validate.function("f", f)
    if slope_at_infinity is not None:
        slope_at_infinity = _validate.one_real(
            "slope_at_infinity", slope_at_infinity, infinite=True
        )
    outside = np.where(q > 0, 0.0, p).sum(axis=-1)
    if slope_at_infinity is None and np.any(outside > 0):
        raise ValueError("slope_at_infinity must be given: P puts mass where Q has none")
    one = np.asarray(f(np.array([1.0])))
    if one.shape != (1,) or one.dtype.kind not in "biuf":
        raise TypeError(f"f must return a number for each that it is given, got {one!r} for [1.]")
    at_one = float(one[0])
    if not abs(at_one) < 1e-12:
        raise ValueError(f"f must satisfy f(1) = 0, got f(1) = {at_one}")
    with np.errstate(over="ignore"):
        ratio = p / np.where(q > 0, q, 1.0)
    if np.any(np.isinf(ratio)):
        raise ValueError("p must be at most 1.8e308 times q where q is positive")
    found = np.asarray(f(ratio))
    if found.shape != ratio.shape or np.any(np.isnan(found)):
        raise ValueError(f"f must return one number for each of shape {ratio.shape}, got {found}")
    value = np.where(q > 0, q * found, 0.0).sum(axis=-1)
    if slope_at_infinity is not None:
        with np.errstate(invalid="ignore"):
            value = value + np.where(outside > 0, outside * slope_at_infinity, 0.0)
    return value


def _pair(p: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    p, q = _validate.distribution("p", p), _validate.distribution("q", q)
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(
            f"p and q must be laws on the same set, got {p.shape[-1]} and {q.shape[-1]} outcomes"
        )
    _validate.broadcast(p=p, q=q)
    return p, q


def _ratio(p: Array, q: Array) -> tuple[Array, Array]:
    """p/q - 1 and ln(p/q), both to full accuracy near p = q; no use where p = q = 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t = np.where(q > 0, (p - q) / np.where(q > 0, q, 1), np.inf)
        return t, np.where(abs(t) < 0.5, np.log1p(np.maximum(t, -1)), np.log(p) - np.log(q))


def _sum_over_support(p: Array, q: Array, term: Callable[[Array, Array, Array], Array]) -> Real:
    """Sum over q > 0 of q f(t) at t = p/q - 1, infinite if P leaves the support of Q."""
    inside = np.broadcast_to(q > 0, np.broadcast_shapes(p.shape, q.shape))
    # Where p/q is no double, t is infinite, and q f(t) still need not be.
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        t = np.divide(p - q, q, out=np.zeros(inside.shape), where=inside)
        value = term(p, q, t).sum(axis=-1)
    escapes = ((q == 0) & (p > 0)).any(axis=-1)
    return np.where(escapes, np.inf, value)[()]


def _square(p: Array, q: Array, t: Array) -> Array:
    """q t^2, also where t^2 is too large for a double."""
    return np.where(abs(t) < 1e150, q * t**2, ((p - q) / np.sqrt(q)) ** 2)


def _kl_term(p: Array, q: Array, t: Array) -> Array:
    """q ((1 + t) ln(1 + t) - t), by its series near 0 and its limit 1 at t = -1."""
    near = abs(t) < _SERIES_BELOW
    k = np.arange(2, 2 + _SERIES_TERMS)
    series = np.polynomial.polynomial.polyval(
        np.where(near, t, 0.0), np.concatenate([[0.0, 0.0], (-1.0) ** k / (k * (k - 1))])
    )
    # The first factor is kept off zero only to avoid 0 ln 0, whose limit is 0.
    direct = (1 + t) * np.log(np.maximum(1 + t, np.finfo(float).tiny)) - t
    far = p * (np.log(p) - np.log(q)) - (p - q)
    return np.where(t < 1e300, q * np.where(near, series, direct), far)


def _binomial_tail(t: Array, a: Array) -> Array:
    """(1 + t)^a - 1 - a t as its binomial series from the second order on."""
    total = np.zeros(np.broadcast_shapes(t.shape, a.shape))
    power = a * t
    for k in range(2, 2 + _SERIES_TERMS):
        power = power * t * (a - (k - 1)) / k
        total = total + power
    return total
